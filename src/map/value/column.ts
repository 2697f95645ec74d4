/** The text of one column, of one row or of a group of rows. */
import type { Conversion } from "../convert/conversion.js";
import { plainNumber, sumDecimals } from "./plain-number.js";
import type { BoundColumns, ColumnUse } from "./columns.js";
import { reportConflict } from "./conflict.js";
import type { ReadText } from "./row-view.js";

export type RowsMode = "same" | "first" | "last" | "join" | "sum" | "min" | "max" | "count";

export interface ColumnReading {
  normalise: (cell: string) => string;
  mode: RowsMode;
  separator: string;
  /** Reads the numbers of `sum`, `min` and `max`; null for the other modes. */
  decimal: Conversion | null;
}

export function bindColumn(use: ColumnUse, reading: ColumnReading, columns: BoundColumns): ReadText {
  const index = columns.index(use);
  if (index < 0) {
    return (view) => {
      view.kind = "text";
      return "";
    };
  }
  const { normalise, mode } = reading;
  const readGroup = mode === "same" ? null : bindGroupMode(index, reading);
  return (view) => {
    if (view.members !== null) {
      if (readGroup !== null) return readGroup(view);
      if (view.conflicts !== null && reportConflict(view, index)) return null;
    } else if (mode === "count") {
      view.kind = "number";
      return normalise(view.cells[index] ?? "") === "" ? "0" : "1";
    }
    view.kind = view.kinds === null ? "text" : (view.kinds[index] ?? "text");
    return normalise(view.cells[index] ?? "");
  };
}

function bindGroupMode(index: number, reading: ColumnReading): ReadText {
  const { normalise, mode, separator, decimal } = reading;
  return (view) => {
    const filled: number[] = [];
    const texts: string[] = [];
    for (const [position, member] of (view.members ?? []).entries()) {
      const text = normalise(member.cells[index] ?? "");
      if (text === "") continue;
      filled.push(position);
      texts.push(text);
    }
    const kindAt = (position: number | undefined) => view.members?.[position ?? 0]?.kinds?.[index] ?? "text";
    if (mode === "count") {
      view.kind = "number";
      return String(texts.length);
    }
    if (texts.length === 0) {
      view.kind = "text";
      return "";
    }
    if (mode === "first" || mode === "last") {
      view.kind = kindAt(filled.at(mode === "first" ? 0 : -1));
      return texts.at(mode === "first" ? 0 : -1) ?? "";
    }
    if (mode === "join" || decimal === null) {
      view.kind = "text";
      return [...new Set(texts)].join(separator);
    }
    const numbers: string[] = [];
    for (const [position, text] of texts.entries()) {
      const result = decimal(text, kindAt(filled[position]));
      if ("problem" in result) {
        const { number } = view.members?.[filled[position] ?? 0] ?? { number: 0 };
        const message = `row ${number}: ${result.problem.message}`;
        view.problems.push({ ...result.problem, message, column: view.header[index] ?? null });
        return null;
      }
      numbers.push(typeof result.value === "number" ? plainNumber(result.value) : String(result.value));
    }
    view.kind = "number";
    if (mode === "sum") return sumDecimals(numbers);
    return numbers.reduce((best, number) => ((mode === "min") === Number(number) < Number(best) ? number : best));
  };
}
