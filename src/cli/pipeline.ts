/** The pipeline as the commands see it, loaded only when a command does real work, so that `--help` stays quick. */
export type { ImportOptions, Plan, ResumeOptions, RunLimits, Status } from "../pipeline/index.js";

export type Pipeline = typeof import("../pipeline/index.js");

export function loadPipeline(): Promise<Pipeline> {
  return import("../pipeline/index.js");
}
