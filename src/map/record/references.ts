/** How records refer to each other: by name within a row, by key to other rows, by tax id or id to anything. */
import { naturalKey } from "../../model/keys.js";
import type { AddressRef, DocumentRef, ParticipantRef } from "../../model/records.js";
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
import { compileField, compileKey, joinKey } from "./fields.js";
import { derive, type Piece, type RecordContext } from "./piece.js";
import { compileTaxId } from "./tax-id.js";

type Kinds = "participants" | "addresses" | "documents";
const CALLED = { participants: "participant", addresses: "address", documents: "document" };

/** Null: it cannot be used, and why has been reported. */
export function participantRef(
  spec: ParticipantRefSpec,
  site: Site,
  context: RecordContext,
): Piece<ParticipantRef> | null {
  if (typeof spec === "string") return derive(local(spec, "participants", site, context), ({ ref }) => ref);
  if (!oneWay(spec, ["ref", "taxId", "id"], site)) return null;
  if (spec.taxId === undefined) return party(spec, "participants", site, context);
  return derive(compileTaxId(spec, site, context.scope), (id) => ({ by: "natural", key: naturalKey(id) }));
}

/** Null: it cannot be used, and why has been reported. */
export function addressRef(spec: AddressRefSpec, site: Site, context: RecordContext): Piece<AddressRef> | null {
  if (typeof spec === "string") return derive(local(spec, "addresses", site, context), ({ ref }) => ref);
  return oneWay(spec, ["ref", "id"], site) ? party(spec, "addresses", site, context) : null;
}

/** Null: it cannot be used, and why has been reported. */
export function documentRef(spec: DocumentRefSpec, site: Site, context: RecordContext): Piece<DocumentRef> | null {
  if (typeof spec === "string")
    return derive(local(spec, "documents", site, context), ({ kind, key }) => ({ by: "key", kind, key }));
  if (!oneWay(spec, ["ref", "id"], site)) return null;
  if (spec.id !== undefined) return derive(byId(spec.id, site, context), (documentId) => ({ by: "id", documentId }));
  return derive(byKey(spec, "documents", site, context), ({ kind, key }) => ({ by: "key", kind, key }));
}

interface Remote {
  ref?: string | undefined;
  key?: KeySpec | undefined;
  id?: Scalar | undefined;
}
type PartyRef = { by: "id"; id: string } | { by: "alias"; kind: string; key: string };

function party(spec: Remote, kinds: Kinds, site: Site, context: RecordContext): Piece<PartyRef> | null {
  if (spec.id !== undefined) return derive(byId(spec.id, site, context), (id) => ({ by: "id", id }));
  return derive(byKey(spec, kinds, site, context), ({ kind, key }) => ({ by: "alias", kind, key }));
}

/** A record of the same row, by its name. */
function local<K extends Kinds>(name: string, kinds: K, site: Site, context: RecordContext) {
  type Record = NonNullable<ReturnType<RecordContext[K]["get"]>> extends Piece<infer T> ? T : never;
  const locals: ReadonlyMap<string, Piece<unknown> | null> = context[kinds];
  if (!locals.has(name) && kinds !== "documents") context.share(kinds, name);
  const position = [...locals.keys()].indexOf(name);
  const called = CALLED[kinds];
  if (position < 0) {
    const list = [...locals.keys()].join(", ");
    const hint = context.known[kinds].has(name)
      ? `"${name}" belongs to another input: write { ref: ${name}, key: … }.`
      : didYouMean(name, locals.keys()).trim() || `This input defines ${list === "" ? `no ${called}` : list}.`;
    return site.report("mapping-reference", `: this input has no ${called} "${name}".`, hint);
  }
  const piece = locals.get(name);
  if (piece == null) return null;
  const absent = `${site.label}: ${called} "${name}" does not exist in this row`;
  const { reads, tree } = piece;
  const run: Piece<Record>["run"] = (view, made) => {
    const record = made[kinds][position] as Record | undefined | null;
    return record === undefined ? view.report("reference-absent", absent) : record;
  };
  return { reads, tree, run };
}

const ID: FieldInfo = { takes: "id", required: true, identity: true };

/** An id that the service gave. */
export function byId(spec: Scalar, site: Site, { scope }: RecordContext): Piece<string> | null {
  return derive(compileField(spec, ID, site.at("id"), scope), String);
}

/** A record of another row. */
function byKey({ ref = "", key }: Remote, kinds: Kinds, site: Site, { scope, known, labels }: RecordContext) {
  if (key === undefined) return site.report("mapping-reference", ": `ref` and `key` go together.");
  if (!known[kinds].has(ref)) {
    const keyed = kinds === "documents" ? "no document" : `no ${CALLED[kinds]} with a \`key:\` named`;
    const elsewhere = `If another mapping of this namespace defines it, list it under \`elsewhere: { ${kinds}: [${ref}] }\`.`;
    const hint = didYouMean(ref, known[kinds]).trim() || elsewhere;
    return site.reportAt(["ref"], "mapping-reference", `: the mapping defines ${keyed} "${ref}".`, hint);
  }
  const parts = compileKey(key, site.at("key"), scope);
  const kind = kinds === "documents" ? (labels.get(ref) ?? ref) : ref;
  const piece = derive(parts, (texts) => ({ kind, key: joinKey(texts) }));
  return piece === null ? null : { ...piece, tree: `${kind} ${piece.tree}` };
}

function oneWay(spec: { [way: string]: unknown }, ways: readonly string[], site: Site): boolean {
  const given = ways.filter((way) => spec[way] !== undefined);
  if (given.length === 1 && (given[0] === "ref" || spec["key"] === undefined)) return true;
  const found = given.length === 0 ? "needs one of" : "takes only one of";
  const key = given.length === 1 ? "; `key` belongs to `ref`" : "";
  site.report("mapping-reference", ` ${found} ${ways.join(", ")}${key}.`);
  return false;
}
