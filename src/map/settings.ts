/** A mapping's settings with their defaults filled in. */
import type { MappingSettings } from "./mapping.js";
import type { SettingsSpec } from "./language/mapping-schema.js";

export function fillSettings(spec: SettingsSpec = {}): MappingSettings {
  return {
    identity: spec.identity ?? "first",
    references: spec.references ?? "registered",
    creation: spec.creation ?? "with-events",
    linkTime: spec.linkTime ?? "event",
    participants: {
      strategy: spec.participants?.strategy ?? "lookup-first",
      foreign: spec.participants?.foreign ?? "use",
    },
    addresses: { extendedFields: spec.addresses?.extendedFields ?? false },
    unplacedRows: spec.unplacedRows ?? "report",
    replacementExternalId: spec.replacementExternalId ?? null,
    late: spec.late === undefined || spec.late === "refuse" ? { refuse: true } : { refuse: false, ...spec.late },
  };
}
