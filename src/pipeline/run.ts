/** The runs: `import` stages and submits, `resume` submits, `plan` stages, plans and takes everything back. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRunStore } from "../ledger/runs.js";
import { inTransaction } from "../ledger/transaction.js";
import { loadMapping } from "../map/load-mapping.js";
import type { Mapping } from "../map/mapping.js";
import type { Summary } from "../model/summary.js";
import { parseErrorLimit } from "./error-limit.js";
import { type Forecast, forecast } from "./forecast.js";
import { registerAll } from "./register-all.js";
import { sendWork } from "./send-work.js";
import { openSession, type Session, type SessionOptions } from "./session.js";
import { type StagedInput, stageFiles } from "./stage-files.js";
import { summarise } from "./summarise.js";
import { writeRunFiles } from "./write-run-files.js";

export interface RunLimits {
  /** `N` or `N%`: at staging of rows read, before anything is sent; later of events sent, after 100. */
  maxErrors?: string;
  maxOutageMs?: number;
  limitDocuments?: number;
  /** ms since 1970. */
  until?: number;
  waitForLock: boolean;
}

export interface ResumeOptions extends Omit<SessionOptions, "waitForLock" | "maxOutageMs" | "offline"> {
  limits: RunLimits;
  journal: string | null;
}

export interface ImportOptions extends ResumeOptions {
  mappingPath: string;
  files: string[];
}

/** @throws RowferryError for anything that stops it before the first request; a run that has begun gives its summary. */
export async function runImport(options: ImportOptions): Promise<Summary> {
  const mapping = await loadMapping(options.mappingPath);
  return run("import", mapping, options, options.files);
}

/** `import` without files. */
export async function runResume(options: ResumeOptions): Promise<Summary> {
  return run("resume", null, options, []);
}

async function run(
  command: string,
  mapping: Mapping | null,
  options: ResumeOptions,
  files: readonly string[],
): Promise<Summary> {
  const startedAt = options.clock.now();
  const session = await openSession(command, mapping?.path ?? null, sessionOptions(options));
  try {
    let staged: StagedInput[] = [];
    if (mapping !== null) {
      session.observe({ type: "stage", stage: "reading", total: null });
      staged = await inTransaction(session.database, "COMMIT", () => stageFiles(session, mapping, files));
    }
    if (!tooManyInvalid(session, staged, options.limits.maxErrors)) await submit(session, options);
    const summary = summarise(session, { command, mapping: mapping?.path ?? null, startedAt, staged });
    await writeRunFiles(session, summary);
    createRunStore(session.database).finish(
      session.run.id,
      summary.exitCode,
      JSON.stringify(summary),
      session.clock.now(),
    );
    return summary;
  } finally {
    await session.close();
  }
}

async function submit(session: Session, options: ResumeOptions): Promise<void> {
  const { limits, observe } = options;
  observe({ type: "stage", stage: "planning", total: null });
  const expected = forecast(session);
  const { requests, secondsAtLimit, events } = expected;
  observe({ type: "forecast", requests, secondsAtLimit, held: events.held, deferred: events.deferred });
  const errors = parseErrorLimit(limits.maxErrors);
  const isOver = () => {
    const over = errors !== null && errors.isOverWhileSending(session.database, session.run.id);
    if (over) session.stopped ??= { code: "max-errors", message: "More events were refused than --max-errors allows." };
    return over || (limits.until !== undefined && session.clock.now() >= limits.until);
  };
  const progress = (stage: string, done: number, total: number | null) => {
    const { sent, retries } = session.submitter.counts;
    observe({ type: "progress", stage, done, total, sent, problems: 0, held: events.held, retries });
  };
  let stage = "";
  await registerAll(session, isOver, (name, done, total) => {
    if (name !== stage) observe({ type: "stage", stage: name as "participants" | "addresses", total });
    stage = name;
    progress(name, done, total);
  });
  if (session.stopped !== null || session.signal.aborted) return;
  const total =
    (requests["create-with-events"] ?? 0) + (requests["append-events"] ?? 0) + (requests["create-document"] ?? 0);
  if (total > 0) observe({ type: "stage", stage: "events", total });
  let done = 0;
  const sendLimits = { documents: limits.limitDocuments ?? null, until: limits.until ?? null, isOver };
  await sendWork(session, sendLimits, () => {
    done += 1;
    progress("events", done, total);
  });
}

function tooManyInvalid(session: Session, staged: readonly StagedInput[], maxErrors: string | undefined): boolean {
  const limit = parseErrorLimit(maxErrors);
  if (limit === null) return false;
  const read = staged.reduce((sum, input) => sum + input.read, 0);
  const invalid = staged.reduce((sum, input) => sum + input.invalid, 0);
  if (!limit.isOver(invalid, read)) return false;
  session.stopped = {
    code: "max-errors",
    message: `${invalid} of ${read} rows are invalid, more than --max-errors ${maxErrors} allows; nothing was sent.`,
  };
  return true;
}

export interface Plan extends Forecast {
  inputs: Omit<StagedInput, "id">[];
}

/** What `import` would do; the ledger is left as it was, and nothing is sent. */
export async function planImport(options: ImportOptions): Promise<Plan> {
  const mapping = await loadMapping(options.mappingPath);
  const scratch = existsSync(options.target.ledgerPath) ? null : mkdtempSync(join(tmpdir(), "rowferry-plan-"));
  const target = scratch === null ? options.target : { ...options.target, ledgerPath: join(scratch, "ledger.db") };
  const session = await openSession("plan", mapping.path, { ...sessionOptions(options), target, offline: true });
  try {
    return await inTransaction(session.database, "ROLLBACK", async () => {
      const staged = await stageFiles(session, mapping, options.files);
      return { inputs: staged.map(({ id: _, ...input }) => input), ...forecast(session) };
    });
  } finally {
    createRunStore(session.database).forget(session.run.id);
    await session.close();
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

function sessionOptions({ limits, journal: _, ...options }: ResumeOptions): SessionOptions {
  return {
    ...options,
    waitForLock: limits.waitForLock,
    ...(limits.maxOutageMs === undefined ? {} : { maxOutageMs: limits.maxOutageMs }),
  };
}
