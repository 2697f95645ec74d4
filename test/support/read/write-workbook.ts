/** Workbooks from hand-made XML, for what no library writes. Every part can be replaced, renamed or left out. */
import type { ZipEntry } from "./write-zip.js";
import { writeZip } from "./write-zip.js";

export const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
export const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
export const PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships";
export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export interface MadeSheet {
  name: string;
  /** What stands in `sheetData`; or, beginning with `<worksheet` or a declaration, the whole part. */
  rows: string | Iterable<string>;
  state?: string;
  /** What stands before and behind `sheetData`. */
  before?: string;
  behind?: string;
}

export interface MadeWorkbook {
  sheets: MadeSheet[];
  /** The `si` elements. */
  strings?: string[];
  /** Format codes by id; cells name them by position: style 0 is General, style 1 the first of these. */
  formats?: (string | number)[];
  date1904?: boolean;
  /** Parts in place of, or beside, the usual ones; null: left out. Names as they stand in the zip. */
  parts?: Record<string, ZipEntry["data"] | null>;
  /** Applied to every entry. */
  change?: (entry: ZipEntry) => ZipEntry;
}

/** The entries of a workbook in the order in which Excel writes them. */
export function workbookEntries(made: MadeWorkbook): ZipEntry[] {
  const parts = new Map<string, ZipEntry["data"]>([
    ["[Content_Types].xml", contentTypes(made)],
    ["_rels/.rels", relationships([["rId1", "officeDocument", "xl/workbook.xml"]])],
    ["xl/workbook.xml", workbookPart(made)],
    ["xl/_rels/workbook.xml.rels", workbookRelationships(made)],
    ["xl/styles.xml", stylesPart(made.formats ?? [])],
    ["xl/sharedStrings.xml", stringsPart(made.strings ?? [])],
  ]);
  for (const [index, sheet] of made.sheets.entries())
    parts.set(`xl/worksheets/sheet${index + 1}.xml`, sheetPart(sheet));
  for (const [name, data] of Object.entries(made.parts ?? {})) {
    if (data === null) parts.delete(name);
    else parts.set(name, data);
  }
  const change = made.change ?? ((entry) => entry);
  return [...parts].map(([name, data]) => change({ name, data }));
}

export async function writeWorkbook(made: MadeWorkbook): Promise<Buffer> {
  return writeZip(workbookEntries(made));
}

/** `[id, last segment of the type, target]`. */
export function relationships(all: [id: string, type: string, target: string][]): string {
  const elements = all.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}">${elements.join("")}</Relationships>`;
}

function contentTypes({ sheets }: MadeWorkbook) {
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const overrides = sheets.map(
    (_, index) => `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="${type}.worksheet+xml"/>`,
  );
  return `${DECLARATION}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/>${overrides.join("")}</Types>`;
}

function workbookPart({ sheets, date1904 }: MadeWorkbook) {
  const elements = sheets.map(
    ({ name, state }, index) =>
      `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${state === undefined ? "" : ` state="${state}"`} r:id="rId${index + 1}"/>`,
  );
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${date1904 === true ? ' date1904="1"' : ""}/><sheets>${elements.join("")}</sheets></workbook>`;
}

function workbookRelationships({ sheets }: MadeWorkbook) {
  const count = sheets.length;
  return relationships([
    ...sheets.map((_, index): [string, string, string] => [
      `rId${index + 1}`,
      "worksheet",
      `worksheets/sheet${index + 1}.xml`,
    ]),
    [`rId${count + 1}`, "styles", "styles.xml"],
    [`rId${count + 2}`, "sharedStrings", "sharedStrings.xml"],
  ]);
}

/** What exceljs does not live without. */
const plainParts = "<fonts><font/></fonts><fills><fill><patternFill/></fill></fills><borders><border/></borders>";

export function stylesPart(formats: (string | number)[]): string {
  const ids = formats.map((format, index) => (typeof format === "number" ? format : 164 + index));
  const codes = formats.flatMap((format, index) =>
    typeof format === "number" ? [] : [`<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(format)}"/>`],
  );
  const styles = [0, ...ids].map((id) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0"/>`);
  return `${DECLARATION}<styleSheet xmlns="${MAIN}"><numFmts count="${codes.length}">${codes.join("")}</numFmts>${plainParts}<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${styles.length}">${styles.join("")}</cellXfs></styleSheet>`;
}

function stringsPart(items: string[]) {
  return `${DECLARATION}<sst xmlns="${MAIN}" count="${items.length}" uniqueCount="${items.length}">${items.join("")}</sst>`;
}

function* sheetPart({ rows, before = "", behind = "" }: MadeSheet): Generator<string> {
  if (typeof rows === "string" && /^\s*<(\?xml|[\w:]*worksheet|!)/.test(rows)) {
    yield rows;
    return;
  }
  yield `${DECLARATION}<worksheet xmlns="${MAIN}" xmlns:r="${OFFICE}">${before}<sheetData>`;
  if (typeof rows === "string") yield rows;
  else yield* rows;
  yield `</sheetData>${behind}</worksheet>`;
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** A cell with an inline text, white space kept, and whatever XML cannot carry escaped as Excel does. */
export function textCell(reference: string, text: string): string {
  const escaped = text
    .replace(/_x[0-9A-Fa-f]{4}_/g, (found) => `_x005F${found}`)
    .replace(
      // oxlint-disable-next-line no-control-regex -- what XML cannot carry is looked for
      /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g,
      (char) => `_x${char.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}_`,
    );
  return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(escaped)}</t></is></c>`;
}
