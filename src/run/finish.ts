import { basename } from "node:path";
import { tallyOpen, tallyRun, tallyRows } from "../ledger/views/tally.js";
import { tallyHeld, tallyProblems, tallyWarnings } from "../ledger/views/problems.js";
import { codes } from "../model/codes.js";
import { ExitCode } from "../model/exit-code.js";
import type { OpenWork, RowOutcomes, Summary } from "../model/summary.js";
import { sumOf } from "../report/figures.js";
import { sumOfRows, total } from "../report/outcome.js";
import { limitOf, secondsAtLimit } from "./forecast.js";
import type { Session } from "./session.js";
import type { StagedInput } from "./stage.js";
import { componentsOf, planPieces } from "../plan/plan-work.js";
import { planContext } from "./send.js";

/** Without the files, which are written later. */
export function summarise(
  session: Session,
  context: {
    command: string;
    mapping: string | null;
    startedAt: number;
    staged: readonly StagedInput[];
    journal: string | null;
  },
): Summary {
  const { database, run, submitter, target } = session;
  // From here on everything is read once: kept pages and large sorts would only take 30 MiB more.
  database.pragma("cache_size = -2048");
  const open = tallyOpen(database);
  const limit = limitOf(session);
  return {
    type: "summary",
    run: run.name,
    command: context.command,
    target: { name: target.name, baseUrl: target.baseUrl },
    ledger: target.ledgerPath,
    journal: context.journal === (target.journal ?? null) ? null : context.journal,
    mapping: context.mapping,
    startedAt: new Date(context.startedAt).toISOString(),
    finishedAt: new Date(session.clock.now()).toISOString(),
    exitCode: exitCodeOf(session, open, () => canGoOn(session)),
    stopped: session.stopped,
    inputs: context.staged.map(({ id: _, ...input }) => input),
    rows: sumOfRows(context.staged),
    outcomes: outcomesOf(database, context.staged),
    ...tallyRun(database, run.id),
    open,
    requests: {
      sent: submitter.counts.sent,
      byKind: submitter.counts.byKind,
      retries: submitter.counts.retries,
      rateLimited: submitter.counts.rateLimited,
      secondsAtLimit: secondsAtLimit(submitter.counts.sent, limit),
      limit,
    },
    problems: [...emptyFiles(session), ...tallyProblems(database, false, namesOf(session, context.staged))],
    waiting: tallyHeld(database),
    warnings: tallyWarnings(database, context.startedAt),
    files: [],
  };
}

/** The names of files, in the form that `tallyProblems` takes. */
export const namesOf = (session: Pick<Session, "emptyFiles">, staged: readonly StagedInput[]): string[] => [
  ...session.emptyFiles.map((place) => basename(place)),
  ...staged.map(({ input }) => input),
];

export function emptyFiles({ emptyFiles: [place, ...more] }: Session): Summary["problems"] {
  if (place === undefined) return [];
  return [{ code: "file-empty", count: more.length + 1, place, column: null, example: "the file holds no rows" }];
}

export function outcomesOf(database: Session["database"], staged: readonly StagedInput[]): RowOutcomes {
  const rows = sumOf(staged, "staged") + sumOf(staged, "invalid");
  const outcomes = tallyRows(database, rows === 0 ? [] : staged);
  return { ...outcomes, landed: rows - total({ ...outcomes }) };
}

/**
 * An exit code for continuing outweighs one for a person. `stalledGoesOn`: whether the next run would send anything
 * stalled.
 */
export function exitCodeOf(
  session: Pick<Session, "stopped" | "signal" | "emptyFiles">,
  open: OpenWork,
  stalledGoesOn: () => boolean,
): ExitCode {
  const registrations = [open.participants, open.addresses];
  const any = (states: readonly string[], among = [...registrations, open.documents, open.events]) =>
    among.some((counts) => states.some((state) => (counts[state] ?? 0) > 0));
  // A signal after the work was done interrupted nothing.
  const interrupted =
    session.stopped?.code === "interrupted" || (session.signal.aborted && any(["planned", "sending"]));
  if (interrupted)
    return (session.signal.reason as { exitCode?: ExitCode } | undefined)?.exitCode ?? ExitCode.interrupted;
  // A file that has to be imported again stopped nothing else.
  const isUnstaged = session.stopped?.code === "import-unstaged";
  if (session.stopped !== null && !isUnstaged) return codes[session.stopped.code].exit ?? ExitCode.again;
  if (any(["sending", "stalled"], registrations)) return ExitCode.again;
  const isDoubtful = any(["sending", "stalled", "unsettled"]);
  if (isDoubtful && stalledGoesOn()) return ExitCode.again;
  const needsPerson = isDoubtful || any(["rejected", "held", "changed", "foreign", "stranded"]);
  if (isUnstaged || open.rows > 0 || needsPerson || session.emptyFiles.length > 0) return ExitCode.person;
  return ExitCode.ok;
}

/** False if everything stalled waits for a person: a decision, a correction, a document's id. */
export function canGoOn(session: Session): boolean {
  const stalled = new Set(session.work.stalledDocuments());
  if (stalled.size === 0) return false;
  const context = planContext(session, true);
  const isStalled = (state: string) => state === "stalled" || state === "sending";
  for (const documents of componentsOf(session.work)) {
    if (!documents.some((id) => stalled.has(id))) continue;
    for (const { requests } of planPieces(context, documents)) {
      if (requests.some(({ document, creates }) => creates && isStalled(document.state))) return true;
      if (requests.some(({ events }) => events.some(({ state }) => isStalled(state)))) return true;
    }
  }
  return false;
}
