/** Addresses (service.md, Address). */
import { lengthPrefixed } from "../../model/keys.js";
import type { AddressRecord } from "../../model/records.js";
import { foldIdentity } from "../fold.js";
import type { AddressSpec } from "../schema/record-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileCondition } from "../value/condition.js";
import { coordinateSlot, textSlot } from "../value/slot.js";
import { stateConversion } from "./dependent-conversion.js";
import type { AddressEntity, Build, Locals, Part } from "./entity.js";
import { compileFields } from "./fields.js";
import { compileKey, joinKey } from "./key.js";
import { shareMany } from "./memo.js";
import { countrySlot } from "./participant.js";
import { compileParticipantRef, type Known } from "./reference.js";

/** Null: it cannot be used, and why has been reported. */
export function compileAddress(
  kind: string,
  spec: AddressSpec,
  path: Path,
  context: CompileContext,
  locals: Locals,
  known: Known,
): Part<AddressEntity> | null {
  const label = `address "${kind}"`;
  const states = stateConversion(context.conversions);
  const condition = spec.when === undefined ? undefined : compileCondition(spec.when, [...path, "when"], context);
  const key = spec.key === undefined ? undefined : compileKey(spec.key, `${label}: key`, [...path, "key"], context);
  const participant = compileParticipantRef(
    spec.participant,
    `${label}: participant`,
    [...path, "participant"],
    context,
    locals,
    known,
  );
  const country = compileFields(spec, { countryCode: countrySlot(`${label}: countryCode`) }, path, context);
  const required = (name: string) => textSlot(`${label}: ${name}`, true);
  const rest = compileFields(
    spec,
    {
      city: required("city"),
      countryState: states.slot(required("countryState"), [country?.field("countryCode")?.constant]),
      name: required("name"),
      number: required("number"),
      street: required("street"),
    },
    path,
    context,
  );
  const extended = compileFields(
    spec,
    {
      complement: textSlot(`${label}: complement`, false),
      neighborhood: textSlot(`${label}: neighborhood`, false),
      zipCode: textSlot(`${label}: zipCode`, false),
      latitude: coordinateSlot(`${label}: latitude`, 90),
      longitude: coordinateSlot(`${label}: longitude`, 180),
    },
    path,
    context,
  );
  if (
    condition === null ||
    key === null ||
    participant === null ||
    country === null ||
    rest === null ||
    extended === null
  )
    return null;
  const uses = [
    ...(condition?.uses ?? []),
    ...(key?.uses ?? []),
    ...participant.uses,
    ...country.uses,
    ...rest.uses,
    ...extended.uses,
  ];
  return {
    uses,
    bind: (columns) => {
      const holds = condition?.bind(columns);
      const readKey = key?.bind(columns);
      const readParticipant = participant.bind(columns);
      const readCountry = country.bind(columns);
      const readRest = rest.bind(columns);
      const readExtended = extended.bind(columns);
      const build: Build<AddressEntity> = (view, records) => {
        const exists = holds === undefined ? true : holds(view);
        if (exists !== true) return exists === null ? null : undefined;
        const alias = readKey === undefined ? undefined : readKey(view);
        const owner = readParticipant(view, records);
        const place = readCountry(view);
        states.use(String(place?.countryCode ?? ""), "");
        const values = readRest(view);
        const further = readExtended(view);
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
      };
      return shareMany(uses, columns, build);
    },
  };
}

/** HARD-CASES H30: all six create fields, folded. */
function foldedIdentity(data: AddressRecord["data"]): string {
  const { city, countryCode, countryState, name, number, street } = data;
  return lengthPrefixed([countryCode, countryState, city, street, number, name].map(foldIdentity));
}
