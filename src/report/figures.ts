/** Numbers and times as people read them, on the terminal and in the report. */

/** `1,234,567` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** Empty parts are left out. */
export const joined = (parts: readonly (Part | readonly Part[])[], separator = ", "): string =>
  parts.flat().filter(Boolean).join(separator);

type Part = string | false | null | undefined;

/** `3 landed, 1 held`; zeros are left out. */
export const countedStates = (counts: { [state: string]: number }): string =>
  joined(Object.entries(counts).map(([state, count]) => count > 0 && `${grouped(count)} ${state}`));

export const sumOf = <Name extends string>(all: readonly { [_ in Name]: number }[], name: Name): number =>
  all.reduce((sum, one) => sum + one[name], 0);

/** `1 event`, `2 events`, `1,240 addresses`. */
export function counted(count: number, one: string, many = `${one}${one.endsWith("s") ? "es" : "s"}`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `3 rows, 1 address` for `{ rows: 3, addresses: 1, events: 0 }`; `nothing` if all are 0. */
export function countedKinds(counts: { [kinds: string]: number }): string {
  const parts = Object.entries(counts).map(
    ([kinds, count]) => count > 0 && counted(count, kinds.replace(/(?<=ss)es$|s$/, "")),
  );
  return joined(parts) || "nothing";
}

/** `7 s`, `1 min 32 s`, `12 min`, `3 h 05 min`, `2 d 04 h`. */
export function shortDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 600) return `${Math.floor(whole / 60)} min${whole % 60 === 0 ? "" : ` ${twoDigits(whole % 60)} s`}`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${twoDigits(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${twoDigits(hours % 24)} h`;
}

/** `5 s at the limit (20/s, burst 30)`. */
export function atLimit(seconds: number, limit?: { rate: number; burst: number }): string {
  if (seconds < 1) return "all at once";
  const which = limit === undefined ? "" : ` (${limit.rate}/s, burst ${limit.burst})`;
  return `${shortDuration(seconds)} at the limit${which}`;
}

/** A `TZ` that names no zone, such as `:/etc/localtime`, is undefined or `Etc/Unknown`: its times are in UTC. */
export function localZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions() as { timeZone: string | undefined };
  return timeZone === undefined || timeZone === "Etc/Unknown" ? "UTC" : timeZone;
}

/** `2026-11-02 02:00:05`, in the local zone. */
export function localTime(time: number | string): string {
  // Sweden writes times as ISO does.
  return new Date(time).toLocaleString("sv-SE");
}

/** `today 02:00`, `yesterday 23:10`, `Tuesday 02:00` within a week, else `2026-11-02 02:00`; in the local zone. */
export function moment(time: number | string, now: number): string {
  const at = new Date(time);
  const [date = "", clock = ""] = localTime(time).slice(0, -3).split(" ");
  const midnight = (day: Date) => new Date(day).setHours(0, 0, 0, 0);
  const ago = Math.round((midnight(new Date(now)) - midnight(at)) / 86_400_000);
  if (ago === 0) return `today ${clock}`;
  if (ago === 1) return `yesterday ${clock}`;
  return `${ago > 1 && ago < 7 ? at.toLocaleDateString("en", { weekday: "long" }) : date} ${clock}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
