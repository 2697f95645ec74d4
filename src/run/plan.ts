/** Stages and plans as an import would, then rolls everything back. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyLedger, folderForCopy } from "../ledger/care/backup.js";
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { tallyHeld, tallyProblems, tallyWarnings } from "../ledger/views/problems.js";
import { tallyOpen } from "../ledger/views/tally.js";
import { idsOf } from "../ledger/work.js";
import { loadMapping } from "../map/load-mapping.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import { type Plan, telling } from "../model/summary.js";
import { cheaperSetting, forecast } from "./forecast.js";
import { ownerOf } from "./sandbox.js";
import { previewDocument } from "./preview.js";
import { draftsFor, type ImportOptions, type ResumeOptions } from "./import.js";
import { closing, type Later } from "./closing.js";
import { MAKE_ROOM, openSession, type Session } from "./session.js";
import { stageFiles } from "./stage.js";
import { exitCodeOf, emptyFiles, namesOf, outcomesOf } from "./finish.js";

export interface PlanOptions extends ImportOptions {
  /** The key, or `kind/key`, of a document whose requests are shown. */
  document?: string | undefined;
  /** Show cells in examples; default false. */
  cells?: boolean;
}

/** Leaves the ledger unchanged and sends nothing. @throws RowferryError also `document-unknown`. */
export async function planImport(options: PlanOptions): Promise<Plan> {
  const startedAt = options.clock.now();
  const mapping = await loadMapping(options.mappingPath, draftsFor(options));
  return rehearse(options, mapping.path, async (session, isCopy) => {
    const staged = await stageFiles(session, mapping, options.files);
    const { shells, ...expected } = await forecast(session, idsOf(staged));
    const preview = options.document === undefined ? null : previewDocument(session, options.document);
    const { database } = session;
    const open = tallyOpen(database);
    // The other process's requests are not part of this plan.
    const none = { sending: 0 };
    const ours = isCopy
      ? { ...open, documents: { ...open.documents, ...none }, events: { ...open.events, ...none } }
      : open;
    const ends = exitCodeOf(
      { stopped: null, signal: session.signal, emptyFiles: session.emptyFiles },
      ours,
      () => false,
    );
    return {
      inputs: staged.map(({ id: _, ...input }) => input),
      outcomes: outcomesOf(database, staged),
      ...expected,
      cheaper: cheaperSetting(session, { ...expected, shells }, options.mappingPath),
      preview,
      problems: [...emptyFiles(session), ...tallyProblems(database, options.cells, namesOf(session, staged))],
      waiting: tallyHeld(database, options.cells),
      warnings: tallyWarnings(database, startedAt),
      exitCode: ends === ExitCode.person ? ExitCode.person : ExitCode.ok,
    };
  });
}

/** Nothing that `work` does stays; sends nothing. `isCopy`: another process is staging or sending. */
export async function rehearse<Result>(
  options: ResumeOptions,
  mapping: string | null,
  work: (session: Session, isCopy: boolean) => Promise<Result>,
): Promise<Result> {
  return closing(async (later) => {
    const { session, isCopy } = await openBeside(options, mapping, later);
    const result = await work(session, isCopy).catch((error: unknown) => {
      throw asLedgerFailure(error, session.target.ledgerPath, MAKE_ROOM);
    });
    if (session.signal.aborted)
      throw new RowferryError("interrupted", "Interrupted while planning; nothing was changed.", {
        hint: "Run the same command again.",
      });
    return result;
  });
}

/** The ledger; a copy of it if another process is staging or sending; none if there is none. */
async function openBeside(
  options: ResumeOptions,
  mapping: string | null,
  later: Later,
): Promise<{ session: Session; isCopy: boolean }> {
  const { target, observe } = options;
  const open = (ledgerPath: string) => {
    const offline = { ...options, ...options.limits, target: { ...target, ledgerPath }, offline: true };
    return openSession("plan", mapping, offline, later);
  };
  const inFolder = (folder: string): string => {
    later(() => rmSync(folder, { recursive: true, force: true }));
    return join(folder, "ledger.db");
  };
  if (!existsSync(target.ledgerPath))
    return { session: await open(inFolder(mkdtempSync(join(tmpdir(), "rowferry-plan-")))), isCopy: false };
  try {
    return { session: await open(target.ledgerPath), isCopy: false };
  } catch (error) {
    if (!(error instanceof RowferryError) || error.code !== "ledger-locked") throw error;
    const message = "Another process is staging or sending, so this plan uses a copy of the ledger as it is now.";
    telling(observe)(message);
    const copy = inFolder(folderForCopy(target.ledgerPath));
    copyLedger(target.ledgerPath, ownerOf(target), copy);
    return { session: await open(copy), isCopy: true };
  }
}
