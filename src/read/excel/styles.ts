/** The number formats of a workbook's cells, by style index. */
import type { CellLook } from "../../model/row.js";
import { builtInFormat, compileNumberFormat, generalFormat, type NumberFormat } from "./number-format.js";
import { walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

/** Excel's own limit is 65,490. */
const MAX_STYLES = 200_000;

/** What a style makes of a cell's number. */
export interface Format {
  shown: NumberFormat;
  /** Null: nothing that needs to be given back. */
  look: CellLook | null;
}

export const general: Format = { shown: generalFormat, look: null };

/** What Excel allows for a number format. */
const LONGEST_CODE = 255;

interface CellStyle {
  formatId: number | null;
  /** The named style from which it inherits. */
  base: number | null;
}

export async function readFormats(zip: Zip, name: string): Promise<Format[]> {
  const codes = new Map<number, string>();
  const cells: CellStyle[] = [];
  const named: CellStyle[] = [];
  const lists = new Map([
    ["cellXfs", cells],
    ["cellStyleXfs", named],
  ]);
  let count = 0;
  const path: string[] = [];
  await walkPart(zip, name, {
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
  const formats = new Map<number, Format>();
  return cells.map(({ formatId, base }) => {
    const id = formatId ?? named[base ?? -1]?.formatId ?? 0;
    const format = formats.get(id) ?? formatOf(codes.get(id) ?? builtInFormat(id));
    formats.set(id, format);
    return format;
  });
}

function formatOf(code: string): Format {
  const look = code === "General" || code === "" || code.length > LONGEST_CODE ? null : { format: code };
  return { shown: compileNumberFormat(code), look };
}

function integer(text: string | undefined): number | null {
  return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : null;
}
