/** One input of a mapping: its columns, and everything that its rows yield, ready to be bound to a header. */
import type { CsvOptions, ExcelOptions, ReadOptions } from "../../model/dialect.js";
import { Headers } from "../column/headers.js";
import { merged } from "../formula/part.js";
import { Scope, type Shared } from "../column/scope.js";
import { View } from "../column/view.js";
import { foldName } from "../fold.js";
import type { Reads } from "../formula/part.js";
import type { EventSpec, InputSpec, MappingSpec } from "../language/mapping-schema.js";
import { eventsOf } from "../language/labels.js";
import { Site } from "../language/site.js";
import type { MappingInput } from "../mapping.js";
import type { Known, RecordContext } from "../record/context.js";
import { compileDocument } from "../record/documents.js";
import { compileEvent, type EventPart } from "../record/events.js";
import { compileAddress, compileParticipant } from "../record/parties.js";
import { compileCondition, compileKey, compileValue } from "../record/values.js";
import { bindRowMapper, type InputParts } from "./row-mapper.js";

export interface CompiledInput {
  input: MappingInput;
  parts: InputParts;
}

/** Null: it cannot be used, and why has been reported. */
export function compileInput(
  name: string,
  spec: InputSpec,
  mapping: MappingSpec,
  shared: Shared,
  about: { known: Known; labels: ReadonlyMap<string, string>; lateAttribute: string | null },
): CompiledInput | null {
  const { source } = shared;
  const before = source.problems.length;
  const site = new Site(source, ["inputs", name], `input "${name}"`);
  const scope = new Scope(shared, spec.columns ?? {}, site.path, false);
  const events = eventsOf(spec);
  for (const { by, is } of Object.values(events)) {
    if (by === undefined || is === undefined) continue;
    const words = scope.words.get(by) ?? new Map<string, string>();
    for (const word of [is].flat()) if (word !== "otherwise") words.set(foldName(word), word);
    scope.words.set(by, words);
  }
  const at = (part: string) => new Site(source, [...site.path, part], part);
  const skip = spec.skip === undefined ? null : compileCondition(spec.skip, at("skip"), scope);
  const group = spec.group === undefined ? null : compileKey(spec.group, at("group"), scope);
  scope.grouped = spec.group !== undefined;
  const rowId =
    spec.rowId === undefined
      ? null
      : compileValue(spec.rowId, { takes: "text", required: true, identity: true }, at("rowId"), scope);

  const context = contextOf(mapping, shared, scope, about);
  const record = (kind: string, label: string, called: string) =>
    site.at(kind, site.label).at(called, `${label} "${called}"`);
  for (const [kind, participant] of Object.entries(spec.participants ?? {}))
    context.participants.set(
      kind,
      compileParticipant(kind, participant, record("participants", "participant", kind), context),
    );
  for (const [kind, address] of Object.entries(spec.addresses ?? {}))
    context.addresses.set(kind, compileAddress(kind, address, record("addresses", "address", kind), context));
  for (const [kind, document] of Object.entries(spec.documents ?? {}))
    context.documents.set(kind, compileDocument(kind, document, record("documents", "document", kind), context));
  const made: EventPart[] = [];
  for (const [event, one] of Object.entries(events)) {
    const part = compileEvent(event, one, record("events", "event", event), context);
    if (part !== null) made.push(part);
  }
  const kinds = [spec.participants, spec.addresses, spec.documents, events];
  if (mapping.draft !== true && kinds.every((kind) => Object.keys(kind ?? {}).length === 0))
    source.report(
      "mapping-value",
      site.path,
      "The input yields no records: define participants, addresses, documents or events.",
      { at: "key" },
    );
  const used = scope.compiled();
  const bound = new Set(used);
  scope.compileRest(site.path);
  checkReach(events, spec, site, scope);
  if (source.problems.length > before) return null;

  const parts: InputParts = {
    skip,
    rowId,
    group,
    participants: [...context.participants.values()].filter((part) => part !== null),
    addresses: [...context.addresses.values()].filter((part) => part !== null),
    documents: [...context.documents.values()].filter((part) => part !== null),
    events: made,
    dispatch: dispatchOf(events, scope),
    rowsWithoutEvents: spec.rowsWithoutEvents === "allow",
    cells: shared.cells,
  };
  const columns = [...readsOf(parts).columns].filter((column) => bound.has(column));
  const input: MappingInput = {
    name,
    read: readOptions(spec),
    hasRowId: rowId !== null,
    columns: columns.flatMap(({ use }) => (use === null ? [] : [use.nth === null ? use.headers : [use.name]])),
    bind: (header, place) => {
      const headers = new Headers(header);
      const view = new View(header, place);
      for (const { slot, use, set } of columns) {
        if (use !== null) view.index[slot] = headers.index(use);
        if (set !== null) view.sets[slot] = headers.matching(set.fits);
      }
      for (const { attributes } of parts.events) attributes.bind(headers, view);
      headers.check(place);
      return { ...bindRowMapper(parts, view), unmapped: headers.unmapped() };
    },
  };
  return { input, parts };
}

function contextOf(
  mapping: MappingSpec,
  { source }: Shared,
  scope: Scope,
  about: Pick<RecordContext, "known" | "labels" | "lateAttribute">,
): RecordContext {
  const open = new Set<string>();
  const context: RecordContext = {
    scope,
    ...about,
    participants: new Map(),
    addresses: new Map(),
    documents: new Map(),
    share: (kind, name) => {
      const site = new Site(source, [kind, name], `${kind === "addresses" ? "address" : "participant"} "${name}"`);
      if (open.has(`${kind} ${name}`)) return;
      open.add(`${kind} ${name}`);
      if (kind === "participants") {
        const spec = mapping.participants?.[name];
        if (spec !== undefined) context.participants.set(name, compileParticipant(name, spec, site, context));
      } else {
        const spec = mapping.addresses?.[name];
        if (spec !== undefined) context.addresses.set(name, compileAddress(name, spec, site, context));
      }
    },
  };
  return context;
}

function dispatchOf(events: { [event: string]: EventSpec }, scope: Scope): InputParts["dispatch"] {
  const names = new Set(
    Object.values(events).flatMap(({ by, is }) => (by === undefined || is === undefined ? [] : [by])),
  );
  return [...names].flatMap((name) => {
    const column = scope.column(name);
    if (column == null) return [];
    const open = Object.values(events).some(({ by, is }) => by === name && [is ?? []].flat().includes("otherwise"));
    return [{ column, words: open ? null : (scope.words.get(name) ?? new Map<string, string>()) }];
  });
}

/** A word that the column itself refuses, or never gives, reaches no event. */
function checkReach(events: { [event: string]: EventSpec }, spec: InputSpec, site: Site, scope: Scope): void {
  for (const [event, { by, is }] of Object.entries(events)) {
    const column = by === undefined || is === undefined ? undefined : (spec.columns?.[by] ?? undefined);
    if (by === undefined || column === undefined || typeof column === "string" || scope.column(by) == null) continue;
    const given =
      column.oneOf ?? (column.map !== undefined && column.otherwise === undefined ? Object.values(column.map) : null);
    if (given === null) continue;
    const possible = new Set(given.map((one) => foldName(String(one))));
    for (const word of [is ?? []].flat()) {
      if (word === "otherwise" || possible.has(foldName(word))) continue;
      const place = site.at("events", site.label).at(event, `event "${event}"`).at("is", `event "${event}"`);
      place.report("mapping-rule", `: no row can reach it by "${word}", for column "${by}" never says that.`);
    }
  }
}

function readsOf(parts: InputParts): Reads {
  const all = [
    parts.skip,
    parts.rowId,
    parts.group,
    ...parts.participants,
    ...parts.addresses,
    ...parts.documents,
    ...parts.events,
  ];
  return merged(all.flatMap((part) => part?.reads ?? []));
}

/** What the mapping leaves out is absent, so that the readers' defaults hold. */
function readOptions(spec: InputSpec): ReadOptions {
  const options: ReadOptions = {};
  if (spec.csv !== undefined) options.csv = defined<CsvOptions>(spec.csv);
  if (spec.excel !== undefined) options.excel = defined<ExcelOptions>(spec.excel);
  if (spec.header !== undefined) options.header = spec.header;
  if (spec.allowEmpty !== undefined) options.allowEmpty = spec.allowEmpty;
  return options;
}

function defined<T extends object>(object: { [name in keyof T]?: T[name] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
