/** From the columns of one table to the records that its rows make. */
import { foldName } from "../model/fold.js";
import type { Column } from "./column.js";
import { Block, type Candidate, type Decisions, type Flow, type Member } from "./decisions.js";
import { findDocumentKey } from "./documents.js";
import { writeLong, writeWide } from "./events.js";
import {
  codeColumn,
  type Directory,
  findByName,
  findParties,
  hasAddress,
  keyRef,
  type Party,
  ref,
  references,
  writeAddress,
  writeParticipant,
} from "./parties.js";
import { nameOf } from "./words.js";

export interface InputDraft {
  name: string;
  columns: readonly Column[];
  /** Conditions under which a row is skipped, without their `=`. */
  skip: string[];
  rowsWithoutEvents: Member[];
  records: { participants: Member[]; addresses: Member[]; documents: Member[]; events: Member[] };
  /** Open decisions that belong to no record. */
  above: string[];
}

export interface Shared {
  country: string;
  decisions: Decisions;
  /** What tables before this one have. */
  directories: Directory[];
}

/** Tables of organisations and of places are referred to by code, so that they come before those of documents. */
export const tableKinds = ["organisations", "places", "documents"] as const;

export function kindOf(columns: readonly Column[]): (typeof tableKinds)[number] {
  const times = columns.filter(({ type, role }) => type.as === "timestamp" && role !== "personal");
  const ids = columns.filter(({ type }) => type.as === "taxId");
  const single = ids.some(({ distinct, cells }) => distinct.size > 2 && distinct.size === cells.length);
  if (times.length > 0 && !(single && times.every(({ role }) => role === "created"))) return "documents";
  if (ids.length > 0) return "organisations";
  return ["street", "city"].every((role) => columns.some((one) => one.role === role)) ? "places" : "documents";
}

/** Fills the draft's records. */
export function draftRecords(draft: InputDraft, shared: Shared): void {
  const kind = kindOf(draft.columns);
  const code = codeColumn(draft.columns);
  if (kind === "documents") draftDocuments(draft, shared);
  else if (kind === "places") draftPlaces(draft, code, shared);
  else {
    const [first] = draftParties(draft, findParties(draft.columns, shared.decisions), code, shared);
    if (code !== null && first !== undefined)
      shared.directories.push({ record: first.name, of: "participant", codes: code.distinct });
  }
}

/** Writes them, with the addresses that their columns tell. `code`: by which other tables refer to the first. */
function draftParties({ records }: InputDraft, parties: Party[], code: Column | null, shared: Shared): Party[] {
  const { country, decisions } = shared;
  const above = decisions.take();
  if (parties.length > 0)
    decisions.notes.add("participants: COMPANY and PERSON are written; the service's list of kinds is not shown");
  for (const [position, party] of parties.entries()) {
    const key = position === 0 ? code : null;
    records.participants.push(writeParticipant(party, key, country, position === 0 ? above : []));
    if (hasAddress(party))
      records.addresses.push(writeAddress(`${party.name}_address`, party.columns, party.name, key, shared));
  }
  return parties;
}

/** A table of places, each of which names its organisation by code. */
function draftPlaces(draft: InputDraft, code: Column | null, shared: Shared): void {
  const { directories, decisions } = shared;
  const { columns, records, name } = draft;
  const owner = references(columns, directories).find(({ of, column }) => of === "participant" && column !== code);
  if (owner === undefined) {
    const candidates = [{ value: null, label: "write `addresses:` by hand" }];
    decisions.choose(
      `${name}.owner`,
      "whose places are these? No column names an organisation of these files.",
      candidates,
      false,
    );
    draft.above.push(...decisions.take());
    return;
  }
  const roles: Party["columns"] = {};
  for (const column of columns)
    if (column.role !== null && column !== code && column !== owner.column) roles[column.role] ??= column;
  records.addresses.push(writeAddress("place", roles, owner.write(), code, shared));
  if (code !== null) directories.push({ record: "place", of: "address", codes: code.distinct });
}

/** A table of documents and their events. */
function draftDocuments(draft: InputDraft, shared: Shared): void {
  const { name, columns, records } = draft;
  const { decisions } = shared;
  const key = findDocumentKey(columns, name, decisions);
  const above = decisions.take();
  const byId = findParties(columns, decisions);
  if (key === null) {
    draft.above.push(...above);
    draftParties(draft, byId, null, shared);
    return;
  }
  const document = nameOf(key.column.header, "document");
  const codes = references(columns, shared.directories);
  const named = byId.length > 0 || codes.some(({ of }) => of === "participant");
  const parties = draftParties(draft, named ? byId : findByName(columns, name, decisions), null, shared);
  const follows = ({ identity }: Party) => identity !== null && key.follows.has(identity);
  const owner = parties.find(follows) ?? parties[0];
  const acting = key.long ? parties.find((party) => party !== owner && !follows(party)) : undefined;
  const refer = (of: Directory["of"]) => codes.find((one) => one.of === of)?.write();
  const place = (party: Party | undefined): Flow => {
    const at = party !== undefined && hasAddress(party) ? party : parties.find(hasAddress);
    if (at !== undefined) return `${at.name}_address`;
    const coded = refer("address");
    if (coded !== undefined || owner === undefined) return coded ?? "?";
    if (records.addresses.length === 0)
      records.addresses.push(writeAddress(`${owner.name}_address`, owner.columns, owner.name, null, shared));
    return `${owner.name}_address`;
  };
  const participant = owner?.name ?? refer("participant") ?? "?";
  const address = place(owner);

  const times = columns.filter(
    ({ type, filled, role }) => type.as === "timestamp" && filled > 0 && role !== "personal",
  );
  const before = times.filter((column) => key.follows.has(column));
  const created = before.find(({ role }) => role === "created") ?? (key.long ? before[0] : undefined);
  const own = times.filter((column) => column !== created && (!key.long || !key.follows.has(column)));
  const happened = own.length > 0 ? own : times;
  if (key.long && happened.length > 0) skipUndated(draft, happened);
  const isPublic = columns.find(({ type, role }) => type.as === "boolean" && role === "public");
  const taken = new Set<Column | null | undefined>([
    key.column,
    isPublic,
    ...times,
    ...codes.filter(({ column }) => column.used).map(({ column }) => column),
  ]);
  for (const { identity, columns: its } of parties)
    for (const column of [identity, ...Object.values(its)]) taken.add(column);
  for (const { clock } of columns) taken.add(clock);
  const free = columns.filter((column) => !taken.has(column) && column.distinct.size > 0);
  const firstTime = happened[0]?.index ?? Number.POSITIVE_INFINITY;
  const ofDocument = free.filter((column) => (key.long ? key.follows.has(column) : column.index < firstTime));
  const fields: [string, Flow][] = ofDocument.map((column) => [column.name, ref(column)]);
  if (fields.length > 0)
    decisions.notes.add(
      "fields: the service's list of document fields is not shown; rename them to those that yours knows, or remove them",
    );
  if (created !== undefined && own.length > 0) fields.push(["externalCreatedAt", ref(created)]);
  const block = new Block([{ name: "key", value: keyRef(key.column) }]);
  block.add("participant", participant);
  block.add("address", address);
  if (fields.length > 0) block.add("fields", Object.fromEntries(fields));
  records.documents.push({ name: document, value: block, above });
  const defaults: { [name: string]: Flow } = { isPublic: isPublic === undefined ? false : ref(isPublic) };
  if (acting !== undefined) Object.assign(defaults, { participant: acting.name, address: place(acting) });
  const rest = free.filter((column) => !ofDocument.includes(column));
  const table = { input: name, document, key, columns, times: happened, free: rest, defaults, decisions };
  if (happened.length === 0) askWhen(draft, decisions);
  else records.events.push(...(key.long ? writeLong(table) : writeWide(table)));
  const undated = key.column.values.filter(
    (value, row) => value !== "" && happened.every((time) => time.values[row] === ""),
  ).length;
  if (key.long || undated === 0 || happened.length === 0) return;
  const choices = ["allow", "refuse"].map((value) => ({
    value,
    label: `${value === "allow" ? "documents to come" : "mistakes"}: \`${value}\``,
  }));
  const value = decisions.choose(
    `${name}.undated`,
    `what are rows without any date (${undated} of those seen)?`,
    choices,
    false,
  );
  draft.rowsWithoutEvents.push({ name: "rowsWithoutEvents", value, above: decisions.take() });
}

/** No event, although there may be days: a birth date or a due date is none unless a person says so. */
function askWhen({ name, columns, above, records }: InputDraft, decisions: Decisions): void {
  const candidates: Candidate<Column | null>[] = [{ value: null, label: "nothing tells, and no event is written" }];
  for (const value of columns)
    if (value.type.as === "timestamp")
      candidates.push({ value, label: `"${value.header}"`, why: "its header speaks of a birth, or of a day to come" });
  const time = decisions.choose(`${name}.time`, "when did something happen?", candidates, false);
  if (time === null) above.push(...decisions.take());
  else
    records.events.push({
      name: "event",
      value: { name: "Event", key: "once", externalCreatedAt: ref(time), isPublic: false },
      above: decisions.take(),
    });
}

/** Rows of one status (drafts, say) that have no time, while all others have one, are skipped. */
function skipUndated({ columns, skip }: InputDraft, times: readonly Column[]): void {
  const undated = (row: number) => times.every((time) => time.values[row] === "");
  const all = [...(times[0]?.values.keys() ?? [])].filter(undated).length;
  for (const column of columns)
    for (const value of column.type.as === "text" && column.distinct.size < 11 ? column.distinct : []) {
      const rows = [...column.values.keys()].filter((row) => column.values[row] === value);
      const without = rows.filter(undated).length;
      if (without < 2 || without < rows.length * 0.9 || without < all * 0.6 || column.distinct.size < 2) continue;
      skip.push(`fold(${ref(column).slice(1)}) == ${JSON.stringify(foldName(value))}`);
      return;
    }
}
