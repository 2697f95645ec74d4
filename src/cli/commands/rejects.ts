/** `rowferry rejects [selectors]`: the rows to correct, as files and as a list. Works while an import is running. */
import { basename, join, resolve } from "node:path";
import { ExitCode } from "../../model/exit-code.js";
import { describePlace } from "../../model/place.js";
import { counted, grouped, sumOf } from "../../report/figures.js";
import { resolveAll } from "../../report/next-steps.js";
import { shellQuoted } from "../../model/shell-quoted.js";
import { selectorFlags, selectorsOf } from "../flags.js";
import { onTarget } from "../on-target.js";
import { dim } from "../render/text.js";

/** The files hold all rows. */
const LISTED = 50;

export const spec = onTarget({
  flags: { ...selectorFlags, folder: ["--folder <folder>", "where the files go (default: state/<target>/rejects)"] },
  examples: {
    "rowferry rejects": "everything that is open",
    "rowferry rejects --input march.csv --folder to-correct": "",
    "rowferry rejects --code value-unmapped --json": "",
  },
  notes: [
    "Stranded documents are listed in stranded.csv, next to these files, with the evidence for each and a column for its id. Fill in the ids, and pass the file to rowferry resolve --from. Files from an earlier call are replaced; one whose content has changed, for example by your corrections, is kept as <file>.former.",
  ],
  async run({ world, target, shown, step }, given) {
    const { writeRejects } = await import("../../desk/files.js");
    const folder = given.folder === undefined ? join(target.stateFolder, "rejects") : resolve(world.cwd, given.folder);
    const found = await writeRejects(target, selectorsOf(given), folder);
    const { files, forgotten, stranded } = found;
    const next = files
      .filter(({ correctable }) => correctable > 0)
      .map(({ path, mapping, correctable }) =>
        step(
          `import ${shellQuoted(shown(mapping))} ${shellQuoted(shown(path))}`,
          `correct ${counted(correctable, "row")} in that file, save, and import it`,
        ),
      );
    const inFiles = sumOf(files, "rows");
    const count = inFiles + forgotten;
    const decided = inFiles - sumOf(files, "correctable");
    if (decided > 0)
      next.push(step("status", `see what to decide about ${counted(decided, "row")} that no correction can send`));
    if (forgotten > 0) {
      const what =
        "the ledger keeps no cells of rows that had landed before their documents were replaced: correct them in their own files, and import those,";
      next.push(
        step("import <mapping> <files…>", what),
        step("dismiss --row <file>:<row>", "or give up what cannot be corrected"),
      );
    }
    if (stranded !== null) next.push(resolveAll(shown(stranded.path), step));
    return {
      type: "rejects",
      line: found,
      text: ({ rows, kept }) => [
        (count === 0 ? "No row to correct." : `${counted(count, "row needs", "rows need")} you.`) +
          (stranded === null ? "" : ` Stranded: ${counted(stranded.documents, "document")}.`),
        [
          rows
            .slice(0, LISTED)
            .flatMap(({ file, sheet, row, problems }) =>
              problems.map(({ code, column, message }) => [
                `  ${column === null ? "" : `${column}: `}${message}`,
                dim(`    ${describePlace({ file, sheet: sheet ?? undefined, row })} · ${code}`),
              ]),
            ),
          files.map(({ path, note }) => note !== null && `${basename(path)}: ${note}`),
          kept.map((path) => `Kept, because its content had changed: ${shown(path)}`),
          rows.length > LISTED && `  and ${grouped(rows.length - LISTED)} more; the files have all`,
        ],
      ],
      next,
      exitCode: found.rows.length > 0 || stranded !== null ? ExitCode.person : ExitCode.ok,
    };
  },
});
