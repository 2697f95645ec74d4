/** Events of a table with one row for each: a column says what happened, another one when. */
import type { Column } from "./column.js";
import { field, type PartyDraft } from "./draft.js";
import { writeAttributes } from "./attributes.js";
import { recordName } from "./header-words.js";
import type { DocumentKey } from "./document-key.js";
import type { Unsure } from "./unsure.js";
import type { FlowValue, Member } from "./yaml-text.js";

export interface LongTable {
  key: DocumentKey;
  /** What happened; null where no column says it. */
  type: Column | null;
  /** When. */
  time: Column;
  isPublic: Column | undefined;
  /** Columns that neither the document, its fields nor a party has taken. */
  free: Column[];
  party: PartyDraft;
  /** Rows that the mapping skips. */
  skipped: ReadonlySet<number>;
  documentRecord: string;
}

const reserved = ["ACTOR", "CLOSE", "CANCEL", "RELATED", "UPDATE"];
/** A value met less often than once in so many rows is taken for a slip. */
const seldom = 150;
/** Parts of the rows of one event that may lack its key by mistake; one row at least, where there are five. */
const mistaken = 0.03;

export function writeLongEvents(table: LongTable, unsure: Unsure): Member[] {
  const { type, skipped, time } = table;
  if (type === null) {
    unsure.say("events: no column says what happened; every row is sent as an event named Event");
    return [
      writeEvent(
        "event",
        null,
        time.values.flatMap((value, row) => (value === "" || skipped.has(row) ? [] : [row])),
        table,
        unsure,
      ),
    ];
  }
  const rowsByType = new Map<string, number[]>();
  for (const [row, value] of type.values.entries()) {
    if (value === "" || skipped.has(row)) continue;
    const rows = rowsByType.get(value);
    if (rows === undefined) rowsByType.set(value, [row]);
    else rows.push(row);
  }
  const total = type.cells.length - skipped.size;
  const known = [...rowsByType].filter(([value, rows]) => rows.length * seldom >= total || isReserved(value));
  const others = [...rowsByType.keys()].filter((value) => known.every(([one]) => one !== value));
  if (others.length > 0)
    unsure.say(
      `events: ${others.map((value) => `"${value}"`).join(", ")} in "${type.header}" are too few to be events of their own; such rows are errors`,
    );
  const names = new Set<string>();
  const events = known.map(([value, rows]) => {
    let name = recordName(value, "event");
    while (names.has(name)) name = `${name}${names.size}`;
    names.add(name);
    return writeEvent(name, value, rows, table, unsure);
  });
  return [
    ...events,
    guard(
      type,
      table,
      known.map(([value]) => value),
    ),
  ];
}

function isReserved(value: string): boolean {
  return reserved.includes(value.toUpperCase());
}

/** `value`: what the type column holds; null where there is none. */
function writeEvent(
  name: string,
  value: string | null,
  rows: readonly number[],
  table: LongTable,
  unsure: Unsure,
): Member {
  const { type, time, party, isPublic } = table;
  const serviceName = value === null ? "Event" : isReserved(value) ? value.toUpperCase() : value;
  if (value !== null && serviceName !== value)
    unsure.say(`event ${name}: "${value}" is sent as the reserved ${serviceName}`);
  const filled = table.free.filter((column) => rows.some((row) => column.values[row] !== ""));
  const related = serviceName === "RELATED" ? relatedColumn(table, filled, rows) : undefined;
  const block: Member[] = [
    ...(type === null || value === null ? [] : [{ name: "when", value: { equals: { [type.header]: value } } }]),
    { name: "name", value: serviceName },
    ...writeKey(name, rows, filled, related, table, unsure),
    { name: "externalCreatedAt", value: field(time) },
    { name: "isPublic", value: isPublic === undefined ? false : field(isPublic) },
    { name: "participant", value: party.participant },
    { name: "address", value: party.address },
  ];
  if (serviceName === "RELATED") block.push(...writeRelation(name, related, table, unsure));
  const reason = serviceName === "CANCEL" ? reasonColumn(filled, rows) : undefined;
  const attributes = writeAttributes(
    filled.filter((column) => column !== related && column !== reason),
    unsure,
  );
  if (serviceName === "CANCEL") addReason(name, reason, attributes, unsure);
  return { name, value: { block: [...block, ...attributes] } };
}

/** Of the columns whose values all differ within each document, the one that looks most like a number of its own. */
function writeKey(
  name: string,
  rows: readonly number[],
  filled: readonly Column[],
  related: Column | undefined,
  table: LongTable,
  unsure: Unsure,
): Member[] {
  const documents = new Set(rows.map((row) => table.key.column.values[row]));
  const slack = rows.length < 5 ? 0 : Math.max(1, Math.floor(rows.length * mistaken));
  const tellsApart = (part: Column) => {
    const complete = rows.filter((row) => part.values[row] !== "");
    const keys = new Set(complete.map((row) => JSON.stringify([table.key.column.values[row], part.values[row]])));
    return keys.size === complete.length && rows.length - complete.length <= slack;
  };
  const plain = filled.filter((column) => column.date === null && (column.number === null || column.number.whole));
  const numbered = plain.find((column) => (column.role === "ticket" || column.role === "code") && tellsApart(column));
  const chosen = related ?? numbered;
  if (chosen !== undefined && tellsApart(chosen)) return [{ name: "key", value: field(chosen) }];
  if (documents.size === rows.length)
    return [{ name: "key", value: "once", note: `as in the ${rows.length} rows seen` }];
  const single = plain.find((column) => tellsApart(column));
  if (single !== undefined) {
    unsure.say(`event ${name}: "${single.header}" is its key, because it tells the rows of one document apart`);
    return [{ name: "key", value: field(single) }];
  }
  if (tellsApart(table.time)) {
    unsure.say(
      `event ${name}: only its time tells two of one document apart, so that a corrected time becomes a new event`,
    );
    return [{ name: "key", value: field(table.time) }];
  }
  unsure.say(`event ${name}: no column tells two of one document apart, so that its whole content is its key`);
  return [
    { name: "key", value: "content" },
    { name: "within", value: "file" },
  ];
}

function relatedColumn({ key }: LongTable, filled: readonly Column[], rows: readonly number[]): Column | undefined {
  const complete = filled.filter(
    (column) => rows.filter((row) => column.values[row] !== "").length >= rows.length * 0.7,
  );
  const named = complete.find((column) => column.role === "related");
  return named ?? complete.find((column) => [...column.distinct].some((value) => key.groups.has(value)));
}

function writeRelation(
  name: string,
  related: Column | undefined,
  { documentRecord }: LongTable,
  unsure: Unsure,
): Member[] {
  if (related === undefined) {
    unsure.say(`event ${name}: no column names the related document; "?" is written`);
    return [{ name: "relatedDocument", value: { documentId: "?", bidirectional: false } }];
  }
  unsure.say(
    `event ${name}: the relation is written as one-sided (bidirectional: false); the service's default is two-sided`,
  );
  return [
    {
      name: "relatedDocument",
      value: { document: { ref: documentRecord, key: { column: related.header } }, bidirectional: false },
    },
  ];
}

function reasonColumn(filled: readonly Column[], rows: readonly number[]): Column | undefined {
  return (
    filled.find((column) => column.role === "reason") ??
    filled.find(
      (column) => column.date === null && column.number === null && rows.every((row) => column.values[row] !== ""),
    )
  );
}

/** service.md, Event endpoints, rule 9: a CANCEL needs the attribute `reason`. */
function addReason(name: string, reason: Column | undefined, attributes: Member[], unsure: Unsure): void {
  if (reason?.role !== "reason")
    unsure.say(
      `event ${name}: ${reason === undefined ? "no column holds a reason" : `"${reason.header}" is taken for the reason`}, which a CANCEL needs`,
    );
  const value: FlowValue = { ...(reason === undefined ? { value: "not given" } : field(reason)), isPublic: false };
  const [first] = attributes;
  if (first !== undefined && typeof first.value === "object" && "block" in first.value) {
    (first.value.block as Member[]).unshift({ name: "reason", value });
  } else {
    attributes.push({ name: "attributes", value: { block: [{ name: "reason", value }] } });
  }
}

/** A row whose event is none of these would otherwise be left out in silence. */
function guard(type: Column, { time, party }: LongTable, known: readonly string[]): Member {
  const list = known.map((value) => JSON.stringify(value)).join(", ");
  const block: Member[] = [
    { name: "when", value: { expr: `!(row[${JSON.stringify(type.header)}] in [${list}])` } },
    { name: "name", value: field(type, { oneOf: [...known] }), note: "every other event is an error" },
    { name: "key", value: "once" },
    { name: "externalCreatedAt", value: field(time) },
    { name: "isPublic", value: false },
    { name: "participant", value: party.participant },
    { name: "address", value: party.address },
  ];
  return { name: "unknownEvent", value: { block } };
}
