/** `rowferry guess <files…>`: a first mapping from the data, and what it was unsure of. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { loadMapping } from "../../map/load-mapping.js";
import { ExitCode } from "../../model/exit-code.js";
import { checkFiles, type FileCheck } from "../../pipeline/check-files.js";
import { guessFromFiles } from "../../pipeline/guess-files.js";
import { grouped } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import { countryCode, ianaZone } from "../flags-of-guess.js";
import type { Frame } from "../frame.js";
import { shownPath } from "../output.js";
import { writeNewFile } from "../write-new-file.js";

const examples = `
Examples:
  rowferry guess march.csv > mapping.yaml
  rowferry guess inbox/*.xlsx -o mapping.yaml --country BR --namespace acme

Look at what it says it was unsure of, then run rowferry check with the
mapping and the files. What is guessed loads; whether it is right you know.`;

export interface GuessFlags {
  output?: string;
  force?: boolean;
  namespace?: string;
  country?: string;
  timezone?: string;
}

export function define(command: Command, frame: Frame): void {
  command
    .argument("<files...>", "CSV or Excel files; - reads standard input")
    .option("-o, --output <file>", "write the mapping to this file; default: standard output")
    .option("--force", "write over a file that exists")
    .option("--namespace <name>", "part of every key (default: made of the first file's name)")
    .option("--country <code>", "of tax ids, addresses and telephone numbers: two letters", countryCode)
    .option("--timezone <zone>", "of local times, such as Europe/Berlin (default: the country's)", ianaZone)
    .addHelpText("after", examples)
    .action(frame.action((files: string[], flags: GuessFlags) => guess(frame, files, flags)));
}

/** Guesses, writes, and tells what is doubtful and how many rows the mapping as guessed would stage. */
export async function guess(frame: Frame, files: readonly string[], flags: GuessFlags): Promise<number> {
  const { world, signal } = frame;
  const { output, force, ...options } = flags;
  const path = output === undefined ? null : resolve(world.cwd, output);
  const { yaml, unsure } = await guessFromFiles(files, { ...options, cwd: world.cwd, signal });
  const checks = await verify(frame, files, yaml);
  const shown = path === null ? null : shownPath(path, world.cwd);
  if (path === null || shown === null) world.stdout.write(yaml);
  else writeNewFile(path, yaml, { force: force === true, shown });
  const placeholders = yaml.split(placeholder).length - 1;
  world.stderr.write(`${report(files, shown, { unsure, placeholders }, checks).join("\n")}\n`);
  return ExitCode.ok;
}

/** Written where no column tells a participant or an address; the service refuses it. */
const placeholder = '{ id: "?" }';

/** Loads what was guessed, and reads the files with it; standard input is gone by then. */
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
  { unsure, placeholders }: { unsure: readonly string[]; placeholders: number },
  checks: FileCheck[] | null,
): string[] {
  const lines = unsure.length === 0 ? [] : ["Unsure of:", ...unsure.map((sentence) => `  - ${plainText(sentence)}`)];
  const named = files.map((file) => (/[^\w./-]/.test(file) ? JSON.stringify(file) : file)).join(" ");
  const next = plainText(`rowferry check ${shown ?? "mapping.yaml"} ${named}`);
  lines.push(...(checks ?? []).flatMap((check) => outcome(check)));
  if (placeholders > 0) {
    const places = placeholders === 1 ? "one place" : `${placeholders} places`;
    lines.push(`To be written by hand before anything can be sent: ${placeholder} in ${places}.`);
  }
  if (shown !== null) lines.push(`Written to ${shown}.`);
  lines.push(`Next: ${next}`);
  return lines;
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
