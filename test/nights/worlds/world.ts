/** A world: mappings, files and steps as plain data, so that a seed, or a person, can write one and shrinking can cut it. */

/** What a cell means under its column's type: nothing, something that cannot be read, or a value. */
export type Meaning =
  | null
  | { bad: true }
  | { text: string }
  | { number: string }
  | { time: number }
  | { truth: boolean };

export interface Cell {
  /** As it stands in a CSV file. */
  text: string;
  /** As it stands in a workbook; left out: as text. `serial`: days since 1899-12-30, under a date format. */
  typed?: { number: string } | { serial: string } | { truth: boolean };
  means: Meaning;
  /** The cell that a slip of the pen has spoilt. */
  was?: Cell;
}

export interface Column {
  name: string;
  header: string;
  /** Of mapping version 2: text, number, timestamp, boolean … */
  as: string;
  options?: { [option: string]: unknown };
  default?: { written: string | number | boolean; means: Meaning };
}

export type Formula =
  | { kind: "column"; column: string }
  | { kind: "literal"; text: string }
  | { kind: "+" | "-" | "*"; left: Formula; right: Formula }
  | { kind: "joined"; parts: Formula[] }
  | { kind: "fixed"; column: string; places: number }
  | { kind: "choice"; test: Condition; yes: string; no: string }
  | { kind: "lookup"; table: string; column: string; to: string }
  | { kind: "sum" | "first" | "last" | "min" | "max" | "count" | "join"; column: string };

export type Condition =
  | { kind: "filled" | "blank"; column: string }
  | { kind: "is"; column: string; words: string[] }
  | { kind: "more"; column: string; than: string }
  | { kind: "and" | "or"; parts: Condition[] };

export interface Table {
  file: string;
  key: string;
  columns: string[];
  /** The key's cell, then a cell for each column. */
  rows: string[][];
}

export interface Party {
  /** Columns of the tax id and the name. */
  taxId: string;
  name: string;
}

export interface Place {
  party: string;
  name: string;
  street: string;
  city: string;
  state: string;
}

export interface DocumentPlan {
  kind: string;
  key: string[];
  fields: { [name: string]: Formula };
}

export interface EventPlan {
  /** What it was called first: its name in keys. */
  label: string;
  /** What the mapping calls it now, which then says what it was. */
  renamed?: string;
  name: string;
  document: string;
  key: "once" | "content" | string[];
  each?: "row";
  when: Condition | null;
  at: string;
  isPublic: boolean | string;
  /** Which party and place; left out: the document's. */
  party?: string;
  attributes: { name: string; value: Formula; shown: "public" | "private" | "asEvent" }[];
  /** A set of columns, spread as private attributes. */
  set?: { headers: string; prefix: string };
}

export interface InputPlan {
  name: string;
  columns: Column[];
  skip: Condition | null;
  /** Columns by which consecutive rows belong together. */
  group: string[] | null;
  parties: { [name: string]: Party };
  places: { [name: string]: Place };
  documents: DocumentPlan[];
  events: EventPlan[];
}

export interface Mapping {
  zone: string;
  decimal: "," | ".";
  dates: string[];
  blank: string[];
  tables: { [name: string]: Table };
  inputs: InputPlan[];
}

export interface Row {
  /** Cells by the name of their column; a column that is left out is blank. */
  cells: { [column: string]: Cell };
  /** Text of columns that no mapping reads, by header. */
  extra?: { [header: string]: string };
}

export interface Form {
  kind: "csv" | "xlsx";
  delimiter: ";" | "," | "\t" | "|";
  encoding: "utf-8" | "windows-1252" | "utf-16le";
  bom: boolean;
  lineEnding: "\n" | "\r\n";
  quoteAll: boolean;
  finalNewline: boolean;
}

export interface WorldFile {
  name: string;
  input: string;
  form: Form;
  /** Headers in the file's order, those that no mapping reads among them. */
  headers: string[];
  rows: Row[];
}

/** What is done with the rows of a rejected file, in the order in which they are handed back; rows by their place in `of`. */
export interface Correction {
  of: WorldFile;
  /** The rows as they come back, and which they were. */
  rows: { was: number; row: Row }[];
}

export interface Import {
  do: "import";
  mapping: number;
  files: WorldFile[];
}

export type Step =
  | Import
  | { do: "correct"; mapping: number; correction: Correction }
  | { do: "dismiss"; file: WorldFile; row: number }
  | { do: "resume" }
  | { do: "retry" }
  | { do: "wait"; days: number };

export interface World {
  seed: number;
  mappings: Mapping[];
  steps: Step[];
}
