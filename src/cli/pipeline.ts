/** Loads each part when it is first called: `status` needs no readers and no client. */
import type { StatusOptions } from "../desk/status.js";
import type { ImportOptions, ResumeOptions } from "../run/import.js";
import type { PlanOptions } from "../run/plan.js";

export const pipeline = {
  runImport: async (options: ImportOptions) => (await import("../run/import.js")).runImport(options),
  planImport: async (options: PlanOptions) => (await import("../run/plan.js")).planImport(options),
  runResume: async (options: ResumeOptions) => (await import("../run/import.js")).runResume(options),
  readStatus: async (options: StatusOptions) => (await import("../desk/status.js")).readStatus(options),
};

export type Pipeline = typeof pipeline;
