/** From the rows of a file to the records that a careful person would expect of them. */
import { attempt, evaluate, holds, one, textOf, Unreadable, type View } from "./formulas.js";
import type { EventPlan, InputPlan, Mapping, Meaning, Row, WorldFile } from "./world.js";

export interface Attribute {
  name: string;
  value: string;
  isPublic: boolean;
}

/** What of an event arrives at the service, in natural words. */
export interface Content {
  name: string;
  at: number;
  isPublic: boolean;
  party: string;
  place: string;
  attributes: Attribute[];
}

export interface ExpectedEvent {
  /** What makes it one event for ever: kind, document, label and key. */
  id: string;
  document: string;
  content: Content;
  /** Its key is what it says. */
  isContent?: boolean;
}

export interface ExpectedDocument {
  id: string;
  party: string;
  place: string;
  fields: { [name: string]: string };
}

/** From when on a row that cannot be staged holds a document; -Infinity: from its beginning. */
export interface Hold {
  document: string;
  from: number;
  /** The event, where its key can be read: a row of that event ends the hold. */
  event: string | null;
  /** Said otherwise by another row of the import: neither is sent. */
  twice?: true;
}

export interface Staged {
  /** The rows that stand together: one, or those of a group; their places in the file. */
  rows: number[];
  /** Their cells as they stand in the file. */
  raw: string;
  fate: "skipped" | "invalid" | "valid";
  documents: ExpectedDocument[];
  events: ExpectedEvent[];
  holds: Hold[];
  /** Other rows of its group stand elsewhere in the file, so what it gives would be a part. */
  isPart: boolean;
}

function viewOf(rows: Row[], input: InputPlan, mapping: Mapping): View {
  const cells = (name: string): Meaning[] => rows.map((row): Meaning => row.cells[name]?.means ?? null);
  const fallback = (name: string): Meaning =>
    input.columns.find((column) => column.name === name)?.default?.means ?? null;
  return {
    mapping,
    cells,
    rows: (name) => cells(name).map((value) => value ?? fallback(name)),
    values: (name) => {
      const values = cells(name);
      // What is filled agrees first, then the default applies (LANGUAGE, Decided 5).
      return values.every((value) => value === null) ? values.map(() => fallback(name)) : values;
    },
  };
}

const rank = (name: string) => (name === "CANCEL" ? 2 : Number(name === "CLOSE"));

/** The order of events of one instant (DESIGN, 5). */
export const order = (a: Content, b: Content): number => a.at - b.at || rank(a.name) - rank(b.name);

/** Names an event by its content and by which of its twins it is. */
type Twins = (content: string) => string;

/** A name for each that is not taken yet: of a file nothing is, of a corrected one what the rows beside it gave. */
function twinsOf(taken: Iterable<string>): Twins {
  const all = new Set(taken);
  return (content) => {
    for (let count = 1; ; count += 1) {
      const id = JSON.stringify([content, count]);
      if (all.has(id)) continue;
      all.add(id);
      return id;
    }
  };
}

class Reader {
  private readonly view: View;
  private readonly input: InputPlan;
  private readonly twins: Twins;

  constructor(view: View, input: InputPlan, twins: Twins) {
    this.view = view;
    this.input = input;
    this.twins = twins;
  }

  required(column: string): string {
    const text = textOf(one(this.view, column));
    if (text === "") throw new Unreadable(`${column} is blank`);
    return text;
  }

  party(name: string): string {
    const { taxId = "", name: title = "" } = this.input.parties[name] ?? {};
    return `${this.required(taxId)} ${this.required(title)}`;
  }

  place(party: string): string {
    const place = Object.values(this.input.places).find((candidate) => candidate.party === party);
    if (place === undefined) throw new Error(`no place of ${party}`);
    return [place.name, ...[place.street, place.city, place.state].map((column) => this.required(column))].join(", ");
  }

  documentId(kind: string): string {
    const plan = this.input.documents.find((document) => document.kind === kind);
    return JSON.stringify([kind, ...(plan?.key ?? []).map((column) => this.required(column))]);
  }

  document(kind: string): ExpectedDocument {
    const [party = ""] = Object.keys(this.input.parties);
    const fields: { [name: string]: string } = {};
    for (const [name, formula] of Object.entries(this.plan(kind).fields)) {
      const value = evaluate(formula, this.view);
      if (value !== null) fields[name] = textOf(value);
    }
    return { id: this.documentId(kind), party: this.party(party), place: this.place(party), fields };
  }

  private plan(kind: string) {
    const plan = this.input.documents.find((document) => document.kind === kind);
    if (plan === undefined) throw new Error(`no document ${kind}`);
    return plan;
  }

  at(event: EventPlan): number {
    const value = one(this.view, event.at);
    if (value === null || !("time" in value)) throw new Unreadable("no time");
    return value.time;
  }

  eventId(event: EventPlan, content: Content | null): string {
    const document = this.documentId(event.document);
    if (event.key === "once") return JSON.stringify([document, event.label]);
    if (event.key === "content") {
      if (content === null) throw new Unreadable("its content is its key");
      return this.twins(JSON.stringify([document, event.label, content]));
    }
    return JSON.stringify([document, event.label, ...event.key.map((column) => this.required(column))]);
  }

  content(event: EventPlan): Content {
    const [owner = ""] = Object.keys(this.input.parties);
    const party = event.party ?? owner;
    const shown = typeof event.isPublic === "boolean" ? { truth: event.isPublic } : one(this.view, event.isPublic);
    if (shown === null || !("truth" in shown)) throw new Unreadable("nobody says whether it is public");
    const attributes: Attribute[] = [];
    for (const { name, value, shown: visible } of event.attributes) {
      const text = textOf(evaluate(value, this.view));
      const isPublic = visible === "asEvent" ? shown.truth : visible === "public";
      if (text !== "") attributes.push({ name, value: text, isPublic });
    }
    for (const column of event.set === undefined ? [] : this.input.columns) {
      if (!column.header.startsWith(event.set?.prefix ?? "")) continue;
      // The set reads the column by itself, without the column's default.
      const text = textOf(one({ ...this.view, values: this.view.cells }, column.name));
      if (text !== "") attributes.push({ name: column.header, value: text, isPublic: false });
    }
    attributes.sort((a, b) => (a.name < b.name ? -1 : 1));
    const { name } = event;
    return {
      name,
      at: this.at(event),
      isPublic: shown.truth,
      party: this.party(party),
      place: this.place(party),
      attributes,
    };
  }

  happens(event: EventPlan): boolean {
    return event.when === null || holds(event.when, this.view);
  }
}

function stage(rows: Row[], input: InputPlan, mapping: Mapping, twins: Twins): Omit<Staged, "rows" | "raw" | "isPart"> {
  const whole = new Reader(viewOf(rows, input, mapping), input, twins);
  const { skip } = input;
  const skipped = skip !== null && attempt(() => holds(skip, viewOf(rows, input, mapping)));
  if (skipped === true) return { fate: "skipped", documents: [], events: [], holds: [] };
  const readersOf = (each: Row[]): Reader[] =>
    each.map((row) => new Reader(viewOf([row], input, mapping), input, twins));
  const readers = (event: EventPlan): Reader[] => (event.each === "row" ? readersOf(rows) : [whole]);
  const valid = attempt(() => {
    // Every record of a row must be right, whether an event needs it or not.
    for (const { party } of Object.values(input.places)) whole.place(party);
    for (const party of Object.keys(input.parties)) whole.party(party);
    const documents = input.documents.map(({ kind }) => whole.document(kind));
    const events = input.events.flatMap((event) =>
      readers(event)
        .filter((reader) => reader.happens(event))
        .map((reader): ExpectedEvent => {
          const content = reader.content(event);
          const isContent = event.key === "content";
          return { id: reader.eventId(event, content), document: whole.documentId(event.document), content, isContent };
        }),
    );
    const said = new Map(events.map((event) => [event.id, JSON.stringify(event.content)]));
    if (events.some(({ id, content }) => said.get(id) !== JSON.stringify(content)))
      throw new Unreadable("two rows of a group contradict each other");
    const happen = (reader: Reader, of: InputPlan["events"]) => of.some((event) => reader.happens(event));
    const [alone, together] = [
      input.events.filter(({ each }) => each === "row"),
      input.events.filter(({ each }) => each !== "row"),
    ];
    if (!happen(whole, together) && !readersOf(rows).every((reader) => happen(reader, alone)))
      throw new Unreadable("a row in which nothing happens");
    return { documents, events };
  });
  if (valid !== null && skipped !== null) return { fate: "valid", ...valid, holds: [] };
  const held: Hold[] = input.events.flatMap((event) =>
    readers(event).flatMap((reader) => {
      const document = attempt(() => whole.documentId(event.document));
      const happens = attempt(() => reader.happens(event));
      if (document === null || happens === false) return [];
      if (happens === null) return [hold(document, null)];
      const id = event.key === "content" ? null : attempt(() => reader.eventId(event, null));
      return [{ document, from: attempt(() => reader.at(event)) ?? Number.NEGATIVE_INFINITY, event: id }];
    }),
  );
  // A document that it names beside these waits whole: which event was meant, and when it was, cannot be told.
  for (const { kind } of input.documents) {
    const document = attempt(() => whole.documentId(kind));
    if (document !== null && !held.some((hold) => hold.document === document))
      held.push({ document, from: Number.NEGATIVE_INFINITY, event: null });
  }
  return { fate: "invalid", documents: [], events: [], holds: held };
}

const hold = (document: string, event: string | null): Hold => ({ document, from: Number.NEGATIVE_INFINITY, event });

/** Whether a group gives an event by its content, or anything reckoned over its rows: what a part gives would be wrong. */
const sumsUp = ({ events, documents, parties, places }: InputPlan) =>
  events.some(({ key, each }) => key === "content" && each === undefined) ||
  /"kind":"(sum|first|last|min|max|count|join)"/.test(JSON.stringify([events, documents, parties, places]));

/** A row's cells as they stand in the file, whatever they mean. */
export function rawCells(row: Row, { form, headers }: WorldFile, input: InputPlan): string[] {
  return headers.map((header) => {
    const column = input.columns.find((candidate) => candidate.header === header);
    const cell = row.cells[column?.name ?? ""];
    if (cell === undefined) return row.extra?.[header] ?? "";
    if (form.kind !== "xlsx" || cell.typed === undefined) return cell.text;
    return "number" in cell.typed
      ? String(Number(Number(cell.typed.number).toPrecision(15)))
      : JSON.stringify(cell.typed);
  });
}

/** What a file's rows become, in the file's order. */
export function stagedRows(
  file: WorldFile,
  input: InputPlan,
  mapping: Mapping,
  taken: Iterable<string> = [],
): Staged[] {
  const there = new Set(input.columns.filter(({ header }) => file.headers.includes(header)).map(({ name }) => name));
  const visible = file.rows.map(
    ({ cells }): Row => ({
      cells: Object.fromEntries(Object.entries(cells).filter(([name]) => there.has(name))),
    }),
  );
  const twins = twinsOf(taken);
  const seen = new Set<string>();
  return groupsOf(visible, input, mapping).map((rows) => {
    const views = rows.map((row) => visible[row] as Row);
    const raw = JSON.stringify(rows.map((row) => rawCells(file.rows[row] as Row, file, input)));
    const staged: Staged = { rows, raw, isPart: false, ...stage(views, input, mapping, twins) };
    const key = groupKey(views[0] as Row, input);
    const isApart = input.group !== null && seen.has(key) && staged.fate !== "skipped" && sumsUp(input);
    seen.add(key);
    if (!isApart) return staged;
    // The sum of a part is no sum: the whole document waits for the group.
    return { ...staged, isPart: true, fate: "invalid" as const, documents: [], events: [], holds: waitsOf(staged) };
  });
}

export const groupKey = ({ cells }: Row, { group }: InputPlan): string =>
  JSON.stringify(group?.map((column) => textOf(cells[column]?.means ?? null)));

/** Rows that stand together, by their places: each row by itself, or a group. A row that is left out parts none. */
export function groupsOf(rows: readonly Row[], input: InputPlan, mapping: Mapping): number[][] {
  const { skip } = input;
  const groups: number[][] = [];
  let last: number[] = [];
  for (const [index, row] of rows.entries()) {
    const isLeftOut = skip !== null && attempt(() => holds(skip, viewOf([row], input, mapping))) === true;
    const before = rows[last[0] ?? -1];
    if (
      !isLeftOut &&
      input.group !== null &&
      before !== undefined &&
      groupKey(before, input) === groupKey(row, input)
    ) {
      last.push(index);
      continue;
    }
    const own = [index];
    groups.push(own);
    if (!isLeftOut) last = own;
  }
  return groups;
}

/** What a row that cannot stand alone holds: the whole documents of what it says. */
export function waitsOf({ events, holds: held }: Staged): Hold[] {
  const waits = events.map(({ id, document, isContent }) => hold(document, isContent === true ? null : id));
  return [...waits, ...held.map(({ document, event }) => hold(document, event))];
}
