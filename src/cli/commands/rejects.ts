/** `rowferry rejects [selectors]`: the rows that a person must change, as files and as a list. Works beside a running import. */
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { describePlace } from "../../model/place.js";
import { counted, grouped } from "../../report/figures.js";
import { resolveAll, shellQuoted } from "../../report/next-steps.js";
import { plainText } from "../../report/plain-text.js";
import { addSelectorFlags, type SelectorFlags, selectorsOf } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { wrapped } from "../render/text.js";

const examples = `
Examples:
  rowferry rejects                        everything that is open
  rowferry rejects --input march.csv --folder to-correct
  rowferry rejects --code value-unmapped --json

If documents are stranded, their list is written beside the files: stranded.csv,
with the evidence of each and a column for its id. Fill that in, and give it to
rowferry resolve --from. Files of an earlier list are overwritten.`;

/** So many rows are listed; the files hold all. */
const LISTED = 50;

export function define(command: Command, frame: Frame): void {
  addSelectorFlags(command).option("--folder <folder>", "where the files go (default: state/<target>/rejects)");
  onTarget(command, frame, examples, rejects);
}

async function rejects(
  { world, target, output, shown, same }: Work,
  flags: SelectorFlags & { folder?: string },
): Promise<Told> {
  const { writeRejects } = await import("../../desk/rejects.js");
  const folder = flags.folder === undefined ? join(target.stateFolder, "rejects") : resolve(world.cwd, flags.folder);
  const found = await writeRejects(target, selectorsOf(flags), folder);
  const { rows, files, stranded } = found;
  const { columns, colors } = output;
  const lines = rows.slice(0, LISTED).flatMap(({ file, sheet, row, problems }) =>
    problems.map(({ code, column, message }) => {
      const place = describePlace({ file: plainText(file), sheet: sheet === null ? undefined : plainText(sheet), row });
      const said = `${column === null ? "" : `${plainText(column, 60)}: `}${plainText(message, 200)}`;
      return `${wrapped(said, { columns, first: "  " })}\n    ${colors.dim(`${place} · ${code}`)}`;
    }),
  );
  if (rows.length > LISTED) lines.push(`  and ${grouped(rows.length - LISTED)} more; the files have all`);
  const answer =
    rows.length === 0
      ? "No row needs you."
      : `${counted(rows.length, "row")} ${rows.length === 1 ? "needs" : "need"} you.`;
  const next = files.map(({ path, mapping, rows: count }) => ({
    command: `rowferry import ${shellQuoted(shown(mapping))} ${shellQuoted(shown(path))}${same}`,
    why: `correct ${counted(count, "row")} in that file, save, and import it`,
  }));
  return {
    text: [
      stranded === null ? answer : `${answer} Stranded: ${counted(stranded.documents, "document")}.`,
      lines.join("\n"),
    ],
    next: stranded === null ? next : [...next, resolveAll(shown(stranded.path), same)],
    line: { type: "rejects", ...found },
    exitCode: rows.length > 0 || stranded !== null ? ExitCode.person : ExitCode.ok,
  };
}
