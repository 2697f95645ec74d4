/** Turns the columns of a table into records. */
import { foldName } from "../model/fold.js";
import {
  agree,
  CHANCE,
  type Column,
  DAY,
  filledWith,
  groupsOf,
  headersOf,
  instantsOf,
  isCoded,
  isPlain,
  odds,
} from "./column.js";
import type { Candidate, Decisions } from "./decisions.js";
import { lineEvent, longEvents, recorded, rowEvents, titleOf, wideEvents } from "./events.js";
import { findOrders, type Orders } from "./orders.js";
import {
  address,
  addressOf,
  codeColumn,
  type Directory,
  findByName,
  findParties,
  hasAddress,
  participant,
  type Party,
  ref,
  reference,
} from "./parties.js";
import { Said, type Tree, type Trees } from "./tree.js";
import { foldHeader, nameOf, namesParty, type Role } from "./words.js";

export interface InputDraft {
  name: string;
  columns: readonly Column[];
  skip: string[];
  /** The key of documents whose lines are rows. */
  group?: Said;
  rowsWithoutEvents?: Said;
  records: Trees;
  above: string[];
}

export interface Shared {
  country: string;
  decisions: Decisions;
  directories: Directory[];
  /** The documents of earlier inputs in which each row is a document. */
  documents: { record: string; input: string; key: Column }[];
}

/** Organisations and places come first, because documents refer to them by code. */
export const tableKinds = ["organisations", "places", "documents"] as const;

export function kindOf(columns: readonly Column[]): (typeof tableKinds)[number] {
  const times = timesOf(columns);
  const ids = columns.filter((column) => column.ids);
  const isOwn = ({ distinct, cells }: Column) => distinct.size > 2 && distinct.size === cells.length;
  // Each customer may have a single order in a short file: a number of its own tells the order from its customer.
  const isNumbered = columns.some((column) => column.role === "document" && column.filled === 1 && isOwn(column));
  const isRegister = ids.some(isOwn) && !isNumbered && times.every(({ role }) => role === "created");
  if (times.length > 0 && !isRegister) return "documents";
  if (ids.length > 0) return "organisations";
  return ["street", "city"].every((role) => columns.some((one) => one.role === role)) ? "places" : "documents";
}

const timed = (columns: readonly Column[]) => columns.filter(({ dates }) => dates);
const timesOf = (columns: readonly Column[]) => timed(columns).filter(({ role }) => role !== "personal");

/** Whether the other column says the same, with the time of day: `Date` and `Date Time`. */
function isDayOf(day: Column, other: Column): boolean {
  if (!day.dates || !other.dates || day.clock.length > 0) return false;
  if (foldHeader(titleOf(day)) !== foldHeader(titleOf(other))) return false;
  const times = instantsOf(other.cells, other.dates);
  const past = [...instantsOf(day.cells, day.dates)].map(([row, at]) => (times.get(row) ?? NaN) - at);
  return past.every((time) => time >= 0 && time < DAY) && (other.clock.length > 0 || past.some((time) => time > 0));
}

export function draftRecords(draft: InputDraft, shared: Shared): void {
  const { name, columns, records } = draft;
  const { decisions, directories } = shared;
  const kind = kindOf(columns);
  if (kind === "documents") return draftDocuments(draft, shared);
  const parties = kind === "organisations" ? findParties(columns, decisions) : [];
  const code = codeColumn(columns, parties[0]);
  if (kind === "organisations") {
    const [first] = draftParties(records, parties, code, shared);
    if (code === null || first === undefined) return;
    directories.push({ record: first.name, of: "participant", codes: code.distinct });
    if (hasAddress(first)) directories.push({ record: addressOf(first), of: "address", codes: code.distinct });
    return;
  }
  const owner = reference(
    "participant",
    columns.filter((column) => column !== code),
    directories,
  );
  if (owner === undefined) {
    const question = "whose places are these? No column names an organisation in these files.";
    decisions.choose(`${name}.owner`, question, [{ value: null, label: "write `addresses:` by hand" }]);
    draft.above.push(...decisions.take());
    return;
  }
  const roles: Party["columns"] = {};
  for (const column of columns)
    if (column.role !== null && column !== code && ref(column) !== owner["key"]) roles[column.role] ??= column;
  records["addresses"] = { place: address("place", { columns: roles, owner, code }, shared) };
  if (code !== null) directories.push({ record: "place", of: "address", codes: code.distinct });
}

function draftParties(records: Trees, parties: Party[], code: Column | null, shared: Shared): Party[] {
  const participants: Trees = {};
  const addresses: Trees = {};
  for (const [position, party] of parties.entries()) {
    const own = position === 0 ? code : null;
    const written = participant(party, own, { country: shared.country, isOne: parties.length > 1 });
    participants[party.name] = new Said(written, shared.decisions.take());
    if (!hasAddress(party)) continue;
    const name = addressOf(party);
    const place = { columns: party.columns, owner: party.name, code: own, when: written["when"] };
    addresses[name] = address(name, place, shared);
  }
  if (parties.length > 0) {
    records["participants"] = participants;
    shared.decisions.notes.add(
      "participants: COMPANY and PERSON are assumed; check that your service knows these types",
    );
  }
  if (Object.keys(addresses).length > 0) records["addresses"] = addresses;
  return parties;
}

const placeRoles = ["placeName", "street", "number", "zipCode", "city", "state"] as const;

function draftDocuments(draft: InputDraft, shared: Shared) {
  const { name, records } = draft;
  const { decisions, directories } = shared;
  const orders = findOrders(draft.columns, name, decisions);
  const columns = orders?.columns ?? draft.columns;
  if (orders !== null) draft.group = new Said(ref(orders.key), decisions.take());
  const key = orders === null ? findDocumentKey(columns, name, decisions) : keyOfOrders(orders);
  const above = decisions.take();
  const byId = findParties(columns, decisions);
  if (key === null) {
    draft.above.push(...above);
    draftParties(records, byId, null, shared);
    return;
  }
  const home = homeOf(key.column, draft, shared);
  above.push(...decisions.take());
  if (home !== null)
    decisions.notes.add(
      `${name}: its "${key.column.header}" names the documents of ${home.input} ("${home.key.header}")`,
    );
  const all = timesOf(columns).filter(({ filled }) => filled > 0);
  const dated = all.filter((day) => !all.some((time) => isDayOf(day, time)));
  if (home !== null && dated.length === 0) {
    records["documents"] = { [home.record]: new Said({ mode: "existing", key: ref(key.column) }, above) };
    decisions.notes.add(
      `${name}: to make events of its rows, give them a time; a CSV file of ${home.input} under \`tables:\` lets formulas look it up by "${home.key.header}"`,
    );
    return askWhen(draft, timed(columns), decisions);
  }
  const coded = reference("participant", columns, directories);
  // The `Name` of an order is nobody's name.
  const others = orders === null ? columns : columns.filter((column) => column !== key.column);
  const named = byId.length > 0 || coded !== undefined ? byId : findByName(others, name, decisions);
  const parties = draftParties(records, named, null, shared);
  const follows = ({ identity }: Party) => identity !== null && depends(identity, key);
  const owner = ownerOf(parties, key, name, decisions);
  above.push(...decisions.take());
  const isMoving = (party: Party | undefined) =>
    placeRoles.some((role) => {
      const column = party?.columns[role];
      return column !== undefined && agree(groupsOf(key.column), column) === false;
    });
  const isActing = (party: Party) => party !== owner && !follows(party) && (party.identity?.filled ?? 1) >= 0.9;
  const acting = key.long ? parties.find(isActing) : undefined;
  const placeOf = (party: Party | undefined): Tree => {
    const at = party !== undefined && hasAddress(party) ? party : parties.find(hasAddress);
    if (at !== undefined) return addressOf(at);
    const place = reference("address", columns, directories);
    if (place !== undefined) return place;
    const placed = parties.find(({ columns: some }) => some.street !== undefined) ?? owner;
    const unknown = placed === undefined ? "place" : addressOf(placed);
    const own = { columns: placed?.columns ?? {}, owner: placed?.name ?? coded ?? "?", code: null };
    records["addresses"] ??= { [unknown]: address(unknown, own, shared) };
    return unknown;
  };
  const document: Trees = {
    mode: home === null ? undefined : "existing",
    key: key.parts.length === 1 ? ref(key.column) : key.parts.map(ref),
    participant: owner?.name ?? coded ?? "?",
    address: placeOf(owner),
  };
  const { created, happened } = momentsOf(dated, key);
  for (const { header, name: of, as } of columns.filter((one) => DELETED.test(foldHeader(one.header))))
    decisions.notes.add(
      `skip: "${header}" may mark deleted rows, which are sent like any others; \`skip: =${as === "boolean" ? of : `filled(${of})`}\` leaves them out`,
    );
  const isPublic = columns.find(({ as, role }) => as === "boolean" && role === "public");
  if (isPublic !== undefined)
    decisions.notes.add(`isPublic: "${isPublic.header}" decides which events everyone can see`);
  const defaults: Trees = { isPublic: isPublic === undefined ? false : ref(isPublic) };
  if (acting !== undefined) Object.assign(defaults, { participant: acting.name, address: placeOf(acting) });
  else if (key.long && isMoving(parties.find((one) => addressOf(one) === document["address"]))) {
    defaults["address"] = document["address"];
    decisions.notes.add("address: the rows of a document name different places, so each event takes place at its own");
  }
  if (key.long && happened.length > 0) skipUndated(draft, happened, decisions);

  const { used } = mentioned(columns, { document, defaults, records });
  const taken = (column: Column) =>
    used.has(column) ||
    // If the time of a change were sent, every row that was touched would count as changed.
    dated.includes(column) ||
    ROW_VERSION.test(foldHeader(column.header)) ||
    column.distinct.size === 0 ||
    columns.some(({ clock }) => clock.includes(column));
  const free = columns.filter((column) => !taken(column));
  const firstTime = happened[0]?.index ?? Number.POSITIVE_INFINITY;
  // Two salaries of one person may agree by chance, and next month's differs; a document has one value.
  const isOwn = (column: Column) =>
    key.follows.has(column) && (!column.numbers || odds(groupsOf(key.column), column) < CHANCE);
  const ofDocument = free.filter((column) => home === null && (key.long ? isOwn(column) : column.index < firstTime));
  const fields: Trees = Object.fromEntries(ofDocument.map((column) => [column.name, ref(column)]));
  if (ofDocument.length > 0)
    decisions.notes.add("fields: rename the document fields to those that your service knows, or remove them");
  if (home === null && created !== undefined) fields["externalCreatedAt"] = ref(created);
  if (Object.keys(fields).length > 0) document["fields"] = fields;
  const record = home?.record ?? nameOf(key.column.header, "document");
  if (!key.long && key.parts.length === 1) shared.documents.push({ record, input: name, key: key.column });
  records["documents"] = { [record]: new Said(document, above) };
  const rest = free.filter((column) => !ofDocument.includes(column));
  const lines = orders?.lines ?? [];
  const ofLines = timesOf(lines).filter(({ filled }) => filled > 0);
  if (happened.length === 0 && ofLines.length === 0) return askWhen(draft, timed(columns), decisions);
  const ahead = timed(columns).filter(({ role }) => role === "personal");
  if (ahead.length > 0)
    decisions.notes.add(
      `events: none is made from ${headersOf(ahead)}: a plan, a deadline or a birthday is not an event`,
    );
  const table = { input: name, document: record, key, columns, times: happened, free: rest, defaults, decisions };
  const events = key.long ? longEvents(table) : wideEvents(table);
  records["events"] = events;
  if (orders !== null && lines.length > 0) {
    const ofLine = { ...table, columns: lines, key: { ...key, column: orders.lineKey } };
    const unsaid = lines.filter((column) => !ofLines.includes(column));
    const ofRows =
      ofLines.length > 0
        ? rowEvents({ ...ofLine, times: ofLines, free: unsaid })
        : { item: lineEvent({ ...ofLine, free: unsaid }) };
    for (const [event, written] of Object.entries(ofRows))
      events[events[event] === undefined ? event : `${event}_of_row`] = written;
  }
  if (!key.long && happened.length > 0) askUndated(draft, key.column, happened, decisions);
}

/** When a document was created, where its events do not say so, and when these took place. */
function momentsOf(dated: readonly Column[], { long, follows }: DocumentKey) {
  const isChange = ({ header }: Column) => !long && recorded.test(foldHeader(header));
  // A document that was changed need not have progressed.
  const times = dated.every(isChange) ? dated : dated.filter((column) => !isChange(column));
  const before = times.filter((column) => follows.has(column));
  const created = before.find(({ role }) => role === "created") ?? (long ? before[0] : undefined);
  const own = times.filter((column) => column !== created && (!long || !follows.has(column)));
  // A time that only some rows have says nothing about the others, so the creation is an event too.
  const isWhole = own.some(({ filled }) => (long ? filled >= 0.5 : filled === 1));
  const happened = own.length > 0 && isWhole ? own : times;
  return { created: created !== undefined && happened.includes(created) ? undefined : created, happened };
}

/** As Protheus, Salesforce and people name it. */
const DELETED = /^(?:is |flag )?(?:d e l e t|deleted|excluid[oa]|eliminad[oa]|geloscht|supprimee?)$/;

/** As Dynamics and SQL Server write them: they change whenever their row does. */
const ROW_VERSION = /\b(?:checksum|row ?version|etag)\b/;

/** The earlier input whose documents these are, because it has all of these keys. */
function homeOf({ header, distinct }: Column, { name }: InputDraft, { documents, decisions }: Shared) {
  const words = (text: string) =>
    foldHeader(text)
      .split(" ")
      .filter((word) => word.length > 3);
  const candidates = documents
    .filter(({ key }) => [...distinct].every((value) => key.distinct.has(value)))
    .map((value): Candidate<Shared["documents"][number] | null> => {
      const isAlike = words(header).some((word) => words(value.key.header).includes(word));
      const label = `those of "${value.key.header}" in ${value.input}`;
      return { value, label, why: `all ${distinct.size} are there`, score: isAlike && distinct.size > 1 ? 2 : 1 };
    });
  if (candidates.length === 0) return null;
  const own = { value: null, label: "its own" };
  return decisions.choose(`${name}.home`, `which documents does "${header}" name?`, [...candidates, own]);
}

const depends = (identity: Column, key: DocumentKey) =>
  key.follows.has(identity) || (identity.either !== undefined && agree(groupsOf(key.column), identity) !== false);

/** Carriers act on documents, and own none. */
const carrying = /^(transport|carrier|spedit)/;

/** The one that all rows of a document share, or that a person names. */
function ownerOf(parties: readonly Party[], key: DocumentKey, input: string, decisions: Decisions): Party | undefined {
  if (parties.length < 2) return parties[0];
  const able = parties.filter(({ name, identity }) => !carrying.test(name) && (identity?.filled ?? 1) >= 0.9);
  const shared = key.long ? able.filter(({ identity }) => identity !== null && depends(identity, key)) : able;
  const candidates = parties.map((value): Candidate<Party> => {
    const score = !shared.includes(value) ? 0 : shared.length === 1 ? 2 : hasAddress(value) ? 1 : 0.5;
    const { header, nth } = value.identity ?? {};
    return { value, label: `"${header}"${nth === undefined ? "" : ` (${nth})`}`, score };
  });
  return decisions.choose(`${input}.owner`, "who owns the document?", candidates);
}

export function mentioned(
  columns: readonly Column[],
  records: Trees,
): {
  used: Set<Column>;
  keys: Set<Column>;
  /** Those that say when an event took place. */
  instants: Set<Column>;
} {
  const found = { used: new Set<Column>(), keys: new Set<Column>(), instants: new Set<Column>() };
  const byName = new Map(columns.map((column) => [column.name, column]));
  const visit = (name: string, tree: Tree) => {
    if (tree instanceof Said) visit(name, tree.value);
    else if (typeof tree === "string" && (tree.startsWith("=") || name === "by")) {
      const formula = tree.replaceAll('\\"', "").replace(/"[^"]*(?:"|$)/g, "");
      for (const [word] of formula.matchAll(/(?<![\w.])[a-z]\w*\b(?!\()/g)) {
        const column = byName.get(word) ?? byName.get(word.replace(/_at$/, ""));
        for (const one of [column, ...(column?.clock ?? []), column?.typeFrom])
          if (one !== undefined) found.used.add(one);
        if (column !== undefined && /^(key|taxId)$/.test(name)) found.keys.add(column);
        if (column !== undefined && name === "externalCreatedAt") found.instants.add(column);
      }
    } else if (typeof tree === "object" && tree !== null)
      for (const [member, value] of Object.entries(tree)) visit(Array.isArray(tree) ? name : member, value);
  };
  visit("", records);
  return found;
}

export interface DocumentKey {
  column: Column;
  /** What the key is made from, if it is more than the column. */
  parts: readonly Column[];
  /** Each row is an event of a document that may have several rows; else a row is a document. */
  long: boolean;
  /** Its rows agree in other columns. */
  isGroup: boolean;
  /** Columns that depend on the key; if a row is a document, all others. */
  follows: Set<Column>;
}

/** Such columns vary by day or belong to others, so they cannot name a document. */
const never = new Set<Role | null>(
  "taxId street number city state zipCode neighborhood complement latitude longitude country name related phone amount goods position personal time public reason placeName taxIdType eventType status unit duration".split(
    " ",
  ) as Role[],
);

/** As Dynamics and SQL Server write one; other text in braces is JSON. */
const GUID = /^\{[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\}$/i;

/** Scores that leave the decision open; what no two rows share comes before what only groups them. */
const UNSURE = 1.5;
const GROUPING = 0.9;

/** A column that others depend on, or that is unique. Null: there is none, or a person said so. */
function findDocumentKey(columns: readonly Column[], input: string, decisions: Decisions): DocumentKey | null {
  const able = columns.filter((column) => isPlain(column) && column.distinct.size > 0);
  const none = { value: null, label: "none: rows are not documents", score: 0.45 };
  const weighed = able.map((column) => weigh(column, columns));
  const likely = [...pairsOf(weighed, columns), ...weighed.filter(({ score }) => score >= none.score)];
  const samples = likely.flatMap(({ value }) => value.column.cells.slice(0, 2).map(({ text }) => text));
  const candidates: Candidate<DocumentKey | null>[] = likely.length === 0 ? [none, ...weighed] : [...likely, none];
  return decisions.choose(`${input}.key`, "which column names the document?", candidates, samples);
}

/** Roles of columns that say which of several counters a number is of. */
const counters = new Set<Role | null>(["series", "placeName"]);

/** `[filial, nota]`, where the number repeats or has a series; `[data, senha]`, where it may begin again every day. */
function pairsOf(weighed: readonly Candidate<DocumentKey>[], columns: readonly Column[]): Candidate<DocumentKey>[] {
  const [best] = weighed.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0));
  if (best === undefined || (best.score ?? 0) <= 0) return [];
  const { column: number, long, isGroup } = best.value;
  const ofCounter = (one: Column) =>
    !isGroup &&
    (best.score ?? 0) >= 1 &&
    one.distinct.size > 1 &&
    (long ? counters.has(one.role) : one.role === "series");
  const isDaily = countsFromOne(number);
  const others = columns
    .filter((one) => one !== number && one.filled === 1)
    .flatMap((one) => {
      if (!isDaily || !one.dates) return ofCounter(one) ? one : [];
      const day = withoutClock(one);
      return day.distinct.size * 2 > number.cells.length ? [] : day;
    });
  for (const one of others) {
    const values = number.values.map((value, row) => (value === "" ? "" : `${one.values[row]}\n${value}`));
    const column = { ...number, ...filledWith(values, number.cells) };
    if (column.distinct.size < number.cells.length) continue;
    const follows = new Set(columns.filter(({ name }) => name !== one.name && name !== number.name));
    const value = { column, parts: [one, number], long: false, isGroup: false, follows };
    const why = `no two of ${number.cells.length} rows share both`;
    // In the file of one day nothing shows that it begins again.
    const score = one.distinct.size === 1 ? (best.score ?? 0) - 0.1 : Math.max(1, best.score ?? 0) + 0.1;
    return [{ value, label: `"${one.header}" and "${number.header}"`, why, score }];
  }
  return [];
}

/** A date, of which the time of day beside it is no part. */
function withoutClock(date: Column): Column {
  const texts = new Map(date.cells.map(({ row, text }) => [row, text]));
  const values = date.values.map((_, row) => texts.get(row) ?? "");
  return { ...date, clock: [], ...filledWith(values, date.cells) };
}

/** 1, 2, 3 … to the last, in whatever order. */
function countsFromOne({ distinct }: Column): boolean {
  if (distinct.size < 3 || ![...distinct].every((text) => /^\d{1,7}$/.test(text))) return false;
  const numbers = [...distinct].map(Number);
  return Math.min(...numbers) === 1 && Math.max(...numbers) === numbers.length;
}

function keyOfOrders({ key, columns }: Orders): DocumentKey {
  const follows = new Set(columns.filter((column) => column !== key));
  return { column: key, parts: [key], long: false, isGroup: true, follows };
}

/** The number of a line in a history, beside the document that has several: no two rows share it, and it names none. */
const OF_ROW =
  /^(id|(change|event|evento|log|line|row|history|audit|activity) id|id (d[oa] )?(evento|log|linha|registro|movimento|historico))$/;

const isRepeated = ({ role, filled, distinct, cells }: Column): boolean =>
  role === "document" && filled >= 0.9 && distinct.size < cells.length;

function weigh(column: Column, columns: readonly Column[]) {
  const { distinct, cells, header, role, numbers, filled } = column;
  const groups = groupsOf(column);
  const others = columns.filter((other) => other !== column && other.distinct.size > 0);
  const follows = new Set(others.filter((other) => other.filled >= 0.9 && agree(groups, other) === true));
  const coded = isCoded(column);
  // `Gross` and `Tara` are less than the ticket next to them.
  const less = role === "ticket" ? 0.4 : role !== null ? 0 : numbers ? 0.3 : 0.5;
  const word = role === "document" ? 3 : !coded ? 0 : role === "code" ? 1 : less;
  const single = distinct.size === cells.length && cells.length > 2;
  // A column with a single value depends on everything.
  const telling = [...follows].filter((other) => other.distinct.size > 1).length;
  // On average three rows to two documents, with times that differ within a document.
  const isTimed = timesOf(others).length > 0 && timed(others).some((one) => !follows.has(one));
  const several =
    groups.size > 1 &&
    groups.size * 1.5 <= cells.length &&
    isTimed &&
    telling >= (word >= 1 || role === "ticket" ? 1 : 2);
  const why = several
    ? `groups ${cells.length} rows into ${groups.size}; ${telling} ${telling === 1 ? "column follows" : "columns follow"} from it`
    : single
      ? `no two of ${cells.length} rows share it${countsFromOne(column) ? ", but it counts from 1, and may begin again in the next file" : ""}`
      : `${distinct.size === 1 ? "one value" : `${distinct.size} values`} in ${cells.length} rows`;
  const long = distinct.size < cells.length;
  const value: DocumentKey = {
    column,
    parts: [column],
    long,
    isGroup: several,
    follows: long ? follows : new Set(others),
  };
  const counted = numbers === undefined ? column.hour === undefined : numbers.whole && numbers.units.length === 0;
  const isShort = (text: string) => text.length <= 60 && (GUID.test(text) || !/.@.|^[[{]/.test(text));
  const able = counted && filled >= 0.9 && !never.has(role) && [...distinct].every(isShort);
  // A number that repeats names no document unless something follows from it, and not by chance.
  const isSure = !long || [...follows].some((other) => odds(groups, other) < CHANCE);
  // All rows of tomorrow's file may have it too: a shop, or the word for an invoice.
  const constant = groups.size === 1 && cells.length > 2 ? 0.6 : 1;
  const named = (isSure ? word : Math.min(word, UNSURE)) * constant;
  const namesRow = OF_ROW.test(foldHeader(header)) && columns.some((one) => one !== column && isRepeated(one));
  // Products, rooms and merchants group rows too, and what is known of them follows from them.
  const follow = word + 1 + Math.min(2, telling / 2);
  const grouped = word > 1 || (coded && isSure) ? follow : word === 1 ? Math.min(follow, UNSURE) : GROUPING;
  const score = several ? grouped : named + (single && !namesRow ? 1 : 0);
  // The name of an organisation, or what a header such as "Customer ID" says: its documents have others.
  const isName =
    !coded && role !== "document" && columns.some((one) => one.ids && follows.has(one) && agree(groupsOf(one), column));
  const isOfParty = role !== "document" && namesParty(header);
  return { value, label: `"${header}"`, why, score: !able || isName ? 0 : isOfParty ? Math.min(score, 1) : score };
}

/** A birthday or a due date is not an event unless a person says so. `days`: of the documents; none without documents. */
export function askWhen({ name, above, records }: InputDraft, days: readonly Column[], decisions: Decisions) {
  const why = "its header suggests a birthday or a future date";
  const candidates = [
    { value: null, label: "only what is written below is registered" },
    ...days.map((value) => ({ value, label: `"${value.header}"`, why })),
  ];
  const question = "what happened, and when? No column says, so the draft has no event.";
  const time = decisions.choose<Column | null>(`${name}.time`, question, candidates);
  if (time === null) above.push(...decisions.take());
  else {
    const event = { name: "Event", key: "once", externalCreatedAt: ref(time), isPublic: false };
    records["events"] = { event: new Said(event, decisions.take()) };
  }
}

function askUndated(draft: InputDraft, { values }: Column, times: readonly Column[], decisions: Decisions) {
  const undated = values.filter((value, row) => value !== "" && times.every((time) => time.values[row] === "")).length;
  if (undated === 0) return;
  const candidates = [
    { value: "allow", label: "documents to come: `allow`" },
    { value: "refuse", label: "mistakes: `refuse`" },
  ];
  const question = `what are rows without any date (${undated} of those seen)?`;
  const value = decisions.choose(`${draft.name}.undated`, question, candidates);
  draft.rowsWithoutEvents = new Said(value, decisions.take());
}

/** Other columns say whose the rows are, and where; that they have no time yet may change any day. */
const telling = new Set<Role | null>([null, "status", "category", "eventType"]);

/** Skips rows of one status (drafts, say) that have no time while all others have one. */
function skipUndated({ columns, skip }: InputDraft, times: readonly Column[], decisions: Decisions) {
  const undated = (row: number) => times.every((time) => time.values[row] === "");
  const all = [...(times[0]?.values.keys() ?? [])].filter(undated).length;
  for (const column of columns.filter(({ role }) => telling.has(role)))
    for (const value of column.as === "text" && column.distinct.size < 11 ? column.distinct : []) {
      const rows = groupsOf(column).get(value) ?? [];
      const without = rows.filter(undated).length;
      if (without < 2 || without < rows.length * 0.9 || without < all * 0.6 || column.distinct.size < 2) continue;
      const blank = times.map((time) => `blank(${ref(time).slice(1)})`).join(" && ");
      skip.push(`fold(${column.name}) == ${JSON.stringify(foldName(value))} && ${blank}`);
      decisions.notes.add(`skip: rows without a time whose "${column.header}" is "${value}" are skipped`);
      return;
    }
}
