/** A row to correct: its original cells, then our own four columns. Also the file's name. */
import { type Code, codes } from "../model/codes.js";
import type { Dialect } from "../model/dialect.js";
import { withoutEnding } from "../model/file-endings.js";
import type { Problem } from "../model/problem.js";
import type { CellKind, Looks } from "../model/row.js";
import { plainText } from "./plain-text.js";

export interface RejectedRow {
  /** Links the row to its input: input id prefix, `:`, row number (and `#ordinal` of a twin). */
  ref: string;
  /** Those beyond the header follow our own columns: it has nothing to say of them. */
  cells: string[];
  kinds: CellKind[] | null;
  /** Absent or null: cells are nothing but their texts. */
  looks?: Looks | undefined;
  problems: Problem[];
  /** A person says that it is right as it is. */
  isConfirmed?: boolean;
}

const cannotBeSent: readonly Code[] = ["late", "after-close", "after-cancel"];

/** Never begin like a formula (H35); without control characters. */
export function ownCells(row: RejectedRow, moreHints: readonly string[] = []): string[] {
  const messages = row.problems.map(({ column, message }) => (column === null ? message : `${column}: ${message}`));
  const hints = row.problems.map(({ code, hint }) =>
    cannotBeSent.includes(code)
      ? `If the row is right, no correction can send it. ${codes[code].remedy}`
      : (hint ?? codes[code].remedy),
  );
  return [
    row.ref,
    row.isConfirmed === true ? "ok" : unique(row.problems.map(({ code }) => code)).join("; "),
    messages.join(" | "),
    unique([...hints, ...moreHints]).join(" | "),
  ].map(harmless);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function harmless(text: string): string {
  const plain = plainText(text).trim();
  return /^[=+\-@]/.test(plain) ? `'${plain}` : plain;
}

/**
 * `nightly.csv.gz` → `nightly.rejected.csv`; `book.xlsx`, sheet `May` → `book.May.rejected.xlsx`, and so does that file
 * again. Separators become `_`, and so does what nobody sees, which could not be typed.
 */
export function rejectedFileName(inputName: string, sheet: string | null, format: Dialect["format"]): string {
  const bare = typeable(withoutEnding(inputName));
  const own = bare.replace(/\.rejected$/i, "");
  const ofSheet = sheet === null ? "" : `.${typeable(sheet)}`;
  const name = own !== bare && own.endsWith(ofSheet) ? own : own + ofSheet;
  return `${Array.from(name.replace(/^\.+/, "_")).slice(0, 150).join("")}.rejected.${format}`;
}

const typeable = (name: string): string => name.replace(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, "_");
