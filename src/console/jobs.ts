/**
 * Commands that the console starts: the same program, as a person would type it, in a process of its own. So the page stays
 * quick while one reads or sends, and a console that dies takes no import with it.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Verification } from "../desk/verify.js";
import { shellQuoted } from "../report/next-steps.js";
import type { JobLine } from "./api.js";

interface Line {
  type: string;
  [member: string]: unknown;
}

export interface Finished {
  exitCode: number;
  /** The last line of JSON that says what was found or done; null: none came. */
  result: Line | null;
  /** The error that ended it; null: none did. */
  error: { code: string; message: string; hint: string | null } | null;
}

export interface Job {
  line: JobLine;
  finished: Promise<Finished>;
}

export interface Jobs {
  /** `words`: what follows `rowferry`. One at a time for each target; a second one waits for the first. */
  start(target: string, words: readonly string[]): Job;
  /** At once, and without being shown. */
  ask(words: readonly string[]): Promise<Finished>;
  /** The newest of the target; null: none was started. */
  newest(target: string): JobLine | null;
}

export interface JobOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  now: () => number;
  /** Called after each line that a job printed. */
  onChange: () => void;
}

export function createJobs({ cwd, env, now, onChange }: JobOptions): Jobs {
  const newest = new Map<string, Job>();
  let id = 0;

  const begin = (words: readonly string[]): JobLine => ({
    id: (id += 1),
    command: ["rowferry", ...words].map(shellQuoted).join(" "),
    startedAt: new Date(now()).toISOString(),
    stage: null,
    done: 0,
    total: null,
    sent: 0,
    problems: 0,
    notices: [],
    exitCode: null,
    outcome: null,
  });

  const start = (target: string, words: readonly string[]): Job => {
    const line = begin(words);
    const before = newest.get(target)?.finished.catch(() => {});
    const finished = Promise.resolve(before).then(() => runIt(words, line));
    const job = { line, finished };
    newest.set(target, job);
    return job;
  };

  async function runIt(words: readonly string[], line: JobLine): Promise<Finished> {
    const [command = "", ...rest] = words;
    const program = [...process.execArgv, process.argv[1] ?? "", command, "--json", ...rest];
    const child = spawn(process.execPath, program, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const found: Finished = { exitCode: 1, result: null, error: null };
    const printed = (async () => {
      for await (const text of createInterface({ input: child.stdout })) {
        take(text, line, found);
        onChange();
      }
    })();
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)));
    const code = await new Promise<number>((resolve) => {
      child.on("error", (error) => {
        complaint = error.message;
        resolve(1);
      });
      child.on("close", (status) => resolve(status ?? 1));
    });
    await printed;
    found.exitCode = code;
    line.exitCode = code;
    line.outcome = found.error?.message ?? outcomes[code] ?? complaint.trim();
    if (found.result?.type === "verify") tellVerified(found.result as unknown as Verification, line);
    onChange();
    return found;
  }

  return { start, ask: (words) => runIt(words, begin(words)), newest: (target) => newest.get(target)?.line ?? null };
}

const outcomes: { [exitCode: number]: string } = {
  0: "Done.",
  3: "Done. Some rows still need you.",
  4: "It stopped before it was done. Resume continues.",
  130: "It was interrupted. Resume continues.",
  143: "It was interrupted. Resume continues.",
};

/** Differences that are listed; the report of the command has all. */
const LISTED = 50;

function tellVerified({ checked, differences, unread, unverifiable, stopped }: Verification, line: JobLine): void {
  const looked = Object.values(checked).reduce((sum, count) => sum + count, 0);
  const found = differences.length === 0 ? "no difference" : `${differences.length.toLocaleString("en")} differ`;
  const missed = unread.length === 0 ? "" : `, ${unread.length.toLocaleString("en")} could not be read`;
  line.outcome = `Looked at ${looked.toLocaleString("en")} records at the service: ${found}${missed}.`;
  line.notices = [
    ...(stopped === null ? [] : [`It stopped early: ${stopped}`]),
    ...[...differences, ...unread].slice(0, LISTED).map(({ subject, name, text }) => `${subject} ${name}: ${text}`),
    ...unverifiable.map(({ text, count }) => `${count.toLocaleString("en")} cannot be read: ${text}`),
  ];
}

function take(text: string, line: JobLine, found: Finished): void {
  let said: Line;
  try {
    said = JSON.parse(text) as Line;
  } catch {
    return;
  }
  if (said.type === "stage" || said.type === "progress") {
    line.stage = String(said["stage"]);
    line.total = said["total"] === null ? null : Number(said["total"]);
    line.done = Number(said["done"] ?? 0);
    line.sent = Number(said["sent"] ?? line.sent);
    line.problems = Number(said["problems"] ?? line.problems);
  } else if (said.type === "notice") line.notices = [...line.notices, String(said["message"])].slice(-5);
  else if (said.type === "error") {
    const { code, message, hint } = said as unknown as { code: string; message: string; hint?: string };
    found.error = { code, message, hint: hint ?? null };
  } else if (said.type !== "target" && said.type !== "forecast" && said.type !== "backlog") found.result = said;
}
