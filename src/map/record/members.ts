/** Members of a record that may be left out, each compiled under its own name and place in the mapping. */
import type { FieldSpec } from "../schema/field-schema.js";
import type { AddressRefSpec, ParticipantRefSpec } from "../schema/record-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { CompileContext } from "../value/compile-context.js";
import { compileField } from "../value/field.js";
import { identitySlot, type Slot } from "../value/slot.js";
import type { Locals } from "./entity.js";
import { compileAddressRef, compileParticipantRef, type Known } from "./reference.js";

/** Every member: undefined where it is not written; null where it cannot be used, and why has been reported. */
export function membersOf(label: string, path: Path, context: CompileContext, locals: Locals, known: Known) {
  const at = <Spec, Compiled>(
    name: string,
    spec: Spec | undefined,
    compile: (spec: Spec, label: string, path: Path) => Compiled,
  ): Compiled | undefined => (spec === undefined ? undefined : compile(spec, `${label}: ${name}`, [...path, name]));
  const field = (name: string, spec: FieldSpec | undefined, slot: (label: string) => Slot) =>
    at(name, spec, (one, called, place) => compileField(one, slot(called), place, context));
  return {
    at,
    field,
    participant: (spec: ParticipantRefSpec | undefined) =>
      at("participant", spec, (one, ...place) => compileParticipantRef(one, ...place, context, locals, known)),
    address: (spec: AddressRefSpec | undefined) =>
      at("address", spec, (one, ...place) => compileAddressRef(one, ...place, context, locals, known)),
    /** Null in the mapping: it has none. */
    externalId: (spec: FieldSpec | null | undefined) =>
      field("externalId", spec ?? undefined, (called) => identitySlot(called, false)),
  };
}
