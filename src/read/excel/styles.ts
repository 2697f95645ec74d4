/** The number formats of a workbook's cells, by style index. */
import { builtInFormat, compileNumberFormat, type NumberFormat } from "./number-format.js";
import { walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

/** Excel's own limit is 65,490. */
const MAX_STYLES = 200_000;

interface CellStyle {
  formatId: number | null;
  /** The named style from which it inherits. */
  base: number | null;
}

export async function readFormats(parts: Zip, name: string): Promise<NumberFormat[]> {
  const codes = new Map<number, string>();
  const cells: CellStyle[] = [];
  const named: CellStyle[] = [];
  const lists = new Map([
    ["cellXfs", cells],
    ["cellStyleXfs", named],
  ]);
  let count = 0;
  const path: string[] = [];
  await walkPart(parts, name, {
    open(element, attributes) {
      const parent = path.at(-1) ?? "";
      path.push(element);
      const id = integer(attributes["numFmtId"]);
      if (element === "numFmt" && parent === "numFmts" && id !== null && !codes.has(id))
        codes.set(id, attributes["formatCode"] ?? "");
      else if (element === "xf") lists.get(parent)?.push({ formatId: id, base: integer(attributes["xfId"]) });
      else return;
      if (++count > MAX_STYLES) throw new Error(`it has more than ${MAX_STYLES} styles`);
    },
    close: () => void path.pop(),
  });
  const formats = new Map<number, NumberFormat>();
  return cells.map(({ formatId, base }) => {
    const id = formatId ?? named[base ?? -1]?.formatId ?? 0;
    const code = codes.get(id);
    const format = formats.get(id) ?? (code === undefined ? builtInFormat(id) : compileNumberFormat(code));
    formats.set(id, format);
    return format;
  });
}

function integer(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}
