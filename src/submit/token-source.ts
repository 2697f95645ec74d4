/** The access token of one run: fetched once for all who wait, renewed before it ends, forgotten when it is refused. */
import type { Clock } from "../model/clock.js";
import { requestToken, type TokenSettings } from "./token-request.js";
import type { Transport } from "./transport.js";

export interface Token {
  accessToken: string;
  /** When it was asked for, ms since 1970. */
  issuedAt: number;
}

export type TokenResult = { ok: true; token: Token } | { ok: false; transient: boolean; message: string };

export interface TokenSource {
  /** The token at hand, when it is not known to have ended and not older than `maxAgeMs`; asks for none. */
  atHand(maxAgeMs?: number): Token | null;
  /** A token that is not known to have ended. With `maxAgeMs`, one not older than that. Never rejects. */
  token(maxAgeMs?: number): Promise<TokenResult>;
  /** A request sent at `sentAt` with this token was answered 403: the token is not used again. */
  refused(token: Token, sentAt: number): void;
  /** A request sent at `sentAt` with this token was answered, and not by 401 or 403. */
  worked(token: Token, sentAt: number): void;
  /** Whether this one is out of use: refused to another call, or renewed. */
  replaced(token: Token): boolean;
}

export interface TokenSourceOptions {
  settings: TokenSettings;
  transport: Transport;
  clock: Clock;
  /** After each token; how long it lasts, in ms, null where the endpoint does not say. */
  onRefreshed?: (expiresInMs: number | null) => void;
}

export function createTokenSource({ settings, transport, clock, onRefreshed }: TokenSourceOptions): TokenSource {
  let current: { token: Token; lifetimeMs: number } | null = null;
  let fetching: Promise<TokenResult> | null = null;
  /** The age at which tokens have been seen to end, whatever `expires_in` says (open-points 12). */
  let learned = Number.POSITIVE_INFINITY;
  let lastAge: number | null = null;
  /** The greatest age at which a token still worked: one that was refused younger had been revoked. */
  let livedFor = 0;
  let suspect: { age: number; issuedAt: number } | null = null;

  async function fetch(): Promise<TokenResult> {
    // Counted from before the request: the endpoint's clock started somewhere in between.
    const issuedAt = clock.now();
    const answer = await requestToken(settings, transport);
    if (!answer.ok) return answer;
    const token = { accessToken: answer.accessToken, issuedAt };
    current = { token, lifetimeMs: answer.expiresInMs ?? Number.POSITIVE_INFINITY };
    onRefreshed?.(answer.expiresInMs);
    return { ok: true, token };
  }

  function usable(maxAgeMs: number | undefined): Token | null {
    if (current === null) return null;
    const lifetime = Math.min(current.lifetimeMs, learned);
    // A fifth of its life, at most a minute, is kept in hand: the request still has to arrive.
    const renewAt = Math.min(lifetime - Math.min(60_000, lifetime / 5), maxAgeMs ?? Number.POSITIVE_INFINITY);
    const age = clock.now() - current.token.issuedAt;
    // A clock set back makes a token younger than nothing: its age is then unknown.
    return age >= 0 && age <= renewAt ? current.token : null;
  }

  return {
    atHand: usable,
    async token(maxAgeMs) {
      const token = usable(maxAgeMs);
      if (token !== null) return { ok: true, token };
      fetching ??= fetch().finally(() => {
        fetching = null;
      });
      return fetching;
    },
    refused(token, sentAt) {
      if (current?.token === token) current = null;
      suspect = { age: sentAt - token.issuedAt, issuedAt: token.issuedAt };
    },
    worked(token, sentAt) {
      livedFor = Math.max(livedFor, sentAt - token.issuedAt);
      if (suspect === null || token.issuedAt <= suspect.issuedAt) return;
      // The newer token passed where the older one did not: that one had ended. Once may be a revocation; twice at
      // about the same age is a lifetime.
      const { age } = suspect;
      // A tenth for what requests take on their way.
      if (age > 0 && age >= livedFor * 0.9) {
        const again = lastAge !== null && Math.min(age, lastAge) >= Math.max(age, lastAge) / 2;
        if (again) learned = Math.min(learned, age);
        lastAge = age;
      }
      suspect = null;
    },
    replaced: (token) => current?.token !== token,
  };
}
