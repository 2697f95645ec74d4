/** Numbers, times and spans of time as people read them, the same on the terminal and in the report. Pure. */

/** `1,234,567` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 event`, `2 events`, `1,240 addresses`. */
export function counted(count: number, one: string, many = `${one}${one.endsWith("s") ? "es" : "s"}`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `7 s`, `1 min 32 s`, `12 min`, `3 h 05 min`, `2 d 04 h`: as exact as matters. */
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

/** How long the limit makes them take, and which limit that is: `5 s at the limit (20/s, burst 30)`. */
export function atLimit(seconds: number, limit?: { rate: number; burst: number }): string {
  if (seconds < 1) return "all at once";
  const which = limit === undefined ? "" : ` (${limit.rate}/s, burst ${limit.burst})`;
  return `${shortDuration(seconds)} at the limit${which}`;
}

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** `today 02:00`, `yesterday 23:10`, `Tuesday 02:00` within a week, else `2026-11-02 02:00`; by this machine's clock. */
export function moment(time: number | string, now: number): string {
  const at = new Date(time);
  const clock = `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const ago = Math.round((midnight(new Date(now)) - midnight(at)) / 86_400_000);
  if (ago === 0) return `today ${clock}`;
  if (ago === 1) return `yesterday ${clock}`;
  if (ago > 1 && ago < 7) return `${days[at.getDay()]} ${clock}`;
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())} ${clock}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
