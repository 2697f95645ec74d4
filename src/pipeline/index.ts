/** The pipeline's public names: what the command line and the library offer is made of these. */
export { type ImportOptions, type Plan, planImport, type PlanOptions, runImport } from "./import.js";
export { type ResumeOptions, type RunLimits, runResume } from "./run.js";
export { readStatus, type Status } from "./status.js";
