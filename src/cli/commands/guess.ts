/** `rowferry guess <files…>`: drafts a mapping and lists open decisions. */
import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import countries from "i18n-iso-countries";
import type { Decision } from "../../guess/decisions.js";
import { type Draft, draftMapping, type GuessOptions } from "../../guess/draft.js";
import { type Sampled, sampleFiles } from "../../guess/sample.js";
import { loadMapping } from "../../map/load-mapping.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { makeFolder } from "../../model/make-folder.js";
import { canonicalEncoding } from "../../read/csv/encoding.js";
import { writeAtomically } from "../../report/atomic-file.js";
import { counted, grouped } from "../../report/figures.js";
import { quotedPath } from "../../model/shell-quoted.js";
import type { FileCheck } from "../../model/summary.js";
import { checkFiles } from "../../run/check-files.js";
import { command, type Given } from "../command.js";
import { terminalOf } from "../confirm.js";
import { dataFiles, valueOf } from "../flags.js";
import type { Frame } from "../world.js";
import { type Output, shownPath } from "../output.js";
import { fitted, joined, lines, type Part, plain } from "../render/text.js";

const country = valueOf("a country's two-letter code, such as BR", (text) =>
  text.length === 2 && countries.isValid(text.toUpperCase()) ? text.toUpperCase() : null,
);

const zone = valueOf("the IANA name of a time zone, such as America/Sao_Paulo", (text) => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text }).format(0);
    return text;
  } catch {
    return null;
  }
});

const encodingOf = valueOf("the name of an encoding, such as windows-1251", canonicalEncoding);

const flags = {
  output: ["-o, --output <file>", "write the mapping to this file; default: standard output"],
  force: ["--force", "overwrite an existing file"],
  ask: ["--ask", "ask at the terminal what the files leave open"],
  encoding: ["--encoding <name>", "of files that are not UTF-8, such as shift_jis (default: windows-1252)", encodingOf],
  namespace: ["--namespace <name>", "part of every key (default: made from the first file's name)"],
  country: ["--country <code>", "the country of tax ids, addresses and telephone numbers: two letters", country],
  timezone: ["--timezone <zone>", "the zone of local times, such as Europe/Berlin (default: the country's)", zone],
} as const;

export const spec = command({
  takes: { "<files...>": dataFiles },
  flags,
  examples: {
    "rowferry guess march.csv > mapping.yaml": "",
    "rowferry guess inbox/*.xlsx -o mapping.yaml --country BR --namespace acme": "",
    "rowferry guess march.csv -o mapping.yaml --ask": "asks what the file leaves open",
  },
  notes: [
    'The draft always loads; review it before you use it. Each decision that the files leave open is a line marked "decide:"; until you have made them all, the draft works only with the sandbox.',
  ],
  run: guess,
});

async function guess(
  frame: Frame & { output: Output },
  { output, force, ask, encoding, ...options }: Given<typeof flags>,
  files: string[],
): Promise<number> {
  const { world, signal } = frame;
  const { cwd } = world;
  if (force === true && output === undefined)
    throw new RowferryError("usage", "--force needs --output, which names the file to overwrite.");
  const terminal = ask === true ? terminalOf(world) : null;
  if (ask === true && terminal === null)
    throw new RowferryError("usage", "Not a terminal, so --ask cannot ask.", {
      hint: "Leave out --ask; the mapping will then mark the open decisions.",
    });
  const path = output === undefined ? null : resolve(cwd, output);
  const shown = path === null ? null : shownPath(path, cwd);
  const refuseExisting = () => {
    if (path !== null && shown !== null && force !== true && existsSync(path))
      throw new RowferryError("file-exists", "the file already exists, and was left as it is", {
        place: { file: shown },
      });
  };
  // Before the questions, whose answers would be lost; and after them, when somebody may have written it.
  refuseExisting();
  const sampled = await sampleFiles(files, { cwd, signal, encoding });
  const draft = terminal === null ? draftMapping(sampled.tables, options) : await askAll(terminal, sampled, options);
  if (path !== null) {
    refuseExisting();
    makeFolder(dirname(path), 0o777);
    const { mode } = statSync(path, { throwIfNoEntry: false }) ?? { mode: 0o666 & ~process.umask() };
    await writeAtomically(path, (file) => file.write(draft.yaml), mode & 0o777);
  }
  const checks = await verify(frame, files, draft.yaml);
  const found = checks.flatMap(({ tables }) => tables.flatMap(notesOf));
  // Of odd rows that the draft skips there is nothing to tell.
  const isLeft = (note: string) => checks.length === 0 || !ODD.test(note) || found.includes(note);
  const told = [...new Set([...draft.notes, ...sampled.notes.filter(isLeft), ...found])];
  if (frame.output.json) {
    const { data } = frame.output;
    const open = draft.open.map(({ id, question, candidates }) => ({
      id,
      question,
      candidates: candidates.map(({ label, why = null }) => ({ label, why })),
    }));
    data({ type: "draft", yaml: draft.yaml, left: sampled.left, notes: told, open });
    for (const check of checks) data({ type: "file", ...check });
    if (shown !== null) data({ type: "written", path: shown, kept: false });
    return ExitCode.ok;
  }
  if (path === null) world.stdout.write(draft.yaml);
  const said = plain([
    list("Left out:", sampled.left),
    list("Review:", told),
    list(
      'To decide, in the lines marked "decide:" or with --ask; until then, the draft works only with the sandbox:',
      draft.open.map((decision) => questionOf(decision)),
    ),
    checks.flatMap(outcome),
    shown !== null && `Written to ${shown}.`,
  ]);
  const next = plain(`Next: rowferry check ${quotedPath(shown ?? "mapping.yaml")} ${files.map(quotedPath).join(" ")}`);
  world.stderr.write(`${fitted(lines(said), world.stderr.columns ?? 80)}\n${next}\n`);
  return ExitCode.ok;
}

/** As sampling says them. */
function notesOf({ file, sheet, notes }: FileCheck["tables"][number]): string[] {
  return notes.map((note) => `${sheet === null ? file : `sheet "${sheet}" of ${file}`}: ${note}`);
}

/** What readers note of such rows. */
const ODD = /\blooks? like (?:a total|totals)\b|\bonly one filled cell\b/;

const list = (title: string, sentences: readonly string[]): Part =>
  sentences.length > 0 && [title, sentences.map((sentence) => `  - ${sentence}`)];

type Ask = (question: string) => Promise<string | null>;

/** One by one, because an answer may settle later questions. */
async function askAll(ask: Ask, { tables }: Sampled, options: GuessOptions): Promise<Draft> {
  const answers = new Map<string, number>();
  const left = new Set<string>();
  for (;;) {
    const draft = draftMapping(tables, { ...options, answers });
    const waiting = draft.open.filter(({ id, candidates }) => !left.has(id) && candidates.length > 1);
    const [next] = waiting;
    if (next === undefined) return draft;
    const typed = await ask(asked(next, waiting.length));
    const choice = Number(typed?.trim());
    if (typed === null) for (const { id } of waiting) left.add(id);
    else if (typed.trim() === "") left.add(next.id);
    else if (Number.isInteger(choice) && choice >= 1 && choice <= next.candidates.length)
      answers.set(next.id, choice - 1);
  }
}

const questionOf = ({ id, question }: Decision): string =>
  joined([id.includes(".") && id.split(".")[0], question], ": ");

function asked(decision: Decision, waiting: number): string {
  const { candidates, samples } = decision;
  const said = plain([
    `${questionOf(decision)} (${waiting} open)`,
    samples.length > 0 &&
      `  seen: ${samples
        .slice(0, 6)
        .map((text) => text.slice(0, 40))
        .join(" | ")}`,
    candidates.map(({ label, why }, at) => joined([`  ${at + 1}  ${label}`, why], "   ")),
  ]);
  return `\n${lines(said)}\n1 to ${candidates.length}, or Enter to leave it open: `;
}

/** Reads the files with the draft; standard input is gone by then. */
async function verify({ world, signal }: Frame, files: readonly string[], yaml: string): Promise<FileCheck[]> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-guess-"));
  try {
    const path = join(folder, "mapping.yaml");
    await writeFile(path, yaml);
    const mapping = await loadMapping(path, { placeholders: "accept" });
    if (files.includes("-")) return [];
    return await checkFiles({ mapping, files, cwd: world.cwd, signal, observe: () => {} });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function outcome({ path, tables, error }: FileCheck): string[] {
  if (error !== null) return [`${path}: ${error.message}`];
  return tables.map(({ sheet, rows, problems, error: broken }) => {
    const where = joined([path, sheet !== null && `sheet "${sheet}"`]);
    if (broken !== null) return `${where}: ${broken.message}`;
    const [most] = problems.toSorted((one, other) => other.count - one.count);
    const staged = joined([
      `${where}: ${grouped(rows.valid)} of ${counted(rows.read, "row")} would be staged`,
      rows.skipped > 0 && `${grouped(rows.skipped)} skipped`,
    ]);
    return rows.invalid === 0 || most === undefined ? staged : `${staged}; most of the others: ${most.example}`;
  });
}
