/** Documents: created, or only appended to (service.md, Document). */
import type { JsonObject } from "../../model/json.js";
import type { DocumentRecord } from "../../model/records.js";
import type { DocumentSpec } from "../schema/record-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { BoundColumns } from "../value/columns.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileCondition } from "../value/condition.js";
import { compileJsonObject } from "../value/json-field.js";
import type { RowView } from "../value/row-view.js";
import { idSlot } from "../value/slot.js";
import type { Build, Locals, Part } from "./entity.js";
import { compileKey, joinKey } from "./key.js";
import { membersOf } from "./members.js";
import { shareLatest } from "./memo.js";
import type { Known } from "./reference.js";

export interface DocumentPart extends Part<DocumentRecord> {
  /** Its name in keys: in the mapping, unless `was` says otherwise. */
  kind: string;
  /** Whether it has a participant and an address, which its events then take. */
  hasParticipant: boolean;
  hasAddress: boolean;
  /** Only its key, for rows that are otherwise invalid. */
  bindKey(columns: BoundColumns): (view: RowView) => string | null;
}

/** Null: it cannot be used, and why has been reported. */
export function compileDocument(
  kind: string,
  spec: DocumentSpec,
  path: Path,
  context: CompileContext,
  locals: Locals,
  known: Known,
): DocumentPart | null {
  const label = `document "${kind}"`;
  const keyKind = context.labels.get(kind) ?? kind;
  const mode = spec.mode ?? "create";
  if (!checkMode(spec, mode, label, path, context)) return null;
  const members = membersOf(label, path, context, locals, known);
  const condition = members.at("when", spec.when, (when, _, place) => compileCondition(when, place, context));
  const key = members.at("key", spec.key, (parts, ...place) => compileKey(parts, ...place, context));
  const id = members.field("documentId", spec.documentId, (called) => idSlot(called));
  const participant = members.participant(spec.participant);
  const address = members.address(spec.address);
  const external = members.externalId(spec.externalId);
  const fields = compileJsonObject(spec.fields ?? {}, `${label}: fields`, [...path, "fields"], context);
  if (
    condition === null ||
    key === null ||
    id === null ||
    participant === null ||
    address === null ||
    external === null ||
    fields === null
  )
    return null;

  const parts = [condition, key, id, participant, address, external, fields].filter((part) => part !== undefined);
  const uses = parts.flatMap((part) => part.uses);
  const bindKey = (columns: BoundColumns) => {
    const readKey = key?.bind(columns);
    const readId = id?.bind(columns);
    return (view: RowView): string | null => {
      const read = readKey === undefined ? readId?.(view) : readKey(view);
      if (read == null) return null;
      return Array.isArray(read) ? joinKey(read) : String(read);
    };
  };
  return {
    kind: keyKind,
    uses,
    hasParticipant: participant !== undefined,
    hasAddress: address !== undefined,
    bindKey,
    bind: (columns) => {
      const holds = condition?.bind(columns);
      const readKey = key?.bind(columns);
      const readId = id?.bind(columns);
      const readParticipant = participant?.bind(columns);
      const readAddress = address?.bind(columns);
      const readExternal = external?.bind(columns);
      const readFields = fields.bind(columns);
      const build: Build<DocumentRecord> = (view, records) => {
        const exists = holds === undefined ? true : holds(view);
        if (exists !== true) return exists === null ? null : undefined;
        const keyParts = readKey === undefined ? undefined : readKey(view);
        const documentId = readId === undefined ? undefined : readId(view);
        const owner = readParticipant === undefined ? undefined : readParticipant(view, records);
        const place = readAddress === undefined ? undefined : readAddress(view, records);
        const externalId = readExternal === undefined ? undefined : readExternal(view);
        const values = readFields(view);
        if (
          keyParts === null ||
          documentId === null ||
          owner === null ||
          place === null ||
          externalId === null ||
          values === null
        )
          return null;
        const text = keyParts === undefined ? String(documentId ?? "") : joinKey(keyParts);
        const follows = mode === "create" && spec.externalId === undefined ? (keyParts ?? []).join("-") : null;
        return {
          kind: keyKind,
          key: text,
          mode,
          documentId: documentId === undefined ? null : String(documentId),
          // Objects of its own: an event that names no party takes these, and is known by it (ledger/stage-input.ts).
          participant: owner == null ? null : { ...owner },
          address: place == null ? null : { ...place },
          externalId: externalId === undefined ? follows : String(externalId),
          fields: values as JsonObject,
          createEmpty: spec.createEmpty ?? false,
        };
      };
      return shareLatest(uses, columns, build);
    },
  };
}

function checkMode(
  spec: DocumentSpec,
  mode: "create" | "existing",
  label: string,
  path: Path,
  context: CompileContext,
): boolean {
  const before = context.source.problems.length;
  const refuse = (name: keyof DocumentSpec, message: string) =>
    context.source.report("mapping-value", [...path, name], `${label}: ${message}.`, { at: "key" });
  if (mode === "create") {
    for (const name of ["key", "participant", "address"] as const) {
      if (spec[name] === undefined) {
        const hint = "A document that is only appended to is written `mode: existing`.";
        context.source.report("mapping-value", path, `${label}: "${name}" is missing.`, { at: "key", hint });
      }
    }
    if (spec.documentId !== undefined)
      refuse(
        "documentId",
        "the service gives the id of a document that is created; `documentId` belongs to `mode: existing`",
      );
  } else {
    if (spec.key === undefined && spec.documentId === undefined) {
      context.source.report("mapping-value", path, `${label}: an existing document needs a key or a documentId.`, {
        at: "key",
      });
    }
    for (const name of ["fields", "externalId", "createEmpty"] as const) {
      if (spec[name] !== undefined) refuse(name, `\`${name}\` has no meaning for \`mode: existing\``);
    }
  }
  return context.source.problems.length === before;
}
