/** Participants and addresses of a table: tax id columns, or names where there are none, and the columns that belong to each. */
import { agree, type Column, groupsOf } from "./column.js";
import type { Decisions, Flow, Member } from "./decisions.js";
import { nameOf, qualifiersOf, type Role, sameStem } from "./words.js";

export interface Party {
  /** Name of the participant in the mapping. */
  name: string;
  /** The column that tells one from another; null: every row has the same party. */
  identity: Column | null;
  columns: Partial<Record<Role, Column>>;
}

/** A table of organisations or places that rows of other tables refer to by code. */
export interface Directory {
  /** Name of its record in the mapping. */
  record: string;
  of: "participant" | "address";
  codes: ReadonlySet<string>;
}

/** Roles of columns that describe a party. */
const partyRoles = new Set<Role | null>(
  "name placeName street number complement neighborhood zipCode city state country latitude longitude taxIdType".split(
    " ",
  ) as Role[],
);
const extended = ["complement", "neighborhood", "zipCode", "latitude", "longitude"] as const;

/** The formula of a column, which the draft then uses. */
export function ref(column: Column): string {
  column.used = true;
  if (column.clock === null) return `=${column.name}`;
  column.clock.used = true;
  return `=${column.name}_at`;
}

/** As part of a key or a reference: digits are a name there. */
export function keyRef(column: Column): string {
  if (column.type.as === "number") column.type = { as: "text", why: "part of a key" };
  return ref(column);
}

/** The parties of a table by tax id, in the order of the columns. */
export function findParties(columns: readonly Column[], decisions: Decisions): Party[] {
  const ids = columns.filter(({ type }) => type.as === "taxId");
  const parties = assign(columns, ids);
  for (const { name, columns: own } of parties)
    if (own.name === undefined)
      decisions.notes.add(`participant ${name}: no column holds its name; the tax id stands in for it`);
  return parties;
}

/** Without a tax id: a name, of which a person says whether it is the owner's. */
export function findByName(columns: readonly Column[], input: string, decisions: Decisions): Party[] {
  const named = columns.filter(({ role, type, filled }) => role === "name" && type.as === "text" && filled >= 0.8);
  const candidates: { value: Column | null; label: string; why?: string }[] = named.map((value) => {
    const why = "its text stands in for a tax id, so that a lost answer cannot be looked up";
    return { value, label: `"${value.header}"`, why };
  });
  candidates.push({ value: null, label: 'one for all rows, to be written in the place of "?"' });
  const samples = named.flatMap(({ cells }) => cells.slice(0, 2).map(({ text }) => text));
  const identity = decisions.choose(
    `${input}.owner`,
    "who owns the document? No column holds a tax id.",
    candidates,
    false,
    samples,
  );
  const others = columns.filter(({ role }) => role !== "name");
  return assign(identity === null ? others : [identity, ...others], [identity]);
}

function assign(columns: readonly Column[], identities: readonly (Column | null)[]): Party[] {
  const names = new Set<string>();
  const parties = identities.map((identity): Party => {
    const words = qualifiersOf(identity?.header ?? "").join(" ");
    const name = nameOf(words, identities.length === 1 ? "organisation" : "participant", names);
    return { name, identity, columns: identity?.role === "name" ? { name: identity } : {} };
  });
  for (const column of columns) {
    if (column.type.as === "taxId" || column.distinct.size === 0) continue;
    const words = qualifiersOf(column.header);
    const belongs = ({ identity }: Party) =>
      qualifiersOf(identity?.header ?? "").some((one) => words.some((word) => sameStem(one, word)));
    const before = parties.findLast(({ identity }) => (identity?.index ?? 0) < column.index);
    const party = parties.find(belongs) ?? before ?? (parties.length === 1 ? parties[0] : undefined);
    if (party === undefined) continue;
    const same = party.identity === null ? null : agree(groupsOf(party.identity), column);
    const { role, type } = column;
    // A header that consists of nothing but the party's name holds the name: `Gerador`.
    const alone = role === null && words.length === 1 && belongs(party) && same === true;
    const own = alone ? "name" : role;
    if (own === null || !partyRoles.has(own) || type.as === "timestamp" || (own === "name" && same === false)) continue;
    party.columns[own] ??= column;
  }
  return parties;
}

export const hasAddress = ({ columns }: Party) => columns.street !== undefined && columns.city !== undefined;

/** The participant's record. `key`: the column by which other tables refer to it. */
export function writeParticipant(
  { name, identity, columns }: Party,
  key: Column | null,
  country: string,
  above: string[],
): Member {
  const value: { [name: string]: Flow } = key === null ? {} : { key: keyRef(key) };
  if (identity?.type.as !== "taxId") {
    const text = identity === null ? "?" : keyRef(identity);
    const taxIdType = identity === null ? "?" : "NAME";
    return {
      name,
      value: { ...value, countryCode: country, taxIdType, taxId: text, name: text, type: "COMPANY" },
      above,
    };
  }
  const { types } = identity.type;
  const told = columns.taxIdType;
  if (told !== undefined && [...told.distinct].every((one) => types.includes(one))) {
    identity.type.typeFrom = told;
    told.used = true;
  }
  if (columns.country?.type.as === "country") value["countryCode"] = ref(columns.country);
  const person = types.length === 1 ? "PERSON" : `=iff(${identity.name}.type == "CPF", "PERSON", "COMPANY")`;
  const type = types.includes("CPF") ? person : "COMPANY";
  return { name, value: { ...value, taxId: ref(identity), name: ref(columns.name ?? identity), type }, above };
}

/** An address of a party, or of a table of places. `participant`: how it names its owner. */
export function writeAddress(
  name: string,
  columns: Party["columns"],
  participant: Flow,
  key: Column | null,
  { country, decisions }: { country: string; decisions: Decisions },
): Member {
  const missing = (["street", "city", "state"] as const).filter((role) => columns[role] === undefined);
  if (missing.length > 0) {
    const question = `where is it? No column holds the ${missing.join(", ")}.`;
    decisions.choose(`${name}.place`, question, [{ value: null, label: 'write it in the place of "?"' }], false);
  }
  const field = (column: Column | undefined, otherwise = "?") => (column === undefined ? otherwise : ref(column));
  const value: { [name: string]: Flow } = {
    ...(key === null ? {} : { key: keyRef(key) }),
    participant,
    name: field(columns.placeName ?? columns.name, "Main"),
    street: field(columns.street),
    number: field(columns.number, "S/N"),
    city: field(columns.city),
    // A state that does not exist would not load; the "?" above it keeps such an address from the service.
    countryState: columns.state === undefined && country === "BR" ? "SP" : field(columns.state),
  };
  if (columns.state === undefined) value["name"] = "?";
  if (columns.number !== undefined && columns.number.filled < 1) columns.number.fallback = "S/N";
  for (const role of extended) if (columns[role] !== undefined) value[role] = ref(columns[role]);
  if (columns.country !== undefined) value["countryCode"] = ref(columns.country);
  return { name, value, above: decisions.take() };
}

export interface Reference {
  column: Column;
  of: Directory["of"];
  /** The column counts as used once it is called. */
  write: () => Flow;
}

/** Columns that hold codes of organisations (or places), in the order of the file. */
export function references(columns: readonly Column[], directories: readonly Directory[]): Reference[] {
  return columns.flatMap((column): Reference[] => {
    const within = ({ codes }: Directory) => [...column.distinct].filter((value) => codes.has(value)).length;
    const found = directories.find((one) => column.distinct.size > 0 && within(one) >= column.distinct.size * 0.9);
    if (found === undefined) return [];
    return [{ column, of: found.of, write: () => ({ ref: found.record, key: keyRef(column) }) }];
  });
}

/** A column of short codes that no two rows share, for other tables to refer to. */
export function codeColumn(columns: readonly Column[]): Column | null {
  const fitting = columns.filter(({ type, filled, distinct, cells }) => {
    const single = filled === 1 && distinct.size === cells.length && distinct.size > 1;
    return single && (type.as === "text" || type.as === "number") && [...distinct].every((value) => value.length <= 20);
  });
  return fitting.find(({ role }) => role === "code") ?? fitting[0] ?? null;
}
