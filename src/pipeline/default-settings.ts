import type { MappingSettings } from "../map/mapping.js";

/** The safe reading of every choice; see open-points. */
export const defaultSettings: MappingSettings = {
  identity: "first",
  references: "registered",
  creation: "with-events",
  linkTime: "event",
  participants: { strategy: "lookup-first", foreign: "use" },
  addresses: { extendedFields: false },
  unplacedRows: "report",
  replacementExternalId: null,
  late: { refuse: true },
};
