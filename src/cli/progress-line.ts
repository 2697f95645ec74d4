/** One line of progress, made to fit a width: what matters least is left out first. Pure. */
import { grouped, shortDuration } from "../report/figures.js";

export interface ProgressFigures {
  stage: string;
  done: number;
  /** Null while it is not known. */
  total: number | null;
  /** Of the work done, where `done` and `total` do not tell it; absent: they do. */
  share?: number;
  /** Requests per second over the last seconds; null before any was sent. */
  perSecond: number | null;
  /** The target's limit in requests per second; null: unthrottled. */
  limit: number | null;
  problems: number;
  held: number;
  retries: number;
  /** Null while it cannot be told. */
  secondsLeft: number | null;
}

const barWidth = 16;

/** At most `width` characters. `bar`: with a bar, for a terminal. */
export function progressLine(figures: ProgressFigures, width: number, bar: boolean): string {
  const { done, total, problems, held, retries } = figures;
  const share = figures.share ?? (total === null || total === 0 ? null : Math.min(1, done / total));
  // Documents that others let go on come in again, and were not in the total.
  const count =
    total === null && done === 0
      ? ""
      : total === null
        ? grouped(done)
        : `${grouped(done)}/${grouped(Math.max(done, total))}`;
  // In the order of importance; the order on the line is that of `position`.
  const parts = [
    { position: 0, text: figures.stage },
    { position: 2, text: count },
    { position: 5, text: problems > 0 ? `${grouped(problems)} ${problems === 1 ? "problem" : "problems"}` : "" },
    { position: 8, text: figures.secondsLeft === null ? "" : `${shortDuration(figures.secondsLeft)} left` },
    { position: 4, text: rateText(figures) },
    { position: 3, text: share === null ? "" : `${Math.floor(share * 100)}%` },
    { position: 6, text: held > 0 ? `${grouped(held)} held` : "" },
    { position: 7, text: retries > 0 ? `${grouped(retries)} retried` : "" },
    { position: 1, text: bar && share !== null ? drawnBar(share) : "" },
  ].filter(({ text }) => text !== "");
  const kept: typeof parts = [];
  let length = -2;
  for (const part of parts) {
    if (length + 2 + part.text.length > width) continue;
    kept.push(part);
    length += 2 + part.text.length;
  }
  const line = kept.toSorted((left, right) => left.position - right.position).map(({ text }) => text);
  return line.join("  ").slice(0, Math.max(0, width));
}

function rateText({ perSecond, limit }: ProgressFigures): string {
  if (perSecond === null) return "";
  const rate = perSecond.toFixed(perSecond < 100 ? 1 : 0);
  return limit === null ? `${rate} req/s` : `${rate} of ${limit} req/s`;
}

function drawnBar(share: number): string {
  const full = Math.round(share * barWidth);
  return "█".repeat(full) + "░".repeat(barWidth - full);
}
