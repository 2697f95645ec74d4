/** A workbook's frame: its sheets, its calendar, and the parts that hold its texts and styles, read when needed. */
import { corrupt, refused } from "./fault.js";
import { findMerges, type Merge } from "./merges.js";
import { readRelationships, type Relationship } from "./relationships.js";
import { readSharedStrings, SharedStrings } from "./shared-strings.js";
import { readStyles, type Styles } from "./styles.js";
import { unescapeText } from "./text-runs.js";
import { type Attributes, isTrue, walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

export interface Sheet {
  name: string;
  hidden: boolean;
  /** Its part's name; null where the workbook names none, which shows only when the sheet is opened. */
  part: string | null;
}

/** Excel itself is limited by memory only; nobody writes thousands. */
const MAX_SHEETS = 10_000;

export class Workbook {
  readonly parts: Zip;
  readonly sheets: Sheet[];
  readonly date1904: boolean;
  readonly #stringsPart: string | null;
  readonly #stylesPart: string | null;
  #strings: Promise<SharedStrings> | null = null;
  #styles: Promise<Styles> | null = null;
  readonly #merges = new Map<Sheet, Promise<Merge[]>>();

  constructor(parts: Zip, frame: Frame, relations: Relationship[], folder: string) {
    const partOf = (type: string) => relations.find((relation) => relation.type === type)?.target ?? null;
    const conventional = (name: string) => (parts.has(folder + name) ? folder + name : null);
    this.parts = parts;
    this.sheets = frame.sheets.flatMap(({ name, state, id }) => {
      const relation = relations.find((one) => one.id === id);
      // Chart, dialog and macro sheets have no cells to import.
      if (relation !== undefined && relation.type !== "worksheet") return [];
      return [{ name, hidden: /hidden$/i.test(state), part: relation?.target ?? null }];
    });
    this.date1904 = frame.date1904;
    this.#stringsPart = existing(parts, partOf("sharedStrings")) ?? conventional("sharedStrings.xml");
    this.#stylesPart = existing(parts, partOf("styles")) ?? conventional("styles.xml");
  }

  /** Read once; empty where the workbook has none. */
  strings(): Promise<SharedStrings> {
    const part = this.#stringsPart;
    return (this.#strings ??=
      part === null ? Promise.resolve(new SharedStrings()) : readSharedStrings(this.parts, part));
  }

  styles(): Promise<Styles> {
    const part = this.#stylesPart;
    return (this.#styles ??= part === null ? Promise.resolve([]) : readStyles(this.parts, part));
  }

  merges(sheet: Sheet): Promise<Merge[]> {
    const known = this.#merges.get(sheet);
    if (known !== undefined) return known;
    const merges = findMerges(this.parts, this.partOf(sheet));
    this.#merges.set(sheet, merges);
    return merges;
  }

  /** @throws RowferryError `file-corrupt` when the sheet has no part. */
  partOf(sheet: Sheet): string {
    if (sheet.part !== null && this.parts.has(sheet.part)) return sheet.part;
    throw corrupt(this.parts.file.name, "the sheet's cells are missing from the file", { sheet: sheet.name });
  }
}

function existing(parts: Zip, name: string | null): string | null {
  return name !== null && parts.has(name) ? name : null;
}

interface Frame {
  sheets: { name: string; state: string; id: string }[];
  date1904: boolean;
}

/** @throws RowferryError when the file is not a workbook, is damaged, or has no sheet with cells. */
export async function openWorkbook(parts: Zip): Promise<Workbook> {
  const main = await mainPart(parts);
  const frame = await readFrame(parts, main);
  const relations = await readRelationships(parts, main);
  const workbook = new Workbook(parts, frame, relations, main.slice(0, main.lastIndexOf("/") + 1));
  if (workbook.sheets.length > 0) return workbook;
  const message = `the workbook has no sheet with cells${frame.sheets.length > 0 ? ", only charts or macros" : ""}`;
  throw refused("sheet-missing", parts.file.name, message, "Open it in Excel, save it again, and import that file.");
}

async function mainPart(parts: Zip): Promise<string> {
  const roots = await readRelationships(parts, "");
  const named = roots.find(({ type, target }) => type === "officeDocument" && parts.has(target))?.target;
  const name = named ?? (parts.has("xl/workbook.xml") ? "xl/workbook.xml" : null);
  if (name === null) {
    const binary = parts.has("xl/workbook.bin");
    const message = binary
      ? "the file is an Excel workbook in the binary .xlsb format"
      : "the file is a zip archive, but no Excel workbook";
    throw refused("file-refused", parts.file.name, message);
  }
  if (!name.toLowerCase().endsWith(".bin")) return name;
  throw refused("file-refused", parts.file.name, "the file is an Excel workbook in the binary .xlsb format");
}

async function readFrame(parts: Zip, main: string): Promise<Frame> {
  const frame: Frame = { sheets: [], date1904: false };
  let root: string | null = null;
  await walkPart(parts, main, {
    open(element, attributes) {
      root ??= element;
      if (element === "workbookPr") frame.date1904 = isTrue(attributes["date1904"]);
      if (element !== "sheet") return;
      if (frame.sheets.length === MAX_SHEETS) throw new Error(`it names more than ${MAX_SHEETS} sheets`);
      const name = unescapeText(attributes["name"] ?? "");
      frame.sheets.push({ name, state: attributes["state"] ?? "", id: relationId(attributes) });
    },
    close() {},
    text() {},
  });
  if (root === "workbook") return frame;
  throw refused("file-refused", parts.file.name, "the file is a zip archive, but no Excel workbook");
}

/** `r:id`, whatever prefix the writer chose for relationships. */
function relationId(attributes: Attributes): string {
  for (const [name, value] of Object.entries(attributes)) if (/^[^:]+:id$/.test(name)) return value;
  return "";
}
