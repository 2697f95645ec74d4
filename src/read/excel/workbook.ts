/** A workbook's sheets, its calendar, and its texts and styles, which are read when needed. */
import { posix } from "node:path";
import { readSharedStrings, unescapeText } from "./shared-strings.js";
import { readFormats } from "./styles.js";
import { damaged, isTrue, walkPart } from "./xml.js";
import type { Zip } from "../zip.js";

export interface Sheet {
  name: string;
  hidden: boolean;
  /** Null: the file has none, which matters only when the sheet is opened. */
  part: string | null;
}

const MAX_SHEETS = 10_000;
const MAX_RELATIONSHIPS = 50_000;

export type Workbook = Awaited<ReturnType<typeof openWorkbook>>;
/** What its cells need to be read. */
export type BookContext = Awaited<ReturnType<Workbook["context"]>>;

/** @throws RowferryError when the file is not a workbook, is damaged, or has no sheet with cells. */
export async function openWorkbook(zip: Zip) {
  const { file } = zip;
  const roots = await readRelationships(zip, "");
  const named = roots.find(({ type, target }) => type === "officeDocument" && zip.has(target))?.target;
  const main = named ?? "xl/workbook.xml";
  const frame = zip.has(main) ? await readFrame(zip, main) : null;
  if (frame === null) throw file.fault("file-refused", "the file is a zip archive, but not an Excel workbook");
  const relations = await readRelationships(zip, main);
  const sheets = frame.sheets.flatMap(({ name, state, id }): Sheet[] => {
    const relation = relations.find((one) => one.id === id);
    if (relation !== undefined && relation.type !== "worksheet") return [];
    const part = relation !== undefined && zip.has(relation.target) ? relation.target : null;
    return [{ name, hidden: /hidden$/i.test(state), part }];
  });
  if (sheets.length === 0) {
    const message = `the workbook has no sheet with cells${frame.sheets.length > 0 ? ", only charts or macros" : ""}`;
    throw file.fault("sheet-missing", message, { hint: "Open it in Excel, save it again, and import that file." });
  }
  const { date1904, calculatedOnOpening } = frame;

  function partOfType(type: string): string | null {
    const target = relations.find((relation) => relation.type === type)?.target;
    const usual = posix.join(posix.dirname(main), `${type}.xml`);
    return [target, usual].find((name) => name !== undefined && zip.has(name)) ?? null;
  }
  const strings = partOfType("sharedStrings");
  const styles = partOfType("styles");
  async function readContext() {
    return {
      strings: await readSharedStrings(zip, strings),
      /** A cell without a style has style 0. */
      formats: styles === null ? [] : await readFormats(zip, styles),
      date1904,
    };
  }
  let context: ReturnType<typeof readContext> | null = null;

  return {
    zip,
    sheets,
    date1904,
    /** Whoever wrote it leaves the results of formulas to the program that opens it. */
    calculatedOnOpening,
    context: () => (context ??= readContext()),
    partOf(sheet: Sheet): string {
      if (sheet.part !== null) return sheet.part;
      throw damaged(file, "the sheet's cells are missing from the file", { sheet: sheet.name });
    },
  };
}

/** Null: not a workbook. */
async function readFrame(zip: Zip, main: string) {
  const sheets: { name: string; state: string; id: string }[] = [];
  let date1904 = false;
  let calculatedOnOpening = false;
  const root = await walkPart(zip, main, {
    open(element, attributes) {
      if (element === "workbookPr") date1904 = isTrue(attributes["date1904"]);
      if (element === "calcPr") calculatedOnOpening = isTrue(attributes["fullCalcOnLoad"]);
      if (element !== "sheet") return;
      if (sheets.length === MAX_SHEETS) throw new Error(`it names more than ${MAX_SHEETS} sheets`);
      // The writer chooses the prefix of `r:id`.
      const [, id = ""] = Object.entries(attributes).find(([name]) => /^[^:]+:id$/.test(name)) ?? [];
      sheets.push({ name: unescapeText(attributes["name"] ?? ""), state: attributes["state"] ?? "", id });
    },
  });
  return root === "workbook" ? { sheets, date1904, calculatedOnOpening } : null;
}

/**
 * How a workbook's parts refer to each other, in the `.rels` part of each; external ones are left out. `source`: "" for
 * the package itself. `type`: the last segment, such as `worksheet`; the same in transitional and strict workbooks.
 */
async function readRelationships(zip: Zip, source: string) {
  const slash = source.lastIndexOf("/") + 1;
  const folder = source.slice(0, slash);
  const name = `${folder}_rels/${source.slice(slash)}.rels`;
  const found: { id: string; type: string; target: string }[] = [];
  if (!zip.has(name)) return found;
  await walkPart(zip, name, {
    open(element, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode = "" }) {
      if (element !== "Relationship" || mode.toLowerCase() === "external") return;
      if (found.length === MAX_RELATIONSHIPS) throw new Error(`it has more than ${MAX_RELATIONSHIPS} relationships`);
      found.push({ id, type: type.slice(type.lastIndexOf("/") + 1), target: partNamed(zip, folder, target) });
    },
  });
  return found;
}

/** A target may be absolute or relative to the source's folder, percent-encoded or not. */
function partNamed(zip: Zip, folder: string, target: string): string {
  const [path = ""] = target.trim().replaceAll("\\", "/").split(/[?#]/, 1);
  const plain = withoutDots(path.startsWith("/") ? path : folder + path);
  // Some writers mean the package's root without the slash: `xl/worksheets/sheet1.xml`.
  return [plain, decoded(plain), withoutDots(path)].find((name) => zip.has(name)) ?? plain;
}

const withoutDots = (path: string): string => posix.join("/", path).slice(1);

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
