/** Checks the plan or reports the backlog, registers, and sends. */
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { createRegisteredView } from "../ledger/views/expected.js";
import { countInvalidRows, countOpenEvents, newestProblem, tallyRefused } from "../ledger/views/tally.js";
import { idsOf } from "../ledger/work.js";
import { forecast, limitOf, secondsAtLimit } from "./forecast.js";
import type { RunLimits } from "../model/summary.js";
import { registerAll } from "./register.js";
import { createAllowance, sendWork } from "./send.js";
import type { Session } from "./session.js";
import type { StagedInput } from "./stage.js";

/** `check`: plan everything before anything is sent; otherwise plan each document when its turn comes. */
export async function submit(
  session: Session,
  limits: RunLimits,
  check: boolean,
  staged: readonly StagedInput[],
): Promise<void> {
  const { observe } = session;
  const requests = check ? await checkPlan(session) : null;
  const open = requests === null ? tellBacklog(session) : 0;
  const errors = parseErrorLimit(limits.maxErrors);
  const isOver = () => {
    const over = errors !== null && errors.isOverWhileSending(session.database, session.run.id);
    if (over) session.stopped ??= { code: "max-errors", message: "More events were refused than --max-errors allows." };
    return over || (limits.until !== undefined && session.clock.now() >= limits.until);
  };
  const trouble = troubleMeter(session);
  const progress = (stage: string, done: number, total: number | null) => {
    const { sent, retries } = session.submitter.counts;
    observe({ type: "progress", stage, done, total, sent, ...trouble(), retries });
  };
  let stage = "";
  await registerAll(session, isOver, (name, done, total) => {
    if (name !== stage) observe({ type: "stage", stage: name, total });
    stage = name;
    progress(name, done, total);
  });
  if (session.isEnded()) return;
  const total = requests ?? open;
  if (total > 0) observe({ type: "stage", stage: requests === null ? "documents" : "events", total });
  let done = 0;
  const first = idsOf(staged);
  const sendLimits = {
    first,
    documents: createAllowance(limits.limitDocuments ?? null),
    until: limits.until ?? null,
    isOver,
  };
  const sendProgress = {
    onRequest() {
      if (requests !== null) progress("events", ++done, total);
    },
    onDocuments(count: number) {
      if (requests === null) progress("documents", (done += count), total);
    },
  };
  const aheadMs = session.submitter.serviceAheadMs();
  await sendWork(session, sendLimits, sendProgress);
  // The service's clock decides (H10), and was unknown when these were planned.
  if (!isOver() && (await isDeferredByClock(session, aheadMs))) await sendWork(session, sendLimits, sendProgress);
}

/** A smaller difference defers nothing for long. */
const NOTEWORTHY_MS = 60_000;

/**
 * Whether events may be deferred only because the service's clock was taken to be `aheadMs` ahead; asks for its time if
 * no answer has shown it. Tells of a difference.
 */
async function isDeferredByClock(session: Session, aheadMs: number): Promise<boolean> {
  const { database, submitter } = session;
  if (session.isEnded() || countOpenEvents(database).deferred === 0) return false;
  // A very different time is believed after two answers (F68).
  const [known] = createRegisteredView(database).participantsAfter(0, 1);
  for (let answers = submitter.counts.sent; answers < 2; answers += 1) {
    if (known === undefined) return false;
    await session.lookAtParticipant(known);
  }
  const behind = submitter.serviceAheadMs();
  if (Math.abs(behind) >= NOTEWORTHY_MS) tellClock(session, behind);
  return behind - aheadMs >= NOTEWORTHY_MS;
}

/** `behind`: ms, of this machine's clock. */
function tellClock(session: Session, behind: number): void {
  const minutes = Math.round(Math.abs(behind) / 60_000);
  const much = `${minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`} ${behind > 0 ? "behind" : "ahead of"}`;
  const then =
    behind > 0 ? "deferred events are then checked again" : "what is in the past here may be in the future there";
  session.tell(`This machine's clock is ${much} the service's, which decides. Set it; ${then}.`, "warning");
}

/** @returns the number of requests with documents and events */
async function checkPlan(session: Session): Promise<number> {
  session.observe({ type: "stage", stage: "planning", total: null });
  const { requests, secondsAtLimit: seconds, events } = await forecast(session);
  if (session.signal.aborted) return 0;
  const { held, deferred } = events;
  session.observe({ type: "forecast", requests, secondsAtLimit: seconds, held, deferred });
  const count = (kind: string) => requests[kind] ?? 0;
  return count("create-with-events") + count("append-events") + count("create-document");
}

/** Counts without planning, so that no document waits for all others. @returns the number of documents */
function tellBacklog(session: Session): number {
  const documents = session.work.countOpenDocuments();
  const { participants, addresses } = session.registrations.countOpen();
  const { held, deferred } = countOpenEvents(session.database);
  const seconds = secondsAtLimit(documents + participants + addresses, limitOf(session));
  session.observe({
    type: "backlog",
    documents,
    participants,
    addresses,
    secondsAtLimit: seconds,
    held,
    deferred,
  });
  return documents;
}

/** Counted at most once a second. */
function troubleMeter({ database, clock }: Session): () => { problems: number; held: number } {
  const invalid = countInvalidRows(database);
  let latest = { problems: invalid, held: 0 };
  let countedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (Math.abs(clock.now() - countedAt) >= 1000) {
      countedAt = clock.now();
      const { problems, held } = countOpenEvents(database);
      latest = { problems: problems + invalid, held };
    }
    return latest;
  };
}

/** Null: no limit. The command line has checked the text. */
export function parseErrorLimit(text: string | undefined) {
  if (text === undefined) return null;
  const share = text.endsWith("%");
  const bound = Number(text.replace("%", ""));
  const isOver = (errors: number, of: number) => (share ? errors * 100 > bound * of : errors > bound);
  let last = { newest: 0, sent: 0, refused: 0 };
  return {
    isOver,
    /** Once this run has sent 100 events. */
    isOverWhileSending(database: LedgerDatabase, runId: number): boolean {
      // Called at every request, so it counts only where all problems since the last count would be too many refusals.
      const newest = newestProblem(database);
      if (!isOver(last.refused + newest - last.newest, last.sent)) return false;
      last = { newest, ...tallyRefused(database, runId) };
      return last.sent >= 100 && isOver(last.refused, last.sent);
    },
  };
}
