/** One token bucket per API client (service.md, Limits): `burst` requests at once, `rate` a second sustained. */
interface Bucket {
  tokens: number;
  /** The time of the last refill, ms. */
  at: number;
}

export type Limiter = ReturnType<typeof limiterOf>;

export function limiterOf(rate: number, burst: number) {
  const buckets = new Map<string, Bucket>();
  return {
    /** Returns 0 if the request may pass, else the ms until it may. `now`: ms. */
    take(clientId: string, now: number): number {
      const bucket = buckets.get(clientId) ?? { tokens: burst, at: now };
      const elapsed = Math.max(0, now - bucket.at);
      bucket.tokens = Math.min(burst, bucket.tokens + (elapsed * rate) / 1000);
      bucket.at = now;
      buckets.set(clientId, bucket);
      // Rounding must not refuse a request that is exactly on time.
      if (bucket.tokens < 1 - 1e-9) return Math.ceil(((1 - bucket.tokens) * 1000) / rate);
      bucket.tokens -= 1;
      return 0;
    },
  };
}
