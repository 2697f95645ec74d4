/** Finds the inputs that read a file. */
import { RowferryError } from "../../model/error.js";
import { PACKED } from "../../model/file-endings.js";
import { compileGlob } from "../../model/glob.js";
import type { CorrectedOrigin, MappingInput } from "../mapping.js";
import { didYouMean } from "../nearest.js";

const WORKBOOK = /\.xl[st][xm](?:\.gz|\.zst)?$/iu;
const REJECTED = /\.rejected(?=\.[^.]+$)/iu;

function refuse(file: string, message: string, hint?: string): never {
  throw new RowferryError("mapping-files", message, { place: { file }, hint });
}

type Inputs = readonly MappingInput[];

const namesOf = (inputs: Inputs, between: string) => inputs.map(({ name }) => name).join(between);

/** No input reads this name; a file found in a folder is then passed over. */
export class UnreadFile extends RowferryError {}

/** @throws RowferryError `mapping-files` if none fits (UnreadFile), or several that are not sheets of one workbook. */
export function matchFiles(inputs: Inputs, fileName: string): MappingInput[] {
  const file = lastPart(fileName);
  const fitting = fittingName(inputs, file);
  if (fitting.length === 0) {
    const all = inputs.flatMap(({ files }) => files ?? []);
    const known = inputs.map(({ name, files }) => `${name} (${files?.join(", ") ?? "any"})`).join("; ");
    const message = `no input of the mapping reads this file; its inputs: ${known}.${didYouMean(file, all)}`;
    throw new UnreadFile("mapping-files", message, { place: { file } });
  }
  if (fitting.length > 1 && !(WORKBOOK.test(file) && areSheets(fitting))) {
    const message = `the inputs ${namesOf(fitting, " and ")} ${fitting.length === 2 ? "both" : "all"} read this file`;
    const hint =
      "Adjust their `files:` patterns; for sheets of one workbook name a different `excel.sheet` in each. If the file holds rows of several kinds, tell them apart in one input, with `by:` or `when:`.";
    refuse(file, message, hint);
  }
  return fitting;
}

/** A pipe has no file name, so only its format can decide. */
export function matchNameless(inputs: Inputs, format: "csv" | "xlsx"): MappingInput[] {
  const kind = inputs.filter(({ read }) => (format === "csv" ? read.excel : read.csv) === undefined);
  const left = kind.length > 0 ? kind : [...inputs];
  if (left.length === 1 || (format === "xlsx" && areSheets(left))) return left;
  const message = `standard input has no name to show which input reads it: ${namesOf(left, ", ")}`;
  return refuse(
    "stdin",
    message,
    "Save it to a file whose name matches the `files:` patterns of one, and import that.",
  );
}

function areSheets(inputs: Inputs) {
  const sheets = inputs.map(({ read }) => read.excel?.sheet);
  return !sheets.includes(undefined) && new Set(sheets).size === sheets.length;
}

/**
 * Finds the input of a corrected file: from the ledger, else by file name, by sheet, or because there is only one.
 * @throws RowferryError `mapping-files` if several remain.
 */
export function matchCorrected(inputs: Inputs, fileName: string, origin: CorrectedOrigin): MappingInput {
  const own = inputs.find(({ name }) => name === origin.input);
  if (own !== undefined) return own;
  const file = lastPart(fileName);
  const named = fittingName(inputs, file);
  const left = named.length > 0 ? named : inputs;
  const ofSheet = left.filter(({ read }) => {
    const { sheet: rejected } = origin;
    const sheets = [read.excel?.sheet ?? []].flat();
    return rejected !== null && sheets.some((sheet) => compileGlob(String(sheet))(rejected));
  });
  const [first, ...others] = ofSheet.length > 0 ? ofSheet : left;
  if (first !== undefined && others.length === 0) return first;
  const message = `these are corrected rows, but which input do they belong to? It may be any of ${namesOf(left, ", ")}`;
  const hint = "Give the file the name that it was written under, or import it into the ledger that rejected its rows.";
  return refuse(file, message, hint);
}

function fittingName(inputs: Inputs, name: string): MappingInput[] {
  const fitting = inputs.filter((entry) => fits(entry, name, inputs.length));
  if (fitting.length > 0) return fitting;
  // `*.csv` also fits `x.csv.gz`, unless a pattern distinguishes them; so does it the rejected rows of a file.
  const plain = name.replace(PACKED.test(name) ? PACKED : REJECTED, "");
  return plain === name ? [] : fittingName(inputs, plain);
}

function lastPart(fileName: string) {
  return fileName.split(/[\\/]/u).at(-1) ?? fileName;
}

function fits({ files, read }: MappingInput, name: string, count: number) {
  if (files !== null) return files.some((pattern) => compileGlob(pattern)(name));
  if (count === 1) return true;
  if (read.excel !== undefined) return WORKBOOK.test(name);
  return read.csv === undefined || !WORKBOOK.test(name);
}
