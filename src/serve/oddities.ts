/**
 * What is unusual about an import, compared with three to ten earlier ones by the same mapping. Corrections are
 * ignored.
 */
import { inUtc, lastTimeOfDay, milliseconds } from "../model/clock.js";
import type { Summary } from "../model/summary.js";
import { counted, grouped, shortDuration } from "../report/figures.js";
import type { Expectation, Oddity } from "../settings/notify-schema.js";
import type { Cause } from "./outcome.js";

interface Compared {
  summary: Summary;
  earlier: readonly Summary[];
  /** In ms. */
  newest: { own: number | null; earlier: number | null };
}

/** So many imports leave ten without corrections. */
export const HISTORY = 30;
const COMPARED = 10;
const FEWEST = 3;
const DAY = 86_400_000;

/** By its name, as rejected files and those of the console have it. */
export const isCorrected = (file: string): boolean =>
  /\.(rejected|to-correct|corrected-[^.]*)\.(csv|xlsx)$/i.test(file);
const isCorrection = ({ inputs }: Summary) => inputs.some(({ input }) => isCorrected(input));
const secondsOf = ({ startedAt, finishedAt }: Summary) => (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
const pace = (summary: Summary) => secondsOf(summary) / Math.max(1, summary.requests.secondsAtLimit);
const invalidShare = ({ rows }: Summary) => rows.invalid / Math.max(1, rows.read);

export function odditiesOf({ summary, earlier, newest }: Compared, silence: readonly Oddity[]): Cause[] {
  if (isCorrection(summary)) return [];
  const before = earlier.filter((one) => !isCorrection(one) && one.rows.read > 0).slice(0, COMPARED);
  if (before.length < FEWEST) return [];
  const usual = (of: (one: Summary) => number) => median(before.map(of));
  const rows = usual((one) => one.rows.read);
  const read = `${counted(summary.rows.read, "row")} instead of the usual ${grouped(Math.round(rows))}`;

  const share = usual(invalidShare);
  const isWorse = invalidShare(summary) > Math.max(3 * share, share + 0.05) && summary.rows.invalid >= 10;
  const invalid = `${percent(invalidShare(summary))} of rows instead of the usual ${percent(share)}`;

  const seconds = secondsOf(summary);
  const isSlow = seconds > 300 && pace(summary) > 3 * usual(pace);
  const took = `${shortDuration(seconds)}, ${pace(summary).toFixed(1)} times what the limit requires instead of the usual ${usual(pace).toFixed(1)}`;

  const { own, earlier: last } = newest;
  const isOld = own !== null && last !== null && own < last - DAY;
  const ages = isOld ? `its newest event is from ${date(own)}, that of an earlier file from ${date(last)}` : "";

  const found: [Oddity, boolean, string, number][] = [
    ["few-rows", summary.rows.read * 10 <= rows, `Far fewer rows than usual: ${read}.`, 1],
    ["many-rows", summary.rows.read >= rows * 10, `Far more rows than usual: ${read}.`, 1],
    ["many-invalid", isWorse, `More invalid rows than usual: ${invalid}.`, summary.rows.invalid],
    ["slow", isSlow, `Slower than usual: ${took}.`, 1],
    ["old-data", isOld, `The file's events are older than those of an earlier file: ${ages}.`, 1],
  ];
  return found
    .filter(([name, isOdd]) => isOdd && !silence.includes(name))
    .map(([name, , what, count]) => ({ id: name, what, count, ofRun: true }));
}

/** An overdue input; null: none. `last`: when rows were last staged, ms. */
export function missingInput(expect: Expectation, last: number | null, now: number): Cause | null {
  const span = milliseconds(expect.every) ?? 0;
  const due = expect.by === undefined ? now : lastTimeOfDay(expect.by, now);
  if (last !== null && last > due - span) return null;
  const when = last === null ? "none has come yet" : `the last came on ${inUtc(last)}`;
  const by = expect.by === undefined ? "" : `, by ${expect.by}`;
  return {
    id: "no-input",
    what: `No input arrived in time: one is expected every ${expect.every}${by}; ${when}.`,
    count: 1,
    ofRun: true,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`;
const date = (at: number) => new Date(at).toISOString().slice(0, 10);
