/** The service's own bucket, exact to the ms: how many requests, arriving at these times (ms), it refuses. */
export function refusedBy(rate: number, burst: number, arrivals: readonly number[], full = burst): number {
  let level = full;
  let at: number | null = null;
  let refused = 0;
  for (const arrival of arrivals.toSorted((a, b) => a - b)) {
    level = Math.min(burst, level + ((arrival - (at ?? arrival)) / 1000) * rate);
    at = arrival;
    if (level >= 1 - 1e-9) level -= 1;
    else refused++;
  }
  return refused;
}
