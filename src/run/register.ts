/**
 * Registers participants, then their addresses. Neither has a deduplicationId, so after doubt nothing is created
 * without looking first, after a delay (H7).
 */
import { participantOf, registrationOf } from "../submit/answers.js";
import type { ServiceError } from "../model/attempt.js";
import type { Answer } from "../submit/call.js";
import { readParticipant } from "../submit/calls.js";
import { namesCode } from "../submit/classify.js";
import { createLanes } from "../submit/lanes.js";
import { noSuchPath } from "../submit/retry.js";
import { placeKey, type RegistrationSteps, stepsOfAddress, stepsOfParticipant } from "./register-steps.js";
import { toldRefusal } from "./refusals.js";
import { lanesFor } from "./send.js";
import type { Session } from "./session.js";

/** Gives the service time to commit a create that was not answered. */
const LOOK_AFTER_MS = 3000;
/** And to show it: reads may be older than writes. */
const LOOK_AGAIN_AFTER_MS = 6000;
/** Further creates, each after a look that found nothing (service.md, Errors: at most 5 retries). */
const MOST_REPEATS = 5;

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
    (open) => register(session, stepsOfParticipant(session, open)),
    isOver,
    (done) => onProgress("participants", done, totals.participants),
  );
  await drain(
    session,
    registrations.undescribedAfter,
    async (open) => {
      const steps = stepsOfParticipant(session, open);
      steps.read(await askAnew(session, steps));
    },
    isOver,
    () => undefined,
  );
  // A place may be in the ledger under two names of its participant: the second finds what the first registered.
  const before = new Map<string, Promise<unknown>>();
  const listed = askingOnce();
  await drain(
    session,
    (after) => registrations.addressesAfter(after, session.run.id),
    async (open) => {
      const key = placeKey(open);
      const earlier = before.get(key);
      const mine = (async () => {
        await earlier;
        const steps = stepsOfAddress(session, open);
        if (steps !== null) await register(session, steps, listed);
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
  const lanes = createLanes(lanesFor(session));
  const isEnded = () => session.isEnded() || isOver();
  let done = 0;
  for (let open = page(0); open.length > 0 && !isEnded(); open = page(open.at(-1)?.id ?? 0)) {
    for (const item of open) {
      if (isEnded()) break;
      await lanes.add(async () => {
        if (session.isEnded()) return;
        await work(item);
        onDone((done += 1));
      });
    }
  }
  await lanes.settled();
}

type Refused = Answer & { result: "refused" };

type Ask = (session: Session, steps: RegistrationSteps) => Promise<Answer>;

const askAnew: Ask = (session, steps) => session.look(steps, steps.look);

/** For flat memory; what is no longer kept is asked for again. */
const ANSWERS_KEPT = 1_000;

/** For the addresses of a participant: this run knows what it has added since it listed them. */
function askingOnce(): Ask {
  const kept = new Map<string, Promise<Answer>>();
  return (session, steps) => {
    const { path } = steps.look;
    const answer = kept.get(path) ?? askAnew(session, steps);
    kept.set(path, answer);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size > ANSWERS_KEPT) kept.delete(oldest);
    return answer;
  };
}

/** Looks, creates, and after doubt looks again before creating again. */
async function register(session: Session, steps: RegistrationSteps, ask = askAnew): Promise<void> {
  const { clock, signal } = session;
  if (steps.attempted) await clock.sleep(LOOK_AFTER_MS, signal);
  const before = steps.attempted ? askAnew : ask;
  if ((steps.lookFirst || steps.attempted) && (await lookSettles(session, steps, steps.attempted, before))) return;
  for (let repeat = 0; repeat <= MOST_REPEATS; repeat += 1) {
    const left = await create(session, steps);
    if (left === null || session.stopped !== null) return;
    await clock.sleep(LOOK_AFTER_MS * 2 ** repeat, signal);
    if (await lookSettles(session, steps, true)) return;
    if (left !== "in-doubt") return rejectConflict(session, steps, left);
    if (session.stopped !== null) return;
  }
}

/**
 * False: absent. Otherwise the ledger has the outcome, or the run was stopped. `mayExist`: a create may have landed; then
 * "absent" counts only when it is said twice.
 */
async function lookSettles(
  session: Session,
  steps: RegistrationSteps,
  mayExist: boolean,
  ask = askAnew,
): Promise<boolean> {
  const { clock, signal } = session;
  const { kind, id } = steps;
  let answer = await ask(session, steps);
  let found = steps.read(answer);
  if (mayExist && found === "absent") {
    await clock.sleep(LOOK_AGAIN_AFTER_MS, signal);
    answer = await askAnew(session, steps);
    found = steps.read(answer);
  }
  if (answer.result === "stopped") return true;
  if (found === "absent") return false;
  if (found === "registered") return true;
  const note = found ?? (answer.result === "refused" ? refusal(answer.error) : null);
  session.outcomes((t) => {
    if (note === null) t.stalled(kind, id, mayExist ? "service-unanswered" : "lookup-unanswered", clock.now());
    else t.rejected(kind, id, note, clock.now());
  });
  return true;
}

/** The service says that the record exists, but no look finds it: after one more, a person must find out. */
async function rejectConflict(session: Session, steps: RegistrationSteps, error: ServiceError): Promise<void> {
  const { clock, signal } = session;
  const { kind, id } = steps;
  await clock.sleep(LOOK_AFTER_MS * 4, signal);
  if (session.stopped !== null || (await lookSettles(session, steps, true))) return;
  const { code, message } = refusal(error);
  const note = { code, message: `${message}; ${steps.absence()}` };
  session.outcomes((t) => t.rejected(kind, id, note, clock.now()));
}

/**
 * Sends the create under its intent. @returns null: settled, or the run was stopped; otherwise the error of a certain
 * conflict. After doubt or conflict the record is stalled until somebody looks.
 */
async function create(session: Session, steps: RegistrationSteps): Promise<null | "in-doubt" | ServiceError> {
  const { kind, id, create: call, created } = steps;
  const intent = { subject: kind, subjectId: id, events: [], creates: true };
  const { request, answer, now, end } = await session.send(call, intent);
  if (request === null) return null;
  const receipt = answer.result === "accepted" ? registrationOf(answer.body) : null;
  if (receipt !== null) {
    end(() => created(receipt));
    return null;
  }
  const isConflict = answer.result === "duplicate" || (answer.result === "refused" && answer.error.status === 409);
  if (answer.result === "refused" && !isConflict && !answer.inDoubt) {
    const { code, message } = refusal(answer.error);
    const missing = await whatIsMissing(session, steps, answer);
    if (missing === null) {
      session.stop({ ...answer, result: "stopped", ...noSuchPath(call, answer.error) });
      end((t) => t.unsent(kind, id, now));
    } else end((t) => t.rejected(kind, id, { code, message: `${message}${missing}` }, now));
    return null;
  }
  end((t) => {
    if (answer.result === "stopped" && !answer.inDoubt) t.unsent(kind, id, now);
    else t.stalled(kind, id, "service-unanswered", now);
  });
  if (answer.result === "stopped") return null;
  return isConflict && !answer.inDoubt ? answer.error : "in-doubt";
}

/**
 * Why an address was answered 404, which need not be its row's fault: the path names the participant. Null: the path
 * itself, for the participant is there, and the service has never accepted an address; otherwise what to add to the
 * refusal.
 */
async function whatIsMissing(session: Session, steps: RegistrationSteps, answer: Refused): Promise<string | null> {
  const { owner, kind, id } = steps;
  if (owner === undefined || ![404, 405].includes(answer.error.status)) return "";
  if (session.registrations.foreignOf({ subject: kind, subjectId: id, events: [] }) !== null) return "";
  const participant = participantOf(await session.look(steps, readParticipant(owner)))?.outcome;
  if (participant === "absent") return ` · it does not know the participant ${owner}, under which the address belongs`;
  const isPath = participant === "found" && !namesCode(answer.error) && !session.registrations.hasCreated(kind);
  return isPath ? null : "";
}

const refusal = (error: ServiceError) => ({ code: "service-refused" as const, message: toldRefusal(error) });
