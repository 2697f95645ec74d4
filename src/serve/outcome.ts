/** How a run ended, as far as somebody who is not there must know. Holds no cell, no name and no key (P9). */
import { basename } from "node:path";
import { codes } from "../model/codes.js";
import type { Code } from "../model/codes.js";
import { ExitCode } from "../model/exit-code.js";
import type { Place } from "../model/place.js";
import type { Summary } from "../model/summary.js";
import type { Moment } from "../settings/notify-schema.js";
import { answer } from "../report/outcome.js";

export interface Cause {
  /** The same night after night: a code, with its column where it has one. */
  id: string;
  /** What is wrong, in a sentence. */
  what: string;
  /** Rows, or records. */
  count: number;
  /** True: it ends with a run of the same source that does not have it. False: it is open work of the whole ledger. */
  ofRun: boolean;
}

export interface Outcome {
  target: string;
  /** What was run, for a later run of the same to end what this one began: a mapping's file, or a command. */
  source: string;
  /** Null where it did not come to a run. */
  run: string | null;
  exitCode: number;
  when: Exclude<Moment, "recovered">;
  /** The answer, in a sentence or two. */
  answer: string;
  causes: Cause[];
  /** Nothing landed, although something should have. */
  isFruitless: boolean;
  /** What to type, the most urgent first. */
  commands: string[];
}

/** `commands`: what to type next. `oddities`: what is not as usual about it. */
export function outcomeOf(summary: Summary, commands: readonly string[], oddities: readonly Cause[] = []): Outcome {
  const { exitCode, stopped, target, run, events } = summary;
  const causes = summary.problems.map(({ code, column, count }) => causeOf(code, column, count, code === "file-empty"));
  if (stopped !== null) causes.unshift(causeOf(stopped.code, null, 1, false));
  const landed = (events["landed"] ?? 0) + (events["landed-without-id"] ?? 0);
  if (exitCode === ExitCode.again && causes.length === 0)
    causes.push({
      id: "unanswered",
      what: "Some answers are missing; the next run asks again.",
      count: 1,
      ofRun: false,
    });
  if (exitCode === ExitCode.person && causes.length === 0)
    causes.push({ id: "open", what: "The ledger holds open work.", count: 1, ofRun: false });
  return {
    target: target.name,
    source: basename(summary.mapping ?? summary.command),
    run,
    exitCode,
    when: momentOf(exitCode, oddities.length > 0),
    answer: answerOf(summary, oddities.length > 0),
    causes: [...causes, ...oddities],
    isFruitless: landed === 0 && exitCode !== ExitCode.ok && (exitCode !== ExitCode.person || summary.rows.staged > 0),
    commands: [...new Set(commands)].slice(0, 3),
  };
}

/** Why a run stopped is told by its cause: its own words name addresses. */
function answerOf(summary: Summary, isOdd: boolean): string {
  if (summary.stopped !== null && summary.exitCode === ExitCode.again)
    return "Not finished. Nothing is lost; `rowferry resume` continues.";
  return isOdd && summary.exitCode === ExitCode.ok
    ? answer(summary).replace("All is well", "Finished")
    : answer(summary);
}

/** Of a run that ended with an error before it had a summary. Its message may hold cells, so it is told by its code. */
export function failureOf(from: {
  target: string;
  source: string;
  code: Code;
  exitCode: number;
  place: Place;
}): Outcome {
  const { code, exitCode, place, target, source } = from;
  const cause = causeOf(code, null, 1, true);
  return {
    target,
    source,
    run: null,
    exitCode,
    when: momentOf(exitCode, false),
    answer: place.file === undefined ? cause.what : `${basename(place.file)}: ${cause.what}`,
    causes: [cause],
    isFruitless: true,
    commands: [`rowferry explain ${code}`],
  };
}

function causeOf(code: Code, column: string | null, count: number, ofRun: boolean): Cause {
  const { meaning } = codes[code];
  return {
    id: column === null ? code : `${code} ${column}`,
    what: column === null ? meaning : `${column}: ${meaning}`,
    count,
    ofRun,
  };
}

function momentOf(exitCode: number, isOdd: boolean): Outcome["when"] {
  if (exitCode === ExitCode.ok) return isOdd ? "degraded" : "succeeded";
  if (exitCode === ExitCode.person) return "needs-person";
  return exitCode === ExitCode.unexpected || exitCode === ExitCode.usage ? "failed" : "can-go-on";
}
