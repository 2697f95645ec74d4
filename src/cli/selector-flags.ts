/** Selectors, the same for every command that takes them (DESIGN section 7). */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Selectors } from "../ledger/decide/selection.js";

export interface SelectorFlags {
  run?: string;
  input?: string;
  /** `17`, or `march.csv:17`. */
  row?: { input?: string; row: number };
  document?: string;
  code?: string;
}

export function addSelectorFlags(command: Command, { code = true } = {}): Command {
  command
    .option("--run <name>", "what this run staged")
    .option("--input <file>", "what this input's rows gave")
    .addOption(new Option("--row <row>", "one row: march.csv:17, or 17 with --input").argParser(rowSelector))
    .option("--document <key>", "a document, by its key or as kind/key");
  return code ? command.option("--code <code>", "what has this code (see rowferry explain)") : command;
}

function rowSelector(text: string): { input?: string; row: number } {
  const match = /^(?:(.+):)?(\d{1,9})$/s.exec(text);
  if (match === null) throw new InvalidArgumentError("It must be a row such as march.csv:17, or a number.");
  const [, input, row] = match;
  return input === undefined ? { row: Number(row) } : { input, row: Number(row) };
}

export function selectorsOf({ run, input, row, document, code }: SelectorFlags): Selectors {
  return { run, input: row?.input ?? input, row: row?.row, document, code };
}
