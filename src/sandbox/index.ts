/** The sandbox: the service of service.md on one's own machine. Imports nothing from outside this folder. */
export { createSandbox, type Sandbox } from "./sandbox.js";
export { realClock, type SandboxClock, type SandboxRandom, seededRandom } from "./clock.js";
export type { DumpOptions } from "./dump.js";
export type { FaultAction, FaultRule } from "./faults.js";
export type { SandboxAddress } from "./http.js";
export type { DocumentWithTimeline, Doubled, Inspection, RequestRecord, Statistics } from "./inspection.js";
export type {
  AddressRecord,
  DocumentRecord,
  DocumentState,
  EventOrigin,
  EventRecord,
  ParticipantRecord,
} from "./records.js";
export type { SandboxRequest, SandboxResponse } from "./request.js";
export { attributeOf, defaultCredentials, defaultSettings, optionsFromFlags, sandboxFlags } from "./switches.js";
export type { FlagDescription, SandboxCredential, SandboxOptions, SandboxSettings } from "./switches.js";
