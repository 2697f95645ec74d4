/** What the cells of each column hold, as far as a sample tells. The converters of mappings are the evidence: nothing here reads a cell by itself. */
import { type Conversion, compileConversion } from "../map/convert/conversion.js";
import { readNumber } from "../map/convert/number-text.js";
import { foldName, squeeze } from "../model/fold.js";
import type { CellKind, Row } from "../model/row.js";
import { clockOf, type Dates, datesOf } from "./dates.js";
import { headerText, nameOf, type Role, roleOf } from "./words.js";

/** One filled cell of a sample. */
export interface Cell {
  /** Position of the row in the sample. */
  row: number;
  /** Trimmed, never blank. */
  text: string;
  kind: CellKind;
}

type Marks = { ",": number; ".": number };
export interface Numbers {
  as: "number";
  /** Cells that only one mark can read; that may be thousands or a fraction under it; that are surely grouped. */
  marks: Marks;
  doubtful: Marks;
  grouped: Marks;
  units: string[];
  /** All are whole and none is grouped: a count or a code rather than a measure. */
  whole: boolean;
}

export type Type =
  | Dates
  | Numbers
  | { as: "text"; why: string }
  | { as: "time"; format: string }
  | { as: "taxId"; country: string; types: string[]; typeFrom?: Column }
  | { as: "boolean" | "state" | "country" }
  | { as: "digits"; length: number };

export interface Column {
  /** In the mapping. */
  name: string;
  header: string;
  index: number;
  /** `1 of 2` where the header stands twice. */
  nth: string | undefined;
  role: Role | null;
  type: Type;
  cells: Cell[];
  /** By row of the sample: the cell's text in the form in which equal things are equal; "" where blank. */
  values: string[];
  distinct: ReadonlySet<string>;
  /** Filled cells in parts of all rows, and cells that its type can read in parts of these. */
  filled: number;
  fits: number;
  /** Whether anything in the draft reads it. */
  used: boolean;
  /** The column of its times of day, where they stand apart. */
  clock: Column | null;
  /** What stands for a blank. */
  fallback: string | undefined;
}

/** Parts of the filled cells that must fit for a column to be taken as something; the rest may be mistakes. */
const enough = 0.8;
/** Cells looked at in all columns together. */
const MOST_CELLS = 1_000_000;

/** YAML takes no name of more than 1,024 characters, and a blank header names nothing. */
export const isUsable = (header: string) => foldName(header) !== "" && header.length <= 500;

export function profile(
  header: readonly string[],
  rows: readonly Row[],
  blank: ReadonlySet<string>,
  country: string | undefined,
): Column[] {
  const seen = rows.slice(0, Math.max(50, Math.floor(MOST_CELLS / header.length)));
  const twins = Map.groupBy(header.keys(), (index) => squeeze(header[index] ?? ""));
  const names = new Set<string>();
  const columns = [...header.entries()]
    .filter(([, text]) => isUsable(text))
    .map(([index, text]): Column => {
      const same = twins.get(squeeze(text)) ?? [];
      const all = seen.map((row, position): Cell => {
        return { row: position, text: (row.cells[index] ?? "").trim(), kind: row.kinds?.[index] ?? "text" };
      });
      const cells = all.filter((cell) => !blank.has(cell.text));
      const role = roleOf(text);
      const { type, fits, canonical } = typeOf(cells, text, role, country);
      const values = seen.map(() => "");
      for (const { row, text: cell, kind } of cells) {
        const result = canonical?.(cell, kind) ?? {};
        values[row] = "value" in result ? String(result.value) : squeeze(cell);
      }
      const nth = same.length > 1 ? `${same.indexOf(index) + 1} of ${same.length}` : undefined;
      const distinct = new Set(values.filter((value) => value !== ""));
      const filled = cells.length / Math.max(1, seen.length);
      const name = nameOf(text, `column_${index + 1}`, names);
      return {
        name,
        header: text,
        index,
        nth,
        role,
        type,
        cells,
        values,
        distinct,
        filled,
        fits,
        used: false,
        fallback: undefined,
        clock: null,
      };
    });
  // A number is a house's where there is a street, and else the row's own.
  if (!columns.some(({ role }) => role === "street"))
    for (const column of columns) if (column.role === "number") column.role = "code";
  joinClocks(columns);
  return columns;
}

interface Found {
  type: Type;
  fits: number;
  /** Makes equal things equal. */
  canonical?: Conversion;
}

const text = (why = ""): Found => ({ type: { as: "text", why }, fits: 1 });

function share(cells: readonly Cell[], fits: (cell: Cell) => boolean): number {
  return cells.filter(fits).length / Math.max(1, cells.length);
}

function typeOf(cells: readonly Cell[], header: string, role: Role | null, country: string | undefined): Found {
  if (cells.length === 0) return text("no cell is filled");
  const all = (type: Type, options = {}): Found | null => {
    const convert = compileConversion({ name: type.as === "time" ? "text" : type.as, ...options }, {});
    return cells.every((cell) => "value" in convert(cell.text, cell.kind))
      ? { type, fits: 1, canonical: convert }
      : null;
  };
  const clock = clockOf(cells);
  if (clock !== null) return { type: { as: "time", format: clock }, fits: 1 };
  if (role === "phone") return text("digits that are a name");
  if (role === "zipCode") {
    const eight = cells.every((cell) => /^\d{2}\.?\d{3}-?\d{3}$/.test(cell.text));
    return eight ? { type: { as: "digits", length: 8 }, fits: 1 } : text("digits that are a name");
  }
  const id = taxIds(cells, country, headerText(header));
  if (id !== null) return id;
  const dates = datesOf(cells, role !== null && ["time", "personal", "created", "closed"].includes(role));
  if (dates !== null) return { type: dates, fits: 1 };
  // One letter alone may be a class, so that a word of two is wanted, or a header that asks.
  const worded = role === "public" || cells.some((cell) => cell.kind === "boolean" || /\p{Letter}{2}/u.test(cell.text));
  const special =
    (worded ? all({ as: "boolean" }) : null) ??
    (role === "state" && (country ?? "BR") === "BR" ? all({ as: "state" }, { country: "BR" }) : null) ??
    (role === "country" ? all({ as: "country" }) : null);
  return special ?? (role === "number" ? text("digits that are a name") : numbers(cells, role));
}

/** Countries, their types whose check digits are telling, and where they are not: the header, or the sign in front, that must say so. */
const known: readonly { country: string; types: string[]; header?: RegExp; sign?: RegExp }[] = [
  { country: "DE", types: ["VAT"], header: /\b(ust ?id\w*|vat)\b/, sign: /^DE ?\d/i },
  { country: "US", types: ["EIN"], header: /\b(f?ein|federal tax id|employer id\w*)\b/ },
  { country: "BR", types: ["CNPJ", "CPF"] },
  { country: "PT", types: ["NIF"] },
  { country: "AR", types: ["CUIT"] },
  { country: "CL", types: ["RUT"] },
  { country: "CO", types: ["NIT"] },
  { country: "MX", types: ["RFC"] },
  { country: "ES", types: ["NIF", "CIF"] },
];

/** `asked`: the only country, where it is one that is known. */
function taxIds(cells: readonly Cell[], asked: string | undefined, header: string): Found | null {
  // Shorter digits are counts and codes rather than tax ids that have lost their zeros.
  const likely = ({ text: cell }: Cell) => cell.length >= 9 && cell.length <= 20 && /\d.*\d/.test(cell);
  if (share(cells, likely) < enough || (cells.length < 2 && roleOf(header) !== "taxId")) return null;
  const few = cells.filter((_, at) => at % Math.ceil(cells.length / 30) === 0);
  const one = known.filter(({ country }) => country === asked);
  for (const { country, types, header: words, sign } of one.length > 0 ? one : known) {
    const said = words?.test(header) ?? true;
    if (!said && (sign === undefined || share(cells, (cell) => sign.test(cell.text)) < enough)) continue;
    const converts = types.map((type) => compileConversion({ name: "taxId", country, type }, {}));
    const canonical: Conversion = (cell, kind) => {
      const results = converts.map((convert) => convert(cell, kind));
      return results.find((result) => "value" in result) ?? (results[0] as ReturnType<Conversion>);
    };
    const isOne = (cell: Cell) => likely(cell) && "value" in canonical(cell.text, cell.kind);
    const fits = share(few, isOne) < enough / 2 ? 0 : share(cells, isOne);
    if (fits < enough) continue;
    const met = types.filter((_, at) =>
      cells.some((cell) => "value" in (converts[at] as Conversion)(cell.text, cell.kind)),
    );
    return { type: { as: "taxId", country, types: met }, fits, canonical };
  }
  return null;
}

/** What one unit is in kilograms; only units of mass, since anything else would be a guess about the goods. */
export const kilograms: Readonly<Record<string, number>> = { kg: 1, kgs: 1, t: 1000, ton: 1000, g: 0.001 };
const front = /^[-+(\s]{0,3}(\p{Letter}{0,3}[\p{Currency_Symbol} ]\s?)?[-+]?[\d.,]/u;

/** Text with its why where the cells are no numbers, or should not be read so. */
function numbers(cells: readonly Cell[], role: Role | null): Found {
  const none = () => ({ ",": 0, ".": 0 });
  const found: Numbers = { as: "number", marks: none(), doubtful: none(), grouped: none(), units: [], whole: true };
  const units = new Map<string, number>();
  let fitting = 0;
  for (const { text: cell, kind } of cells) {
    const comma = readNumber(cell, ",", true);
    const point = readNumber(cell, ".", true);
    const read = kind === "number" || typeof point === "object" ? point : comma;
    if ((kind !== "text" && kind !== "number") || typeof read === "string" || read.unit.length > 8 || !front.test(cell))
      continue;
    fitting += 1;
    found.whole &&= /^-?\d+$/.test(cell);
    if (kind === "number") continue;
    const unit = read.unit.toLowerCase().replace(/\.$/, "");
    if (unit !== "") units.set(unit, (units.get(unit) ?? 0) + 1);
    if (typeof comma === "string") found.marks["."] += 1;
    if (typeof point === "string") found.marks[","] += 1;
    for (const mark of [",", "."] as const) {
      const strict = readNumber(cell, mark, false);
      if (strict === "ambiguous") found.doubtful[mark] += 1;
      else if (typeof strict === "object" && cell.includes(mark === "," ? "." : ",")) found.grouped[mark] += 1;
    }
  }
  const fits = fitting / cells.length;
  // A unit met only once among many cells is rather a mistake.
  found.units = [...units].filter(([, count]) => count > 1 || cells.length < 20).map(([unit]) => unit);
  if (fits < enough) return text(fits > 0.3 ? `${Math.round(fits * 100)}% of the cells read as numbers` : "");
  if (found.whole && cells.some((cell) => /^0\d/.test(cell.text))) return text("zeros lead");
  if (found.units.length > 1 && !found.units.every((unit) => unit in kilograms))
    return text(`no one unit for ${found.units.slice(0, 5).join(", ")}`);
  const code = role !== null && ["document", "code", "ticket", "related"].includes(role) && found.units.length === 0;
  if (found.whole && (code || cells.some((cell) => cell.text.length > 15))) return text("digits that are a name");
  return { type: found, fits };
}

/** A date without a time of day is read together with the times beside it. */
function joinClocks(columns: readonly Column[]): void {
  const plain = ({ cells }: Column) => cells.every(({ kind, text: cell }) => kind === "text" && !cell.includes("T"));
  for (const day of columns) {
    if (day.type.as !== "timestamp" || !plain(day) || day.type.formats.some((format) => /[Hh]|ISO|UNIX/.test(format)))
      continue;
    const clock = columns.find(
      (one) =>
        one.type.as === "time" &&
        Math.abs(one.index - day.index) === 1 &&
        plain(one) &&
        !columns.some((other) => other.clock === one) &&
        day.values.every((value, row) => value === "" || one.values[row] !== ""),
    );
    if (clock === undefined) continue;
    day.clock = clock;
    day.values = day.values.map((value, row) => (value === "" ? "" : `${value} ${clock.values[row] ?? ""}`));
    day.distinct = new Set(day.values.filter((value) => value !== ""));
  }
}

/** Rows of the sample by the column's value, blanks left out. */
export function groupsOf({ values }: Column): Map<string, number[]> {
  const groups = Map.groupBy(values.keys(), (row) => values[row] ?? "");
  groups.delete("");
  return groups;
}

/** Parts of the groups that may disagree, since files hold mistakes. */
const tolerance = 0.03;

/** Whether rows with one key agree in the other column, or disagree more often than mistakes would make them; null: nothing tells. */
export function agree(groups: ReadonlyMap<string, readonly number[]>, { values }: Column): boolean | null {
  let told = 0;
  let broken = 0;
  for (const rows of groups.values()) {
    const filled = rows.map((row) => values[row]).filter((value) => value !== "");
    if (filled.length > 1) told += 1;
    if (new Set(filled).size > 1) broken += 1;
  }
  return told === 0 ? null : broken <= told * tolerance;
}
