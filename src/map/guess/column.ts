/** What the cells of one column hold, as far as a sample tells. */
import { compileConversion, type Conversion } from "../convert/conversion.js";
import type { CellKind, Row } from "../../model/row.js";
import { type Cell, enough, share } from "./cell.js";
import { joinClocks } from "./clock.js";
import { type DateEvidence, dateEvidence } from "./date-evidence.js";
import { headerText, type Role, roleOf } from "./header-words.js";
import { type NumberEvidence, numberEvidence } from "./number-evidence.js";
import { type TaxIdEvidence, taxIdEvidence } from "./tax-id-evidence.js";

export interface Column {
  header: string;
  index: number;
  role: Role | null;
  cells: Cell[];
  /** By row of the sample: the cell's text in the form in which equal things are equal; "" where blank. */
  values: string[];
  distinct: ReadonlySet<string>;
  /** Filled cells in parts of all rows, 0 to 1. */
  filled: number;
  date: DateEvidence | null;
  number: NumberEvidence | null;
  taxId: TaxIdEvidence | null;
  /** Whether it holds words for yes and no only. */
  boolean: boolean;
  /** The header of the column that holds its time of day, where date and time stand apart. */
  clock?: string;
}

/** Columns of a table; rows that the reader found at fault are left out. */
export function profileColumns(
  header: readonly string[],
  sample: readonly Row[],
  blank: ReadonlySet<string>,
  country: string | null,
): Column[] {
  const rows = sample.filter((row) => row.problems === null);
  const yesNo = compileConversion("boolean", {});
  const columns = header.map((name, index): Column => {
    const cells = rows.flatMap((row, position): Cell[] => {
      const text = (row.cells[index] ?? "").trim();
      return blank.has(text) ? [] : [{ row: position, text, kind: row.kinds?.[index] ?? "text" }];
    });
    const taxId = taxIdEvidence(cells, country, headerText(name));
    const date = taxId === null ? dateEvidence(cells) : null;
    const values = Array.from({ length: rows.length }, () => "");
    for (const { row, text, kind } of cells) values[row] = canonical(text, kind, taxId?.canonical);
    const distinct = new Set(values);
    distinct.delete("");
    return {
      header: name,
      index,
      role: roleOf(name),
      cells,
      values,
      distinct,
      filled: rows.length === 0 ? 0 : cells.length / rows.length,
      date,
      number: taxId === null && date === null ? numberEvidence(cells) : null,
      taxId,
      boolean: isBoolean(cells, yesNo),
    };
  });
  return joinClocks(columns);
}

function canonical(text: string, kind: CellKind, convert: Conversion | undefined): string {
  const result = convert?.(text, kind);
  return result !== undefined && "value" in result ? String(result.value) : text.replace(/\s+/g, " ");
}

/** Digits alone could be counts, so that at least one word is asked for. */
function isBoolean(cells: readonly Cell[], convert: Conversion): boolean {
  const fits = share(cells, ({ text, kind }) => "value" in convert(text, kind)) >= enough;
  return fits && cells.some(({ text }) => /\p{Letter}{2}/u.test(text));
}
