/** The sandbox: the service of service.md on one's own machine. Imports nothing from outside this folder. */
export { createSandbox, type Sandbox } from "./sandbox.js";
export { realClock, type SandboxClock, type SandboxRandom, seededRandom } from "./clock.js";
export type { DumpOptions } from "./dump.js";
export type { FaultAction, FaultRule } from "./faults.js";
export type { SandboxAddress } from "./http.js";
export type { DocumentWithTimeline, Doubled, Inspection } from "./inspection.js";
export { defaultCredentials, defaultSettings } from "./options.js";
export type { SandboxCredential, SandboxOptions, SandboxSettings } from "./options.js";
export type {
  AddressRecord,
  DocumentRecord,
  DocumentState,
  EventOrigin,
  EventRecord,
  ParticipantRecord,
} from "./records.js";
export type { SandboxRequest, SandboxResponse } from "./request.js";
export { ruleNames, rules, type RuleName } from "./rules.js";
export type { RequestRecord, Statistics } from "./statistics.js";
export { attributeOf, type FlagDescription, optionsFromFlags, sandboxFlags } from "./flags.js";
