/**
 * A run: stages rows, checks and sends open work, writes files. `session.ts` opens ledger and service, `stage.ts`
 * stages rows, `submit.ts` does the rest: `forecast.ts` checks the plan, `register.ts` registers parties, `send.ts`
 * sends documents and events (`send-document.ts`, `send-events.ts`, with `evidence.ts` for doubt). `finish.ts` sums up,
 * `run-files.ts` writes.
 */
import { existsSync } from "node:fs";
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { inTransaction } from "../ledger/ledger-database.js";
import { ledgerMissing } from "../ledger/open-ledger.js";
import { codes } from "../model/codes.js";
import { type LoadOptions, loadMapping } from "../map/load-mapping.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { RunLimits, Summary } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { counted, grouped, sumOf } from "../report/figures.js";
import { saidUnstaged } from "../report/outcome.js";
import { type Logger, openRunLog, type RunLog, type RunLogLevel } from "../report/run-log.js";
import { closing } from "./closing.js";
import { forecast } from "./forecast.js";
import { parseErrorLimit, submit } from "./submit.js";
import { openSession, type Session, type SessionOptions } from "./session.js";
import { mappingAsUsed, type StagedInput, stageFiles } from "./stage.js";
import { summarise } from "./finish.js";
import { runFolder, writeRunFiles } from "./run-files.js";

export interface ResumeOptions extends Omit<SessionOptions, "waitForLock" | "maxOutageMs" | "offline" | "onAttempt"> {
  limits: RunLimits;
  journal: string | null;
  /** Default `info`. */
  logLevel?: RunLogLevel | undefined;
  /** Also gets every line of run.log, at any level. */
  logger?: Logger | undefined;
}

export interface ImportOptions extends ResumeOptions {
  mappingPath: string;
  files: string[];
}

/** @throws RowferryError before the first request; later failures are in the summary. */
export async function runImport(options: ImportOptions): Promise<Summary> {
  const mapping = await loadMapping(options.mappingPath, draftsFor(options));
  const used = mappingAsUsed(mapping);
  return run("import", mapping.path, options, (session) => stageFiles(session, mapping, options.files, used));
}

/** Drafts may go to the sandbox only. */
export function draftsFor({ target }: { target: { name: string } }): LoadOptions {
  return { drafts: target.name === "sandbox" ? "accept" : "refuse" };
}

/** @throws RowferryError `ledger-missing`, because a mistyped ledger has nothing to resume */
export async function runResume(options: ResumeOptions): Promise<Summary> {
  requireLedger(options.target);
  return run("resume", null, options, null);
}

/** Opening for writing would create an empty ledger, in which "all is well". */
export function requireLedger({ ledgerPath }: Target): void {
  if (!existsSync(ledgerPath)) throw ledgerMissing(ledgerPath);
}

/** `stage` puts rows into the ledger, all or nothing; null: nothing to stage. */
export async function run(
  command: string,
  mapping: string | null,
  options: ResumeOptions,
  stage: ((session: Session) => Promise<StagedInput[]>) | null,
): Promise<Summary> {
  const startedAt = options.clock.now();
  return closing(async (later) => {
    let log: RunLog | null = null;
    later(() => log?.close());
    /** Whether the ledger has none of its files' rows, so that `resume` cannot continue. */
    let unstaged = false;
    const session = await openSession(
      command,
      mapping,
      {
        ...options,
        ...options.limits,
        observe(event) {
          log?.event(event);
          options.observe(event);
        },
        onAttempt: (kind, attempt) => log?.attempt(kind, attempt),
      },
      later,
    ).catch((error: unknown) => {
      throw command === "import" ? nothingStaged(error) : error;
    });
    try {
      log = openRunLog(runFolder(session.target, session.run.name), options.logLevel ?? "info", options.logger);
      log.begin({ name: session.run.name, command, target: session.target.name });
      let staged: StagedInput[] = [];
      unstaged = command === "import";
      if (stage !== null) {
        session.observe({ type: "stage", stage: "reading", total: null });
        staged = await inTransaction(session.database, "COMMIT", async () => {
          const inputs = await stage(session);
          if (tooManyInvalid(session, inputs, options.limits.maxErrors)) session.inputs.refuse(session.run.id);
          session.journalChoices();
          session.runs.staged(session.run.id, session.clock.now());
          return inputs;
        });
        unstaged = false;
      }
      if (session.stopped === null) await submit(session, options.limits, command === "import", staged);
      // Writes down that its events wait.
      else await forecast(session);
      if (command !== "import") stopForUnstaged(session);
      const summary = summarise(session, {
        command,
        mapping,
        startedAt,
        staged,
        journal: options.journal,
      });
      log.end(summary);
      await writeRunFiles(session, summary, { staged, log: log.path });
      session.runs.finish(session.run.id, summary.exitCode, JSON.stringify(summary), session.clock.now());
      session.refuseMoved();
      return summary;
    } catch (thrown) {
      const error = asLedgerFailure(thrown, session.target.ledgerPath);
      const code = error instanceof RowferryError ? error.code : "unexpected";
      finishFailed(session, codes[code].exit ?? ExitCode.unexpected);
      log?.fail(code);
      throw unstaged ? nothingStaged(error) : error;
    }
  });
}

/**
 * One file that cannot be read stops them all. On a full disk `resume` would find nothing and say that all is well, and
 * the files would never be sent.
 */
function nothingStaged(error: unknown): unknown {
  if (!(error instanceof RowferryError)) return error;
  const { code, message, place, cause } = error;
  const isDisk = code === "ledger-not-written" || code === "journal-not-written";
  if (!isDisk && !/^(file|sheet|header|mapping|keys)-/.test(code)) return error;
  const remedy = isDisk ? "Make room or restore the permission, then type the same import again." : error.hint;
  const hint = `No row of these files was staged, and nothing was sent. ${remedy}`;
  return new RowferryError(code, message, { place, cause, hint });
}

/** An import that stopped while reading left nothing to resume, so "all is well" would be said of files never sent. */
function stopForUnstaged(session: Session): void {
  const unstaged = session.runs.lastUnstaged();
  if (unstaged !== null) session.stopped ??= { code: "import-unstaged", message: saidUnstaged(unstaged) };
}

/** An unwritable ledger cannot record this either; the first failure is the one to report. */
function finishFailed(session: Session, exitCode: ExitCode): void {
  try {
    session.runs.finish(session.run.id, exitCode, null, session.clock.now());
  } catch (error) {
    if (!(asLedgerFailure(error, session.target.ledgerPath) instanceof RowferryError)) throw error;
  }
}

function tooManyInvalid(session: Session, staged: readonly StagedInput[], maxErrors: string | undefined): boolean {
  const limit = parseErrorLimit(maxErrors);
  if (limit === null) return false;
  const read = sumOf(staged, "read");
  const invalid = sumOf(staged, "invalid");
  if (!limit.isOver(invalid, read)) return false;
  session.stopped = {
    code: "too-many-invalid",
    message: `${grouped(invalid)} of ${counted(read, "row")} ${invalid === 1 ? "is" : "are"} invalid, more than --max-errors ${maxErrors} allows; nothing was sent.`,
  };
  return true;
}
