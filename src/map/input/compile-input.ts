/** One input of a mapping: what its rows yield, checked and ready to be bound to a header. */
import { foldName } from "../fold.js";
import type { MappingInput } from "../mapping.js";
import type { AddressEntity, Locals, Part, ParticipantEntity } from "../record/entity.js";
import { compileAddress } from "../record/address.js";
import { compileDocument, type DocumentPart } from "../record/document.js";
import { compileEvent, type EventPart } from "../record/event.js";
import { compileKey, type Key } from "../record/key.js";
import { compileParticipant } from "../record/participant.js";
import type { Known } from "../record/reference.js";
import type { InputSpec } from "../schema/mapping-schema.js";
import type { Path } from "../source/mapping-source.js";
import { BoundColumns, type ColumnEntry, type ColumnUse } from "../value/columns.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileCondition, type Condition } from "../value/condition.js";
import { compileField, type Field } from "../value/field.js";
import { identitySlot } from "../value/slot.js";
import { bindRowMapper } from "./row-mapper.js";
import { readOptions } from "./read-options.js";

/** Everything that one input's rows yield. */
export interface InputParts {
  skip: Condition | null;
  rowId: Field | null;
  group: Key | null;
  participants: Part<ParticipantEntity>[];
  addresses: Part<AddressEntity>[];
  documents: DocumentPart[];
  events: EventPart[];
  /** Whether a row in which no event happens is staged all the same. */
  rowsWithoutEvents: boolean;
}

/** Null: it cannot be used, and why has been reported. `shared` is the mapping's context, of which `grouped` is the input's own. */
export function compileInput(
  name: string,
  spec: InputSpec,
  path: Path,
  shared: Omit<CompileContext, "grouped">,
  known: Known,
): MappingInput | null {
  const context: CompileContext = { ...shared, grouped: spec.group !== undefined };
  const entries = compileColumnEntries(spec, path, context);
  const before = context.source.problems.length;
  const parts = compileParts(spec, path, context, known);
  if (parts === null || context.source.problems.length > before) return null;
  return {
    name,
    read: readOptions(spec),
    hasRowId: parts.rowId !== null,
    columns: columnsOf(parts),
    bind: (header, place) => {
      const columns = new BoundColumns(header, entries);
      const mapper = bindRowMapper(parts, columns, header, context.cells);
      columns.check(place);
      return { ...mapper, unmapped: columns.unmapped() };
    },
  };
}

function compileParts(spec: InputSpec, path: Path, context: CompileContext, known: Known): InputParts | null {
  const locals: Locals = { participants: new Map(), addresses: new Map(), documents: new Map() };
  const documents = new Map<string, DocumentPart | null>();
  const skip = spec.skip === undefined ? null : compileCondition(spec.skip, [...path, "skip"], context);
  const rowId =
    spec.rowId === undefined ? null : compileField(spec.rowId, identitySlot("rowId"), [...path, "rowId"], context);
  // What tells groups apart is read row by row, so that it must not itself be read over a group.
  const group =
    spec.group === undefined
      ? null
      : compileKey(spec.group, "group", [...path, "group"], { ...context, grouped: false });
  for (const [kind, participant] of Object.entries(spec.participants ?? {})) {
    locals.participants.set(kind, compileParticipant(kind, participant, [...path, "participants", kind], context));
  }
  for (const [kind, address] of Object.entries(spec.addresses ?? {})) {
    locals.addresses.set(kind, compileAddress(kind, address, [...path, "addresses", kind], context, locals, known));
  }
  for (const [kind, document] of Object.entries(spec.documents ?? {})) {
    const part = compileDocument(kind, document, [...path, "documents", kind], context, locals, known);
    documents.set(kind, part);
    locals.documents.set(kind, part);
  }
  const events: EventPart[] = [];
  for (const [event, eventSpec] of Object.entries(spec.events ?? {})) {
    const part = compileEvent(event, eventSpec, [...path, "events", event], context, locals, documents, known);
    if (part !== null) events.push(part);
  }
  if (
    ["participants", "addresses", "documents", "events"].every(
      (kind) => Object.keys(spec[kind as "events"] ?? {}).length === 0,
    )
  ) {
    context.source.report(
      "mapping-value",
      path,
      "The input yields no records: define participants, addresses, documents or events.",
      { at: "key" },
    );
  }
  return {
    skip,
    rowId,
    group,
    participants: [...locals.participants.values()].filter((part) => part !== null),
    addresses: [...locals.addresses.values()].filter((part) => part !== null),
    documents: [...documents.values()].filter((part) => part !== null),
    events,
    rowsWithoutEvents: spec.rowsWithoutEvents === "allow",
  };
}

function columnsOf(parts: InputParts): ColumnUse[] {
  const used = [
    parts.skip,
    parts.rowId,
    parts.group,
    ...parts.participants,
    ...parts.addresses,
    ...parts.documents,
    ...parts.events,
  ];
  const byName = new Map<string, ColumnUse>();
  for (const use of used.flatMap((part) => part?.uses ?? [])) byName.set(foldName(use[0] ?? ""), use);
  return [...byName.values()];
}

function compileNth(text: string | undefined): ColumnEntry["nth"] {
  const [position, count] = (text ?? "").split(" of ").map(Number);
  return position === undefined || count === undefined ? null : { position, count };
}

function nthProblem(name: string, headers: readonly string[], nth: ColumnEntry["nth"]): string | null {
  if (nth === null) return null;
  if (nth.position > nth.count) return "There is no such one among so few.";
  const isOwn = headers.length === 0 || headers.some((header) => foldName(header) === foldName(name));
  return isOwn ? "Give the column a name of its own here, and name the header that it shares under `headers`." : null;
}

function compileColumnEntries(spec: InputSpec, path: Path, context: CompileContext): ReadonlyMap<string, ColumnEntry> {
  const entries = new Map<string, ColumnEntry>();
  for (const [name, entry] of Object.entries(spec.columns ?? {})) {
    const folded = foldName(name);
    if (entries.has(folded))
      context.source.report("mapping-value", [...path, "columns", name], `"${name}" is listed twice.`, { at: "key" });
    entries.set(
      folded,
      Array.isArray(entry)
        ? { headers: entry, optional: false, nth: null }
        : { headers: entry.headers ?? [], optional: entry.optional ?? false, nth: compileNth(entry.nth) },
    );
    const problem = Array.isArray(entry) ? null : nthProblem(name, entry.headers ?? [], compileNth(entry.nth));
    if (problem !== null) context.source.report("mapping-value", [...path, "columns", name, "nth"], problem);
  }
  return entries;
}
