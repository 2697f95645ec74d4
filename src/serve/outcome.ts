/** A run's outcome for notifications, without cells, names or keys (P9). */
import { basename } from "node:path";
import { codes } from "../model/codes.js";
import type { Code } from "../model/codes.js";
import { ExitCode } from "../model/exit-code.js";
import type { Place } from "../model/place.js";
import type { Summary } from "../model/summary.js";
import type { Moment } from "../settings/notify-schema.js";
import { withFlags } from "../report/next-steps.js";
import { answer, landedOf } from "../report/outcome.js";

export interface Cause {
  /** The same night after night: a code, perhaps with its column. */
  id: string;
  /** One sentence. */
  what: string;
  count: number;
  /** True: ends with a run of the same source without it. False: the ledger's open work. */
  ofRun: boolean;
}

export interface Outcome {
  target: string;
  /** The mapping's file or the command; a later run of the same source ends what this one began. */
  source: string;
  /** Null: there was no run. */
  run: string | null;
  exitCode: number;
  when: Exclude<Moment, "recovered">;
  answer: string;
  causes: Cause[];
  /** Something should have landed, and nothing did. */
  isFruitless: boolean;
  /** The most urgent first. */
  commands: string[];
}

/** `commands`: next steps. `oddities`: what was unusual. */
export function outcomeOf(summary: Summary, commands: readonly string[], oddities: readonly Cause[] = []): Outcome {
  const { exitCode, stopped, target, run, events } = summary;
  const causes = summary.problems.map(({ code, column, count }) => causeOf(code, column, count, code === "file-empty"));
  if (stopped !== null) causes.unshift(causeOf(stopped.code, null, 1, false));
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
    answer: answerOf(summary, commands, oddities.length > 0),
    causes: [...causes, ...oddities],
    isFruitless:
      landedOf(events) === 0 && exitCode !== ExitCode.ok && (exitCode !== ExitCode.person || summary.rows.staged > 0),
    commands: [...new Set(commands)].slice(0, 3),
  };
}

/** Shows the cause only, because the stop's message names addresses. */
function answerOf(summary: Summary, commands: readonly string[], isOdd: boolean): string {
  const { stopped, exitCode } = summary;
  const isCut = stopped !== null && exitCode === ExitCode.again;
  const said = isCut ? "Not finished. Nothing is lost; `rowferry resume` continues." : answer(summary);
  const typed = withFlags(said, (words, why) => {
    const command = `rowferry ${words}`;
    return { why, command: commands.find((one) => one.startsWith(command)) ?? command };
  });
  return isOdd && exitCode === ExitCode.ok ? typed.replace("All is well", "Finished") : typed;
}

/** For a run without a summary. Shows the code, because the message may hold cells. */
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
