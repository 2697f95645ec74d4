/** What the service saw and did, request by request, for the verdict afterwards. */
import type { Body } from "./register.js";

export interface Seen {
  /** Counting from 1. */
  number: number;
  /** ms since 1970 when its head arrived. */
  at: number;
  method: string;
  /** Decoded, without the query. */
  path: string;
  query: string;
  body: Body | null;
  /** What was sent; null: the connection was broken. */
  status: number | null;
  code: string | null;
  message: string | null;
  fault: string | null;
  /** Whether something was written. */
  committed: boolean;
  /** Whether the whole answer left. */
  delivered: boolean;
}

export interface RateLimit {
  /** Whether a request that arrives now is within the limit. */
  admits(now: number): boolean;
}

/** An exact token bucket: `burst` tokens at first, `rate` a second, no slack (service.md, Limits). */
export function createRateLimit(rate: number | null, burst: number): RateLimit {
  let level = burst;
  let filledAt: number | null = null;
  return {
    admits(now) {
      if (rate === null) return true;
      level = Math.min(burst, level + ((now - (filledAt ?? now)) / 1000) * rate);
      filledAt = now;
      if (level < 1) return false;
      level -= 1;
      return true;
    },
  };
}

export interface Credentials {
  /** Answer of the token endpoint. */
  issue(): { [name: string]: string | number };
  /** Null: good. */
  check(header: string | undefined): "missing" | "expired" | null;
  revokeAll(): void;
  readonly issued: number;
}

export function createCredentials(life: number | null, expiresIn: boolean, now: () => number): Credentials {
  const tokens = new Map<string, number>();
  let issued = 0;
  return {
    issue() {
      const token = `tok.${++issued}.${Math.round(now())}`;
      tokens.set(token, now() + (life ?? Number.POSITIVE_INFINITY));
      return {
        token_type: "bearer",
        access_token: token,
        ...(expiresIn ? { expires_in: Math.floor((life ?? 3_600_000) / 1000) } : {}),
      };
    },
    check(header) {
      const token = /^Bearer (.+)$/.exec(header ?? "")?.[1];
      if (token === undefined) return "missing";
      return (tokens.get(token) ?? 0) > now() ? null : "expired";
    },
    revokeAll: () => tokens.clear(),
    get issued() {
      return issued;
    },
  };
}
