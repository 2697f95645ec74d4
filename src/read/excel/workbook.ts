/** A workbook's sheets, its calendar, and its texts and styles, which are read when needed. */
import { posix } from "node:path";
import type { BookContext } from "./cell-value.js";
import { corrupt, refused } from "./fault.js";
import { readSharedStrings, SharedStrings, unescapeText } from "./shared-strings.js";
import { readFormats } from "./styles.js";
import { isTrue, walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

export interface Sheet {
  name: string;
  hidden: boolean;
  /** Null: the file has none, which matters only when the sheet is opened. */
  part: string | null;
}

const MAX_SHEETS = 10_000;
const MAX_RELATIONSHIPS = 50_000;

export class Workbook {
  readonly parts: Zip;
  readonly sheets: readonly Sheet[];
  readonly date1904: boolean;
  readonly #textsPart: string | null;
  readonly #stylesPart: string | null;
  #context: Promise<BookContext> | null = null;

  constructor(parts: Zip, frame: Frame, relations: readonly Relationship[], folder: string) {
    this.parts = parts;
    this.sheets = frame.sheets.flatMap(({ name, state, id }) => {
      const relation = relations.find((one) => one.id === id);
      if (relation !== undefined && relation.type !== "worksheet") return [];
      const part = relation !== undefined && parts.has(relation.target) ? relation.target : null;
      return [{ name, hidden: /hidden$/i.test(state), part }];
    });
    this.date1904 = frame.date1904;
    const partOf = (type: string) => {
      const named = relations.find((relation) => relation.type === type)?.target;
      return [named, `${folder}${type}.xml`].find((name) => name !== undefined && parts.has(name)) ?? null;
    };
    this.#textsPart = partOf("sharedStrings");
    this.#stylesPart = partOf("styles");
  }

  context(): Promise<BookContext> {
    return (this.#context ??= this.#readContext());
  }

  async #readContext(): Promise<BookContext> {
    const { parts, date1904 } = this;
    const strings = this.#textsPart === null ? new SharedStrings() : await readSharedStrings(parts, this.#textsPart);
    const formats = this.#stylesPart === null ? [] : await readFormats(parts, this.#stylesPart);
    return { strings, formats, date1904 };
  }

  partOf(sheet: Sheet): string {
    if (sheet.part !== null) return sheet.part;
    throw corrupt(this.parts.file.name, "the sheet's cells are missing from the file", { sheet: sheet.name });
  }
}

interface Frame {
  sheets: { name: string; state: string; id: string }[];
  date1904: boolean;
}

/** @throws RowferryError when the file is not a workbook, is damaged, or has no sheet with cells. */
export async function openWorkbook(parts: Zip): Promise<Workbook> {
  const file = parts.file.name;
  const roots = await readRelationships(parts, "");
  const named = roots.find(({ type, target }) => type === "officeDocument" && parts.has(target))?.target;
  const main = named ?? "xl/workbook.xml";
  if (/\.bin$/i.test(main))
    throw refused("file-refused", file, "the file is an Excel workbook in the binary .xlsb format");
  const frame = parts.has(main) ? await readFrame(parts, main) : null;
  if (frame === null) throw refused("file-refused", file, "the file is a zip archive, but not an Excel workbook");
  const folder = main.slice(0, main.lastIndexOf("/") + 1);
  const workbook = new Workbook(parts, frame, await readRelationships(parts, main), folder);
  if (workbook.sheets.length > 0) return workbook;
  const message = `the workbook has no sheet with cells${frame.sheets.length > 0 ? ", only charts or macros" : ""}`;
  throw refused("sheet-missing", file, message, "Open it in Excel, save it again, and import that file.");
}

/** Null: not a workbook. */
async function readFrame(parts: Zip, main: string): Promise<Frame | null> {
  const frame: Frame = { sheets: [], date1904: false };
  let root: string | null = null;
  await walkPart(parts, main, {
    open(element, attributes) {
      root ??= element;
      if (element === "workbookPr") frame.date1904 = isTrue(attributes["date1904"]);
      if (element !== "sheet") return;
      if (frame.sheets.length === MAX_SHEETS) throw new Error(`it names more than ${MAX_SHEETS} sheets`);
      // The writer chooses the prefix of `r:id`.
      const [, id = ""] = Object.entries(attributes).find(([name]) => /^[^:]+:id$/.test(name)) ?? [];
      frame.sheets.push({ name: unescapeText(attributes["name"] ?? ""), state: attributes["state"] ?? "", id });
    },
  });
  return root === "workbook" ? frame : null;
}

/** How a workbook's parts refer to each other, in the `.rels` part of each. */
interface Relationship {
  id: string;
  /** The last segment of its type, such as `worksheet`; the same in transitional and strict workbooks. */
  type: string;
  target: string;
}

/** `source`: "" for the package itself. External relationships are left out. */
async function readRelationships(parts: Zip, source: string): Promise<Relationship[]> {
  const slash = source.lastIndexOf("/") + 1;
  const folder = source.slice(0, slash);
  const name = `${folder}_rels/${source.slice(slash)}.rels`;
  const found: Relationship[] = [];
  if (!parts.has(name)) return found;
  await walkPart(parts, name, {
    open(element, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode = "" }) {
      if (element !== "Relationship" || mode.toLowerCase() === "external") return;
      if (found.length === MAX_RELATIONSHIPS) throw new Error(`it has more than ${MAX_RELATIONSHIPS} relationships`);
      found.push({ id, type: type.slice(type.lastIndexOf("/") + 1), target: partNamed(parts, folder, target) });
    },
  });
  return found;
}

/** A target may be absolute or relative to the source's folder, percent-encoded or not. */
function partNamed(parts: Zip, folder: string, target: string): string {
  const [path = ""] = target.trim().replaceAll("\\", "/").split(/[?#]/, 1);
  const plain = withoutDots(path.startsWith("/") ? path : folder + path);
  // Some writers mean the package's root without the slash: `xl/worksheets/sheet1.xml`.
  return [plain, decoded(plain), withoutDots(path)].find((name) => parts.has(name)) ?? plain;
}

const withoutDots = (path: string): string => posix.join("/", path).slice(1);

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
