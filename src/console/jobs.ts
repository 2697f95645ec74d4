/**
 * Commands that the console starts: the same program, as a person would type it, in a process of its own. So the page stays
 * quick while one reads or sends, a console that dies takes no import with it, and they wait for one another at the ledger.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { shownPath } from "../cli/output.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { Line } from "../model/lines.js";
import { shellQuoted } from "../model/shell-quoted.js";
import { rowSum } from "../report/outcome.js";
import { said, saidOf } from "../report/said.js";

export interface Job {
  /** As typed. */
  command: string;
  /** What came of it; null: it runs. */
  said: string[] | null;
  /** When it ended, in ms; null: it runs. */
  endedAt: number | null;
}

/**
 * Without commands and words of files for which the page has buttons, and without what its reader leaves to the mapping's
 * author.
 */
export const forPage = (text: string): string =>
  text
    .replace(/write `ok` into (?:the row's|its) cell `?rowferry_code`?/, "choose the row and press Keep")
    .replace(
      /^Keep the row that is right and delete the other, or (.*)$/,
      "If this row is right, press Keep; if the other one is, give this one up. If both are, $1",
    )
    .replace(/ Then import the file again\.$/, "")
    .replace(/^Dismissed: /, "Settled without sending: ")
    .replace(/; or change the mapping: .*$/s, ".")
    .split(/(?<=[.;]) /)
    .filter((part) => !/`rowferry (?!ledger|doctor)/.test(part))
    .join(" ")
    .replace(/;$/, ".");

export const problemsOnPage = <Told extends { hint: string | null }>(problems: readonly Told[]): Told[] =>
  problems.map((problem) => ({ ...problem, hint: problem.hint && forPage(problem.hint) }));

export const saidOnPage = (lines: readonly Line[]): string[] =>
  saidOf(lines)
    .map(forPage)
    .filter((text) => text !== "");

/** `5,204 = 4,604 landed + 388 waiting`, as its run ended; null: it read none, or this is no summary. */
export const rowsOf = (line: Line): string | null =>
  line.type === "summary" && line.rows.read > 0 ? rowSum(line.rows, line.outcomes) : null;

/** All of its rows were read. What they and others need, the page shows as it is by then. */
const hasEnded = (line: Line): line is Line & { type: "summary" } =>
  line.type === "summary" && line.exitCode === ExitCode.person && line.stopped === null && line.rows.read > 0;

const saidOfJob = (lines: readonly Line[]): string[] => [
  ...saidOnPage(lines.filter((line) => !hasEnded(line))),
  ...lines.filter(hasEnded).map(({ outcomes: { toCorrect, toDecide, waiting, toSettle } }) => {
    if (toCorrect + toDecide > 0) return "Done. Some of these rows still need you.";
    // A row may give what it waits for, as a refused participant, and need a person for that.
    return waiting + toSettle === 0
      ? "Nothing in these rows needs you."
      : "What waits is sent once the rest is settled.";
  }),
  ...lines.flatMap((line) => rowsOf(line) ?? []).map((rows) => `Rows, as it ended: ${rows}.`),
];

interface JobOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  now: () => number;
  onChange: () => void;
}

/** `onChange` is called when a job has ended. */
export function createJobs({ cwd, env, now, onChange }: JobOptions) {
  const started = new Map<string, Job[]>();
  const recent = (target: string) => started.get(target) ?? [];

  /**
   * `words`: what follows `rowferry`. `begun` gets the process before it does anything. @returns what it printed that
   * says something. @throws RowferryError what ended it
   */
  async function ask([command = "", ...rest]: readonly string[], begun?: (pid: number) => void): Promise<Line[]> {
    const program = [...process.execArgv, process.argv[1] ?? "", command, "--json", ...rest];
    const child = spawn(process.execPath, program, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    try {
      if (child.pid !== undefined) begun?.(child.pid);
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)));
    const lines: Line[] = [];
    createInterface({ input: child.stdout }).on("line", (text) => {
      try {
        const line = JSON.parse(text) as Line;
        if (line.type === "error" || said(line).length > 0) lines.push(line);
      } catch {
        // Not whole, because its process was killed.
      }
    });
    const [exitCode] = (await once(child, "close")) as [number | null];
    const line = lines.at(-1);
    if (line?.type === "error") {
      const { code, message, place, hint } = line;
      const file = place.file && shownPath(place.file, cwd);
      // The lines below it draw where that is, in a terminal's letters.
      const [cause = ""] = message.split("\n", 1);
      const { description } = new RowferryError(code, cause, { place: { ...place, file } });
      throw new RowferryError(code, description, { hint });
    }
    if (exitCode === null)
      throw new RowferryError("unexpected", "It was stopped before it had finished.", {
        hint: "What it had done is kept, and nothing is sent twice.",
      });
    if (line === undefined) throw new RowferryError("unexpected", complaint.trim() || `It ended with ${exitCode}.`);
    return lines;
  }

  return {
    ask,

    /** Those that run, and those that were started last. */
    recent,

    start(target: string, words: readonly string[], begun?: (pid: number) => void): Job {
      const job: Job = { command: ["rowferry", ...words].map(shellQuoted).join(" "), said: null, endedAt: null };
      started.set(target, [...recent(target).filter((other) => other.said === null), job]);
      const end = (told: string[]) => {
        job.endedAt = now();
        job.said = told;
        onChange();
      };
      ask(words, begun).then(
        (lines) => end(saidOfJob(lines)),
        ({ message, hint = "" }: Error & { hint?: string }) => end([message, hint]),
      );
      return job;
    },
  };
}
