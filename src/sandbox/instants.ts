/** ISO 8601 instants in any precision. Their form is checked by the schema of an event. */
export interface Instant {
  /** Whole ms. */
  at: number;
  /** Digits below the millisecond, without trailing zeros. */
  beyond: string;
}

export function parseInstant(text: string): Instant {
  const [, beyond = ""] = /\.\d{3}(\d*[1-9])/.exec(text) ?? [];
  return { at: Date.parse(text), beyond };
}

export function isEarlier(one: Instant, other: Instant): boolean {
  return one.at < other.at || (one.at === other.at && one.beyond < other.beyond);
}

export function instantText({ at, beyond }: Instant): string {
  return new Date(at).toISOString().replace("Z", `${beyond}Z`);
}
