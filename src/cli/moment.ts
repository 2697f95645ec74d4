import { InvalidArgumentError } from "commander";

/**
 * A moment as a person types it, in ms since 1970: `02:13` (the last time that a local clock showed it), `2026-11-20`,
 * `2026-11-20T02:13` (local unless a zone stands behind it), or `90m` (so long ago).
 */
export function moment(text: string, now: number): number {
  const ago = /^(\d+)(s|m|h|d)$/.exec(text);
  if (ago !== null)
    return now - Number(ago[1]) * ({ s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[ago[2] ?? "s"] ?? 0);
  const time = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text);
  if (time !== null) {
    const date = new Date(now);
    date.setHours(Number(time[1]), Number(time[2]), Number(time[3] ?? 0), 0);
    if (date.getTime() > now) date.setDate(date.getDate() - 1);
    return date.getTime();
  }
  const found = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00`) : Date.parse(text);
  if (Number.isNaN(found)) throw new InvalidArgumentError("It must be a time such as 02:13, 2026-11-20T02:13 or 90m.");
  return found;
}
