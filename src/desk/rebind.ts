/** `ledger rebind`. */
import { forgetJournal } from "../ledger/journal/own-journal.js";
import { type LedgerDatabase, openLedgerOfAnyone, ownerName, rebindLedger } from "../ledger/open-ledger.js";
import { createRegisteredView, type RegisteredParticipant } from "../ledger/views/expected.js";
import { withoutQuery } from "../model/addresses.js";
import { RowferryError } from "../model/error.js";
import { type PipelineEvent, telling } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { codeOfStop } from "../run/refusals.js";
import { isEmbedded, ownerOf } from "../run/sandbox.js";
import { documentOf, participantOf } from "../submit/answers.js";
import type { Answer, Call } from "../submit/call.js";
import { readDocument, readParticipant } from "../submit/calls.js";
import { alone, type ReaderOptions, withReader } from "./access.js";

/** Participants, before a ledger changes hands. */
const LOOKED_UP = 50;
/** This many of the newest documents, and of the oldest, which a service restored from a backup still has. */
const READ = 5;

/** In ms; a request under way then still ends by itself. */
const SILENCE_MS = { told: 2_000, longest: 30_000 };

type Rebinding = ReaderOptions & { waitForLock: boolean; observe(event: PipelineEvent): void };

/**
 * Gives the ledger to this target, once its service proves to know the ledger's participants and documents. @throws
 * RowferryError `rebind-refused`, `service-outage`, `credentials-refused`, `ledger-locked`, `ledger-missing`
 */
export async function rebind(
  target: Target,
  options: Rebinding,
): Promise<{ before: string | null; lookedUp: number; journal: string | null }> {
  if (isEmbedded(target) && options.transport === undefined)
    throw new RowferryError("rebind-refused", "The sandbox keeps its records next to its own ledger.", {
      hint: "Nothing was changed. Name the service to bind it to with --target.",
    });
  const open = () => openLedgerOfAnyone(target.ledgerPath);
  const rebindIt = async (database: LedgerDatabase) => {
    const view = createRegisteredView(database);
    const participants = view.participantsAfter(0, LOOKED_UP);
    await asking(target, options, async (ask) => {
      await requireParticipants(ask, participants);
      await requireDocument(ask, view.newestAndOldest(READ));
    });
    const owner = ownerOf(target);
    return database.transaction(() => {
      const before = rebindLedger(database, owner);
      const journal = before === ownerName(owner) ? null : forgetJournal(database);
      return { before, lookedUp: participants.length, journal };
    })();
  };
  return alone(target, options, rebindIt, open);
}

type Ask = (call: Call) => Promise<Answer>;

/** Tells of a service that is silent, and soon gives up. */
function asking(target: Target, options: Rebinding, work: (ask: Ask) => Promise<void>): Promise<void> {
  const { clock, observe } = options;
  const silence = new AbortController();
  const signal = AbortSignal.any([silence.signal, options.signal ?? silence.signal]);
  const { told, longest } = SILENCE_MS;
  let isTold = false;
  const waitFor = async (answered: AbortSignal) => {
    await clock.sleep(told, answered);
    if (answered.aborted) return;
    const message = `${target.baseUrl} does not answer; waiting up to ${longest / 1_000} s for it.`;
    if (!isTold) telling(observe)(message, "warning", "service-outage");
    isTold = true;
    await clock.sleep(longest - told, answered);
    if (!answered.aborted) silence.abort();
  };
  return withReader(target, { ...options, signal }, (reader) =>
    work(async (call) => {
      const answered = new AbortController();
      void waitFor(answered.signal);
      const answer = await reader.send(call).finally(() => answered.abort());
      const isSilent = answer.result === "stopped" && answer.why === "interrupted" && options.signal?.aborted !== true;
      if (isSilent || answer.result === "unanswered") {
        const last = answer.attempts.at(-1);
        const why =
          last === undefined
            ? `no token could be got from ${withoutQuery(target.tokenUrl)}`
            : (last.failure ?? last.status);
        throw new RowferryError("service-outage", `${target.baseUrl} did not answer: ${why}.`);
      }
      if (answer.result === "stopped") throw new RowferryError(codeOfStop[answer.why], answer.message);
      return answer;
    }),
  );
}

async function requireParticipants(ask: Ask, participants: RegisteredParticipant[]): Promise<void> {
  for (const { serviceId, data } of participants) {
    const lookup = participantOf(await ask(readParticipant(serviceId)));
    if (lookup === undefined) throw new RowferryError("rebind-refused", "The service did not answer a lookup.");
    const { taxId } = data;
    const theirs = lookup.outcome === "found" ? lookup.participant.taxId : "";
    if (theirs === null || theirs === taxId || (lookup.outcome === "found" && taxId === undefined)) continue;
    throw new RowferryError("rebind-refused", `The service does not know the participant with the id ${serviceId}.`);
  }
}

/** Another tenant may know all participants, but never the documents. One found is proof: others may be gone. */
async function requireDocument(ask: Ask, documents: { name: string; serviceId: string }[]): Promise<void> {
  for (const { serviceId } of documents) {
    const answer = await ask(readDocument(serviceId));
    const isAbsent =
      answer.result === "refused" ? answer.notFound : answer.result === "accepted" && documentOf(answer.body) === null;
    if (!isAbsent) return;
  }
  const [first] = documents;
  if (first === undefined) return;
  throw new RowferryError(
    "rebind-refused",
    `The service has none of the documents that were looked up, not even ${first.name} with the id ${first.serviceId}.`,
  );
}
