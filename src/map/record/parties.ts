/** Participants and addresses (service.md, Participant and Address). */
import type { JsonValue } from "../../model/json.js";
import { lengthPrefixed, naturalKey } from "../../model/keys.js";
import type { AddressRecord } from "../../model/records.js";
import { foldIdentity } from "../../model/fold.js";
import {
  addressFields,
  type AddressSpec,
  extendedFields,
  participantFields,
  type ParticipantSpec,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { compileCondition, compileFields, compileKey, convertBy, joinKey } from "./fields.js";
import { combine, derive, onlyWhere, optional, type RecordContext } from "./piece.js";
import { participantRef } from "./references.js";
import { compileTaxId } from "./tax-id.js";

type ParticipantPiece = NonNullable<ReturnType<RecordContext["participants"]["get"]>>;
type AddressPiece = NonNullable<ReturnType<RecordContext["addresses"]["get"]>>;

/** Null: it cannot be used, and why has been reported. */
export function compileParticipant(
  kind: string,
  spec: ParticipantSpec,
  site: Site,
  { scope }: RecordContext,
): ParticipantPiece | null {
  const { name, type } = participantFields;
  const pieces = combine({
    key: optional(spec.key, (key) => compileKey(key, site.at("key"), scope)),
    id: compileTaxId(spec, site, scope),
    rest: compileFields(spec, { name, type }, site, scope),
  });
  const record = derive(pieces, ({ key, id, rest }) => {
    const { countryCode, taxId, taxIdType } = id;
    const data = { countryCode, name: String(rest.name), taxId, taxIdType, type: String(rest.type) };
    const natural = naturalKey(data);
    const alias = key === undefined ? null : joinKey(key);
    return { record: { kind, alias, natural, data }, ref: { by: "natural" as const, key: natural } };
  });
  return onlyWhere(
    optional(spec.when, (when) => compileCondition(when, site.at("when"), scope)),
    record,
  );
}

/** Null: it cannot be used, and why has been reported. */
export function compileAddress(
  kind: string,
  spec: AddressSpec,
  site: Site,
  context: RecordContext,
): AddressPiece | null {
  const { scope } = context;
  const { countryCode, countryState, ...others } = addressFields;
  const code = spec.countryCode ?? scope.conversions.defaults.country;
  const state = compileFields({ ...spec, countryCode: code }, { countryCode, countryState }, site, scope);
  const isState = state?.each.countryState?.formula?.column?.as === "state";
  const byCountry = (values: { [name: string]: JsonValue }) => ({ name: "state", country: values["countryCode"] });
  const pieces = combine({
    key: optional(spec.key, (key) => compileKey(key, site.at("key"), scope)),
    participant: participantRef(spec.participant, site.at("participant"), context),
    place: isState ? state : convertBy(state, "countryState", byCountry, site, scope),
    rest: compileFields(spec, others, site, scope),
    extended: compileFields(spec, extendedFields, site, scope),
  });
  const record = derive(pieces, ({ key, participant, place, rest, extended }) => {
    const data: AddressRecord["data"] = {
      city: String(rest.city),
      countryCode: String(place.countryCode),
      countryState: String(place.countryState),
      name: String(rest.name),
      number: String(rest.number),
      street: String(rest.street),
    };
    const alias = key === undefined ? null : joinKey(key);
    const identity = key === undefined ? foldedIdentity(data) : lengthPrefixed(["key", kind, ...key]);
    const more = extended as AddressRecord["extended"];
    return {
      record: { kind, alias, participant, identity, data, extended: more },
      ref: { by: "identity" as const, participant, identity },
    };
  });
  return onlyWhere(
    optional(spec.when, (when) => compileCondition(when, site.at("when"), scope)),
    record,
  );
}

/** HARD-CASES H30: all six create fields, folded. */
function foldedIdentity(data: AddressRecord["data"]): string {
  const { city, countryCode, countryState, name, number, street } = data;
  return lengthPrefixed([countryCode, countryState, city, street, number, name].map(foldIdentity));
}
