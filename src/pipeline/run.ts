/** A run: what was staged and what is open is planned, checked as a whole, and sent; then its files are written. */
import { createRunStore } from "../ledger/runs.js";
import { inTransaction } from "../ledger/transaction.js";
import type { Summary } from "../model/summary.js";
import { parseErrorLimit } from "./error-limit.js";
import { forecast } from "./forecast.js";
import { registerAll } from "./register-all.js";
import { sendWork } from "./send-work.js";
import { openSession, type Session, type SessionOptions } from "./session.js";
import type { StagedInput } from "./stage-files.js";
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

/** `import` without files. */
export async function runResume(options: ResumeOptions): Promise<Summary> {
  return run("resume", null, options, null);
}

/** A run of any kind: `stage` puts rows into the ledger, whole or not at all; null: only what is there already. */
export async function run(
  command: string,
  mapping: string | null,
  options: ResumeOptions,
  stage: ((session: Session) => Promise<StagedInput[]>) | null,
): Promise<Summary> {
  const startedAt = options.clock.now();
  const session = await openSession(command, mapping, sessionOptions(options));
  try {
    let staged: StagedInput[] = [];
    if (stage !== null) {
      session.observe({ type: "stage", stage: "reading", total: null });
      staged = await inTransaction(session.database, "COMMIT", () => stage(session));
    }
    if (!tooManyInvalid(session, staged, options.limits.maxErrors)) await submit(session, options);
    const summary = summarise(session, { command, mapping, startedAt, staged });
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

export function sessionOptions({ limits, journal: _, ...options }: ResumeOptions): SessionOptions {
  return {
    ...options,
    waitForLock: limits.waitForLock,
    ...(limits.maxOutageMs === undefined ? {} : { maxOutageMs: limits.maxOutageMs }),
  };
}
