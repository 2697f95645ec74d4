/** Whether a column holds numbers, with which decimal mark and which units. */
import { readNumber } from "../convert/number-text.js";
import { type Cell, enough } from "./cell.js";

export interface NumberEvidence {
  /** Cells that only one mark can read. */
  comma: number;
  point: number;
  /** Cells whose one group of three may be thousands or a fraction, and cells that only thousands explain, by decimal mark. */
  ambiguous: { ",": number; ".": number };
  grouped: { ",": number; ".": number };
  /** Units met, as written. */
  units: string[];
  /** Whether all are whole and none is grouped: a count or a code rather than a measure. */
  whole: boolean;
}

/** Null where the column does not hold numbers. Leading zeros make codes, not numbers. */
export function numberEvidence(cells: readonly Cell[]): NumberEvidence | null {
  let comma = 0;
  let point = 0;
  const ambiguous = { ",": 0, ".": 0 };
  const grouped = { ",": 0, ".": 0 };
  let fitting = 0;
  let whole = true;
  const units = new Map<string, number>();
  for (const { text, kind } of cells) {
    if (kind === "number") {
      fitting += 1;
      whole &&= !text.includes(".");
      continue;
    }
    if (kind !== "text" || !/^[-+(R$€£\s]*\d/.test(text) || /^0\d/.test(text)) continue;
    const byComma = readNumber(text, ",", true);
    const byPoint = readNumber(text, ".", true);
    const read = typeof byComma === "object" ? byComma : byPoint;
    if (typeof read === "string" || read.unit.length > 5) continue;
    fitting += 1;
    if (read.unit !== "") units.set(read.unit, (units.get(read.unit) ?? 0) + 1);
    if (typeof byComma === "string") point += 1;
    if (typeof byPoint === "string") comma += 1;
    for (const mark of [",", "."] as const) {
      const strict = readNumber(text, mark, false);
      if (strict === "ambiguous") ambiguous[mark] += 1;
      else if (typeof strict === "object" && text.includes(mark === "," ? "." : ",")) grouped[mark] += 1;
    }
    whole &&= /^\d+$/.test(text);
  }
  if (cells.length === 0 || fitting < cells.length * enough) return null;
  // A unit met only once among many cells is rather a mistake.
  const frequent = [...units].filter(([, count]) => count > 1 || cells.length < 20).map(([unit]) => unit);
  return { comma, point, ambiguous, grouped, units: frequent, whole };
}
