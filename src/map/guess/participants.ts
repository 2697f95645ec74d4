/** Participants and addresses of a table: tax id columns, and the columns that belong to each. */
import { enough } from "./cell.js";
import type { Column } from "./column.js";
import { contradicts, determines, groupsOf } from "./dependency.js";
import { field } from "./draft.js";
import { qualifiersOf, recordName, type Role, roleOf, sameStem } from "./header-words.js";
import type { Unsure } from "./unsure.js";
import type { FlowValue, Member } from "./yaml-text.js";

export interface Party {
  /** Name of the participant in the mapping. */
  name: string;
  taxId: Column;
  columns: Partial<Record<Role, Column>>;
  /** Columns used by it, the tax id's included. */
  used: Column[];
}

/** Roles of columns that describe a party. */
const partyRoles = [
  "name",
  "placeName",
  "street",
  "number",
  "complement",
  "neighborhood",
  "zipCode",
  "city",
  "state",
  "country",
  "latitude",
  "longitude",
  "taxIdType",
  "category",
] as const satisfies readonly Role[];
/** Without these there is no address. */
const addressRoles = ["street", "city"] as const;

/** The parties of a table, in the order of their tax id columns. */
export function findParties(columns: readonly Column[], unsure: Unsure): Party[] {
  const parties = columns.flatMap((column): Party[] =>
    column.taxId === null ? [] : [{ name: "", taxId: column, columns: {}, used: [column] }],
  );
  for (const column of columns) {
    if (column.taxId !== null || column.distinct.size === 0) continue;
    const party = ownerOf(column, parties);
    const role = party === null ? null : partyRole(column, party);
    if (party === null || role === null || party.columns[role] !== undefined) continue;
    party.columns[role] = column;
    party.used.push(column);
  }
  const names = new Set<string>();
  for (const party of parties) {
    const wanted = recordName(
      qualifiersOf(party.taxId.header).join(" "),
      parties.length === 1 ? "organisation" : "participant",
    );
    party.name = names.has(wanted) ? `${wanted}${names.size + 1}` : wanted;
    names.add(party.name);
    if (party.columns.name === undefined)
      unsure.say(`participant ${party.name}: no column holds its name; the tax id stands in for it`);
  }
  return parties;
}

/** The party that a column's header names, else the one whose tax id stands before it. */
function ownerOf(column: Column, parties: readonly Party[]): Party | null {
  const words = qualifiersOf(column.header);
  const named = parties.find((party) =>
    qualifiersOf(party.taxId.header).some((one) => words.some((word) => sameStem(one, word))),
  );
  if (named !== undefined) return named;
  const before =
    parties.findLast((party) => party.taxId.index < column.index) ?? (parties.length === 1 ? parties[0] : undefined);
  return before ?? null;
}

/** A header that consists of nothing but the party's name holds the name: `Gerador`. */
function partyRole(column: Column, party: Party): (typeof partyRoles)[number] | null {
  const role = roleOf(column.header);
  const known = partyRoles.find((one) => one === role);
  const groups = groupsOf(party.taxId);
  if (known === "name") return contradicts(groups, column) ? null : "name";
  if (known === "category") return !contradicts(groups, column) && column.distinct.size <= 6 ? "category" : null;
  if (known !== undefined) return column.date === null ? known : null;
  const [word, ...others] = qualifiersOf(column.header);
  const alone = role === null && word !== undefined && others.length === 0;
  return alone && determines(groups, column) && qualifiersOf(party.taxId.header).some((one) => sameStem(one, word))
    ? "name"
    : null;
}

export function hasAddress(party: Pick<Party, "columns">): boolean {
  return addressRoles.every((role) => party.columns[role] !== undefined);
}

/** `key`: the column by which other tables refer to it. */
export function writeParticipant(party: Party, key: Column | null, unsure: Unsure): Member {
  const { taxId, columns } = party;
  const country = taxId.taxId?.country ?? "";
  const types = taxId.taxId?.types ?? [];
  const members: Member[] = key === null ? [] : [{ name: "key", value: field(key) }];
  members.push({ name: "countryCode", value: columns.country === undefined ? country : field(columns.country) });
  members.push({ name: "taxIdType", value: taxIdType(party) });
  members.push({ name: "taxId", value: field(taxId) });
  members.push({ name: "name", value: field(columns.name ?? taxId) });
  const kind = participantKind(party);
  members.push({ name: "type", value: kind, note: "the service's list of kinds is not shown" });
  unsure.say(
    `participant ${party.name}: type is written as COMPANY${types.includes("CPF") ? " or PERSON" : ""}; the service's list of kinds is not shown`,
  );
  return { name: party.name, value: { block: members } };
}

/** Eleven characters without signs are a CPF; zeros that a spreadsheet lost are why a column is better. */
function shortIds(column: Column): string {
  return `size(row[${JSON.stringify(column.header)}].replace("[./ -]", "")) == 11`;
}

function taxIdType({ taxId, columns }: Party): FlowValue {
  const types = taxId.taxId?.types ?? [];
  const [only = "TAX_ID"] = types;
  const told = columns.taxIdType;
  if (told !== undefined && [...told.distinct].every((value) => types.includes(value)))
    return field(told, { oneOf: types });
  if (types.length === 1) return only;
  return types.includes("CPF") ? { expr: `${shortIds(taxId)} ? "CPF" : "CNPJ"` } : only;
}

function participantKind({ taxId, columns }: Party): FlowValue {
  const types = taxId.taxId?.types ?? [];
  if (!types.includes("CPF")) return "COMPANY";
  if (types.length === 1) return "PERSON";
  const told = columns.taxIdType;
  if (told !== undefined && [...told.distinct].every((value) => types.includes(value))) {
    return field(told, { map: { CNPJ: "COMPANY", CPF: "PERSON" } });
  }
  return { expr: `${shortIds(taxId)} ? "PERSON" : "COMPANY"` };
}

/** An address of a party, or of a table of places. `participant`: how it names its owner. */
export function writeAddress(
  name: string,
  columns: Party["columns"],
  given: { participant: FlowValue; country: string | null; key: Column | null },
  unsure: Unsure,
): Member {
  const members: Member[] = given.key === null ? [] : [{ name: "key", value: field(given.key) }];
  members.push({ name: "participant", value: given.participant });
  const required = (member: string, column: Column | undefined, fallback: string) => {
    const gaps = column !== undefined && column.filled < 1;
    if (column === undefined) unsure.say(`address ${name}: no column holds its ${member}; "${fallback}" is written`);
    const value =
      column === undefined ? fallback : field(column, gaps && member === "number" ? { default: "S/N" } : {});
    members.push({ name: member, value });
  };
  required("name", columns.placeName ?? columns.name, "Main");
  required("street", columns.street, "?");
  required("number", columns.number, "S/N");
  required("city", columns.city, "?");
  required("countryState", columns.state, "?");
  members.push({
    name: "countryCode",
    value: columns.country === undefined ? (given.country ?? "BR") : field(columns.country),
  });
  for (const role of ["complement", "neighborhood", "zipCode", "latitude", "longitude"] as const) {
    const column = columns[role];
    if (column !== undefined) members.push({ name: role, value: field(column) });
  }
  return { name, value: { block: members } };
}

/** Whether most of an address's rows name a place at all. */
export function isPlaceTable(columns: readonly Column[]): boolean {
  return addressRoles.every((role) => columns.some((column) => column.role === role && column.filled >= enough));
}
