/** Finds the participants and addresses of a table by tax ids, or by names, and the columns that describe each. */
import { RE2JS } from "re2js";
import { isPersonal } from "../map/convert/tax-id.js";
import { foldWords } from "../map/convert/text.js";
import {
  agree,
  type Column,
  countriesOf,
  degrees,
  filledWith,
  groupsOf,
  isChecked,
  isCoded,
  isPlain,
} from "./column.js";
import type { Decisions } from "./decisions.js";
import { Said, type Tree, type Trees } from "./tree.js";
import { foldHeader, nameOf, qualifiersOf, type Role, sameStem } from "./words.js";

export interface Party {
  name: string;
  /** Null: every row has the same party. */
  identity: Column | null;
  columns: Partial<Record<Role, Column>>;
}

export function ref({ name, clock, either }: Column): string {
  if (either !== undefined) return `=default(${either.map((one) => one.name).join(", ")})`;
  return clock.length === 0 ? `=${name}` : `=${name}_at`;
}

export function findParties(columns: readonly Column[], decisions: Decisions): Party[] {
  const parties = assign(columns, joinEither(columns.filter(({ ids }) => ids)));
  const taken = new Set(parties.map(({ columns: own }) => own.name));
  for (const { name, columns: own, identity } of parties) {
    const rest = columns.find((one) => one !== own.name && PART_OF_NAME.test(foldHeader(one.header)));
    if (own.name !== undefined && rest !== undefined && rest.cells.length > 0)
      decisions.notes.add(
        `participant ${name}: its name is "${own.name.header}" alone; "${rest.header}" may be the rest of it`,
      );
    const other = columns.find(
      (one) => one !== own.name && one.role === "name" && speaksOf(one) && !taken.has(one) && !isCoded(one),
    );
    if (own.name !== undefined && speaksOf(own.name) && other !== undefined && !speaksOf(identity))
      decisions.notes.add(`participant ${name}: its name is "${own.name.header}"; it may be "${other.header}" instead`);
    if (own.name === undefined)
      decisions.notes.add(`participant ${name}: no column has its name; the tax id is used instead`);
    if (identity !== null && isMixed(identity))
      decisions.notes.add(`participant ${name}: some of its tax ids are people's; COMPANY is assumed for all`);
  }
  return parties;
}

/** Whether its header says who: `CPF do Responsável`, `Aluno`; not `CPF`, `Nome`. */
const speaksOf = (column: Column | null): boolean => column !== null && qualifiersOf(column.header).length > 0;

/** A registered name cannot be changed, so half a name has to be noticed beforehand. */
const PART_OF_NAME =
  /\b((first|last|family|given) ?name|surname|cognome|sobrenome|apellidos?|nachname|familienname|vorname|prenoms?)$/;

function personsIn({ ids, cells }: Column): number {
  return cells.filter(({ text }) => ids && isPersonal(text, ids.country, ids.types)).length;
}

/** A Spanish number begins with a digit or one of these letters if it is a person's. */
const SPANIARD = "^[0-9KLMXYZ]";
const isSpanish = ({ ids }: Column) => ids?.country === "ES";

/** Brazil's types and Spain's first letters tell persons from companies; others have to be looked at. */
function isMixed(identity: Column): boolean {
  if (isSpanish(identity) || identity.ids?.types.includes("CPF")) return false;
  const persons = personsIn(identity);
  return persons > 0 && persons < identity.cells.length;
}

/** If each row has either a CPF or a CNPJ, both belong to the same party. */
function joinEither(ids: readonly Column[]): readonly Column[] {
  const ofType = (wanted: string) => ids.find((one) => one.filled < 1 && String(one.ids?.types) === wanted);
  const [person, company] = [ofType("CPF"), ofType("CNPJ")];
  if (person === undefined || company === undefined) return ids;
  if (String(qualifiersOf(person.header)) !== String(qualifiersOf(company.header))) return ids;
  const values = person.values.map((value, row) => value || (company.values[row] ?? ""));
  const cells = [...person.cells, ...company.cells];
  if (values.filter((value) => value !== "").length !== cells.length) return ids;
  const types = ["CPF", "CNPJ"];
  const either = [person, company] as const;
  const both: Column = { ...person, ids: { country: "BR", types }, either, ...filledWith(values, cells) };
  return ids.flatMap((id) => (id === company ? [] : id === person ? both : id));
}

export function findByName(columns: readonly Column[], input: string, decisions: Decisions): Party[] {
  const ofRole = (wanted: Role) =>
    columns.filter(({ role, as, filled }) => role === wanted && as === "text" && filled >= 0.8);
  const [all, named] = [ofRole("taxId"), ofRole("name")];
  const ids = all.filter(({ header }) => !isChecked(header));
  for (const { header, cells } of all.filter((one) => !ids.includes(one)))
    decisions.notes.add(
      `tax ids: too few of "${header}" are valid, such as ${cells[0]?.text}, so it names no participant`,
    );
  const why = "its text is used as a tax id, so a lost answer cannot be looked up";
  const unchecked = (header: string) =>
    countriesOf(header).length > 0
      ? "its numbers cannot be checked here"
      : "no single country's check digits fit most of its numbers, so they are not checked";
  const candidates = [
    ...ids.map((value) => ({ value, label: `"${value.header}"`, why: unchecked(value.header) })),
    ...named.map((value) => ({ value, label: `"${value.header}"`, why })),
    { value: null, label: 'one for all rows, to be written in the place of "?"' },
  ];
  const samples = [...ids, ...named].flatMap(({ cells }) => cells.slice(0, 2).map(({ text }) => text));
  const question = `who owns the document?${ids.length === 0 ? " No column has a tax id." : ""}`;
  const identity = decisions.choose<Column | null>(`${input}.owner`, question, candidates, samples);
  // A number such as `Kunde 1000` has its name in another column.
  const isNumber = identity !== null && (identity.role === "taxId" || isCoded(identity));
  return assign(
    columns.filter((column) => column === identity || isNumber || column.role !== "name"),
    [identity],
  );
}

const partyRoles = new Set<Role | null>(
  "name placeName street number complement neighborhood zipCode city state country latitude longitude taxIdType".split(
    " ",
  ) as Role[],
);

/** Whether rows with one identity agree in the column, however they spell it. Null: nothing shows it. */
const holds = ({ identity }: Party, column: Column) =>
  identity === null ? null : agree(groupsOf(identity), { ...column, values: column.values.map(foldWords) });

/** Where goods come from and go to is not where their owner is. */
const ON_THE_WAY =
  /\b(destino|destination|destinazione|bestimmung\w*|ziel\w*|origem|origen|origin|origine|ursprung\w*|herkunft\w*|procedencia|provenance|provenienza)\b/;

/** `Producer Address` next to `Producer`, `Country of Destination`. */
function isOfOther({ header, index, role }: Column, columns: readonly Column[]): boolean {
  if (!partyRoles.has(role)) return false;
  if (ON_THE_WAY.test(foldHeader(header))) return true;
  const words = qualifiersOf(header);
  return columns.some((other) => {
    const [name = "", ...more] = qualifiersOf(other.header);
    const isName =
      other.index !== index && other.as === "text" && (other.role === null || other.role === "name") && !isCoded(other);
    return isName && more.length === 0 && words.some((word) => sameStem(word, name));
  });
}

function assign(columns: readonly Column[], identities: readonly (Column | null)[]): Party[] {
  const names = new Set<string>();
  const parties = identities.map((identity): Party => {
    const words = qualifiersOf(identity?.header ?? "").join(" ");
    const name = nameOf(words, identities.length === 1 ? "organisation" : "participant", names);
    return { name, identity, columns: identity?.role === "name" && !isCoded(identity) ? { name: identity } : {} };
  });
  const calledAs = ({ header }: Column) => {
    const words = qualifiersOf(header);
    const isCalledSo =
      (isSame: (one: string, word: string) => boolean) =>
      ({ identity }: Party) =>
        qualifiersOf(identity?.header ?? "").some((one) => words.some((word) => isSame(one, word)));
    // An `Outorgado` is not an `Outorgante`, though both begin alike.
    return parties.find(isCalledSo((one, word) => one === word)) ?? parties.find(isCalledSo(sameStem));
  };
  const describing = columns
    .filter((column) => !identities.includes(column))
    .filter(({ ids, dates, distinct }) => !ids && !dates && distinct.size > 0)
    .filter(({ role, numbers }) => !degrees.has(role) || numbers)
    .map((column) => ({ column, told: calledAs(column) }));
  // What a header says outweighs what neighbouring columns merely suggest, and a name outweighs the code of a
  // `Cliente`.
  const strength = ({ column, told }: (typeof describing)[number]) =>
    (told === undefined ? 0 : 2) - (column.role === "name" && isCoded(column) ? 1 : 0);
  for (const { column, told } of describing.toSorted((a, b) => strength(b) - strength(a))) {
    const { role, as, header, index } = column;
    if (told === undefined && isOfOther(column, columns)) continue;
    const left = parties.findLast(({ identity }) => (identity?.index ?? 0) < index);
    const named = parties.find(({ identity }) => identity?.index === index + 1);
    const party =
      told ??
      // `Nome; CNPJ; Nome; CNPJ`.
      (role === "name" && left?.columns.name !== undefined ? named : undefined) ??
      // What varies under one identity may be another's.
      (left !== undefined && partyRoles.has(role) && holds(left, column) === false
        ? parties.find((one) => holds(one, column) === true)
        : undefined) ??
      left ??
      (parties.length === 1 ? parties[0] : undefined) ??
      // `Gerador; CNPJ/CPF`.
      (role === "name" ? named : undefined);
    // The CPF of a `Responsável` beside an `Aluno`.
    if (party === undefined || (told === undefined && role === "name" && speaksOf(column) && speaksOf(party.identity)))
      continue;
    const same = holds(party, column);
    // A header with only the party's name holds the name: `Gerador`.
    const isName = role === null && told !== undefined && qualifiersOf(header).length === 1;
    const own = isName && same !== false && as === "text" ? "name" : role;
    if (own !== null && partyRoles.has(own) && (own !== "name" || same !== false)) party.columns[own] ??= column;
  }
  return parties;
}

/** `N° SIRET client` → `SIRET`. */
function taxIdTypeOf({ role, header }: Column): string {
  if (role !== "taxId") return "NAME";
  const others = qualifiersOf(header);
  const own = foldHeader(header)
    .split(" ")
    .filter((word) => word.length > 2 && !others.includes(word));
  return own.join("_").toUpperCase();
}

export const addressOf = ({ name }: Party): string => `${name}_address`;

export const hasAddress = ({ columns }: Party) => columns.street !== undefined && columns.city !== undefined;

/** The `when` of a record that not every row has; without it, the other rows would be refused. */
function whenOf(identity: Column): string | undefined {
  const parts = (identity.either ?? [identity]).map(({ name }) => `filled(${name})`);
  return identity.filled === 1 ? undefined : `=${parts.join(" || ")}`;
}

/** `code`: the column by which other tables refer to it. `isOne`: of several, so that a row may lack it. */
export function participant(
  { identity, columns }: Party,
  code: Column | null,
  { country, isOne }: { country: string; isOne: boolean },
): Trees {
  const key = code === null ? undefined : ref(code);
  if (identity?.ids === undefined) {
    const told = identity?.role === "taxId" ? columns.taxIdType : undefined;
    const type = identity === null ? "?" : told === undefined ? taxIdTypeOf(identity) : ref(told);
    const taxId = identity === null ? "?" : ref(identity);
    const name = columns.name === undefined ? taxId : ref(columns.name);
    const countryCode = identity !== null && columns.country?.as === "country" ? ref(columns.country) : country;
    return { key, countryCode, taxIdType: type, taxId, name, type: "COMPANY" };
  }
  const { types } = identity.ids;
  const [person] = identity.either ?? [];
  const isPerson = isSpanish(identity)
    ? `matches(${identity.name}, "${SPANIARD}")`
    : person === undefined
      ? `${identity.name}.type == "CPF"`
      : `filled(${person.name})`;
  const persons = personsIn(identity);
  const isOfPersons = persons === identity.cells.length;
  const isMixture = types.includes("CPF") ? types.length > 1 : isSpanish(identity) && persons > 0 && !isOfPersons;
  const told = columns.taxIdType;
  if (told !== undefined && [...told.distinct].every((one) => types.includes(one))) identity.typeFrom = told;
  return {
    when: isOne ? whenOf(identity) : undefined,
    key,
    countryCode: columns.country?.as === "country" ? ref(columns.country) : undefined,
    taxIdType: person && `=iff(${isPerson}, "CPF", "CNPJ")`,
    taxId: ref(identity),
    name: ref(columns.name ?? identity),
    type: isMixture
      ? `=iff(${isPerson}, "PERSON", "COMPANY")`
      : isOfPersons || types.includes("CPF")
        ? "PERSON"
        : "COMPANY",
  };
}

const extended = ["neighborhood", "complement", "latitude", "longitude"] as const;

/** `Campinas/SP`, `Campinas - SP`, `Chicago, IL`, `Campinas (SP)`. */
const CITY = "^(.+?) *[-/,(] *[A-Z]{2}[)]?$";
const STATE = "([A-Z]{2})[)]?$";
/** `89073 Ulm`, `D-89073 Ulm`, `4700-001 Braga`. */
const ZIP_AND_CITY = "^[A-Z]{0,2}-?[0-9][0-9-]{3,8} +([^0-9 ]..+)$";
const ZIP = "^([^ ]+) ";

/** As the mapping will read it. */
function isAll({ cells }: Column, pattern: string): boolean {
  const compiled = RE2JS.compile(pattern);
  return cells.length > 0 && cells.every(({ text }) => compiled.matcher(text.trim()).find());
}

/** Formulas; undefined: no column holds it. One cell may hold two of them. */
function placeIn({ street, city, zipCode, ...columns }: Party["columns"], country: string) {
  // Alone, an "Estado" is more likely a status.
  const state = (street ?? city ?? zipCode) ? columns.state : undefined;
  const whole = (column: Column | undefined) => column && ref(column);
  const part = (column: Column, pattern: string) => `extract(${column.name}, "${pattern}")`;
  const place = { street: whole(street), city: whole(city), state: whole(state), zipCode: whole(zipCode) };
  if (state === undefined && city !== undefined && isAll(city, CITY)) {
    place.city = `=${part(city, CITY)}`;
    place.state = country === "BR" ? `=state(${part(city, STATE)})` : `=${part(city, STATE)}`;
  }
  if (zipCode !== undefined && isAll(zipCode, ZIP_AND_CITY)) {
    place.city ??= `=${part(zipCode, ZIP_AND_CITY)}`;
    place.zipCode = `=${part(zipCode, ZIP)}`;
  }
  return place;
}

/** `owner`: how it names its participant. */
export function address(
  name: string,
  { columns, owner, code, when }: { columns: Party["columns"]; owner: Tree; code: Column | null; when?: Tree },
  { country, decisions }: { country: string; decisions: Decisions },
): Said {
  const { street, city, state, zipCode } = placeIn(columns, country);
  const isStandIn = state === undefined && country === "BR";
  const missing = Object.entries({ street, city, state }).flatMap(([part, is]) => (is === undefined ? part : []));
  if (missing.length > 0) {
    const question = `where is it? No column has the ${missing.join(", ")}.`;
    const label = `write it in place of "?"${isStandIn ? " and SP" : ""}`;
    decisions.choose(`${name}.place`, question, [{ value: null, label }]);
  }
  const field = (column: Column | undefined, otherwise = "?") => (column === undefined ? otherwise : ref(column));
  const { number } = columns;
  const value: Trees = {
    when,
    key: code === null ? undefined : ref(code),
    participant: owner,
    // A nonexistent state would not load; the "?" in its name keeps such an address from the service.
    name: state === undefined ? "?" : field(columns.placeName ?? columns.name, "Main"),
    street: street ?? "?",
    number: number === undefined || number.filled === 1 ? field(number, "S/N") : `=default(${number.name}, "S/N")`,
    city: city ?? "?",
    countryState: state ?? (isStandIn ? "SP" : "?"),
    countryCode: columns.country === undefined ? undefined : ref(columns.country),
  };
  // Without a street, a position belongs to the events.
  const isPlace = street !== undefined || city !== undefined;
  for (const role of extended)
    if (columns[role] !== undefined && (isPlace || !degrees.has(role))) value[role] = ref(columns[role]);
  return new Said({ ...value, zipCode }, decisions.take());
}

/** A table of organisations or places that other tables refer to by code. */
export interface Directory {
  record: string;
  of: "participant" | "address";
  codes: ReadonlySet<string>;
}

/** Undefined: no column holds its codes. */
export function reference(
  of: Directory["of"],
  columns: readonly Column[],
  directories: readonly Directory[],
): Trees | undefined {
  for (const column of columns) {
    const known = (codes: ReadonlySet<string>) => [...column.distinct].filter((value) => codes.has(value)).length;
    const found = directories.find(
      ({ of: kind, codes }) => kind === of && column.distinct.size > 0 && known(codes) >= column.distinct.size * 0.9,
    );
    if (found !== undefined) return { ref: found.record, key: ref(column) };
  }
  return undefined;
}

/** Short unique codes, for other tables to refer to. `party`: whose they are; it may have several places, but has one code. */
export function codeColumn(columns: readonly Column[], party?: Party): Column | null {
  const isOwn = (column: Column) => party === undefined || hasAddress(party) || holds(party, column) !== false;
  const fitting = columns.filter((column) => {
    const { role, filled, distinct, cells } = column;
    const single = filled === 1 && distinct.size === cells.length && distinct.size > 1 && role !== "amount";
    const isShort = isPlain(column) && [...distinct].every(({ length }) => length <= 20);
    return single && isShort && isOwn(column);
  });
  return fitting.find(({ role }) => role === "code") ?? fitting[0] ?? null;
}
