/**
 * Remembers what each channel was told, so that it hears of an open problem once, then after one and three days and
 * weekly. A new or grown cause is told at once, and so are two runs in a row that landed nothing.
 */
import { z } from "zod";
import type { Moment } from "../settings/notify-schema.js";
import type { Outcome } from "./outcome.js";

export const memorySchema = z.object({
  /** By source and id, as last told. */
  causes: z.record(z.string(), z.object({ count: z.number(), since: z.number(), source: z.string().nullable() })),
  /** When something new was last told, ms; null: no open problem. */
  news: z.number().nullable(),
  /** In ms. */
  told: z.number().nullable(),
  /** Consecutive runs that should have landed something and did not. */
  fruitless: z.number(),
});
export type Memory = z.infer<typeof memorySchema>;

export const nothingTold: Memory = { causes: {}, news: null, told: null, fruitless: 0 };

export interface Telling {
  when: Moment;
  /** `grown`: new, or more than last told. `since`: ms. */
  causes: (Outcome["causes"][number] & { grown: boolean; since: number })[];
  /** For a repeated message: the age of the oldest cause, in days. */
  openDays: number | null;
  /** 2 or more. */
  fruitless: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A nightly run does not begin at exactly the same second. */
const EARLY = 2 * HOUR;

/** Null: nothing to tell. Keep the memory once the channel has accepted the message. */
export function decide(
  memory: Memory,
  outcome: Outcome,
  wanted: readonly Moment[],
  now: number,
): { telling: Telling | null; memory: Memory } {
  // A failure before any run knows nothing of the ledger's open work.
  const others = Object.entries(memory.causes).filter(([, { source }]) =>
    source === null ? outcome.run === null : source !== outcome.source,
  );
  const fruitless = outcome.isFruitless ? memory.fruitless + 1 : 0;
  const isHeard = wanted.includes(outcome.when);
  const causes = (outcome.when === "succeeded" || !isHeard ? [] : outcome.causes).map((cause) => {
    const source = cause.ofRun ? outcome.source : null;
    const before = memory.causes[keyOf(source, cause.id)];
    const grown = before === undefined || cause.count > before.count;
    return { ...cause, source, grown, since: before?.since ?? now };
  });
  const next: Memory = {
    ...memory,
    causes: Object.fromEntries([
      ...others,
      ...causes.map(({ id, source, count, since }) => [keyOf(source, id), { count, since, source }] as const),
    ]),
    fruitless,
  };
  const tell = (when: Moment, isNews: boolean, openDays: number | null = null) => ({
    telling: { when, causes, openDays, fruitless },
    memory: { ...next, told: now, news: isNews ? now : next.news },
  });
  if (causes.some(({ grown }) => grown) || (causes.length > 0 && fruitless === 2)) return tell(outcome.when, true);
  if (causes.length > 0 && isDue(memory, now))
    return tell(outcome.when, false, Math.round((now - Math.min(...causes.map(({ since }) => since))) / DAY));
  const isOver = memory.news !== null && outcome.when === "succeeded" && Object.keys(next.causes).length === 0;
  if (isOver) Object.assign(next, nothingTold);
  if (isOver && wanted.includes("recovered")) return tell("recovered", false);
  if (outcome.when === "succeeded" && outcome.run !== null && isHeard) return tell("succeeded", false);
  return { telling: null, memory: next };
}

const keyOf = (source: string | null, id: string): string => `${source ?? ""} ${id}`;

/** Due one day and three days after the last news, then weekly. */
function isDue({ news, told }: Memory, now: number): boolean {
  if (news === null || told === null) return false;
  const marks = [1, 3];
  for (let day = 10; day <= (now - news) / DAY + 1; day += 7) marks.push(day);
  return marks.some((day) => {
    const at = news + day * DAY - EARLY;
    return told < at && at <= now;
  });
}
