/**
 * One run's hold on its ledger and its service: lock, stores, submitter, and what the run learns about the service.
 * Everything that works during a run takes a session; nothing else opens a ledger for writing.
 */
import { isBehindJournal } from "../ledger/journal/behind-journal.js";
import { holdLedger, lockLedger } from "../ledger/care/lock.js";
import { type Journal, openJournal } from "../ledger/journal/journal.js";
import { createChoiceLog } from "../ledger/journal/choices.js";
import { createJournalEntries } from "../ledger/journal/entries.js";
import { journalOf, rememberJournal } from "../ledger/journal/own-journal.js";
import { type LedgerDatabase, type LedgerOwner, openLedger } from "../ledger/open-ledger.js";
import { createInputStore } from "../ledger/inputs.js";
import { createRegistrationStore, type ForeignParticipant } from "../ledger/registrations.js";
import { createRefusalHistory, createRequestStore, type Intent } from "../ledger/requests.js";
import { createRunStore } from "../ledger/runs.js";
import { createSettingsStore } from "../ledger/settings.js";
import { Writer } from "../ledger/writer.js";
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { createWorkStore } from "../ledger/work.js";
import type { MappingSettings } from "../map/mapping.js";
import type { Clock, Random } from "../model/clock.js";
import type { Code } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import type { PipelineEvent } from "../model/summary.js";
import type { Target } from "../model/target.js";
import type { Answer, Attempt, Call, CallKind } from "../submit/call.js";
import { readParticipant } from "../submit/calls.js";
import { createSubmitter } from "../submit/submitter.js";
import type { Throttle } from "../submit/throttle.js";
import type { Transport } from "../submit/transport.js";
import { createBodies } from "./bodies.js";
import { codeOfStop } from "./refusals.js";
import { isEmbedded, type Later, openEmbeddedSandbox, ownerOf } from "./sandbox.js";
import { createRequestCaps } from "../plan/batch.js";

export interface SessionOptions {
  target: Target;
  clock: Clock;
  random: Random;
  signal: AbortSignal;
  observe: (event: PipelineEvent) => void;
  waitForLock: boolean;
  maxOutageMs?: number | undefined;
  fresh: boolean;
  /** Plans only: the service is not called, and an embedded sandbox is not started. */
  offline?: boolean;
  /** Instead of the network and its limit, where a night is simulated. */
  transport?: Transport | undefined;
  throttle?: Throttle | undefined;
  /** Path of the journal; null or absent: none is kept. */
  journal?: string | null;
  /** Told of every try of every request, for the run's log. */
  onAttempt?: (kind: CallKind, attempt: Attempt) => void;
}

export interface Stopped {
  code: Code;
  message: string;
}

export type Session = Awaited<ReturnType<typeof openSession>>;

/** @throws RowferryError `ledger-locked` and the ledger's other codes; nothing is left open then. */
export async function openSession(command: string, mapping: string | null, options: SessionOptions) {
  const { clock, signal, observe } = options;
  const closing: Parameters<Later>[0][] = [];
  const close = async () => {
    for (const step of closing.splice(0).toReversed()) await step();
  };
  try {
    const later: Later = (step) => void closing.push(step);
    const isOffline = options.offline === true;
    const waiting = { wait: options.waitForLock, clock, signal };
    const lock = await lockLedger(options.target.ledgerPath, waiting);
    later(() => lock.release());
    const serve = isEmbedded(options.target) && !isOffline;
    const target = serve ? await openEmbeddedSandbox(options.target, options.fresh, later) : options.target;
    const owner = ownerOf(options.target);
    const database = openLedger(target.ledgerPath, owner, clock.now());
    later(() => void database.close());
    if (!isOffline) {
      const hold = await holdLedger(database, waiting);
      later(() => hold.release());
      new Writer(database).interrupted(clock.now());
    }

    const path = isOffline ? null : journalOf(database, options.journal ?? null);
    const openIt = database.transaction((at: string) => openRunJournal(database, target, owner, at, options));
    const journal = path === null ? null : openIt.immediate(path);
    if (journal !== null && path !== null) {
      later(() => journal.close());
      later(() => rememberEnd(database, path));
    }
    const choices = journal && createChoiceLog(database, journal, createJournalEntries(database));
    const requests = createRequestStore(database, journal);
    const registrations = createRegistrationStore(database, journal);
    const work = createWorkStore(database);
    const settings = createSettingsStore<MappingSettings>(database, defaultSettings);
    const runs = createRunStore(database);
    // A plan never sends; its submitter only tells the time.
    const nowhere = { baseUrl: "https://localhost", tokenUrl: "https://localhost" };
    const submitter = createSubmitter({
      ...options,
      target: isOffline ? { ...target, ...nowhere } : target,
      quietSince: () => runs.quietSince(clock.now()),
      notice: (notice) => observe({ type: "notice", ...notice }),
    });
    later(() => submitter.close());
    const drain = () => submitter.drain();
    signal.addEventListener("abort", drain, { once: true });
    later(() => signal.removeEventListener("abort", drain));

    const run = runs.begin(command, mapping, clock.now());
    const session = {
      target,
      clock,
      signal,
      observe,
      database,
      run,
      inputs: createInputStore(database),
      registrations,
      requests,
      refusals: createRefusalHistory(database),
      work,
      settings,
      bodies: createBodies(registrations, work, ({ settings: id }) => settings.get(id)),
      caps: createRequestCaps({ maxEvents: target.maxEventsPerRequest, maxBytes: target.maxRequestBytes }),
      submitter,
      /** Why no more is sent; null: work goes on. */
      stopped: null as Stopped | null,
      /** Names of files that held nothing, where the mapping does not allow it. */
      emptyFiles: [] as string[],
      /** This service notices duplicates before lateness: seen in this run (open-points 19). */
      duplicatesAreSeen: false,
      /** POST /documents is not there: seen in this run (open-points 25). */
      documentsEndpointIsAbsent: false,
      stop(answer: Answer & { result: "stopped" }): void {
        if (answer.why === "overtaken") return;
        session.stopped ??= { code: codeOfStop[answer.why], message: answer.message };
        submitter.drain();
      },
      /**
       * Sends a call whose intent is written once its slot and its token are held: a kill leaves in doubt at most what was on the
       * wire (HARD-CASES H44). `request`: its id in the ledger; null: nothing left, and nothing of it was written.
       */
      async send(
        call: Call,
        intent: Omit<Intent, "runId" | "kind">,
      ): Promise<{ request: number | null; answer: Answer }> {
        let request: number | null = null;
        let before: Attempt | null = null;
        const foreign = () => registrations.foreignOf(intent);
        const answer = await submitter.send(call, {
          foreignRead() {
            const found = foreign();
            return found === null ? null : readParticipant(found.serviceId);
          },
          onLeaving() {
            request = requests.begin({ ...intent, kind: call.kind, runId: run.id }, clock.now());
            return request !== null;
          },
          // Every attempt but the last is kept as it happens; the last goes with the outcome.
          onAttempt(attempt) {
            if (before !== null && request !== null) requests.recordAttempt(request, before);
            before = attempt;
          },
        });
        return { request, answer: nameForeign(answer, foreign) };
      },
      outcomes: (write: (t: Writer) => void): void => requests.outcomes(write),
      /** What staging chose goes into the journal, where one is kept; inside staging's transaction. */
      journalChoices: (): void => choices?.record(clock.now()),
      close,
    };
    return session;
  } catch (error) {
    await close();
    throw asLedgerFailure(error, options.target.ledgerPath);
  }
}

/** Of a call refused with 403 whose token is good: which participant it is about, for the service's words may not say. */
function nameForeign(answer: Answer, foreign: () => ForeignParticipant | null): Answer {
  if (answer.result !== "refused" || answer.error.status !== 403) return answer;
  const found = foreign();
  const who = `${found?.name ?? "the participant"} (${found?.serviceId})`;
  const about = `it refers to ${who}, which this client did not create; with participants.foreign: refuse in the mapping such rows are found before they are sent`;
  const message = [answer.error.message, about].filter((part) => part !== null).join(" · ");
  return { ...answer, error: { ...answer.error, message } };
}

/** @throws RowferryError `ledger-behind-journal`, and what `openJournal` throws */
function openRunJournal(
  database: LedgerDatabase,
  target: Target,
  owner: LedgerOwner,
  path: string,
  options: SessionOptions,
): Journal {
  const journal = openJournal(path, target.ledgerPath, owner);
  if (!options.fresh && isBehindJournal(database, path)) {
    journal.close();
    throw new RowferryError(
      "ledger-behind-journal",
      `The journal ${path} holds events that this ledger never sent: another ledger sent last.`,
      { place: { file: target.ledgerPath } },
    );
  }
  rememberJournal(database, path);
  if (journal.besideLedger) {
    const message = "The journal is on the same disk as the ledger, and would be lost with it.";
    options.observe({ type: "notice", level: "warning", code: "journal-beside-ledger", message });
  }
  return journal;
}

/** Of a disk that is full, what was remembered at the beginning stays: the journal goes on from there. */
function rememberEnd(database: LedgerDatabase, journal: string): void {
  try {
    database.transaction(() => rememberJournal(database, journal)).immediate();
  } catch {}
}

/** The safe reading of every choice; see open-points. */
export const defaultSettings: MappingSettings = {
  identity: "first",
  references: "registered",
  creation: "with-events",
  linkTime: "event",
  participants: { strategy: "lookup-first", foreign: "use" },
  addresses: { extendedFields: false },
  unplacedRows: "report",
  replacementExternalId: null,
  late: { refuse: true },
};
