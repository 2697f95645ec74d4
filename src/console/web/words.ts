import type { GridRow } from "../api.js";

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

export const toldProblem = ({ column, message, hint }: GridRow["problems"][number]): string =>
  `${column === null ? "" : `${column}: `}${message}. ${hint ?? ""}`;

/** Of the files' times; undefined: this machine's. */
let zone: string | undefined;
export const setZone = (name: string | null): void => void (zone = name ?? undefined);

/** `today 02:04`, `yesterday 02:04`, `20 Nov 2026, 02:04`; in the files' zone. */
export function when(iso: string): string {
  const time = new Date(iso);
  const part = (of: Date, options: Intl.DateTimeFormatOptions) =>
    of.toLocaleString("en-GB", { ...options, timeZone: zone });
  const clock = part(time, { hour: "2-digit", minute: "2-digit" });
  const day = (of: Date) => part(of, { day: "numeric", month: "short", year: "numeric" });
  const now = Date.now();
  if (day(time) === day(new Date(now))) return `today ${clock}`;
  if (day(time) === day(new Date(now - 86_400_000))) return `yesterday ${clock}`;
  return `${day(time)}, ${clock}`;
}

/** `45 s`, `12 min`, `3 h 05 min`. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

const endings: { [code: number]: string } = {
  0: "all well",
  2: "refused",
  3: "a person is needed",
  4: "not finished",
  130: "interrupted",
  143: "interrupted",
};

export const outcome = (exitCode: number | null, finishedAt: string | null): string =>
  finishedAt === null ? "under way, or killed" : (endings[exitCode ?? 1] ?? "failed");
