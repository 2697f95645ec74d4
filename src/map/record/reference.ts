/** How records refer to each other: by name within a row, by key to other rows, by natural key or id to anything. */
import { naturalKey } from "../../model/keys.js";
import type { AddressRef, DocumentRef, ParticipantRef } from "../../model/records.js";
import { didYouMean } from "../nearest.js";
import type { KeySpec } from "../schema/field-schema.js";
import type { AddressRefSpec, DocumentRefSpec, ParticipantRefSpec } from "../schema/record-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileField } from "../value/field.js";
import type { RowView } from "../value/row-view.js";
import { identitySlot, idSlot, textSlot } from "../value/slot.js";
import { type Build, type Locals, type Made, type Part, positionOf } from "./entity.js";
import { compileFields } from "./fields.js";
import { compileKey, joinKey } from "./key.js";
import { taxIdConversion } from "./dependent-conversion.js";
import { countrySlot } from "./participant.js";

/** Names that `ref` may use, over all inputs and `elsewhere`: participants and addresses with a key, and documents. */
export interface Known {
  participants: ReadonlySet<string>;
  addresses: ReadonlySet<string>;
  documents: ReadonlySet<string>;
}

/** Null: it cannot be used, and why has been reported. */
export function compileParticipantRef(
  spec: ParticipantRefSpec,
  label: string,
  path: Path,
  context: CompileContext,
  locals: Locals,
  known: Known,
): Part<ParticipantRef> | null {
  if (typeof spec === "string") {
    return compileLocal(
      spec,
      "participant",
      locals.participants,
      known.participants,
      label,
      path,
      context,
      (records, position) => {
        const made = records.participants[position];
        return made == null ? made : made.ref;
      },
    );
  }
  if (!oneWay(spec, ["ref", "natural", "id"], label, path, context)) return null;
  if (spec.id !== undefined)
    return compileId(spec.id, label, path, context, (id): ParticipantRef => ({ by: "id", id }));
  if (spec.natural !== undefined) {
    const taxIds = taxIdConversion(context.conversions);
    const place = [...path, "natural"];
    const first = compileFields(
      spec.natural,
      { countryCode: countrySlot(`${label}: countryCode`), taxIdType: textSlot(`${label}: taxIdType`, true) },
      place,
      context,
    );
    const last = compileFields(
      spec.natural,
      {
        taxId: taxIds.slot(identitySlot(`${label}: taxId`), [
          first?.field("countryCode")?.constant,
          first?.field("taxIdType")?.constant,
        ]),
      },
      place,
      context,
    );
    if (first === null || last === null) return null;
    return {
      uses: [...first.uses, ...last.uses],
      bind: (columns) => {
        const readFirst = first.bind(columns);
        const readLast = last.bind(columns);
        return (view) => {
          const values = readFirst(view);
          const countryCode = String(values?.countryCode ?? "");
          const taxIdType = String(values?.taxIdType ?? "");
          taxIds.use(countryCode, taxIdType);
          const number = readLast(view);
          if (values === null || number === null) return null;
          return { by: "natural", key: naturalKey({ countryCode, taxIdType, taxId: String(number.taxId ?? "") }) };
        };
      },
    };
  }
  return compileAlias(
    spec,
    "participant",
    known.participants,
    label,
    path,
    context,
    (kind, key): ParticipantRef => ({ by: "alias", kind, key }),
  );
}

/** Null: it cannot be used, and why has been reported. */
export function compileAddressRef(
  spec: AddressRefSpec,
  label: string,
  path: Path,
  context: CompileContext,
  locals: Locals,
  known: Known,
): Part<AddressRef> | null {
  if (typeof spec === "string") {
    return compileLocal(
      spec,
      "address",
      locals.addresses,
      known.addresses,
      label,
      path,
      context,
      (records, position) => {
        const made = records.addresses[position];
        return made == null ? made : made.ref;
      },
    );
  }
  if (!oneWay(spec, ["ref", "id"], label, path, context)) return null;
  if (spec.id !== undefined) return compileId(spec.id, label, path, context, (id): AddressRef => ({ by: "id", id }));
  return compileAlias(
    spec,
    "address",
    known.addresses,
    label,
    path,
    context,
    (kind, key): AddressRef => ({ by: "alias", kind, key }),
  );
}

/** A document that another record names. Null: it cannot be used, and why has been reported. */
export function compileDocumentRef(
  spec: DocumentRefSpec,
  label: string,
  path: Path,
  context: CompileContext,
  locals: Locals,
  known: Known,
): Part<DocumentRef & { by: "key" }> | null {
  if (typeof spec === "string") {
    return compileLocal(
      spec,
      "document",
      locals.documents,
      known.documents,
      label,
      path,
      context,
      (records, position) => {
        const made = records.documents[position];
        return made == null ? made : { by: "key" as const, kind: made.kind, key: made.key };
      },
    );
  }
  return compileAlias(spec, "document", known.documents, label, path, context, (kind, key) => ({
    by: "key" as const,
    kind: context.labels.get(kind) ?? kind,
    key,
  }));
}

function compileLocal<T>(
  name: string,
  what: "participant" | "address" | "document",
  locals: ReadonlyMap<string, Part<unknown> | null>,
  known: ReadonlySet<string>,
  label: string,
  path: Path,
  context: CompileContext,
  take: (records: Parameters<Build<T>>[1], position: number) => Made<T>,
): Part<T> | null {
  const position = positionOf(locals, name);
  if (position < 0) {
    const hint = known.has(name)
      ? `"${name}" belongs to another input: write { ref: ${name}, key: … }.`
      : didYouMean(name, locals.keys()).trim() ||
        `${locals.size === 0 ? `This input defines no ${what}` : `This input defines ${[...locals.keys()].join(", ")}`}.`;
    context.source.report("mapping-reference", path, `${label}: this input has no ${what} "${name}".`, { hint });
    return null;
  }
  return {
    uses: [...(locals.get(name)?.uses ?? [])],
    bind: () => (view, records) => {
      const made = take(records, position);
      if (made === undefined) reportAbsent(view, `${label}: ${what} "${name}" does not exist in this row`);
      return made ?? null;
    },
  };
}

function reportAbsent(view: RowView, message: string): void {
  view.problems.push({ code: "reference-absent", message, hint: null, column: null });
}

function compileAlias<T>(
  spec: { ref?: string | undefined; key?: KeySpec | undefined },
  what: "participant" | "address" | "document",
  known: ReadonlySet<string>,
  label: string,
  path: Path,
  context: CompileContext,
  make: (kind: string, key: string) => T,
): Part<T> | null {
  const { ref: kind } = spec;
  if (kind === undefined || spec.key === undefined) {
    context.source.report("mapping-reference", path, `${label}: \`ref\` and \`key\` go together.`);
    return null;
  }
  if (!known.has(kind)) {
    const near = didYouMean(kind, known).trim();
    const keyed = what === "document" ? "defines no document" : `defines no ${what} with a \`key:\` named`;
    const elsewhere = `If another mapping of this namespace defines it, list it under \`elsewhere: { ${what === "address" ? "addresses" : `${what}s`}: [${kind}] }\`.`;
    context.source.report("mapping-reference", [...path, "ref"], `${label}: the mapping ${keyed} "${kind}".`, {
      hint: near === "" ? elsewhere : near,
    });
    return null;
  }
  const key = compileKey(spec.key, `${label}: key`, [...path, "key"], context);
  if (key === null) return null;
  return {
    uses: key.uses,
    bind: (columns) => {
      const read = key.bind(columns);
      let last: { key: string; ref: T } | null = null;
      return (view) => {
        const parts = read(view);
        if (parts === null) return null;
        const text = joinKey(parts);
        if (last?.key !== text) last = { key: text, ref: make(kind, text) };
        return last.ref;
      };
    },
  };
}

function compileId<T>(
  spec: NonNullable<Exclude<AddressRefSpec, string>["id"]>,
  label: string,
  path: Path,
  context: CompileContext,
  make: (id: string) => T,
): Part<T> | null {
  const field = compileField(spec, idSlot(`${label}: id`), [...path, "id"], context);
  if (field === null) return null;
  return {
    uses: field.uses,
    bind: (columns) => {
      const read = field.bind(columns);
      return (view) => {
        const id = read(view);
        return id == null ? null : make(String(id));
      };
    },
  };
}

function oneWay(
  spec: { [way: string]: unknown },
  ways: readonly string[],
  label: string,
  path: Path,
  context: CompileContext,
): boolean {
  const given = ways.filter((way) => spec[way] !== undefined);
  if (given.length === 1 && (given[0] === "ref" || spec["key"] === undefined)) return true;
  const found = given.length === 0 ? "needs one of" : "takes only one of";
  context.source.report(
    "mapping-reference",
    path,
    `${label} ${found} ${ways.join(", ")}${given.length === 1 ? "; `key` belongs to `ref`" : ""}.`,
  );
  return false;
}
