/** Checks the library's options; a `RowferryError` names the option and its allowed values. Every other error becomes one. */
import { statSync } from "node:fs";
import { z } from "zod";
import { asRowferryError } from "./cli/report-error.js";
import { RowferryError } from "./model/error.js";
import { ERROR_BOUND, type PipelineEvent } from "./model/summary.js";

const text = z.string("a text").min(1, "a text that is not empty");
const positive = z.number("a number above 0").positive("a number above 0");
const whole = z.int("a whole number above 0").positive("a whole number above 0");
const levels = ["trace", "debug", "info", "warn", "error"] as const;
const callback = z.custom((given) => typeof given === "function", "a function");

const errorBound = 'a text: a number or a percentage, such as "10" or "2%"';
const limits = z.strictObject(
  {
    maxErrors: z.string(errorBound).regex(ERROR_BOUND, errorBound).optional(),
    maxOutageMs: z.number("ms, not below 0").nonnegative("ms, not below 0").optional(),
    limitDocuments: whole.optional(),
    until: z.number("ms since 1970").optional(),
    waitForLock: z.boolean("true or false").optional(),
  },
  "an object",
);

/** In one that is mistyped, no settings are found, and rows would go to the sandbox. */
const isFolder = (path: string) => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

export const targetOptions = z.strictObject({
  name: text.optional(),
  cwd: text.refine(isFolder, "a folder that exists").optional(),
  env: z.record(z.string(), z.string("a text").optional(), "an object of texts").optional(),
  ledger: text.optional(),
  rate: positive.optional(),
  burst: whole.optional(),
});

export const mappingOptions = z.strictObject({ path: text });

export const statusOptions = z.strictObject({
  target: z.looseObject({ name: text, ledgerPath: text, stateFolder: text }, "the result of resolveTarget"),
});

export const reportOptions = statusOptions.extend({ run: text.optional() });

const called = "a function, as in the result of resolveTarget";

export const runOptions = statusOptions.extend({
  target: statusOptions.shape.target.extend({ clientSecret: z.custom((given) => typeof given === "function", called) }),
  onEvent: callback.optional(),
  signal: z.instanceof(AbortSignal, { error: "an AbortSignal" }).optional(),
  limits: limits.optional(),
  fresh: z.boolean("true or false").optional(),
  journal: text.optional(),
  dispatcher: z.looseObject({ dispatch: callback }, "an undici Dispatcher").optional(),
  logLevel: z.enum([...levels, "silent"], "a level such as info").optional(),
  logger: z
    .custom(
      (given) => levels.every((level) => typeof (given as Record<string, unknown>)?.[level] === "function"),
      "a logger such as pino's",
    )
    .optional(),
  clock: z.looseObject({ now: callback, sleep: callback }, "a clock").optional(),
  random: callback.optional(),
});

export const importOptions = runOptions.extend({
  mapping: text,
  files: z.array(text, "a list of paths").min(1, "a list of at least one path"),
});

export const planOptions = importOptions.extend({ document: text.optional() });

/** @throws RowferryError `usage` */
export function checkOptions(schema: z.ZodType, given: unknown): void {
  const issue = schema.safeParse(given).error?.issues[0];
  if (issue === undefined) return;
  const hint = "The types of the package and examples/library.ts show what each option may be.";
  if (issue.code === "unrecognized_keys")
    throw new RowferryError("usage", `There is no option ${[...issue.path, issue.keys[0]].join(".")}.`, { hint });
  const name = issue.path.length === 0 ? "The options" : issue.path.join(".");
  const wanted = issue.path.length === 0 ? "an object" : issue.message;
  throw new RowferryError("usage", `${name} must be ${wanted}.`, { hint });
}

/** An error in a caller's function stops no run; it becomes a process warning, once. */
export function harmless(onEvent: (event: PipelineEvent) => unknown): (event: PipelineEvent) => void {
  let isTold = false;
  const tell = (error: unknown) => {
    if (!isTold) process.emitWarning(`onEvent failed: ${error instanceof Error ? error.message : String(error)}`);
    isTold = true;
  };
  return (event) => {
    try {
      Promise.resolve(onEvent(event)).catch(tell);
    } catch (error) {
      tell(error);
    }
  };
}

/** An error of the system, such as that of a full disk, has a code and a hint, too. */
export async function coded<Result>(work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asRowferryError(error, signal?.aborted === true);
  }
}
