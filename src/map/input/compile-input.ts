/** Compiles one input: its columns and everything its rows yield. */
import { foldName } from "../../model/fold.js";
import type { CsvOptions, ExcelOptions, ReadOptions } from "../../model/dialect.js";
import { Headers } from "../column/headers.js";
import { Scope, type Shared } from "../column/scope.js";
import { asText, View } from "../column/view.js";
import { eventsOf, type EventSpec, type InputSpec, type MappingSpec } from "../language/mapping-schema.js";
import type { FieldInfo } from "../language/record-schema.js";
import { Site } from "../language/site.js";
import type { MappingInput } from "../mapping.js";
import { type Column, merged, optional } from "../piece.js";
import type { KeyMaker, MappingNames, RecordContext } from "../record/context.js";
import { compileDocument } from "../record/documents.js";
import { compileEvent } from "../record/events.js";
import { compileCondition, compileField, compileKey } from "../record/fields.js";
import { compileAddress, compileParticipant } from "../record/parties.js";
import { bindRowMapper, type InputParts } from "./row-mapper.js";

export interface CompiledInput {
  input: MappingInput;
  makers: KeyMaker[];
  tables: string[];
}

const ROW_ID: FieldInfo = { takes: "text", required: true, identity: true };

export function compileInput(name: string, mapping: MappingSpec, shared: Shared, names: MappingNames): CompiledInput {
  const spec = mapping.inputs[name] ?? {};
  const site = new Site(shared.source, ["inputs", name], `input "${name}"`);
  const scope = new Scope(shared, spec.columns ?? {}, site.path);
  const events = eventsOf(spec);
  for (const { by, is } of Object.values(events)) {
    if (by === undefined || is === undefined) continue;
    const words = scope.words.get(by) ?? new Map<string, string>();
    for (const word of [is].flat()) if (word !== "otherwise") words.set(foldName(word), word);
    scope.words.set(by, words);
  }
  const skip = optional(spec.skip, (one) => compileCondition(one, site.at("skip", "skip"), scope));
  const group = optional(spec.group, (one) => compileKey(one, site.at("group", "group"), scope));
  scope.grouped = spec.group !== undefined;
  const rowId = optional(spec.rowId, (one) => compileField(one, ROW_ID, site.at("rowId", "rowId"), scope));

  const context = contextOf(mapping, spec, site, scope, names);
  for (const kind of Object.keys(spec.participants ?? {})) context.share("participants", kind);
  for (const kind of Object.keys(spec.addresses ?? {})) context.share("addresses", kind);
  for (const [kind, document] of Object.entries(spec.documents ?? {}))
    context.documents.set(kind, compileDocument(kind, document, recordSite(site, "documents", kind), context));
  const compiled = Object.entries(events).map(([event, one]) =>
    compileEvent(event, one, recordSite(site, "events", event), context),
  );
  const kinds = [spec.participants, spec.addresses, spec.documents, events];
  if (mapping.draft !== true && kinds.every((kind) => Object.keys(kind ?? {}).length === 0)) {
    const message = "The input yields no records: define participants, addresses, documents or events.";
    shared.source.report("mapping-value", site.path, message, { at: "key" });
  }
  const bound = new Set(scope.compiled());
  scope.compileRest();
  checkReach(events, spec, site, scope);
  const parts: InputParts = {
    skip,
    rowId,
    group,
    participants: [...context.participants.values()],
    addresses: [...context.addresses.values()],
    documents: [...context.documents.values()],
    events: compiled,
    dispatch: dispatchOf(events, scope),
    rowsWithoutEvents: spec.rowsWithoutEvents === "allow",
  };
  const { participants, addresses, documents } = parts;
  const reads = merged([skip, rowId, group, ...participants, ...addresses, ...documents, ...compiled]);
  const columns = [...reads.columns].filter((column) => bound.has(column));
  const input: MappingInput = {
    name,
    read: readOptions(spec),
    hasRowId: rowId !== undefined,
    columns: columns.flatMap(({ use }) => (use === null ? [] : [use.nth === null ? use.headers : [use.name]])),
    bind: (header, place) => {
      const headers = new Headers(header);
      const view = new View(header, place);
      for (const { slot, use, set } of columns) {
        if (use !== null) view.index[slot] = headers.index(use);
        if (set !== null) view.sets[slot] = headers.matching(set.fits);
      }
      for (const { attributes } of compiled) attributes.bind(headers, view);
      headers.check(place);
      const reading = (index: number) =>
        columns.filter(({ slot }) => view.index[slot] === index || view.sets[slot]?.includes(index));
      const said = (tell: (column: Column) => string | null) =>
        header.map(
          (_, index) => [...new Set(reading(index).flatMap((column) => tell(column) ?? []))].join(", ") || null,
        );
      const types = said(({ as }) => as ?? "text");
      const zones = said(({ zone }) => zone);
      const read = (index: number, text: string): string | null => {
        view.look(
          { number: 0, cells: header.map((_, at) => (at === index ? text : "")), kinds: null, problems: null },
          null,
        );
        const [column] = reading(index);
        const value = column?.set == null ? column?.run(view) : column.set.at(view, index);
        return value == null ? null : asText(value, column?.type);
      };
      return {
        ...bindRowMapper(parts, view),
        unmapped: headers.unmapped(),
        absent: headers.absent,
        types,
        zones,
        read,
      };
    },
  };
  const { tables } = merged([{ reads }, ...scope.compiled()]);
  return {
    input,
    makers: [...documents.map(({ maker }) => maker), ...compiled.flatMap(({ makers }) => makers)],
    tables: [...tables].map((table) => table.split(".")[0] ?? ""),
  };
}

const LABELS = { participants: "participant", addresses: "address", documents: "document", events: "event" };

function recordSite(site: Site, kind: keyof typeof LABELS, name: string): Site {
  return new Site(site.source, [...site.path, kind, name], `${LABELS[kind]} "${name}"`);
}

/** The input's own parties, and those at the top that it refers to. */
function contextOf(mapping: MappingSpec, own: InputSpec, site: Site, scope: Scope, names: MappingNames): RecordContext {
  const open = new Set<string>();
  const top = new Site(site.source, [], "");
  const context: RecordContext = {
    scope,
    ...names,
    participants: new Map(),
    addresses: new Map(),
    documents: new Map(),
    share: (kinds, name) => {
      if (open.has(`${kinds} ${name}`)) return;
      open.add(`${kinds} ${name}`);
      const isOwn = own[kinds]?.[name] !== undefined;
      const at = recordSite(isOwn ? site : top, kinds, name);
      const from = isOwn ? own : mapping;
      const participant = kinds === "participants" ? from.participants?.[name] : undefined;
      const address = kinds === "addresses" ? from.addresses?.[name] : undefined;
      if (participant) context.participants.set(name, compileParticipant(name, participant, at, context));
      if (address) context.addresses.set(name, compileAddress(name, address, at, context));
    },
  };
  return context;
}

function dispatchOf(events: { [event: string]: EventSpec }, scope: Scope): InputParts["dispatch"] {
  return [...scope.words].flatMap(([name, words]) => {
    const column = scope.column(name);
    const open = Object.values(events).some(({ by, is }) => by === name && [is ?? []].flat().includes("otherwise"));
    return column === undefined ? [] : [{ column, words: open ? null : words }];
  });
}

/** An event is unreachable by a word that the column refuses or never gives. */
function checkReach(events: { [event: string]: EventSpec }, spec: InputSpec, site: Site, scope: Scope): void {
  for (const [event, { by = "", is = [] }] of Object.entries(events)) {
    const column = spec.columns?.[by];
    if (column === undefined || typeof column === "string" || scope.column(by)?.use === null) continue;
    const { oneOf, map, otherwise } = column;
    const given = oneOf ?? (map !== undefined && otherwise === undefined ? Object.values(map) : null);
    const possible = new Set(given?.map((one) => foldName(String(one))));
    for (const word of [is].flat()) {
      if (given === null || word === "otherwise" || possible.has(foldName(word))) continue;
      const message = `: no row can reach it by "${word}", for column "${by}" never says that.`;
      recordSite(site, "events", event).reportAt(["is"], "mapping-rule", message);
    }
  }
}

/** Omits absent settings, so that the readers' defaults apply. */
function readOptions({ csv, excel, header, allowEmpty }: InputSpec): ReadOptions {
  return defined<ReadOptions>({
    csv: csv && defined<CsvOptions>(csv),
    excel: excel && defined<ExcelOptions>(excel),
    header,
    allowEmpty,
  });
}

function defined<T extends object>(object: { [name in keyof T]?: T[name] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
