/** The pipeline's public names: what the command line and the library offer is made of these. */
export {
  type ImportOptions,
  type Plan,
  planImport,
  type ResumeOptions,
  type RunLimits,
  runImport,
  runResume,
} from "./run.js";
export { readStatus, type Status } from "./status.js";
