/** References between records: by name within a row, by key to other rows, by tax id or id to anything. */
import { joinKey, naturalKey } from "../../model/keys.js";
import type { AddressRef, DocumentRef, ParticipantRecord, ParticipantRef } from "../../model/records.js";
import type { Scope } from "../column/scope.js";
import { literalText, type Made } from "../column/view.js";
import { taxIdTypeOf } from "../convert/tax-id.js";
import {
  type AddressRefSpec,
  type DocumentRefSpec,
  type FieldInfo,
  type KeySpec,
  naturalFields,
  type ParticipantRefSpec,
  type Scalar,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { didYouMean } from "../nearest.js";
import { BROKEN, derive, type Piece } from "../piece.js";
import type { RecordContext } from "./context.js";
import { compileField, compileFields, compileKey, convertBy } from "./fields.js";

type Kinds = keyof Made;
const CALLED = { participants: "participant", addresses: "address", documents: "document" };

export function participantRef(spec: ParticipantRefSpec, site: Site, context: RecordContext): Piece<ParticipantRef> {
  if (typeof spec === "string") return derive(local(spec, "participants", site, context), ({ ref }) => ref);
  if (!oneWay(spec, ["ref", "taxId", "id"], site)) return BROKEN;
  if (spec.taxId === undefined) return party(spec, "participants", site, context);
  return derive(compileTaxId(spec, site, context.scope), (id) => ({ by: "natural", key: naturalKey(id) }));
}

export function addressRef(spec: AddressRefSpec, site: Site, context: RecordContext): Piece<AddressRef> {
  if (typeof spec === "string") return derive(local(spec, "addresses", site, context), ({ ref }) => ref);
  return oneWay(spec, ["ref", "id"], site) ? party(spec, "addresses", site, context) : BROKEN;
}

export function documentRef(spec: DocumentRefSpec, site: Site, context: RecordContext): Piece<DocumentRef> {
  if (typeof spec === "string")
    return derive(local(spec, "documents", site, context), ({ kind, key }) => ({ by: "key", kind, key }));
  if (!oneWay(spec, ["ref", "id"], site)) return BROKEN;
  if (spec.id !== undefined) return derive(byId(spec.id, site, context), (documentId) => ({ by: "id", documentId }));
  return derive(byKey(spec, "documents", site, context), ({ kind, key }) => ({ by: "key", kind, key }));
}

interface Remote {
  ref?: string | undefined;
  key?: KeySpec | undefined;
  id?: Scalar | undefined;
}
type PartyRef = { by: "id"; id: string } | { by: "alias"; kind: string; key: string };

function party(spec: Remote, kinds: Kinds, site: Site, context: RecordContext): Piece<PartyRef> {
  if (spec.id !== undefined) return derive(byId(spec.id, site, context), (id) => ({ by: "id", id }));
  return derive(byKey(spec, kinds, site, context), ({ kind, key }) => ({ by: "alias", kind, key }));
}

function local<K extends Kinds>(
  name: string,
  kinds: K,
  site: Site,
  context: RecordContext,
): Piece<NonNullable<Made[K][number]>> {
  const locals: ReadonlyMap<string, Piece<unknown>> = context[kinds];
  if (!locals.has(name) && kinds !== "documents") context.share(kinds, name);
  const position = [...locals.keys()].indexOf(name);
  const piece = locals.get(name);
  const called = CALLED[kinds];
  if (piece === undefined) {
    const list = [...locals.keys()].join(", ");
    const hint = context.known[kinds].has(name)
      ? `"${name}" belongs to another input: write { ref: ${name}, key: … }.`
      : didYouMean(name, locals.keys()).trim() || `This input defines ${list === "" ? `no ${called}` : list}.`;
    return site.report("mapping-reference", `: this input has no ${called} "${name}".`, hint);
  }
  const absent = `${site.label}: ${called} "${name}" does not exist in this row`;
  const { reads, tree } = piece;
  return {
    reads,
    tree,
    run: (view) => {
      const record = view.made[kinds][position] as Made[K][number];
      return record === undefined ? view.report("reference-absent", absent) : record;
    },
  };
}

const ID: FieldInfo = { takes: "id", required: true, identity: true };

export function byId(spec: Scalar, site: Site, { scope }: RecordContext): Piece<string> {
  return derive(compileField(spec, ID, site.at("id"), scope), String);
}

function byKey(
  { ref = "", key }: Remote,
  kinds: Kinds,
  site: Site,
  context: RecordContext,
): Piece<{ kind: string; key: string }> {
  const known = context.known[kinds];
  if (key === undefined) return site.report("mapping-reference", ": `ref` and `key` go together.");
  if (!known.has(ref)) {
    const keyed = kinds === "documents" ? "no document" : `no ${CALLED[kinds]} with a \`key:\` named`;
    const elsewhere = `If another mapping of this namespace defines it, list it under \`elsewhere: { ${kinds}: [${ref}] }\`.`;
    const hint = didYouMean(ref, known).trim() || elsewhere;
    return site.reportAt(["ref"], "mapping-reference", `: the mapping defines ${keyed} "${ref}".`, hint);
  }
  const kind = kinds === "documents" ? (context.labels.get(ref) ?? ref) : ref;
  const piece = derive(compileKey(key, site.at("key"), context.scope), (texts) => ({ kind, key: joinKey(texts) }));
  return { ...piece, tree: `${kind} ${piece.tree}` };
}

function oneWay(spec: { [way: string]: unknown }, ways: readonly string[], site: Site): boolean {
  const given = ways.filter((way) => spec[way] !== undefined);
  if (given.length === 1 && (given[0] === "ref" || spec["key"] === undefined)) return true;
  const found = given.length === 0 ? "needs one of" : "takes only one of";
  const key = given.length === 1 ? "; `key` belongs to `ref`" : "";
  site.report("mapping-reference", ` ${found} ${ways.join(", ")}${key}.`);
  return false;
}

interface TaxIdSpec {
  taxId?: Scalar | undefined;
  taxIdType?: Scalar | undefined;
  countryCode?: Scalar | undefined;
}
type TaxId = Pick<ParticipantRecord["data"], "taxId" | "taxIdType" | "countryCode">;

/** Type and country default to those of the tax id's column. */
export function compileTaxId(spec: TaxIdSpec, site: Site, scope: Scope): Piece<TaxId> {
  const { country } = scope.shared.conversions.defaults;
  const { taxId, taxIdType, countryCode } = spec;
  const info: FieldInfo = { takes: "taxId", required: true, identity: true };
  const formula = taxId === undefined ? undefined : compileField(taxId, info, site.at("taxId"), scope).formula;
  const typed = formula?.type === "taxId" ? String(taxId).slice(1) : null;
  const where = countryCode ?? country;
  const told =
    taxId === undefined || formula !== undefined || typeof where !== "string"
      ? undefined
      : (taxIdTypeOf(literalText(taxId), where) ?? undefined);
  const specs = {
    taxId,
    taxIdType: taxIdType ?? (typed === null ? told : `=(${typed}).type`),
    countryCode: countryCode ?? (typed === null ? country : `=(${typed}).country`),
  };
  const fields = compileFields(specs, naturalFields, site, scope);
  const conversion = (values: { [name in keyof TaxId]?: unknown }) => ({
    name: "taxId",
    country: values.countryCode,
    type: values.taxIdType,
  });
  // The column has converted it already, unless the mapping gives another type.
  const done = typed !== null && taxIdType === undefined;
  return (done ? fields : convertBy(fields, "taxId", conversion, site, scope)) as Piece<TaxId>;
}
