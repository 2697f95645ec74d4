/**
 * A run's ledger and service: lock, stores, submitter, and what the run learns about the service. Only a session opens
 * a ledger for writing.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  committedLength,
  dropUncommitted,
  journalOf,
  rememberedJournal,
  rememberJournal,
} from "../ledger/journal/own-journal.js";
import { holdLedger, lockLedger } from "../ledger/care/lock.js";
import { keepInPlace } from "../ledger/care/backup.js";
import { createSpareRoom } from "../ledger/care/spare-room.js";
import { type Journal, openJournal } from "../ledger/journal/journal.js";
import { createChoiceLog } from "../ledger/journal/choices.js";
import { createJournalEntries } from "../ledger/journal/entries.js";
import { learnIds } from "../ledger/journal/rebuild.js";
import { type LedgerDatabase, type LedgerOwner, openLedger } from "../ledger/open-ledger.js";
import { createInputStore, createSettingsStore } from "../ledger/inputs.js";
import { createRegistrationStore, type ForeignParticipant } from "../ledger/registrations.js";
import { createRefusalHistory, createRequestStore, type Intent } from "../ledger/requests.js";
import { createRunStore } from "../ledger/runs.js";
import { Writer } from "../ledger/writer.js";
import { asLedgerFailure } from "../ledger/care/ledger-failure.js";
import { createWorkStore } from "../ledger/work.js";
import type { MappingSettings } from "../map/mapping.js";
import type { Clock, Random } from "../model/clock.js";
import type { Code } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { makeFolder } from "../model/make-folder.js";
import { type PipelineEvent, telling } from "../model/summary.js";
import type { Target } from "../model/target.js";
import type { Attempt, ServiceError } from "../model/attempt.js";
import type { Answer, Call, CallKind, SendOptions } from "../submit/call.js";
import { readParticipant } from "../submit/calls.js";
import { counted } from "../report/figures.js";
import { createSubmitter } from "../submit/submitter.js";
import type { Throttle } from "../submit/throttle.js";
import type { Transport } from "../submit/transport.js";
import { createBodies } from "./bodies.js";
import { codeOfStop } from "./refusals.js";
import type { Later } from "./closing.js";
import { isEmbedded, openEmbeddedSandbox, ownerOf } from "./sandbox.js";
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
  /** For plans: the service is not called, no sandbox starts, and the ledger stays as it is. */
  offline?: boolean;
  /** Replaces network and limit in simulations. */
  transport?: Transport | undefined;
  throttle?: Throttle | undefined;
  /** Null or absent: no journal. */
  journal?: string | null;
  /** For the run's log. */
  onAttempt?: (kind: CallKind, attempt: Attempt) => void;
}

export interface Stopped {
  code: Code;
  message: string;
}

export type Session = Awaited<ReturnType<typeof openSession>>;

const WAITING = "Waiting until another rowferry process has finished with this ledger.";

/**
 * Creating the folder would hide a missing mount, and everything would be sent again; only one below the state folder
 * is created. @throws RowferryError `path-unusable`
 */
export function requireLedgerFolder({ ledgerPath, stateFolder }: Target): void {
  const folder = dirname(ledgerPath);
  if ([stateFolder, dirname(stateFolder)].includes(folder) || existsSync(folder)) return;
  throw new RowferryError("path-unusable", `${ledgerPath} cannot be the ledger: there is no folder ${folder}`, {
    hint: "Mount its disk, or create the folder.",
  });
}

export const MAKE_ROOM = "Nothing was sent. Make room or restore the permission, then type the same command again.";

const MOST_WITHOUT_ID = 3;

/** `later` closes it, also after a failure. @throws RowferryError `ledger-locked` and other codes of the ledger */
export async function openSession(command: string, mapping: string | null, options: SessionOptions, later: Later) {
  const { clock, signal, observe } = options;
  try {
    const isOffline = options.offline === true;
    const onWait = () => telling(observe)(WAITING);
    const waiting = { wait: options.waitForLock, clock, signal, onWait };
    // If it cannot be read, nothing is staged.
    if (!isOffline) options.target.clientSecret();
    if (!isOffline) requireLedgerFolder(options.target);
    const lock = await lockLedger(options.target.ledgerPath, waiting);
    later(() => lock.release());
    const serve = isEmbedded(options.target) && !isOffline;
    const target = serve ? await openEmbeddedSandbox(options.target, options.fresh, later) : options.target;
    const owner = ownerOf(options.target);
    // Without its journal, the next command would take this new ledger for the lost one, and send everything again.
    let isNew = !existsSync(target.ledgerPath);
    later(() => {
      if (isNew) for (const part of ["", "-wal", "-shm"]) rmSync(target.ledgerPath + part, { force: true });
    });
    const database = openLedger(target.ledgerPath, owner, clock.now());
    later(() => void database.close());
    const place = keepInPlace(database);
    later(place.rescue);
    if (!isOffline) {
      const hold = await holdLedger(database, waiting);
      later(() => hold.release());
      new Writer(database).interrupted(clock.now());
    }

    const path = isOffline ? null : journalOf(database, options.journal ?? null);
    const openIt = database.transaction((at: string) =>
      openRunJournal(database, target, owner, at, { ...options, isNew }),
    );
    const journal = path === null ? null : openIt.immediate(path);
    isNew = false;
    if (journal !== null && path !== null) {
      later(() => journal.close());
      later(() =>
        rememberEnd(() =>
          database.atomic(() => {
            journal.refuseMoved();
            journal.dropOthers();
            rememberJournal(database, path);
          }),
        ),
      );
    }
    const room = createSpareRoom({ ledger: target.ledgerPath, journal: path });
    later(() => room.close());
    const choices = journal && createChoiceLog(database, journal, createJournalEntries(database));
    const requests = createRequestStore(database, journal);
    const registrations = createRegistrationStore(database, journal);
    const work = createWorkStore(database);
    const settings = createSettingsStore<MappingSettings>(database, defaultSettings);
    const runs = createRunStore(database);
    // A plan uses only the submitter's clock.
    const nowhere = { baseUrl: "https://localhost", tokenUrl: "https://localhost" };
    const submitter = createSubmitter({
      ...options,
      target: isOffline ? { ...target, ...nowhere } : target,
      serviceAheadMs: runs.serviceAheadMs(),
      isAddressKnown: requests.isAnswered(),
      quietSince: () => runs.quietSince(clock.now()),
      notice: (notice) => observe({ type: "notice", ...notice }),
    });
    later(() => submitter.close());
    if (!isOffline) later(() => rememberEnd(() => runs.keepServiceAhead(submitter.serviceAheadMs())));
    const drain = () => submitter.drain();
    signal.addEventListener("abort", drain, { once: true });
    later(() => signal.removeEventListener("abort", drain));

    // A verification leaves no files.
    const isTaken = (name: string) => {
      const folder = join(target.stateFolder, "runs", name);
      return isOffline || command === "verify" ? existsSync(folder) : !isFolderMade(folder);
    };
    // A plan leaves nothing, not even its run, however it ends.
    if (isOffline) {
      database.exec("BEGIN IMMEDIATE");
      later(() => void (database.inTransaction && database.exec("ROLLBACK")));
    }
    const run = runs.begin(command, mapping, clock.now(), undefined, isTaken);
    if (path !== null)
      tellLearnt(
        database.atomic(() => learnIds(database, path, run.id)),
        observe,
      );
    let withoutId = 0;
    const session = {
      target,
      clock,
      signal,
      observe,
      database,
      runs,
      run,
      /** Null: none. */
      journalPath: path,
      inputs: createInputStore(database),
      registrations,
      requests,
      refusals: createRefusalHistory(database),
      work,
      settings,
      bodies: createBodies(registrations, work, ({ settings: id }) => settings.get(id)),
      caps: createRequestCaps({ maxEvents: target.maxEventsPerRequest, maxBytes: target.maxRequestBytes }),
      submitter,
      /** @throws RowferryError `ledger-not-written`, `journal-not-written` */
      refuseMoved() {
        // The embedded sandbox's records are deleted with its ledger.
        if (!serve) place.refuseMoved();
        journal?.refuseMoved();
      },
      /** Null: the run continues. */
      stopped: null as Stopped | null,
      /** Names of empty files that the mapping does not allow. */
      emptyFiles: [] as string[],
      /** In this run, the service checked duplicates before lateness (open point 19). */
      duplicatesAreSeen: false,
      /** By event: why its document was not created with it alone; then it was created without, so it had not landed. */
      refusedAlone: new Map<number, ServiceError>(),
      /** In this run, POST /documents was absent (open point 25). */
      documentsEndpointIsAbsent: false,
      tell: telling(observe),
      /** Nothing more may begin. */
      isEnded: (): boolean => session.stopped !== null || signal.aborted,
      stop(answer: Answer & { result: "stopped" }): void {
        if (answer.why === "overtaken") return;
        session.stopped ??= { code: codeOfStop[answer.why], message: answer.message };
        submitter.drain();
      },
      /** After a creation whose answer held no id: an answer of another shape would strand every document. */
      stopWithoutIds(): void {
        withoutId += 1;
        const anyId =
          "SELECT 1 FROM documents_now WHERE service_id IS NOT NULL AND mode = 'create' AND reason IS NOT 'resolved'";
        if (withoutId < MOST_WITHOUT_ID || database.has(anyId)) return;
        const message = `The answers to the first ${withoutId} creations of documents hold no documentId, so the run stopped.`;
        session.stopped ??= { code: "creations-without-id", message };
        submitter.drain();
      },
      /**
       * The intent is written once slot and token are held, so a kill leaves in doubt at most what was on the wire
       * (H44). `request`: its id in the ledger; null: nothing was sent or written. `end` writes what came of it, once.
       */
      async send(call: Call, intent: Omit<Intent, "runId" | "kind">) {
        let request: number | null = null;
        let before: Attempt | null = null;
        const foreign = () => registrations.foreignOf(intent);
        const answer = await submitter.send(call, {
          async isReadable() {
            const found = foreign();
            if (found === null) return false;
            return (await session.lookAtParticipant(found)).result === "accepted";
          },
          onLeaving() {
            session.refuseMoved();
            request = room.begin(() => requests.begin({ ...intent, kind: call.kind, runId: run.id }, clock.now()));
            return request !== null;
          },
          // The last attempt is written with the outcome, the others at once.
          onAttempt(attempt) {
            if (before !== null && request !== null) requests.recordAttempt(request, before);
            before = attempt;
          },
        });
        if (answer.result === "stopped") session.stop(answer);
        const now = clock.now();
        const end = (outcome: (t: Writer) => void = () => {}): void => {
          if (request === null) return;
          const id = request;
          const write = () =>
            database.atomic(() => {
              requests.end(id, answer.result, answer.attempts.at(-1), now, outcome);
              // An outcome may accept what a person would: a journal needs that after the outcome.
              choices?.record(now);
            });
          room.end(write);
        };
        return { request: request as number | null, answer: nameForeign(answer, intent.subject, foreign), now, end };
      },
      /** Reads need no intent, but their attempts count against the limit and are recorded. */
      async look(
        { kind: subject, id }: { kind: Intent["subject"]; id: number },
        call: Call,
        how: Pick<SendOptions, "isReadable"> = {},
      ): Promise<Answer> {
        const startedAt = clock.now();
        const answer = await submitter.send(call, how);
        if (answer.result === "stopped") session.stop(answer);
        const intent = { runId: run.id, kind: call.kind, subject, subjectId: id, events: [], creates: false };
        requests.log(intent, answer.result, answer.attempts, startedAt, clock.now());
        return answer;
      },
      lookAtParticipant: ({ id, serviceId }: { id: number; serviceId: string }): Promise<Answer> =>
        session.look({ kind: "participant", id }, readParticipant(serviceId)),
      outcomes: requests.outcomes,
      /** Inside staging's transaction. */
      journalChoices: (): void => choices?.record(clock.now()),
    };
    return session;
  } catch (error) {
    throw asLedgerFailure(error, options.target.ledgerPath, MAKE_ROOM);
  }
}

/** False: there is one. Another ledger may have the same state folder, and its run the same name in the same moment. */
function isFolderMade(path: string): boolean {
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Names the participant of a call refused with 403 although the token is good, because the service may not name it. */
function nameForeign(answer: Answer, subject: Intent["subject"], foreign: () => ForeignParticipant | null): Answer {
  if (answer.result !== "refused") return answer;
  // The path of an address names its participant, and what is not ours may be answered as if it were not there.
  const isHidden = subject === "address" && answer.notFound;
  if (answer.error.status !== 403 && !(isHidden && foreign() !== null)) return answer;
  const found = foreign();
  const who = `${found?.name ?? "the participant"} (${found?.serviceId})`;
  const about = `it refers to ${who}, which this client did not create; with participants.foreign: refuse in the mapping such rows are found before they are sent`;
  const message = [answer.error.message, about].filter((part) => part !== null).join(" · ");
  return { ...answer, error: { ...answer.error, message } };
}

/** @throws RowferryError `ledger-behind-journal`, and whatever `openJournal` throws */
function openRunJournal(
  database: LedgerDatabase,
  target: Target,
  owner: LedgerOwner,
  path: string,
  options: SessionOptions & { isNew: boolean },
): Journal {
  const journal = openJournal(path, target.ledgerPath, owner, () => committedLength(database, path));
  try {
    if (!options.fresh && dropUncommitted(database, path, journal, options.isNew)) {
      const message =
        "The last decision in the journal never reached this ledger, so it was removed from the journal. Make it again.";
      telling(options.observe)(message, "warning");
    }
  } catch (error) {
    journal.close();
    throw error;
  }
  const isKnown = rememberedJournal(database) === path;
  rememberJournal(database, path);
  // Said once: nobody reads a warning that comes every night.
  if (journal.besideLedger && !isKnown) {
    const message = "The journal is on the same disk as the ledger, and would be lost with it.";
    telling(options.observe)(message, "warning", "journal-beside-ledger");
  }
  return journal;
}

function tellLearnt(count: number, observe: SessionOptions["observe"]): void {
  if (count === 0) return;
  const message = `${counted(count, "document")} in doubt ${count === 1 ? "has its id" : "have their ids"} from the journal.`;
  telling(observe)(message);
}

/** On a full disk, what was remembered at the beginning stays valid. */
function rememberEnd(remember: () => void): void {
  try {
    remember();
  } catch {}
}

/** The safe choice for every setting. */
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
