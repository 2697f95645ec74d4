/** `plan` stages and plans as an import would, and takes everything back. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyLedger } from "../ledger/care/backup.js";
import { createRunStore } from "../ledger/runs.js";
import { type ProblemCount, tallyProblems, tallyHeld, type WaitingCount } from "../ledger/views/problems.js";
import { tallyOpen } from "../ledger/views/tally.js";
import { inTransaction } from "../ledger/transaction.js";
import { loadMapping } from "../map/load-mapping.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { RowOutcomes } from "../model/summary.js";
import { type Forecast, forecast } from "./forecast.js";
import { ownerOf } from "./sandbox.js";
import { type PreviewedDocument, previewDocument } from "./preview.js";
import { draftsFor, type ImportOptions, type ResumeOptions, sessionOptions } from "./import.js";
import { openSession, type Session } from "./session.js";
import { type PlanBasis, planBasis } from "./saved-plan.js";
import { hashMapping, type StagedInput, stageFiles } from "./stage.js";
import { exitCodeOf, outcomesOf } from "./finish.js";

export interface Plan extends Forecast {
  inputs: Omit<StagedInput, "id">[];
  /** What would become of the staged and the invalid rows; `toSend`: what the import would send. */
  outcomes: RowOutcomes;
  /** The requests of the document that was asked for; null: none was. */
  preview: PreviewedDocument | null;
  /** Of what would be open afterwards, as far as the ledger can know. */
  problems: ProblemCount[];
  /** What would be held, by the code of what it waits for. */
  waiting: WaitingCount[];
  /** What an import can be held to; null: it was not asked for. */
  basis: PlanBasis | null;
  /** How the import would end, as far as the ledger can know. */
  exitCode: ExitCode;
}

export interface PlanOptions extends ImportOptions {
  /** A document's key, or `kind/key`: its requests are shown in full. */
  document?: string;
  /** Whether examples show what cells hold; default false. */
  cells?: boolean;
  /** Whether the plan is to be saved; default false. */
  save?: boolean;
}

/**
 * What `import` would do; the ledger is left as it was, and nothing is sent.
 * @throws RowferryError also `document-unknown`, when neither ledger nor files know the document that was asked for.
 */
export async function planImport(options: PlanOptions): Promise<Plan> {
  const mapping = await loadMapping(options.mappingPath, draftsFor(options));
  return rehearse(options, mapping.path, async (session, isCopy) => {
    const staged = await stageFiles(session, mapping, options.files);
    const basis = options.save === true ? planBasis(session, hashMapping(mapping), staged) : null;
    const expected = forecast(session);
    const preview = options.document === undefined ? null : previewDocument(session, options.document);
    const { database } = session;
    const open = tallyOpen(database);
    // What the other process is sending is its own affair.
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
      preview,
      basis,
      problems: tallyProblems(database, options.cells),
      waiting: tallyHeld(database),
      exitCode: ends === ExitCode.person ? ExitCode.person : ExitCode.ok,
    };
  });
}

/** All that `work` does to the ledger is taken back; nothing is sent. `isCopy`: another process stages or sends. */
export async function rehearse<Result>(
  options: ResumeOptions,
  mapping: string | null,
  work: (session: Session, isCopy: boolean) => Promise<Result>,
): Promise<Result> {
  const { session, leave, isCopy } = await openBeside(options, mapping);
  try {
    return await inTransaction(session.database, "ROLLBACK", () => work(session, isCopy));
  } finally {
    createRunStore(session.database).forget(session.run.id);
    await session.close();
    leave();
  }
}

/** The ledger; or a copy of it as it is now, where another process stages into it or sends from it; or none, where there is none. */
async function openBeside(
  options: ResumeOptions,
  mapping: string | null,
): Promise<{ session: Session; leave: () => void; isCopy: boolean }> {
  const { target, observe } = options;
  const open = (path: string) =>
    openSession("plan", mapping, {
      ...sessionOptions(options),
      target: { ...target, ledgerPath: path },
      offline: true,
    });
  const inFolder = async (folder: string, isCopy: boolean, prepare: (path: string) => void) => {
    const leave = () => rmSync(folder, { recursive: true, force: true });
    try {
      prepare(join(folder, "ledger.db"));
      return { session: await open(join(folder, "ledger.db")), leave, isCopy };
    } catch (error) {
      leave();
      throw error;
    }
  };
  if (!existsSync(target.ledgerPath)) return inFolder(mkdtempSync(join(tmpdir(), "rowferry-plan-")), false, () => {});
  try {
    return { session: await open(target.ledgerPath), leave: () => {}, isCopy: false };
  } catch (error) {
    if (!(error instanceof RowferryError) || error.code !== "ledger-locked") throw error;
    const message = "Another process stages or sends: this is planned on a copy of the ledger as it is now.";
    observe({ type: "notice", level: "info", code: null, message });
    return inFolder(mkdtempSync(`${target.ledgerPath}.plan-`), true, (path) =>
      copyLedger(target.ledgerPath, ownerOf(target), path),
    );
  }
}
