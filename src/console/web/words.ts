/** Numbers and times as people say them. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** `today 02:04`, `yesterday 02:04`, `20 Nov 2026, 02:04`; in this machine's zone. */
export function when(iso: string): string {
  const time = new Date(iso);
  const clock = time.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const day = (date: Date) => date.toDateString();
  const now = new Date();
  if (day(time) === day(now)) return `today ${clock}`;
  now.setDate(now.getDate() - 1);
  if (day(time) === day(now)) return `yesterday ${clock}`;
  return `${time.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}, ${clock}`;
}

export const outcome = (exitCode: number | null, finishedAt: string | null): string => {
  if (finishedAt === null) return "under way, or killed";
  const words: { [code: number]: string } = {
    0: "all well",
    2: "refused",
    3: "a person is needed",
    4: "not finished",
    130: "interrupted",
    143: "interrupted",
  };
  return words[exitCode ?? 1] ?? "failed";
};
