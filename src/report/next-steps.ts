/** What to do next after a run, and the command to type, where one would help. Pure. */
import { basename } from "node:path";
import { ExitCode } from "../model/exit-code.js";
import type { Summary } from "../model/summary.js";
import { rejectedFileName } from "./rejected-name.js";

/** What to do, in a sentence, and the command; null when nothing need be done. */
export interface NextStep {
  why: string;
  command: string;
}

/** `shown` makes a path short. Values are quoted for a shell. */
export function nextSteps(summary: Summary, shown: (path: string) => string): NextStep[] {
  const target = targetFlag(summary.target.name);
  const steps: NextStep[] = [];
  if (summary.exitCode === ExitCode.again || summary.exitCode >= ExitCode.interrupted) {
    steps.push({ why: "go on where this run stopped; nothing is sent twice", command: `rowferry resume${target}` });
  }
  const rejected = ofThisRun(summary).map((path) => shown(path));
  if (rejected.length > 0 && summary.mapping !== null) {
    const files = rejected.map(shellQuoted).join(" ");
    const command = `rowferry import ${shellQuoted(shown(summary.mapping))} ${files}${target}`;
    steps.push({
      why: `correct ${rejected.length === 1 ? "the rejected file" : "the rejected files"}, save, and import`,
      command,
    });
  }
  if (has(summary.open.documents, "stranded")) {
    const command = `rowferry resolve <document> --document-id <id>${target}`;
    steps.push({ why: "give a stranded document the id that the service knows it by", command });
  }
  if (steps.length === 0 && summary.exitCode === ExitCode.person) {
    steps.push({ why: "see what needs a person, and why", command: `rowferry status${target}` });
  }
  return steps;
}

/** Rejected files of this run's own inputs: those of earlier ones may need another mapping. */
function ofThisRun({ files, inputs }: Summary): string[] {
  const names = inputs.map(({ input, sheet }) => rejectedFileName(input, sheet, "csv").replace(/\.rejected\.csv$/, ""));
  return files
    .filter(
      ({ kind, path }) => kind === "rejected" && names.includes(basename(path).replace(/(-\d+)?\.rejected\.\w+$/, "")),
    )
    .map(({ path }) => path);
}

/** ` --sandbox`, ` --target production`. */
export function targetFlag(name: string): string {
  return name === "sandbox" ? " --sandbox" : ` --target ${name}`;
}

/** For a POSIX shell; unquoted where nothing needs quoting. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function has(counts: { [state: string]: number }, state: string): boolean {
  return (counts[state] ?? 0) > 0;
}
