import { foldIdentity } from "../../model/fold.js";
import type { JsonValue } from "../../model/json.js";
import { joinKey, lengthPrefixed, naturalKey } from "../../model/keys.js";
import type { AddressRecord } from "../../model/records.js";
import type { Scope } from "../column/scope.js";
import {
  addressFields,
  type AddressSpec,
  extendedFields,
  participantFields,
  type ParticipantSpec,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { combine, derive, onlyWhere, optional } from "../piece.js";
import type { RecordContext } from "./context.js";
import { compileCondition, compileFields, compileKey, convertBy } from "./fields.js";
import { compileTaxId, participantRef } from "./references.js";

type PieceOf<M> = M extends Map<string, infer P> ? P : never;

export function compileParticipant(
  kind: string,
  spec: ParticipantSpec,
  site: Site,
  { scope }: RecordContext,
): PieceOf<RecordContext["participants"]> {
  const { name, type } = participantFields;
  const pieces = combine({
    key: keyOf(spec, site, scope),
    id: compileTaxId(spec, site, scope),
    rest: compileFields(spec, { name, type }, site, scope),
  });
  const record = derive(pieces, ({ key, id, rest }) => {
    const { countryCode, taxId, taxIdType } = id;
    const data = { countryCode, name: String(rest.name), taxId, taxIdType, type: String(rest.type) };
    const natural = naturalKey(data);
    return { record: { kind, alias: aliasOf(key), natural, data }, ref: { by: "natural" as const, key: natural } };
  });
  return onlyWhere(conditionOf(spec, site, scope), record);
}

export function compileAddress(
  kind: string,
  spec: AddressSpec,
  site: Site,
  context: RecordContext,
): PieceOf<RecordContext["addresses"]> {
  const { scope } = context;
  const { countryCode, countryState, ...others } = addressFields;
  const code = spec.countryCode ?? scope.shared.conversions.defaults.country;
  const state = compileFields({ ...spec, countryCode: code }, { countryCode, countryState }, site, scope);
  const isState = state.each.countryState?.formula?.column?.as === "state";
  const byCountry = (values: { [name: string]: JsonValue }) => ({ name: "state", country: values["countryCode"] });
  const pieces = combine({
    key: keyOf(spec, site, scope),
    participant: participantRef(spec.participant, site.at("participant"), context),
    place: isState ? state : convertBy(state, "countryState", byCountry, site, scope),
    rest: compileFields(spec, others, site, scope),
    extended: compileFields(spec, extendedFields, site, scope),
  });
  const record = derive(pieces, ({ key, participant, place, rest, extended }) => {
    const { city, countryCode: country, countryState: of, name, number, street } = { ...place, ...rest };
    const data = { city, countryCode: country, countryState: of, name, number, street } as AddressRecord["data"];
    // All six create fields, folded (H30).
    const fields = [data.countryCode, data.countryState, data.city, data.street, data.number, data.name];
    const identity = lengthPrefixed(key === undefined ? fields.map(foldIdentity) : ["key", kind, ...key]);
    const more = extended as AddressRecord["extended"];
    return {
      record: { kind, alias: aliasOf(key), participant, identity, data, extended: more },
      ref: { by: "identity" as const, participant, identity },
    };
  });
  return onlyWhere(conditionOf(spec, site, scope), record);
}

function keyOf({ key }: ParticipantSpec | AddressSpec, site: Site, scope: Scope) {
  return optional(key, (one) => compileKey(one, site.at("key"), scope));
}

function conditionOf({ when }: ParticipantSpec | AddressSpec, site: Site, scope: Scope) {
  return optional(when, (one) => compileCondition(one, site.at("when"), scope));
}

function aliasOf(key: string[] | undefined): string | null {
  return key === undefined ? null : joinKey(key);
}
