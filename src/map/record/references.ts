/** References between records: by name within a row, by key to other rows, by tax id or id to anything. */
import { joinKey, naturalKey } from "../../model/keys.js";
import type { AddressRef, DocumentRef, ParticipantRecord, ParticipantRef } from "../../model/records.js";
import { literalText, type Made } from "../column/view.js";
import { taxIdTypesOf, typeSpelling } from "../convert/tax-id.js";
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
import { BROKEN, CALLED, derive, type Piece } from "../piece.js";
import { compileField, compileFields, compileKey, convertBy } from "./fields.js";

type Kinds = keyof Made;

export function participantRef(spec: ParticipantRefSpec, site: Site): Piece<ParticipantRef> {
  const ways = ["ref", "taxId", "id"];
  if (typeof spec === "string") return derive(local(spec, "participants", site), ({ ref }) => ref);
  if (spec.taxId === undefined) return remote(spec, "participants", site, ways);
  if (!isOneWay(spec, ways, site)) return BROKEN;
  return derive(compileTaxId(spec, site), (id) => ({ by: "natural", key: naturalKey(id) }));
}

export function addressRef(spec: AddressRefSpec, site: Site): Piece<AddressRef> {
  if (typeof spec === "string") return derive(local(spec, "addresses", site), ({ ref }) => ref);
  return remote(spec, "addresses", site, ["ref", "id"]);
}

export function documentRef(spec: DocumentRefSpec, site: Site): Piece<DocumentRef> {
  if (typeof spec === "string")
    return derive(local(spec, "documents", site), ({ kind, key }) => ({ by: "key", kind, key }));
  return derive(remote(spec, "documents", site, ["ref", "id"]), (found) =>
    found.by === "id" ? { by: "id", documentId: found.id } : { ...found, by: "key" },
  );
}

type Remote = { ref?: string | undefined; key?: KeySpec | undefined; id?: Scalar | undefined };
type PartyRef = { by: "id"; id: string } | { by: "alias"; kind: string; key: string };

function local<K extends Kinds>(name: string, kinds: K, site: Site): Piece<NonNullable<Made[K][number]>> {
  const { records, shared, share } = site.scope;
  if (kinds !== "documents") share(kinds, name);
  const known = [...records[kinds].keys()];
  const piece: Piece<unknown> | undefined = records[kinds].get(name);
  const called = CALLED[kinds];
  if (piece === undefined) {
    const hint = shared.known[kinds].has(name)
      ? `"${name}" belongs to another input: write { ref: ${name}, key: … }.`
      : didYouMean(name, known).trim() || `This input defines ${known.join(", ") || `no ${called}`}.`;
    return site.report("mapping-reference", `: this input has no ${called} "${name}".`, hint);
  }
  const absent = `${site.label}: ${called} "${name}" does not exist in this row`;
  const { reads, tree } = piece;
  return {
    reads,
    tree,
    run: (view) => {
      const record = view.made[kinds][known.indexOf(name)] as Made[K][number];
      return record === undefined ? view.report("reference-absent", absent) : record;
    },
  };
}

const ID: FieldInfo = { takes: "id", required: true, identity: true };

export const byId = (spec: Scalar, site: Site): Piece<string> => derive(compileField(spec, ID, site), String);

/** By `id`, or by `ref` and `key`. */
function remote(spec: Remote, kinds: Kinds, site: Site, ways: string[]): Piece<PartyRef> {
  if (!isOneWay(spec, ways, site)) return BROKEN;
  const { ref = "", key, id } = spec;
  if (id !== undefined) return derive(byId(id, site.at("id")), (given) => ({ by: "id", id: given }));
  if (key === undefined)
    return site.report("mapping-reference", ": `ref` and `key` go together.", `Write { ref: ${ref}, key: =… }.`);
  const { known, labels } = site.scope.shared;
  const lengths = known[kinds].get(ref);
  if (lengths === undefined) {
    const keyed = kinds === "documents" ? "no document" : `no ${CALLED[kinds]} with a \`key:\` named`;
    const elsewhere = `If another mapping of this namespace defines it, list it under \`elsewhere: { ${kinds}: [${ref}] }\`.`;
    const hint = didYouMean(ref, known[kinds].keys()).trim() || elsewhere;
    return site.report("mapping-reference", `: the mapping defines ${keyed} "${ref}".`, hint, "ref");
  }
  const parts = [key].flat().length;
  if (lengths.size > 0 && !lengths.has(parts)) {
    const of = [...lengths].join(" or ");
    const message = `: the key of ${CALLED[kinds]} "${ref}" has ${of} ${of === "1" ? "part" : "parts"}, and this one has ${parts}.`;
    return site.report("mapping-reference", message, "Write the same parts in the same order.", "key");
  }
  const kind = kinds === "documents" ? (labels.get(ref) ?? ref) : ref;
  const piece = derive(
    compileKey(key, site.at("key")),
    (texts): PartyRef => ({
      by: "alias",
      kind,
      key: joinKey(texts),
    }),
  );
  return { ...piece, tree: `${kind} ${piece.tree}` };
}

function isOneWay(spec: { [way: string]: unknown }, ways: readonly string[], site: Site) {
  const given = ways.filter((way) => spec[way] !== undefined);
  if (given.length === 1 && (given[0] === "ref" || spec["key"] === undefined)) return true;
  const found = given.length === 0 ? "needs one of" : "takes only one of";
  const key = given.length === 1 ? "; `key` belongs to `ref`" : "";
  site.report("mapping-reference", ` ${found} ${ways.join(", ")}${key}.`);
  return false;
}

type TaxId = Pick<ParticipantRecord["data"], "taxId" | "taxIdType" | "countryCode">;

/** Type and country default to those of the tax id's column. */
export function compileTaxId(
  { taxId, taxIdType, countryCode }: { [name in keyof TaxId]?: Scalar | undefined },
  site: Site,
): Piece<TaxId> {
  const { country } = site.scope.shared.conversions.defaults;
  const info: FieldInfo = { takes: "taxId", required: true, identity: true };
  const formula = taxId === undefined ? undefined : compileField(taxId, info, site.at("taxId")).formula;
  const typed = formula?.type === "taxId" ? String(taxId).slice(1) : null;
  const where = countryCode ?? country;
  const isLiteral = taxId !== undefined && formula === undefined && typeof where === "string";
  const [told, ...others] = isLiteral ? taxIdTypesOf(literalText(taxId), where) : [];
  const single = formula === BROKEN ? "told already" : others.length > 0 ? undefined : told;
  const specs = {
    taxId,
    taxIdType: taxIdType ?? (typed === null ? single : `=(${typed}).type`),
    countryCode: countryCode ?? (typed === null ? country : `=(${typed}).country`),
  };
  if (specs.taxIdType === undefined && formula?.column !== undefined) {
    const hint = `Give the column "${formula.column.name}" \`as: taxId\`: the type is then its own.`;
    return site.reportName("mapping-value", ': "taxIdType" is missing.', hint);
  }
  // A blank tax id is one mistake, not three.
  const given = { taxIdType, countryCode };
  const ofTaxId = (["taxIdType", "countryCode"] as const).filter((one) => typed !== null && given[one] === undefined);
  const fields = compileFields(specs, naturalFields, site, ofTaxId);
  const conversion = (values: { [name in keyof TaxId]?: unknown }) => ({
    name: "taxId",
    country: values.countryCode,
    type: values.taxIdType,
  });
  // The column has converted it already, unless the mapping gives another type.
  const done = typed !== null && taxIdType === undefined;
  if (done) return fields as Piece<TaxId>;
  const converted = convertBy(fields, "taxId", conversion, site) as Piece<TaxId>;
  return derive(converted, (id) => ({ ...id, taxIdType: typeSpelling(id.taxIdType, id.countryCode) }));
}
