/** The number formats of a workbook's cells, by style index; nothing else of its styles. */
import { builtInFormat, compileNumberFormat, generalFormat, type NumberFormat } from "./number-format.js";
import { type Attributes, walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

/** By style index; a cell without a style has style 0. */
export type Styles = NumberFormat[];

/** Excel's own limit is 65,490. */
const MAX_STYLES = 200_000;

interface CellStyle {
  formatId: number | null;
  /** Its index among the named styles, from which it takes what it does not say itself. */
  base: number | null;
}

/** @throws RowferryError when the part is damaged. */
export async function readStyles(parts: Zip, name: string): Promise<Styles> {
  const codes = new Map<number, string>();
  const named: CellStyle[] = [];
  const cells: CellStyle[] = [];
  const path: string[] = [];
  await walkPart(parts, name, {
    open(element, attributes) {
      const parent = path.at(-1);
      path.push(element);
      if (codes.size + named.length + cells.length > MAX_STYLES)
        throw new Error(`it has more than ${MAX_STYLES} styles`);
      if (element === "numFmt" && parent === "numFmts") addCode(codes, attributes);
      if (element !== "xf") return;
      const style = { formatId: integer(attributes["numFmtId"]), base: integer(attributes["xfId"]) };
      if (parent === "cellXfs") cells.push(style);
      if (parent === "cellStyleXfs") named.push(style);
    },
    close() {
      path.pop();
    },
    text() {},
  });
  const formats = new Map<number, NumberFormat>();
  return cells.map(({ formatId, base }) => {
    const id = formatId ?? (base === null ? null : named[base]?.formatId) ?? 0;
    const known = formats.get(id);
    if (known !== undefined) return known;
    const code = codes.get(id);
    const format = id === 0 ? generalFormat : code === undefined ? builtInFormat(id) : compileNumberFormat(code);
    formats.set(id, format);
    return format;
  });
}

function addCode(codes: Map<number, string>, attributes: Attributes): void {
  const id = integer(attributes["numFmtId"]);
  if (id !== null && !codes.has(id)) codes.set(id, attributes["formatCode"] ?? "");
}

function integer(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}
