/** One token bucket per API client (service.md, Limits): `burst` requests at once, `rate` a second sustained. */
import type { RuleGuard } from "./rules.js";

interface Bucket {
  tokens: number;
  /** ms since 1970, of the last refill. */
  at: number;
}

export class Limiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #rate: number;
  readonly #burst: number;
  readonly #rule: RuleGuard;

  constructor(rate: number, burst: number, rule: RuleGuard) {
    this.#rate = rate;
    this.#burst = rule("limits.burst") ? burst : burst * 10;
    this.#rule = rule;
  }

  /** 0 when the request may pass; else the ms until one may, and nothing is taken. `now`: ms since 1970. */
  take(clientId: string, now: number): number {
    if (!this.#rule("limits.sustained")) return 0;
    const client = this.#rule("limits.per-client") ? clientId : "";
    const bucket = this.#buckets.get(client) ?? { tokens: this.#burst, at: now };
    const elapsed = Math.max(0, now - bucket.at);
    bucket.tokens = Math.min(this.#burst, bucket.tokens + (elapsed * this.#rate) / 1000);
    bucket.at = now;
    this.#buckets.set(client, bucket);
    // A millisecond's fraction lost to rounding must not refuse a request that is exactly on time.
    if (bucket.tokens >= 1 - 1e-9) {
      bucket.tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - bucket.tokens) * 1000) / this.#rate);
  }
}
