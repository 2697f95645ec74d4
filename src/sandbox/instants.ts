/** ISO 8601 instants as RFC 3339 writes them: to the minute, the second or the millisecond, with Z or an offset. */
const INSTANT = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** In ms; null: not an instant. */
export function parseInstant(text: string): number | null {
  const [, day] = INSTANT.exec(text) ?? [];
  if (day === undefined) return null;
  // `Date` takes 30 February for 2 March.
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(midnight) || !instantText(midnight).startsWith(day) ? null : Date.parse(text);
}

/** `at`: ms. */
export const instantText = (at: number): string => new Date(at).toISOString();
