/**
 * Commands that the console starts: the same program, as a person would type it, in a process of its own. So the page stays
 * quick while one reads or sends, a console that dies takes no import with it, and they wait for one another at the ledger.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { RowferryError } from "../model/error.js";
import type { Line } from "../model/lines.js";
import { shellQuoted } from "../report/next-steps.js";
import { said } from "../report/said.js";
import type { JobLine } from "./api.js";

/** What a command that the console asks printed last: what it found or did. */
type Found = Exclude<Line, { type: "error" }>;

/** `onChange` is called when a job has ended. */
export function createJobs({ cwd, env, onChange }: { cwd: string; env: NodeJS.ProcessEnv; onChange: () => void }) {
  const newest = new Map<string, JobLine>();

  async function run(words: readonly string[]) {
    const [command = "", ...rest] = words;
    const program = [...process.execArgv, process.argv[1] ?? "", command, "--json", ...rest];
    const child = spawn(process.execPath, program, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)));
    const ended = new Promise<number>((resolve) => {
      child.on("error", ({ message }) => {
        complaint = message;
        resolve(1);
      });
      child.on("close", (status) => resolve(status ?? 1));
    });
    let last: Line | null = null;
    for await (const text of createInterface({ input: child.stdout })) {
      const line = lineOf(text);
      if (line !== null) last = line;
    }
    return { last, exitCode: await ended, complaint: complaint.trim() };
  }

  return {
    /** Null: none was started. */
    newest: (target: string): JobLine | null => newest.get(target) ?? null,

    /** `words`: what follows `rowferry`. */
    start(target: string, words: readonly string[]): JobLine {
      const job: JobLine = { command: ["rowferry", ...words].map(shellQuoted).join(" "), exitCode: null, said: [] };
      newest.set(target, job);
      void run(words).then(({ last, exitCode, complaint }) => {
        const told = last?.type === "error" ? [last.message, last.hint] : last === null ? [] : said(last);
        Object.assign(job, { exitCode, said: told.length === 0 ? [complaint] : told });
        onChange();
      });
      return job;
    },

    /** At once, and without being shown. @throws RowferryError what ended it */
    async ask(words: readonly string[]): Promise<Found> {
      const { last, exitCode, complaint } = await run(words);
      if (last?.type === "error") {
        const { code, message, hint } = last;
        throw new RowferryError(code, message, { hint });
      }
      if (last === null)
        throw new RowferryError("unexpected", complaint === "" ? `It ended with ${exitCode}.` : complaint);
      return last;
    },
  };
}

function lineOf(text: string): Line | null {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}
