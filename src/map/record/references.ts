/** How records refer to each other: by name within a row, by key to other rows, by tax id or id to anything. */
import { naturalKey } from "../../model/keys.js";
import type { AddressRef, DocumentRef, ParticipantRef } from "../../model/records.js";
import { merged } from "../formula/part.js";
import type {
  AddressRefSpec,
  DocumentRefSpec,
  FieldInfo,
  KeySpec,
  ParticipantRefSpec,
  Scalar,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { didYouMean } from "../nearest.js";
import type { Made, Maybe, Part, RecordContext } from "./context.js";
import { compileTaxId } from "./tax-id.js";
import { compileKey, compileValue, joinKey } from "./values.js";

type Kind = "participant" | "address" | "document";
type Locals = "participants" | "addresses" | "documents";
const LOCALS = { participant: "participants", address: "addresses", document: "documents" } as const;

/** Null: it cannot be used, and why has been reported. */
export function participantRef(
  spec: ParticipantRefSpec,
  site: Site,
  context: RecordContext,
): Part<ParticipantRef> | null {
  if (typeof spec === "string")
    return local(
      spec,
      "participant",
      site,
      context,
      (made, at) => made.participants[at],
      (made) => made.ref,
    );
  if (spec.taxId === undefined)
    return remote<ParticipantRef>(spec, "participant", ["ref", "taxId", "id"], site, context, {
      alias: (kind, key) => ({ by: "alias", kind, key }),
      id: (id) => ({ by: "id", id }),
    });
  if (!oneWay(spec, ["ref", "taxId", "id"], site)) return null;
  const fields = compileTaxId(spec, site, context.scope);
  if (fields === null) return null;
  return {
    reads: fields.reads,
    tree: fields.tree,
    build: (view) => {
      const natural = fields.run(view);
      return natural === null ? null : { by: "natural", key: naturalKey(natural) };
    },
  };
}

/** Null: it cannot be used, and why has been reported. */
export function addressRef(spec: AddressRefSpec, site: Site, context: RecordContext): Part<AddressRef> | null {
  if (typeof spec === "string")
    return local(
      spec,
      "address",
      site,
      context,
      (made, at) => made.addresses[at],
      (made) => made.ref,
    );
  return remote<AddressRef>(spec, "address", ["ref", "id"], site, context, {
    alias: (kind, key) => ({ by: "alias", kind, key }),
    id: (id) => ({ by: "id", id }),
  });
}

/** Null: it cannot be used, and why has been reported. */
export function documentRef(spec: DocumentRefSpec, site: Site, context: RecordContext): Part<DocumentRef> | null {
  if (typeof spec === "string") {
    const take = ({ kind, key }: { kind: string; key: string }): DocumentRef => ({ by: "key", kind, key });
    return local(spec, "document", site, context, (made, at) => made.documents[at], take);
  }
  return remote<DocumentRef>(spec, "document", ["ref", "id"], site, context, {
    alias: (kind, key) => ({ by: "key", kind: context.labels.get(kind) ?? kind, key }),
    id: (documentId) => ({ by: "id", documentId }),
  });
}

function local<Record, Ref>(
  name: string,
  what: Kind,
  site: Site,
  context: RecordContext,
  made: (made: Made, at: number) => Maybe<Record>,
  take: (record: Record) => Ref,
): Part<Ref> | null {
  const locals: ReadonlyMap<string, Part<unknown> | null> = context[LOCALS[what]];
  if (!locals.has(name) && what !== "document") context.share(what === "address" ? "addresses" : "participants", name);
  const position = [...locals.keys()].indexOf(name);
  if (position < 0) {
    const list = [...locals.keys()].join(", ");
    const hint = context.known[LOCALS[what] as Locals].has(name)
      ? `"${name}" belongs to another input: write { ref: ${name}, key: … }.`
      : didYouMean(name, locals.keys()).trim() ||
        (list === "" ? `This input defines no ${what}.` : `This input defines ${list}.`);
    return site.report("mapping-reference", `: this input has no ${what} "${name}".`, hint);
  }
  const part = locals.get(name);
  if (part == null) return null;
  const absent = `${site.label}: ${what} "${name}" does not exist in this row`;
  return {
    reads: part.reads,
    tree: part.tree,
    build: (view, records) => {
      const record = made(records, position);
      if (record === undefined) return view.report("reference-absent", absent, null, -1);
      return record === null ? null : take(record);
    },
  };
}

const ID: FieldInfo = { takes: "id", required: true, identity: true };

function remote<Ref>(
  spec: { ref?: string | undefined; key?: KeySpec | undefined; id?: Scalar | undefined },
  what: Kind,
  ways: readonly string[],
  site: Site,
  { scope, known }: RecordContext,
  make: { alias: (kind: string, key: string) => Ref; id: (id: string) => Ref },
): Part<Ref> | null {
  if (!oneWay(spec, ways, site)) return null;
  if (spec.id !== undefined) {
    const id = compileValue(spec.id, ID, site.at("id"), scope);
    if (id === null) return null;
    const build: Part<Ref>["build"] = (view) => {
      const value = id.run(view);
      return value == null ? null : make.id(String(value));
    };
    return { reads: id.reads, tree: id.tree, build };
  }
  const { ref: kind = "" } = spec;
  if (spec.key === undefined) return site.report("mapping-reference", ": `ref` and `key` go together.");
  if (!known[LOCALS[what]].has(kind)) {
    const keyed = what === "document" ? "defines no document" : `defines no ${what} with a \`key:\` named`;
    const elsewhere = `If another mapping of this namespace defines it, list it under \`elsewhere: { ${LOCALS[what]}: [${kind}] }\`.`;
    return site
      .at("ref", site.label)
      .report(
        "mapping-reference",
        `: the mapping ${keyed} "${kind}".`,
        didYouMean(kind, known[LOCALS[what]]).trim() || elsewhere,
      );
  }
  const key = compileKey(spec.key, site.at("key"), scope);
  if (key === null) return null;
  let last: { key: string; ref: Ref } | null = null;
  return {
    reads: merged([key.reads]),
    tree: `${kind} ${key.tree}`,
    build: (view) => {
      const parts = key.run(view);
      if (parts === null) return null;
      const text = joinKey(parts);
      if (last?.key !== text) last = { key: text, ref: make.alias(kind, text) };
      return last.ref;
    },
  };
}

function oneWay(spec: { [way: string]: unknown }, ways: readonly string[], site: Site): boolean {
  const given = ways.filter((way) => spec[way] !== undefined);
  if (given.length === 1 && (given[0] === "ref" || spec["key"] === undefined)) return true;
  const found = given.length === 0 ? "needs one of" : "takes only one of";
  site.report(
    "mapping-reference",
    ` ${found} ${ways.join(", ")}${given.length === 1 ? "; `key` belongs to `ref`" : ""}.`,
  );
  return false;
}
