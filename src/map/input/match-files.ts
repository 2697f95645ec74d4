/** Finds the inputs that read a file. */
import { RowferryError } from "../../model/error.js";
import { compileGlob } from "../../model/glob.js";
import type { CorrectedOrigin, MappingInput } from "../mapping.js";
import { didYouMean } from "../nearest.js";

export interface InputFiles {
  input: MappingInput;
  /** Null: any file of its format. */
  patterns: string[] | null;
}

const WORKBOOK = /\.xls[xm]$/iu;
const PACKED = /\.(gz|zst)$/iu;
const REJECTED = /\.rejected(?=\.[^.]+$)/iu;

function refuse(file: string, message: string, hint?: string): never {
  throw new RowferryError("mapping-files", message, { place: { file }, ...(hint && { hint }) });
}

const inputOf = ({ input }: InputFiles) => input;
const namesOf = (inputs: readonly InputFiles[], between: string) => inputs.map(({ input }) => input.name).join(between);

/** No input reads this name; a file found in a folder is then passed over. */
export class UnreadFile extends RowferryError {}

/** @throws RowferryError `mapping-files` if none fits (UnreadFile), or several that are not sheets of one workbook. */
export function matchFiles(inputs: readonly InputFiles[], fileName: string): MappingInput[] {
  const name = lastPart(fileName);
  const fitting = fittingName(inputs, name);
  if (fitting.length === 0) {
    const near = didYouMean(
      name,
      inputs.flatMap(({ patterns }) => patterns ?? []),
    );
    const known = inputs.map(({ input, patterns }) => `${input.name} (${patterns?.join(", ") ?? "any"})`).join("; ");
    const message = `no input of the mapping reads this file; its inputs: ${known}.${near}`;
    throw new UnreadFile("mapping-files", message, { place: { file: name } });
  }
  if (fitting.length > 1 && !(WORKBOOK.test(name) && areSheets(fitting)))
    refuse(
      name,
      `the inputs ${namesOf(fitting, " and ")} all read this file`,
      "Adjust their `files:` patterns; for sheets of one workbook name a different `excel.sheet` in each.",
    );
  return fitting.map(inputOf);
}

/** A pipe has no file name, so only its format can decide. */
export function matchNameless(inputs: readonly InputFiles[], format: "csv" | "xlsx"): MappingInput[] {
  const kind = inputs.filter(({ input: { read } }) => (format === "csv" ? read.excel : read.csv) === undefined);
  const left = kind.length > 0 ? kind : inputs;
  if (left.length === 1 || (format === "xlsx" && areSheets(left))) return left.map(inputOf);
  return refuse(
    "stdin",
    `standard input has no name that tells which input reads it: ${namesOf(left, ", ")}`,
    "Save it to a file whose name fits the `files:` patterns of one, and import that.",
  );
}

function areSheets(inputs: readonly InputFiles[]): boolean {
  const sheets = inputs.map((entry) => entry.input.read.excel?.sheet);
  return sheets.every((sheet) => sheet !== undefined) && new Set(sheets).size === sheets.length;
}

/**
 * Finds the input of a corrected file: from the ledger, else by file name, by sheet, or because there is only one.
 * @throws RowferryError `mapping-files` if several remain.
 */
export function matchCorrected(inputs: readonly InputFiles[], fileName: string, origin: CorrectedOrigin): MappingInput {
  const name = lastPart(fileName);
  const own = inputs.find(({ input }) => input.name === origin.input);
  if (own !== undefined) return own.input;
  const named = fittingName(inputs, name);
  const left = named.length > 0 ? named : [...inputs];
  const ofSheet = left.filter(({ input }) => isSheet(input.read.excel?.sheet, origin.sheet));
  const [first, ...others] = ofSheet.length > 0 ? ofSheet : left;
  if (first !== undefined && others.length === 0) return first.input;
  return refuse(
    name,
    `these are corrected rows, but of which input? It may be any of ${namesOf(left, ", ")}`,
    "Give the file the name that it was written under, or import it into the ledger that rejected its rows.",
  );
}

function fittingName(inputs: readonly InputFiles[], name: string): InputFiles[] {
  const fitting = inputs.filter((entry) => fits(entry, name, inputs.length));
  // `*.csv` also fits `x.csv.gz`, unless a pattern distinguishes them.
  if (fitting.length === 0 && PACKED.test(name)) return fittingName(inputs, name.replace(PACKED, ""));
  if (fitting.length > 0 || !REJECTED.test(name)) return fitting;
  return inputs.filter((entry) => fits(entry, name.replace(REJECTED, ""), inputs.length));
}

function isSheet(wanted: string | number | undefined, sheet: string | null): boolean {
  if (typeof wanted !== "string" || sheet === null) return false;
  return wanted === sheet || compileGlob(wanted)(sheet);
}

function lastPart(fileName: string): string {
  return fileName.split(/[\\/]/u).at(-1) ?? fileName;
}

function fits({ input, patterns }: InputFiles, name: string, count: number): boolean {
  if (patterns !== null) return patterns.some((pattern) => compileGlob(pattern)(name));
  if (count === 1) return true;
  if (input.read.excel !== undefined) return WORKBOOK.test(name);
  return input.read.csv === undefined || !WORKBOOK.test(name);
}
