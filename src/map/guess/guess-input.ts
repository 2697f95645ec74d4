/** From one table to one input of the mapping: what its columns are, and which records they make. */
import type { Column } from "./column.js";
import { writeFields } from "./attributes.js";
import { within } from "./dependency.js";
import { type DocumentKey, findDocumentKey } from "./document-key.js";
import { type Directory, field, type InputDraft, type PartyDraft } from "./draft.js";
import { recordName } from "./header-words.js";
import { writeLongEvents } from "./long-events.js";
import { findParties, hasAddress, isPlaceTable, type Party, writeAddress, writeParticipant } from "./participants.js";
import type { GuessTable } from "./table.js";
import type { Unsure } from "./unsure.js";
import { writeWideEvents } from "./wide-events.js";
import type { FlowValue, Member } from "./yaml-text.js";

export interface ProfiledTable {
  table: GuessTable;
  columns: Column[];
  /** All files of this header. */
  files: string[];
  /** Name of the input. */
  name: string;
}

/** `organisations` and `places` are referred to by code; `documents` hold what happened; `other` yields nothing. */
export type TableKind = "organisations" | "places" | "documents" | "other";

export function kindOf({ columns, table }: ProfiledTable): TableKind {
  if (columns.some(({ date }) => date !== null) && findDocumentKey(columns, table.sample.length) !== null)
    return "documents";
  if (columns.some(({ taxId }) => taxId !== null)) return "organisations";
  return isPlaceTable(columns) ? "places" : "other";
}

/** A column of short codes that no two rows share, for other tables to refer to. */
function codeColumn(columns: readonly Column[]): Column | null {
  const unique = columns.filter(
    (column) =>
      column.taxId === null &&
      column.date === null &&
      column.filled === 1 &&
      column.distinct.size === column.cells.length,
  );
  return (
    unique.find(({ role }) => role === "code") ??
    unique.find(({ distinct }) => [...distinct].every((value) => value.length <= 20)) ??
    null
  );
}

/** A table of organisations; its directory is what other tables refer to. */
export function guessOrganisations(
  { columns }: ProfiledTable,
  draft: InputDraft,
  country: string | null,
  unsure: Unsure,
): Directory[] {
  const code = codeColumn(columns);
  const parties = findParties(columns, unsure);
  return parties.flatMap((party, position): Directory[] => {
    const key = position === 0 ? code : null;
    draft.participants.push(writeParticipant(party, key, unsure));
    if (hasAddress(party)) {
      draft.addresses.push(
        writeAddress(`${party.name}Address`, party.columns, { participant: party.name, country, key }, unsure),
      );
    }
    return key === null ? [] : [{ record: party.name, of: "participant", codes: key.distinct }];
  });
}

/** A table of places, each of which names its organisation by code. */
export function guessPlaces(
  { columns, name }: ProfiledTable,
  draft: InputDraft,
  directories: readonly Directory[],
  country: string | null,
  unsure: Unsure,
): Directory[] {
  const code = codeColumn(columns);
  const owner = references(columns, directories, "participant").find(({ column }) => column !== code);
  if (owner === undefined) {
    unsure.say(`places of ${name}: no column names their organisations; they are left out`);
    return [];
  }
  const roles: Party["columns"] = {};
  for (const column of columns)
    if (column.role !== null && column !== code && column !== owner.column) roles[column.role] ??= column;
  draft.addresses.push(writeAddress("place", roles, { participant: owner.value, country, key: code }, unsure));
  return code === null ? [] : [{ record: "place", of: "address", codes: code.distinct }];
}

interface Reference {
  column: Column;
  of: Directory["of"];
  value: FlowValue;
}

/** Columns that hold codes of organisations (or places), in the order of the file. */
function references(columns: readonly Column[], directories: readonly Directory[], of: Directory["of"]): Reference[] {
  return columns.flatMap((column): Reference[] => {
    const directory = directories.find((one) => one.of === of && within(column, one.codes));
    return directory === undefined
      ? []
      : [{ column, of, value: { ref: directory.record, key: { column: column.header } } }];
  });
}

/** A table of documents and their events. */
export function guessDocuments(
  profiled: ProfiledTable,
  draft: InputDraft,
  directories: readonly Directory[],
  country: string | null,
  unsure: Unsure,
): void {
  const { columns, table } = profiled;
  const key = findDocumentKey(columns, table.sample.length);
  if (key === null) return;
  const parties = findParties(columns, unsure);
  const record = recordName(key.column.header, "document");
  const owner = parties.find((party) => key.follows.has(party.taxId)) ?? parties[0];
  const acting =
    key.shape === "long" ? (parties.find((party) => party !== owner && !key.follows.has(party.taxId)) ?? owner) : owner;
  for (const party of parties) draft.participants.push(writeParticipant(party, null, unsure));
  for (const party of parties.filter(hasAddress)) {
    draft.addresses.push(
      writeAddress(`${party.name}Address`, party.columns, { participant: party.name, country, key: null }, unsure),
    );
  }
  const codes = [...references(columns, directories, "participant"), ...references(columns, directories, "address")];
  const ownerDraft = partyDraft(owner, codes, unsure);
  const actingDraft = partyDraft(acting, codes, unsure);
  unsure.say(
    `document ${record}: "${key.column.header}" is its key${key.shape === "long" ? `, because ${key.follows.size} other columns follow from it` : ""}`,
  );
  if (codes.length > 2)
    unsure.say(
      `events: all take the document's participant and address; ${codes.map(({ column }) => `"${column.header}"`).join(", ")} name others that some of them may mean`,
    );

  const used = new Set<Column>([
    key.column,
    ...parties.flatMap((party) => party.used),
    ...codes.map(({ column }) => column),
  ]);
  const times = columns.filter((column) => column.date !== null && column.filled > 0);
  const created =
    times.find((column) => key.follows.has(column) && column.role === "created") ??
    (key.shape === "long" ? times.find((column) => key.follows.has(column)) : undefined);
  const isPublic = columns.find((column) => column.boolean && column.role === "public");
  const eventTimes = times.filter((column) => column !== created && (key.shape === "wide" || !key.follows.has(column)));
  for (const column of [created, isPublic, ...eventTimes]) if (column !== undefined) used.add(column);

  const events =
    key.shape === "long"
      ? longEvents(profiled, key, eventTimes, isPublic, used, actingDraft, record, draft, unsure)
      : undefined;
  const free = columns.filter((column) => !used.has(column) && column.distinct.size > 0);
  const firstTime = eventTimes[0]?.index ?? Number.POSITIVE_INFINITY;
  const ofDocument = free.filter((column) =>
    key.shape === "long" ? key.follows.has(column) : column.index < firstTime,
  );
  draft.documents.push({
    name: record,
    value: {
      block: [
        { name: "key", value: field(key.column) },
        { name: "participant", value: ownerDraft.participant },
        { name: "address", value: ownerDraft.address },
        ...writeFields(ofDocument, created, unsure),
      ],
    },
  });
  const others = free.filter((column) => !ofDocument.includes(column));
  const timeless = key.column.values.filter((_, row) => eventTimes.every((time) => time.values[row] === "")).length;
  if (key.shape === "wide" && timeless > 0) {
    unsure.say(
      `rowsWithoutEvents: rows with no time at all (${timeless} of those seen) are taken for documents to come`,
    );
    draft.skip.push({ name: "rowsWithoutEvents", value: "allow" });
  }
  draft.events.push(...(events?.(others) ?? writeWideEvents({ times: eventTimes, isPublic, free: others }, unsure)));
}

/** The event part of a long table, to be finished when it is known which columns are free. */
function longEvents(
  { columns }: ProfiledTable,
  key: DocumentKey,
  eventTimes: readonly Column[],
  isPublic: Column | undefined,
  used: Set<Column>,
  party: PartyDraft,
  documentRecord: string,
  draft: InputDraft,
  unsure: Unsure,
): (free: Column[]) => Member[] {
  const [time] = eventTimes.toSorted((one, other) => other.filled - one.filled || one.index - other.index);
  if (time === undefined) return () => [];
  const type = eventTypeColumn(columns, key, used);
  if (type !== null) used.add(type);
  const skip = skippedRows(columns, time, used);
  if (skip !== null) {
    used.add(skip.column);
    unsure.say(`skip: rows where "${skip.column.header}" is "${skip.value}" have no time and are left out`);
    draft.skip.push({ name: "skip", value: { equals: { [skip.column.header]: skip.value } } });
  }
  return (free) =>
    writeLongEvents(
      { key, type, time, isPublic, free, party, skipped: skip?.rows ?? new Set(), documentRecord },
      unsure,
    );
}

/** What happened: by its header, by reserved names in it, else the first column of few values. */
function eventTypeColumn(columns: readonly Column[], key: DocumentKey, used: ReadonlySet<Column>): Column | null {
  const fitting = columns.filter((column) => {
    const { distinct, cells } = column;
    const free = !used.has(column) && !key.follows.has(column) && column.filled >= 0.95;
    const few = distinct.size >= 2 && distinct.size <= 40 && distinct.size < cells.length;
    return free && few && !column.boolean && column.number === null;
  });
  const named = fitting.find(({ role }) => role === "eventType");
  const reserved = fitting.find(({ distinct }) =>
    ["CLOSE", "ACTOR", "CANCEL", "RELATED"].some((name) => distinct.has(name)),
  );
  const repeated = fitting.filter(({ distinct, cells }) => distinct.size * 4 <= cells.length);
  return (
    named ??
    reserved ??
    repeated.find(({ role }) => role === "category" || role === "status") ??
    repeated[0] ??
    fitting.find(({ role, distinct, cells }) => role === "status" && distinct.size * 2 <= cells.length) ??
    null
  );
}

/** Rows of one status (drafts, say) that have no time, while all others have one. */
function skippedRows(
  columns: readonly Column[],
  time: Column,
  used: ReadonlySet<Column>,
): { column: Column; value: string; rows: Set<number> } | null {
  const without = time.values.flatMap((value, row) => (value === "" ? [row] : []));
  if (without.length < 2) return null;
  for (const column of columns) {
    if (used.has(column) || column.distinct.size < 2 || column.distinct.size > 10) continue;
    for (const value of column.distinct) {
      const rows = column.values.flatMap((one, row) => (one === value ? [row] : []));
      const untimed = rows.filter((row) => time.values[row] === "").length;
      if (untimed >= 2 && untimed >= rows.length * 0.9 && untimed >= without.length * 0.6)
        return { column, value, rows: new Set(rows) };
    }
  }
  return null;
}

function partyDraft(party: Party | undefined, codes: readonly Reference[], unsure: Unsure): PartyDraft {
  const byCode = (of: Directory["of"]) => codes.find((code) => code.of === of)?.value;
  const participant = party?.name ?? byCode("participant");
  const address = party !== undefined && hasAddress(party) ? `${party.name}Address` : byCode("address");
  if (participant === undefined) unsure.say("documents: no column names who owns them; write `participant` by hand");
  if (address === undefined) unsure.say("documents: no columns hold an address; write `address` by hand");
  return { participant: participant ?? { id: "?" }, address: address ?? { id: "?" } };
}
