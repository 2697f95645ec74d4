/** Participants (service.md, Participant). */
import { naturalKey } from "../../model/keys.js";
import type { ParticipantRecord } from "../../model/records.js";
import type { ParticipantSpec } from "../schema/record-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileCondition } from "../value/condition.js";
import { identitySlot, type Slot, textSlot } from "../value/slot.js";
import { taxIdConversion } from "./dependent-conversion.js";
import type { Build, Part, ParticipantEntity } from "./entity.js";
import { compileFields } from "./fields.js";
import { compileKey, joinKey } from "./key.js";
import { shareMany } from "./memo.js";

/** Null: it cannot be used, and why has been reported. */
export function compileParticipant(
  kind: string,
  spec: ParticipantSpec,
  path: Path,
  context: CompileContext,
): Part<ParticipantEntity> | null {
  const label = `participant "${kind}"`;
  const taxIds = taxIdConversion(context.conversions);
  const condition = spec.when === undefined ? undefined : compileCondition(spec.when, [...path, "when"], context);
  const key = spec.key === undefined ? undefined : compileKey(spec.key, `${label}: key`, [...path, "key"], context);
  const first = compileFields(
    spec,
    { countryCode: countrySlot(`${label}: countryCode`), taxIdType: textSlot(`${label}: taxIdType`, true) },
    path,
    context,
  );
  const constants = [first?.field("countryCode")?.constant, first?.field("taxIdType")?.constant];
  const rest = compileFields(
    spec,
    {
      taxId: taxIds.slot(identitySlot(`${label}: taxId`), constants),
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
      return shareMany(uses, columns, build);
    },
  };
}

export function countrySlot(label: string): Slot {
  return { ...textSlot(label, true), as: "country" };
}
