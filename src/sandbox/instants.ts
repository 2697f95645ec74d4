/** Instants as the service compares them: below the millisecond, too. */
import { z } from "zod";

export interface Instant {
  /** Whole ms. */
  at: number;
  /** Digits below the millisecond, without trailing zeros. */
  beyond: string;
}

/** Open point 41. */
export const timestamp = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 timestamp with Z or an offset" })
  .max(64);

/** `text`: a `timestamp`. */
export function instantOf(text: string): Instant {
  const [, beyond = ""] = /\.\d{3}(\d*[1-9])/.exec(text) ?? [];
  return { at: Date.parse(text), beyond };
}

export function isEarlier(one: Instant, other: Instant): boolean {
  return one.at < other.at || (one.at === other.at && one.beyond < other.beyond);
}

export function instantText({ at, beyond }: Instant): string {
  return new Date(at).toISOString().replace("Z", `${beyond}Z`);
}
