/**
 * The texts of a workbook, as UTF-8 bytes instead of a million small strings. A workbook whose texts exceed the bound
 * is refused.
 */
import { stripEnd } from "../../model/fold.js";
import type { Zip } from "../zip.js";
import { type Attributes, walkPart } from "./xml.js";

const MAX_SHARED_BYTES = 192 * 1024 ** 2;
/** A text never spans two segments. */
const SEGMENT = 4 * 1024 ** 2;
/** UTF-16 units; an Excel cell holds 32,767. */
const MAX_STRING = 1024 ** 2;

/** `part`: null where the workbook has none. */
export async function readSharedStrings(zip: Zip, part: string | null, maxBytes: number = MAX_SHARED_BYTES) {
  const segments: Buffer[] = [];
  /** Where each text begins, counted as if all segments were full. */
  const starts: number[] = [];
  let segment = Buffer.alloc(0);
  let used = 0;

  function add(text: string): void {
    if (text.length > MAX_STRING) throw new Error(`one of its texts has ${text.length} characters`);
    if (text.length * 3 > segment.length - used) {
      trim();
      segment = Buffer.allocUnsafeSlow(SEGMENT);
      segments.push(segment);
      used = 0;
    }
    starts.push((segments.length - 1) * SEGMENT + used);
    used += segment.write(text, used);
    if ((segments.length - 1) * SEGMENT + used + starts.length * 8 <= maxBytes) return;
    const message = `the workbook's texts take more than ${Math.round(maxBytes / 1024 ** 2)} MiB`;
    const hint = "If the workbook is genuine, open it and save the sheet as CSV (UTF-8).";
    throw zip.file.fault("file-oversized", message, { hint });
  }

  /** Its last text ends where the segment ends. */
  function trim(): void {
    if (segments.length > 0) segments[segments.length - 1] = segment.subarray(0, used);
  }

  if (part !== null) {
    const runs = textRuns();
    await walkPart(zip, part, {
      ...runs,
      open(element, attributes) {
        if (element === "si") runs.start();
        else runs.open(element, attributes);
      },
      close(element) {
        if (element === "si") add(runs.get());
        else runs.close(element);
      },
    });
  }

  trim();

  return {
    count: starts.length,
    /** Undefined: no text has that index. */
    get(index: number): string | undefined {
      const start = starts[index];
      if (start === undefined) return undefined;
      const at = Math.floor(start / SEGMENT);
      const end = starts[index + 1] ?? Number.POSITIVE_INFINITY;
      return segments[at]?.toString("utf8", start - at * SEGMENT, end - at * SEGMENT);
    },
  };
}

/** `_x000D_` encodes a character that XML cannot hold; `_x005F_` is the underscore itself. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/**
 * The text of a string item (`si`, `is`): its `t` elements joined, without phonetic guides. White space at the ends of
 * a `t` counts only under `xml:space="preserve"`, as in Excel.
 */
export function textRuns() {
  let whole = "";
  /** The current `t`. */
  let piece: string | null = null;
  let phonetic = 0;
  let preserve = false;
  return {
    start(): void {
      whole = "";
      piece = null;
      phonetic = 0;
    },
    open(name: string, attributes: Attributes): void {
      if (name === "rPh") phonetic++;
      if (name !== "t" || phonetic > 0) return;
      piece = "";
      preserve = attributes["xml:space"] === "preserve";
    },
    close(name: string): void {
      if (name === "rPh") phonetic--;
      if (name !== "t" || piece === null) return;
      // XML's white space only; a no-break space is text.
      whole += preserve ? piece : stripEnd(piece.replace(/^[ \t\r\n]+/, ""), " \t\r\n");
      piece = null;
    },
    text(text: string): void {
      if (piece !== null) piece += text;
    },
    get: (): string => unescapeText(whole),
  };
}
