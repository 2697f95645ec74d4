/** `rowferry guess <files…>`: a first mapping from the data, and what a person must still decide. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Decision } from "../../guess/decisions.js";
import { type Draft, draftMapping, type GuessOptions } from "../../guess/draft.js";
import { type Sampled, sampleFiles } from "../../guess/sample.js";
import { loadMapping } from "../../map/load-mapping.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { checkFiles, type FileCheck } from "../../run/check-files.js";
import { grouped } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import { terminalOf } from "../confirm.js";
import { countryCode, ianaZone } from "../flags-of-guess.js";
import type { Frame } from "../frame.js";
import { shownPath } from "../output.js";
import { writeNewFile } from "../write-new-file.js";

const examples = `
Examples:
  rowferry guess march.csv > mapping.yaml
  rowferry guess inbox/*.xlsx -o mapping.yaml --country BR --namespace acme
  rowferry guess march.csv -o mapping.yaml --ask      what is open is asked

The draft always loads; review it before you use it. What the data do not decide
is a line marked "decide:"; with such lines it is a draft, for the sandbox only.`;

export interface GuessFlags {
  output?: string;
  force?: boolean;
  ask?: boolean;
  namespace?: string;
  country?: string;
  timezone?: string;
}

export function define(command: Command, frame: Frame): void {
  command
    .argument("<files...>", "CSV or Excel files; - reads standard input")
    .option("-o, --output <file>", "write the mapping to this file; default: standard output")
    .option("--force", "write over a file that exists")
    .option("--ask", "ask at the terminal what the data do not decide")
    .option("--namespace <name>", "part of every key (default: made of the first file's name)")
    .option("--country <code>", "of tax ids, addresses and telephone numbers: two letters", countryCode)
    .option("--timezone <zone>", "of local times, such as Europe/Berlin (default: the country's)", ianaZone)
    .addHelpText("after", examples)
    .action(frame.action((files: string[], flags: GuessFlags) => guess(frame, files, flags)));
}

/** Drafts, writes, and tells what is unused, open and doubtful, and how many rows the mapping as drafted would stage. */
export async function guess(frame: Frame, files: readonly string[], flags: GuessFlags): Promise<number> {
  const { world, signal } = frame;
  const { output, force, ask, ...options } = flags;
  const terminal = ask === true ? terminalOf(world) : null;
  if (ask === true && terminal === null)
    throw new RowferryError("usage", "Not a terminal: nothing can be asked.", {
      hint: "Leave --ask out; what is open is then marked in the mapping.",
    });
  const path = output === undefined ? null : resolve(world.cwd, output);
  const sampled = await sampleFiles(files, { cwd: world.cwd, signal });
  const draft = terminal === null ? draftMapping(sampled.tables, options) : await askAll(terminal, sampled, options);
  const shown = path === null ? null : shownPath(path, world.cwd);
  if (path !== null && shown !== null) writeNewFile(path, draft.yaml, { force: force === true, shown });
  const checks = await verify(frame, files, draft.yaml);
  if (path === null) world.stdout.write(draft.yaml);
  world.stderr.write(`${report(files, shown, sampled, draft, checks).join("\n")}\n`);
  return ExitCode.ok;
}

/** One question after the other, for an answer may settle what comes next. */
async function askAll(
  ask: (question: string) => Promise<string | null>,
  { tables }: Sampled,
  options: GuessOptions,
): Promise<Draft> {
  const answers = new Map<string, number>();
  const left = new Set<string>();
  for (;;) {
    const draft = draftMapping(tables, { ...options, answers });
    const waiting = draft.open.filter(({ id, candidates }) => !left.has(id) && candidates.length > 1);
    const [next] = waiting;
    if (next === undefined) return draft;
    const typed = await ask(question(next, waiting.length));
    const choice = Number(typed?.trim());
    if (typed === null) for (const { id } of waiting) left.add(id);
    else if (typed.trim() === "") left.add(next.id);
    else if (Number.isInteger(choice) && choice >= 1 && choice <= next.candidates.length)
      answers.set(next.id, choice - 1);
  }
}

function question({ id, question: asked, candidates, samples }: Decision, waiting: number): string {
  const of = id.includes(".") ? `${id.split(".")[0]}: ` : "";
  const lines = candidates.map(
    ({ label, why }, at) => `  ${at + 1}  ${plainText(label)}${why === undefined ? "" : `   ${plainText(why)}`}`,
  );
  const seen =
    samples.length === 0
      ? []
      : [
          `  seen: ${samples
            .slice(0, 6)
            .map((text) => plainText(text, 40))
            .join(" | ")}`,
        ];
  const head = `\n${of}${plainText(asked)} (${waiting} open)`;
  return `${[head, ...seen, ...lines].join("\n")}\n1 to ${candidates.length}, or Enter to leave it open: `;
}

/** Loads what was drafted, and reads the files with it; standard input is gone by then. */
async function verify({ world, signal }: Frame, files: readonly string[], yaml: string): Promise<FileCheck[] | null> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-guess-"));
  try {
    const path = join(folder, "mapping.yaml");
    await writeFile(path, yaml);
    const mapping = await loadMapping(path, { placeholders: "accept" });
    if (files.includes("-")) return null;
    return await checkFiles({ mapping, files, cwd: world.cwd, signal, observe: () => {} });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(
  files: readonly string[],
  shown: string | null,
  { left, notes }: Sampled,
  draft: Draft,
  checks: FileCheck[] | null,
): string[] {
  const list = (title: string, sentences: readonly string[]) =>
    sentences.length === 0 ? [] : [title, ...sentences.map((sentence) => `  - ${plainText(sentence)}`)];
  const open = draft.open.map(({ id, question: asked }) =>
    id.includes(".") ? `${id.split(".")[0]}: ${asked}` : asked,
  );
  const named = files.map((file) => (/[^\w./-]/.test(file) ? JSON.stringify(file) : file)).join(" ");
  const next = plainText(`rowferry check ${shown ?? "mapping.yaml"} ${named}`);
  return [
    ...list("Left out:", left),
    ...list("Look at:", [...draft.notes, ...notes]),
    ...list(
      'To decide, at the lines marked "decide:" (or with --ask); until then it is a draft, for the sandbox only:',
      open,
    ),
    ...(checks ?? []).flatMap((check) => outcome(check)),
    ...(shown === null ? [] : [`Written to ${shown}.`]),
    `Next: ${next}`,
  ];
}

function outcome({ path, tables, error }: FileCheck): string[] {
  const name = plainText(path);
  if (error !== null) return [`${name}: ${plainText(error.message)}`];
  return tables.map((table) => {
    const where = table.sheet === null ? name : `${name}, sheet "${plainText(table.sheet)}"`;
    if (table.error !== null) return `${where}: ${plainText(table.error.message)}`;
    const { read, valid, skipped, invalid } = table.rows;
    const why = table.problems.toSorted((one, other) => other.count - one.count)[0];
    const rest = invalid === 0 || why === undefined ? "" : `; of the others most: ${plainText(why.example, 300)}`;
    const left = skipped > 0 ? `, ${grouped(skipped)} skipped` : "";
    return `${where}: ${grouped(valid)} of ${grouped(read)} rows would be staged${left}${rest}`;
  });
}
