/** Loads each part when it is first called: `status` needs no readers and no client. */
import type { readStatus } from "../desk/status.js";
import type { runImport, runResume } from "../run/import.js";
import type { planImport } from "../run/plan.js";

export type { ImportOptions, ResumeOptions } from "../run/import.js";

export interface Pipeline {
  runImport: typeof runImport;
  runResume: typeof runResume;
  planImport: typeof planImport;
  readStatus: typeof readStatus;
}

export const pipeline: Pipeline = {
  runImport: async (options) => (await import("../run/import.js")).runImport(options),
  planImport: async (options) => (await import("../run/plan.js")).planImport(options),
  runResume: async (options) => (await import("../run/import.js")).runResume(options),
  readStatus: async (options) => (await import("../desk/status.js")).readStatus(options),
};
