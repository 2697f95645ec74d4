/** What a busy process noted late came between the two, ms. */
export interface Arrival {
  since: number;
  at: number;
}

/** Notes what comes to this process. What came while it was busy, or was not let run, was there before it looked. */
export function watch() {
  let [before, last] = [Date.now(), Date.now()];
  const looking = setInterval(() => ([before, last] = [last, Date.now()]), 5);
  return {
    note: () => ({ since: before, at: Date.now() }),
    stop: () => clearInterval(looking),
  };
}

/** The service's own bucket, exact to the ms: how many requests, arriving at these times (ms), it refuses. */
export function refusedBy(rate: number, burst: number, arrivals: readonly (number | Arrival)[]): number {
  let level = burst;
  let last: number | null = null;
  let refused = 0;
  const spans = arrivals.map((one) => (typeof one === "number" ? { since: one, at: one } : one));
  for (const { since, at } of spans.toSorted((a, b) => a.at - b.at)) {
    const earliest = Math.max(since, last ?? since);
    const levelThen = Math.min(burst, level + ((earliest - (last ?? earliest)) / 1000) * rate);
    const arrival = Math.min(at, Math.max(earliest, earliest + ((1 - levelThen) / rate) * 1000));
    level = Math.min(burst, levelThen + ((arrival - earliest) / 1000) * rate);
    last = arrival;
    if (level >= 1 - 1e-9) level -= 1;
    else refused++;
  }
  return refused;
}
