/** Compiles one input: its columns and everything its rows yield. */
import { RowferryError } from "../../model/error.js";
import { foldName } from "../../model/fold.js";
import type { ReadOptions } from "../../model/dialect.js";
import type { CellKind, CellLook } from "../../model/row.js";
import { ownPosition } from "../../model/own-columns.js";
import { percentage } from "../column/column.js";
import { openHeaders } from "../column/headers.js";
import { Scope, type Shared } from "../column/scope.js";
import { asText, View } from "../column/view.js";
import { eventsOf, type InputSpec, type MappingSpec } from "../language/mapping-schema.js";
import type { EventSpec } from "../language/record-schema.js";
import { Site } from "../language/site.js";
import type { MappingInput } from "../mapping.js";
import { CALLED, type Column, merged, type Piece } from "../piece.js";
import { compileDocument } from "../record/documents.js";
import { compileEvent } from "../record/events.js";
import { compileCondition, compileKey, compileKeyPart } from "../record/fields.js";
import { compileAddress, compileParticipant } from "../record/parties.js";
import { fillDown, fillingColumns } from "./fill-down.js";
import { watchLocale } from "./other-locale.js";
import { bindRowMapper } from "./row-mapper.js";

export function compileInput(name: string, mapping: MappingSpec, shared: Shared) {
  const spec = mapping.inputs[name] ?? {};
  const path = ["inputs", name];
  const scope = new Scope(shared, spec.columns ?? {}, path);
  const site = new Site(scope, path, `input "${name}"`);
  const events = eventsOf(spec);
  for (const [event, { by, is }] of Object.entries(events)) {
    if (by === undefined || is === undefined) continue;
    const words = scope.words.get(by) ?? new Map<string, string>();
    for (const word of [is].flat().filter((one) => one !== "otherwise")) {
      const other = words.get(foldName(word)) ?? word;
      const message = `: "${other}" and "${word}" are the same word (case, accents and white space do not count).`;
      const hint = "A word can belong to only one event, and is written once.";
      if (other !== word) recordSite(site, "events", event).report("mapping-value", message, hint, "is");
      words.set(foldName(word), word);
    }
    scope.words.set(by, words);
    if (spec.rowsWithoutEvents === "allow" || [is].flat().includes("otherwise")) scope.open.add(by);
  }
  const bare = new Site(scope, path, "");
  const skip = bare.member(spec, "skip", compileCondition);
  const group = bare.member(spec, "group", compileKey);
  scope.group = group;
  const rowId = bare.member(spec, "rowId", compileKeyPart);

  scope.share = sharing(mapping, spec, site);
  const { records } = scope;
  for (const kinds of ["participants", "addresses"] as const)
    for (const kind of Object.keys(spec[kinds] ?? {})) scope.share(kinds, kind);
  for (const [kind, document] of Object.entries(spec.documents ?? {}))
    records.documents.set(kind, compileDocument(kind, document, recordSite(site, "documents", kind)));
  const compiled = Object.entries(events).map(([event, one]) =>
    compileEvent(event, one, recordSite(site, "events", event)),
  );
  const parts = {
    skip,
    rowId,
    group,
    ...records,
    events: compiled,
    dispatch: dispatchOf(events, scope),
    rowsWithoutEvents: spec.rowsWithoutEvents === "allow",
  };
  const all = [
    ...Object.values(records).flatMap((some: ReadonlyMap<string, Piece<unknown>>) => [...some.values()]),
    ...compiled,
  ];
  if (mapping.draft !== true && all.length === 0) {
    const message = "The input yields no records: define participants, addresses, documents or events.";
    shared.source.report("mapping-value", path, message, { at: "key" });
  }
  const bound = new Set(scope.compiled());
  scope.compileRest();
  checkReach(events, site);
  const reads = merged([skip, rowId, group, ...all]);
  const columns = [...reads.columns].filter((column) => bound.has(column));
  const input: MappingInput = {
    name,
    files: spec.files === undefined ? null : [spec.files].flat(),
    read: readOptions(spec),
    columns: columns.flatMap(({ use }) => (use === undefined ? [] : [use.nth === null ? use.headers : [use.name]])),
    names: { file: reads.others.has("file"), sheet: reads.others.has("sheet") },
    bind: (header, place, isPart = false) => {
      const headers = openHeaders(header);
      const view = new View(header, place);
      for (const { slot, use, set } of columns) {
        if (use !== undefined) view.index[slot] = headers.index(use);
        if (set === undefined) continue;
        const found = headers.matching(set.fits);
        view.sets[slot] = found;
        if (found.length > 0 || isPart) continue;
        if (set.optional) headers.absent.push(set.pattern);
        else headers.missing.push(`"${set.pattern}", which no header matches`);
      }
      for (const { attributes } of compiled) attributes.bind(headers, view);
      headers.check(place);
      const filling = fillingColumns(columns, view);
      for (const { slot, use, name: other } of columns) {
        const at = view.index[slot] ?? -1;
        if (use?.fillsDown !== false || !filling.includes(at)) continue;
        const message = `"${header[at]}" fills down in one column of the mapping, and not in column "${other}"`;
        throw new RowferryError("mapping-value", message, { hint: "Write `fill: down` in both, or in neither." });
      }
      const reading = (index: number) =>
        columns.filter(({ slot }) => view.index[slot] === index || view.sets[slot]?.includes(index));
      const said = (tell: (column: Column) => string | undefined) =>
        header.map((_, at) => [...new Set(reading(at).flatMap((column) => tell(column) ?? []))].join(", ") || null);
      const read = (index: number, cell: string, kind: CellKind = "text", look: CellLook | null = null) => {
        const cells = header.map((_, at) => (at === index ? cell : ""));
        view.look(
          { number: 0, cells, kinds: header.map(() => kind), looks: header.map(() => look), problems: null },
          null,
        );
        const [column] = reading(index);
        const value = column?.set === undefined ? column?.run(view) : column.set.at(view, index);
        return value == null ? null : asText(value, column?.type);
      };
      const unmapped = headers.unmapped();
      const isAlone = (text: string) => header.indexOf(text) === header.lastIndexOf(text);
      const { map, end } = bindRowMapper(parts, view, new Set(unmapped.filter(isAlone)));
      const mapOne = fillDown(filling, header, map);
      const isRead = (at: number, text: string) => read(at, text) !== null;
      // Rows of a rejected file are those with mistakes.
      const isWhole = !isPart && ownPosition(header, "rowferry_row") === -1;
      const locale = watchLocale(isWhole ? header.map((_, at) => reading(at)[0]?.as) : [], isRead);
      return {
        map: (rows) =>
          rows.flatMap((one) => {
            const mapped = mapOne(one);
            locale.look(one);
            return mapped;
          }),
        end() {
          locale.check(header, place);
          return end();
        },
        unmapped,
        absent: headers.absent,
        types: said(({ as }) => as),
        zones: said(({ zone }) => zone),
        read,
        spell: (index, cell, kind, look) => {
          const given = read(index, cell, kind, look);
          const texts = [look?.shown ?? [], kind === "percent" ? percentage(cell) : [], cell].flat();
          const spell = reading(index)[0]?.spell ?? shared.cells.text;
          const spelt = texts.map((text) => shared.cells.text(spell(text, kind), "text"));
          return spelt.find((text) => read(index, text) === given) ?? cell;
        },
      };
    },
  };
  const { tables } = merged([{ reads }, ...scope.compiled()]);
  return {
    input,
    makers: [...[...records.documents.values()].map(({ maker }) => maker), ...compiled.flatMap(({ makers }) => makers)],
    tables: [...tables].map((table) => table.split(".")[0] ?? ""),
  };
}

function recordSite({ scope, path }: Site, kind: keyof typeof CALLED, name: string): Site {
  return new Site(scope, [...path, kind, name], `${CALLED[kind]} "${name}"`);
}

/** The input's own parties, and those at the top that it refers to. */
function sharing(mapping: MappingSpec, own: InputSpec, site: Site): Scope["share"] {
  const { records } = site.scope;
  const open = new Set<string>();
  const top = new Site(site.scope, [], "");
  return (kinds, name) => {
    if (open.has(`${kinds} ${name}`)) return;
    open.add(`${kinds} ${name}`);
    const isOwn = own[kinds]?.[name] !== undefined;
    const at = recordSite(isOwn ? site : top, kinds, name);
    const { [kinds]: { [name]: spec } = {} } = isOwn ? own : mapping;
    if (spec === undefined) return;
    if ("participant" in spec) records.addresses.set(name, compileAddress(name, spec, at));
    else records.participants.set(name, compileParticipant(name, spec, at));
  };
}

function dispatchOf(events: { [event: string]: EventSpec }, scope: Scope) {
  return [...scope.words].flatMap(([name, words]) => {
    const column = scope.column(name);
    const own = Object.values(events).filter(({ by }) => by === name);
    const open = own.some(({ is }) => [is ?? []].flat().includes("otherwise"));
    const eachRow = own.every(({ each }) => each === "row");
    return column === undefined || open ? [] : [{ column, words, eachRow }];
  });
}

/** An event is unreachable by a word that the column never gives. */
function checkReach(events: { [event: string]: EventSpec }, site: Site) {
  for (const [event, { by = "", is = [] }] of Object.entries(events))
    for (const word of [is].flat()) {
      const hint = word === "otherwise" ? null : site.scope.column(by)?.never?.(word);
      // Case and accents do not count in words.
      if (hint == null || foldName(hint) === foldName(`Write "${word}".`)) continue;
      const message = `: no row can reach it by "${word}", because column "${by}" never says that.`;
      recordSite(site, "events", event).report("mapping-rule", message, hint, "is");
    }
}

/** Omits absent settings, so that the readers' defaults apply. */
function readOptions({ csv, excel, header, allowEmpty }: InputSpec): ReadOptions {
  return JSON.parse(JSON.stringify({ csv, excel, header, allowEmpty })) as ReadOptions;
}
