import { foldIdentity } from "../../model/fold.js";
import type { JsonValue } from "../../model/json.js";
import { joinKey, lengthPrefixed, naturalKey } from "../../model/keys.js";
import type { AddressRecord } from "../../model/records.js";
import {
  addressFields,
  type AddressSpec,
  extendedFields,
  participantFields,
  type ParticipantSpec,
} from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { combine, derive, onlyWhere } from "../piece.js";
import { compileCondition, compileFields, compileKey, convertBy } from "./fields.js";
import { compileTaxId, participantRef } from "./references.js";

export function compileParticipant(kind: string, spec: ParticipantSpec, site: Site) {
  const { name, type } = participantFields;
  const key = site.member(spec, "key", compileKey);
  const pieces = combine({
    key,
    id: compileTaxId(spec, site),
    rest: compileFields(spec, { name, type }, site),
  });
  const record = derive(pieces, ({ key: told, id, rest }) => {
    const data = { ...id, name: String(rest.name), type: String(rest.type) };
    const natural = naturalKey(data);
    return { record: { kind, alias: aliasOf(told), natural, data }, ref: { by: "natural" as const, key: natural } };
  });
  return { ...onlyWhere(site.member(spec, "when", compileCondition), record), key };
}

export function compileAddress(kind: string, spec: AddressSpec, site: Site) {
  const { countryCode, countryState, ...others } = addressFields;
  const code = spec.countryCode ?? site.scope.shared.conversions.defaults.country;
  const state = compileFields({ ...spec, countryCode: code }, { countryCode, countryState }, site);
  const isState = state.each.countryState?.formula?.column?.as === "state";
  const byCountry = (values: { [name: string]: JsonValue }) => ({ name: "state", country: values["countryCode"] });
  const key = site.member(spec, "key", compileKey);
  const pieces = combine({
    key,
    participant: participantRef(spec.participant, site.at("participant")),
    place: isState ? state : convertBy(state, "countryState", byCountry, site),
    rest: compileFields(spec, others, site),
    extended: compileFields(spec, extendedFields, site),
  });
  const record = derive(pieces, ({ key: told, participant, place, rest, extended }) => {
    const data = { ...place, ...rest } as AddressRecord["data"];
    // All six create fields, folded (H30).
    const fields = [data.countryCode, data.countryState, data.city, data.street, data.number, data.name];
    const identity = lengthPrefixed(told === undefined ? fields.map(foldIdentity) : ["key", kind, ...told]);
    const more = extended as AddressRecord["extended"];
    return {
      record: { kind, alias: aliasOf(told), participant, identity, data, extended: more },
      ref: { by: "identity" as const, participant, identity },
    };
  });
  const tree = key === undefined ? record.tree : `${kind} ${record.tree}`;
  return { ...onlyWhere(site.member(spec, "when", compileCondition), record), tree, key };
}

function aliasOf(key: string[] | undefined): string | null {
  return key === undefined ? null : joinKey(key);
}
