/** `rowferry rejects [selectors]`: the rows that a person must change, as files and as a list. Works beside a running import. */
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { resolveAll, shellQuoted } from "../../report/next-steps.js";
import { plainText } from "../../report/plain-text.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { sameTarget, shownPath } from "../output.js";
import { addSelectorFlags, type SelectorFlags, selectorsOf } from "../selector-flags.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry rejects                        everything that is open
  rowferry rejects --input march.csv --folder to-correct
  rowferry rejects --code value-unmapped --json

Where documents are stranded, their list is written beside the files:
stranded.csv, with the evidence of each and a column for its id. Fill that in,
and give it to rowferry resolve --from. A file that lies there is overwritten.`;

/** So many rows are listed; the files hold all. */
const LISTED = 50;

type Flags = TargetFlags & OutputFlags & SelectorFlags & { folder?: string };

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addSelectorFlags(addTargetFlags(command)))
    .option("--folder <folder>", "where the files go (default: state/<target>/rejects)")
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => rejects(frame, flags)));
}

function rejects(frame: Frame, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { writeRejects } = await import("../../desk/rejects.js");
    const { cwd } = frame.world;
    const folder = flags.folder === undefined ? join(target.stateFolder, "rejects") : resolve(cwd, flags.folder);
    const found = await writeRejects(target, selectorsOf(flags), folder);
    const lines = found.rows.slice(0, LISTED).flatMap(({ file, sheet, row, problems }) => {
      const place = [plainText(file), sheet === null ? "" : plainText(sheet), String(row)].filter(
        (part) => part !== "",
      );
      return problems.map(({ code, column, message }) =>
        [`${place.join(":")}  ${code}`, column === null ? "" : `"${plainText(column)}"`, plainText(message, 200)]
          .filter((part) => part !== "")
          .join(" · "),
      );
    });
    if (found.rows.length > LISTED) lines.push(`… and ${found.rows.length - LISTED} more; the files hold all`);
    const { stranded } = found;
    if (found.rows.length === 0) lines.push("No row waits for a person.");
    const next = found.files.map(({ path, mapping, rows }) => {
      const command = `rowferry import ${shellQuoted(shownPath(mapping, cwd))} ${shellQuoted(shownPath(path, cwd))}`;
      return `${rows} ${rows === 1 ? "row" : "rows"}: correct, save, and import\n  ${command}${sameTarget(target, cwd)}`;
    });
    if (stranded !== null) {
      const { why, command } = resolveAll(shownPath(stranded.path, cwd), sameTarget(target, cwd));
      next.push(`${stranded.documents} stranded: ${why}\n  ${command}`);
    }
    output.text(`\n${[...lines, ...(next.length === 0 ? [] : ["", ...next])].join("\n")}\n`);
    output.data({ type: "rejects", ...found });
    return found.rows.length > 0 || stranded !== null ? ExitCode.person : ExitCode.ok;
  });
}
