/** A notification as text for people and JSON for programs. */
import type { Moment } from "../settings/notify-schema.js";
import { counted, grouped } from "../report/figures.js";
import { plainText } from "../report/plain-text.js";
import type { Telling } from "./memory.js";
import type { Outcome } from "./outcome.js";

/** Sent to webhooks. `at` and `since`: ISO 8601, UTC. */
export interface Notification {
  type: "notification";
  when: Moment;
  target: string;
  run: string | null;
  exitCode: number;
  at: string;
  /** One or two sentences. */
  message: string;
  causes: { what: string; count: number; new: boolean; since: string }[];
  /** Consecutive runs that should have landed something and did not. */
  fruitless: number;
  commands: string[];
  console: string | null;
}

/** Further causes are only counted. */
const MOST = 8;

const subjects: Record<Moment, string> = {
  "needs-person": "a person is needed",
  "can-go-on": "not finished, can resume",
  failed: "failed",
  degraded: "unusual",
  recovered: "recovered",
  succeeded: "all is well",
};

export function notificationOf(
  outcome: Outcome,
  telling: Telling,
  consoleUrl: string | null,
  now: number,
): Notification {
  const { target, run, exitCode, commands } = outcome;
  const { when, causes, fruitless, openDays } = telling;
  const parts = [when === "recovered" ? "All is well again." : outcome.answer];
  if (fruitless > 1) parts.push(`Nothing has landed in ${grouped(fruitless)} runs in a row.`);
  if (openDays !== null) parts.push(`Still open after ${counted(Math.max(1, openDays), "day")}.`);
  return {
    type: "notification",
    when,
    target,
    run,
    exitCode,
    at: new Date(now).toISOString(),
    message: plainText(parts.join(" "), 600),
    causes: causes.map(({ what, count, grown, since }) => ({
      what: plainText(what, 300),
      count,
      new: grown,
      since: new Date(since).toISOString(),
    })),
    fruitless,
    commands: when === "recovered" || when === "succeeded" ? [] : commands,
    console: consoleUrl,
  };
}

/** `production: a person is needed`. */
export const subjectOf = ({ target, when }: Notification): string => `${plainText(target)}: ${subjects[when]}`;

/** Without the subject. */
export function textOf(told: Notification): string {
  const width = grouped(Math.max(0, ...told.causes.map(({ count }) => count))).length;
  const largest = told.causes.toSorted(
    (left, right) => Number(right.new) - Number(left.new) || right.count - left.count,
  );
  const day = told.at.slice(0, 10);
  const lines = largest.slice(0, MOST).map(({ what, count, since }) => {
    const from = since.slice(0, 10) === day ? "" : ` (since ${since.slice(0, 10)})`;
    return `${grouped(count).padStart(width)}  ${what}${from}`;
  });
  if (largest.length > MOST) lines.push(`and ${counted(largest.length - MOST, "more cause")}`);
  const next = [...told.commands, ...(told.console === null || told.commands.length === 0 ? [] : [told.console])];
  return [told.message, lines.join("\n"), next.join("\n"), told.run === null ? "" : `run ${told.run}`]
    .filter((part) => part !== "")
    .join("\n\n");
}
