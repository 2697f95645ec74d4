/** Participants (service.md, Participant). */
import { RowferryError } from "../../model/error.js";
import { naturalKey } from "../../model/keys.js";
import type { ParticipantRecord } from "../../model/records.js";
import type { Conversion } from "../convert/conversion.js";
import type { ParticipantSpec } from "../schema/record-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileCondition } from "../value/condition.js";
import type { ConversionShelf } from "../value/conversion-shelf.js";
import { type Slot, textSlot } from "../value/slot.js";
import type { Build, Part, ParticipantEntity } from "./entity.js";
import { compileFields } from "./fields.js";
import { compileKey, joinKey } from "./key.js";
import { memoize } from "./memo.js";

/** Null: it cannot be used, and why has been reported. */
export function compileParticipant(
  kind: string,
  spec: ParticipantSpec,
  path: Path,
  context: CompileContext,
): Part<ParticipantEntity> | null {
  const label = `participant "${kind}"`;
  const taxIds = taxIdByType(context.conversions);
  const condition = spec.when === undefined ? undefined : compileCondition(spec.when, [...path, "when"], context);
  const key = spec.key === undefined ? undefined : compileKey(spec.key, `${label}: key`, [...path, "key"], context);
  const first = compileFields(
    spec,
    { countryCode: countrySlot(`${label}: countryCode`), taxIdType: textSlot(`${label}: taxIdType`, true) },
    path,
    context,
  );
  const rest = compileFields(
    spec,
    {
      taxId: { ...textSlot(`${label}: taxId`, true), convert: taxIds.convert },
      name: textSlot(`${label}: name`, true),
      type: textSlot(`${label}: type`, true),
    },
    path,
    context,
  );
  if (condition === null || key === null || first === null || rest === null) return null;
  const uses = [...(condition?.uses ?? []), ...(key?.uses ?? []), ...first.uses, ...rest.uses];
  return {
    uses,
    bind: (columns) => {
      const holds = condition?.bind(columns);
      const readKey = key?.bind(columns);
      const readFirst = first.bind(columns);
      const readRest = rest.bind(columns);
      const build: Build<ParticipantEntity> = (view) => {
        const exists = holds === undefined ? true : holds(view);
        if (exists !== true) return exists === null ? null : undefined;
        const alias = readKey === undefined ? undefined : readKey(view);
        const identity = readFirst(view);
        taxIds.use(String(identity?.countryCode ?? ""), String(identity?.taxIdType ?? ""));
        const values = readRest(view);
        if (alias === null || identity === null || values === null) return null;
        const data: ParticipantRecord["data"] = {
          countryCode: String(identity.countryCode ?? ""),
          name: String(values.name ?? ""),
          taxId: String(values.taxId ?? ""),
          taxIdType: String(identity.taxIdType ?? ""),
          type: String(values.type ?? ""),
        };
        const natural = naturalKey(data);
        return {
          record: { kind, alias: alias === undefined ? null : joinKey(alias), natural, data },
          ref: { by: "natural", key: natural },
        };
      };
      return memoize(uses, columns, build, true);
    },
  };
}

export function countrySlot(label: string): Slot {
  return { ...textSlot(label, true), as: "country" };
}

/** Tax ids of the row's own country and type; types whose numbers nobody can check are taken as text. */
export function taxIdByType(conversions: ConversionShelf): {
  convert: Conversion;
  use(country: string, type: string): void;
} {
  const byType = new Map<string, Conversion>();
  const asText = conversions.get("text");
  let current = asText;
  return {
    convert: (text, kind) => current(text, kind),
    use: (country, type) => {
      const name = `${country}/${type}`;
      let conversion = byType.get(name);
      if (conversion === undefined) {
        conversion = compileTaxId(country, type, conversions) ?? asText;
        if (byType.size > 500) byType.clear();
        byType.set(name, conversion);
      }
      current = conversion;
    },
  };
}

function compileTaxId(country: string, type: string, conversions: ConversionShelf): Conversion | null {
  if (country === "" || type === "") return null;
  try {
    return conversions.get({ name: "taxId", country, type });
  } catch (error) {
    if (error instanceof RowferryError) return null;
    throw error;
  }
}
