/** Which inputs of a mapping read a file. */
import { RowferryError } from "../../model/error.js";
import { compileGlob } from "../glob.js";
import type { MappingInput } from "../mapping.js";
import { didYouMean } from "../nearest.js";

export interface InputFiles {
  input: MappingInput;
  /** Patterns of `files:`; null: any file of its format. */
  patterns: string[] | null;
}

const WORKBOOK = /\.xls[xm]$/iu;
const REJECTED = /\.rejected(?=\.[^.]+$)/iu;

/** A rejected file is read as the file it came from. @throws RowferryError `mapping-files` when none fits, or several that are not sheets of one workbook. */
export function matchFiles(inputs: readonly InputFiles[], fileName: string): MappingInput[] {
  const name = fileName.split(/[\\/]/u).at(-1) ?? fileName;
  let fitting = inputs.filter((entry) => fits(entry, name, inputs.length));
  if (fitting.length === 0 && REJECTED.test(name))
    fitting = inputs.filter((entry) => fits(entry, name.replace(REJECTED, ""), inputs.length));
  if (fitting.length === 0) {
    const patterns = inputs.flatMap((entry) => entry.patterns ?? []);
    const known = inputs.map((entry) => `${entry.input.name} (${entry.patterns?.join(", ") ?? "any"})`).join("; ");
    throw new RowferryError(
      "mapping-files",
      `no input of the mapping reads this file; its inputs: ${known}.${didYouMean(name, patterns)}`,
      { place: { file: name } },
    );
  }
  const sheets = fitting.map((entry) => entry.input.read.excel?.sheet);
  const oneWorkbook =
    WORKBOOK.test(name) && sheets.every((sheet) => sheet !== undefined) && new Set(sheets).size === sheets.length;
  if (fitting.length > 1 && !oneWorkbook) {
    const names = fitting.map((entry) => entry.input.name).join(" and ");
    throw new RowferryError("mapping-files", `the inputs ${names} all read this file`, {
      place: { file: name },
      hint: "Adjust their `files:` patterns; for sheets of one workbook name a different `excel.sheet` in each.",
    });
  }
  return fitting.map((entry) => entry.input);
}

function fits({ input, patterns }: InputFiles, name: string, count: number): boolean {
  if (patterns !== null) return patterns.some((pattern) => compileGlob(pattern)(name));
  if (count === 1) return true;
  if (input.read.excel !== undefined) return WORKBOOK.test(name);
  return input.read.csv === undefined || !WORKBOOK.test(name);
}
