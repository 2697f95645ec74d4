/** The pipeline as the commands see it. Each part is loaded when it is first called: `status` needs no readers and no client. */
import type { ImportOptions, PlanOptions, ResumeOptions } from "../pipeline/index.js";

export type { ImportOptions, Plan, ResumeOptions, RunLimits, Status } from "../pipeline/index.js";

type Whole = typeof import("../pipeline/index.js");
export type Pipeline = Pick<Whole, "runImport" | "runResume" | "planImport" | "readStatus">;

export const pipeline: Pipeline = {
  runImport: async (options: ImportOptions) => (await import("../pipeline/import.js")).runImport(options),
  planImport: async (options: PlanOptions) => (await import("../pipeline/import.js")).planImport(options),
  runResume: async (options: ResumeOptions) => (await import("../pipeline/run.js")).runResume(options),
  readStatus: async (options) => (await import("../pipeline/status.js")).readStatus(options),
};
