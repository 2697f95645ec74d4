/**
 * Registers participants, then the addresses of those that are registered: documents need both. Neither has a
 * deduplicationId, so nothing is created after doubt without looking first, after a delay (HARD-CASES H7).
 */
import { type Registration, registrationOf } from "../submit/answers.js";
import type { Answer, Call, ServiceError } from "../submit/call.js";
import { createLanes } from "../submit/lanes.js";
import { placeKey, stepsOfAddress } from "./register-address.js";
import { stepsOfParticipant } from "./register-participant.js";
import { describeRefusal } from "./refusals.js";
import { lanesFor } from "./send.js";
import type { Session } from "./session.js";

/** How long after a create in doubt the first look is taken: time for the service to commit what it was given. */
const LOOK_AFTER_MS = 3000;
/** Creates after the first, each after a look that found nothing (service.md, Errors: at most 5 retries). */
const MOST_REPEATS = 5;

type Outcome = "registered" | "rejected" | "stalled" | "stopped";

export interface Subject {
  kind: "participant" | "address";
  id: number;
  /** Whether a create may have been sent before. */
  attempted: boolean;
}

/** What differs between participants and addresses. What it finds or makes it writes into the ledger itself. */
export interface RegistrationSteps {
  /** Look even where nothing is in doubt. */
  lookFirst: boolean;
  look: Call;
  /** What the look's answer says. Undefined: it decides nothing. Its text is for a person: what cannot be used, or understood. */
  read(
    answer: Answer,
  ): "registered" | "absent" | { code: "participant-foreign" | "answer-unreadable"; message: string } | undefined;
  create: Call;
  /** The create was accepted; runs in the transaction of its outcome. */
  created(receipt: Registration, now: number): void;
}

export async function registerAll(
  session: Session,
  isOver: () => boolean,
  onProgress: (stage: "participants" | "addresses", done: number, total: number) => void,
): Promise<void> {
  const { registrations } = session;
  const totals = registrations.countOpen();
  await drain(
    session,
    registrations.participantsAfter,
    (open) => register(session, { kind: "participant", ...open }, stepsOfParticipant(session, open)),
    isOver,
    (done) => onProgress("participants", done, totals.participants),
  );
  // One place may stand in the ledger under two names of its participant: the second finds what the first registered.
  const before = new Map<string, Promise<unknown>>();
  await drain(
    session,
    registrations.addressesAfter,
    async (open) => {
      const key = placeKey(open);
      const earlier = before.get(key);
      const mine = (async () => {
        await earlier;
        const steps = stepsOfAddress(session, open);
        if (steps !== null) await register(session, { kind: "address", ...open }, steps);
      })();
      before.set(key, mine);
      await mine.finally(() => before.get(key) === mine && before.delete(key));
    },
    isOver,
    (done) => onProgress("addresses", done, totals.addresses),
  );
}

async function drain<Open extends { id: number }>(
  session: Session,
  page: (after: number) => Open[],
  work: (open: Open) => Promise<unknown>,
  isOver: () => boolean,
  onDone: (done: number) => void,
): Promise<void> {
  const lanes = createLanes({ concurrency: lanesFor(session) });
  const isEnded = () => session.stopped !== null || session.signal.aborted || isOver();
  let done = 0;
  for (let open = page(0); open.length > 0 && !isEnded(); open = page(open.at(-1)?.id ?? 0)) {
    for (const item of open) {
      if (isEnded()) break;
      await lanes.add(async () => {
        if (session.stopped !== null || session.signal.aborted) return;
        await work(item);
        onDone((done += 1));
      });
    }
  }
  await lanes.settled();
}

/** Looks, creates, and after doubt looks again before it creates again. */
async function register(session: Session, subject: Subject, steps: RegistrationSteps): Promise<Outcome> {
  const { clock, signal } = session;
  if (subject.attempted) await clock.sleep(LOOK_AFTER_MS, signal);
  if (steps.lookFirst || subject.attempted) {
    const known = await lookUp(session, subject, steps);
    if (known !== null) return known;
  }
  for (let repeat = 0; ; repeat += 1) {
    const outcome = await create(session, subject, steps);
    if (typeof outcome === "string" && outcome !== "in-doubt") return outcome;
    if (session.stopped !== null) return "stopped";
    await clock.sleep(LOOK_AFTER_MS * 2 ** repeat, signal);
    const known = await lookUp(session, subject, steps);
    if (known !== null) return known;
    if (outcome !== "in-doubt") return conflict(session, subject, steps, outcome.error);
    if (repeat === MOST_REPEATS || session.stopped !== null) return "stalled";
  }
}

/** Null: not there. */
async function lookUp(session: Session, subject: Subject, steps: RegistrationSteps): Promise<Outcome | null> {
  const { registrations, clock } = session;
  const { kind, id } = subject;
  const answer = await look(session, subject, steps.look);
  if (answer.result === "stopped") return "stopped";
  const found = steps.read(answer);
  if (found === "absent") return null;
  if (found === "registered") return found;
  if (found === undefined && answer.result !== "refused") {
    registrations.stalled(kind, id, "service-unanswered", clock.now());
    return "stalled";
  }
  const note = found ?? refusal(answer as Answer & { result: "refused" });
  registrations.rejected(kind, id, note, clock.now());
  return "rejected";
}

/** The service says that it is there, and no look finds it: one more, then only a person can tell what stands there. */
async function conflict(
  session: Session,
  subject: Subject,
  steps: RegistrationSteps,
  error: ServiceError,
): Promise<Outcome> {
  const { clock, signal, registrations } = session;
  await clock.sleep(LOOK_AFTER_MS * 4, signal);
  if (session.stopped !== null) return "stopped";
  const known = await lookUp(session, subject, steps);
  if (known !== null) return known;
  const message = `${describeRefusal(error)}; yet a look finds no such ${subject.kind}`;
  registrations.rejected(subject.kind, subject.id, { code: "service-refused", message }, clock.now());
  return "rejected";
}

/** Sends the create under its intent. In doubt or in conflict it stands as stalled until somebody has looked. */
async function create(
  session: Session,
  { kind, id }: Subject,
  { create: call, created }: RegistrationSteps,
): Promise<Outcome | "in-doubt" | Conflict> {
  const { requests, clock, registrations } = session;
  const { request, answer } = await session.send(call, { subject: kind, subjectId: id, events: [], creates: true });
  if (answer.result === "stopped") session.stop(answer);
  if (request === null) return "stopped";
  const now = clock.now();
  const receipt = answer.result === "accepted" ? registrationOf(answer.body) : null;
  const outcome = receipt === null ? outcomeWithoutReceipt(answer) : "registered";
  requests.end(request, answer.result, answer.attempts.at(-1), now, () => {
    if (receipt !== null) created(receipt, now);
    else if (outcome === "stopped" && !answer.inDoubt) registrations.unsent(kind, id, now);
    else if (outcome === "rejected" && answer.result === "refused")
      registrations.rejected(kind, id, refusal(answer), now);
    else
      registrations.stalled(kind, id, answer.result === "accepted" ? "answer-unreadable" : "service-unanswered", now);
  });
  return outcome;
}

/** Refused with 409, and not in doubt. */
interface Conflict {
  error: ServiceError;
}

function outcomeWithoutReceipt(answer: Answer): Outcome | "in-doubt" | Conflict {
  if (answer.result === "stopped") return "stopped";
  if (answer.inDoubt) return "in-doubt";
  if (answer.result === "duplicate") return { error: answer.error };
  if (answer.result === "refused") return answer.error.status === 409 ? { error: answer.error } : "rejected";
  return "in-doubt";
}

const refusal = ({ error }: { error: ServiceError }) => ({
  code: "service-refused" as const,
  message: describeRefusal(error),
});

/** Reads change nothing: they need no intent, but their attempts count against the limit and stand in the ledger. */
export async function look(
  session: Session,
  { kind, id }: { kind: "participant" | "address" | "document"; id: number },
  call: Call,
): Promise<Answer> {
  const { requests, clock, submitter, run } = session;
  const startedAt = clock.now();
  const answer = await submitter.send(call);
  if (answer.result === "stopped") session.stop(answer);
  const intent = { runId: run.id, kind: call.kind, subject: kind, subjectId: id, events: [], creates: false };
  requests.log(intent, answer.result, answer.attempts, startedAt, clock.now());
  return answer;
}
