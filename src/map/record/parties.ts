/** Participants and addresses (service.md, Participant and Address). */
import { lengthPrefixed, naturalKey } from "../../model/keys.js";
import type { AddressRecord, ParticipantRecord } from "../../model/records.js";
import { merged } from "../formula/part.js";
import { foldIdentity } from "../fold.js";
import {
  addressFields,
  type AddressSpec,
  extendedFields,
  participantFields,
  type ParticipantSpec,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import type { RecordContext } from "./context.js";
import { participantRef } from "./references.js";
import { compileTaxId, stateConverter } from "./tax-id.js";
import { compileCondition, compileFields, compileKey, joinKey } from "./values.js";

type ParticipantPart = NonNullable<ReturnType<RecordContext["participants"]["get"]>>;
type AddressPart = NonNullable<ReturnType<RecordContext["addresses"]["get"]>>;

/** Null: it cannot be used, and why has been reported. */
export function compileParticipant(
  kind: string,
  spec: ParticipantSpec,
  site: Site,
  { scope }: RecordContext,
): ParticipantPart | null {
  const condition = spec.when === undefined ? undefined : compileCondition(spec.when, site.at("when"), scope);
  const key = spec.key === undefined ? undefined : compileKey(spec.key, site.at("key"), scope);
  const taxId = compileTaxId(spec, site, scope);
  const { name, type } = participantFields;
  const rest = compileFields(spec, { name, type }, site, scope);
  if (condition === null || key === null || taxId === null || rest === null) return null;
  return {
    reads: merged([condition, key, taxId, rest].flatMap((part) => part?.reads ?? [])),
    tree: `${key?.tree ?? ""} ${taxId.tree} ${rest.trees}`,
    build: (view) => {
      const exists = condition === undefined ? true : condition.holds(view);
      if (exists !== true) return exists === null ? null : undefined;
      const alias = key === undefined ? undefined : key.run(view);
      const identity = taxId.run(view);
      const values = rest.run(view);
      if (alias === null || identity === null || values === null) return null;
      const data: ParticipantRecord["data"] = {
        countryCode: identity.countryCode,
        name: String(values.name ?? ""),
        taxId: identity.taxId,
        taxIdType: identity.taxIdType,
        type: String(values.type ?? ""),
      };
      const natural = naturalKey(data);
      const record = { kind, alias: alias === undefined ? null : joinKey(alias), natural, data };
      return { record, ref: { by: "natural", key: natural } };
    },
  };
}

/** Null: it cannot be used, and why has been reported. */
export function compileAddress(
  kind: string,
  spec: AddressSpec,
  site: Site,
  context: RecordContext,
): AddressPart | null {
  const { scope } = context;
  const condition = spec.when === undefined ? undefined : compileCondition(spec.when, site.at("when"), scope);
  const key = spec.key === undefined ? undefined : compileKey(spec.key, site.at("key"), scope);
  const participant = participantRef(spec.participant, site.at("participant"), context);
  const { countryCode, ...others } = addressFields;
  const code = spec.countryCode ?? scope.conversions.defaults.country;
  const country = compileFields({ countryCode: code }, { countryCode }, site, scope);
  const states = stateConverter(scope);
  const constant = country?.constant("countryCode");
  states.converter.known = typeof constant === "string";
  if (typeof constant === "string") states.use(constant);
  const rest = compileFields(spec, others, site, scope, { countryState: states.converter });
  const extended = compileFields(spec, extendedFields, site, scope);
  if (
    condition === null ||
    key === null ||
    participant === null ||
    country === null ||
    rest === null ||
    extended === null
  )
    return null;
  return {
    reads: merged([condition, key, participant, country, rest, extended].flatMap((part) => part?.reads ?? [])),
    tree: `${key?.tree ?? ""} ${participant.tree} ${country.trees} ${rest.trees} ${extended.trees}`,
    build: (view, made) => {
      const exists = condition === undefined ? true : condition.holds(view);
      if (exists !== true) return exists === null ? null : undefined;
      const alias = key === undefined ? undefined : key.run(view);
      const owner = participant.build(view, made);
      const place = country.run(view);
      states.use(String(place?.countryCode ?? ""));
      const values = rest.run(view);
      const further = extended.run(view);
      if (alias === null || owner == null || place === null || values === null || further === null) return null;
      const data: AddressRecord["data"] = {
        city: String(values.city ?? ""),
        countryCode: String(place.countryCode ?? ""),
        countryState: String(values.countryState ?? ""),
        name: String(values.name ?? ""),
        number: String(values.number ?? ""),
        street: String(values.street ?? ""),
      };
      const identity = alias === undefined ? foldedIdentity(data) : lengthPrefixed(["key", kind, ...alias]);
      return {
        record: {
          kind,
          alias: alias === undefined ? null : joinKey(alias),
          participant: owner,
          identity,
          data,
          extended: further as AddressRecord["extended"],
        },
        ref: { by: "identity", participant: owner, identity },
      };
    },
  };
}

/** HARD-CASES H30: all six create fields, folded. */
function foldedIdentity(data: AddressRecord["data"]): string {
  const { city, countryCode, countryState, name, number, street } = data;
  return lengthPrefixed([countryCode, countryState, city, street, number, name].map(foldIdentity));
}
