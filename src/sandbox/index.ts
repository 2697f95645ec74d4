/** The sandbox: a local implementation of service.md. Imports nothing from outside this folder. */
export { createSandbox, type Sandbox } from "./sandbox.js";
export { type SandboxClock, seededRandom } from "./clock.js";
export type { FaultAction, FaultRule } from "./faults.js";
export type { DocumentWithTimeline } from "./inspection.js";
export type { AddressRecord, EventRecord, ParticipantRecord } from "./records.js";
export type { SandboxRequest, SandboxResponse } from "./request.js";
export type { SandboxOptions } from "./switches.js";
