/** `verify`: what the ledger says of participants, addresses and documents, held against what reads of the service tell. */
import { createRegisteredView, type RegisteredDocument, type RegisteredParticipant } from "../ledger/views/expected.js";
import { createRunStore } from "../ledger/runs.js";
import { foldIdentity } from "../model/fold.js";
import { ExitCode } from "../model/exit-code.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.js";
import {
  addressesOf,
  documentOf,
  type FoundParticipant,
  type ListedAddress,
  participantOf,
} from "../submit/answers.js";
import type { Answer, Call } from "../submit/call.js";
import { listAddresses, readDocument, readParticipant } from "../submit/calls.js";
import { isMasked, PLACE_FIELDS } from "../run/register-address.js";
import { look } from "../run/register.js";
import { openSession, type Session, type SessionOptions } from "../run/session.js";

export interface Difference {
  subject: "participant" | "address" | "document" | "event";
  name: string;
  id: string;
  text: string;
}

export interface Verification {
  checked: { participants: number; addresses: number; documents: number; events: number };
  differences: Difference[];
  /** What was to be read and could not be, each by its name: whether it agrees is not known. */
  unread: Difference[];
  /** What no read can tell, with the number of cases. */
  unverifiable: { text: string; count: number }[];
  /** Why it ended early; null: it did not. */
  stopped: string | null;
}

const PAGE = 40;

/** Holds the lock, keeps to the limit, changes nothing at the service. Its reads stand in the ledger as a run. */
export async function verify(options: SessionOptions): Promise<Verification> {
  const session = await openSession("verify", null, options);
  const runs = createRunStore(session.database);
  try {
    const found = await compareAll(session);
    runs.finish(
      session.run.id,
      exitCodeOfVerification(found),
      JSON.stringify({ type: "verify", ...found }),
      session.clock.now(),
    );
    return found;
  } finally {
    await session.close();
  }
}

/** Something that was not read is no agreement. */
export function exitCodeOfVerification({ stopped, differences, unread }: Verification): ExitCode {
  if (stopped !== null) return ExitCode.again;
  return differences.length + unread.length > 0 ? ExitCode.person : ExitCode.ok;
}

async function compareAll(session: Session): Promise<Verification> {
  const view = createRegisteredView(session.database);
  const notes = new Map<string, number>();
  const result: Verification = {
    checked: { participants: 0, addresses: 0, documents: 0, events: 0 },
    differences: [],
    unread: [],
    unverifiable: [],
    stopped: null,
  };
  const work: Work = {
    session,
    result,
    note: (text, count = 1) => void (count > 0 && notes.set(text, (notes.get(text) ?? 0) + count)),
  };
  await each(work, view.participantsAfter, checkParticipant);
  await each(work, view.documentsAfter, checkDocument);
  work.note("documents whose id is not known (stranded, or their creation is in doubt)", view.countWithoutId());
  result.unverifiable = [...notes].map(([text, count]) => ({ text, count }));
  result.stopped = session.stopped?.message ?? null;
  return result;
}

interface Work {
  session: Session;
  result: Verification;
  note(text: string, count?: number): void;
}

async function each<Item extends { id: number }>(
  work: Work,
  page: (after: number, limit: number) => Item[],
  check: (work: Work, item: Item) => Promise<void>,
): Promise<void> {
  let after = 0;
  for (;;) {
    const items = page(after, PAGE);
    if (items.length === 0 || work.session.stopped !== null || work.session.signal.aborted) return;
    after = items.at(-1)?.id ?? after;
    await Promise.all(items.map((item) => check(work, item)));
  }
}

/** Null: the answer decides nothing, and its subject is among the unread. */
async function read(
  work: Work,
  kind: "participant" | "document",
  id: number,
  call: Call,
  unread: (text: string) => void,
): Promise<Answer | null> {
  const answer = await look(work.session, { kind, id }, call);
  if (answer.result === "accepted" || (answer.result === "refused" && answer.notFound)) return answer;
  if (answer.result === "unanswered") unread(`gave no answer (${answer.failure ?? answer.error?.status})`);
  else if (answer.result === "refused") unread(`cannot be read (${answer.error.status})`);
  else unread("was not read");
  return null;
}

async function checkParticipant(work: Work, participant: RegisteredParticipant): Promise<void> {
  const { serviceId, data } = participant;
  const name = words(data["taxIdType"], data["taxId"], data["name"]) || serviceId;
  const differs = (text: string) => work.result.differences.push({ subject: "participant", name, id: serviceId, text });
  const unread = (text: string) => work.result.unread.push({ subject: "participant", name, id: serviceId, text });
  const answer = await read(work, "participant", participant.id, readParticipant(serviceId), unread);
  if (answer === null) return;
  work.result.checked.participants += 1;
  const lookup = participantOf(answer);
  if (lookup?.outcome === "absent") differs("is not there");
  else if (lookup?.outcome !== "found") unread("was answered with what cannot be understood");
  else for (const text of participantDifferences(data, lookup.participant)) differs(text);
  if (participant.addresses.length > 0) await checkAddresses(work, participant, name);
}

function participantDifferences(ours: JsonObject, theirs: FoundParticipant): string[] {
  return (["countryCode", "taxIdType", "taxId", "name", "type"] as const).flatMap((field) => {
    const [mine, given] = [ours[field], theirs[field]];
    if (mine === undefined || given === null || mine === given) return [];
    return [`${field} is ${JSON.stringify(given)} there, ${JSON.stringify(mine)} here`];
  });
}

async function checkAddresses(work: Work, participant: RegisteredParticipant, owner: string): Promise<void> {
  const unread = (text: string) => {
    const [name, id] = [`${participant.addresses.length} of ${owner}`, participant.serviceId];
    work.result.unread.push({ subject: "address", name, id, text });
  };
  const answer = await read(work, "participant", participant.id, listAddresses(participant.serviceId), unread);
  if (answer === null) return;
  const listed = answer.result === "accepted" ? addressesOf(answer.body) : [];
  if (listed === null) return unread("was answered with what is no list");
  for (const { serviceId, data } of participant.addresses) {
    work.result.checked.addresses += 1;
    const name = `${words(data["name"]) || serviceId} of ${owner}`;
    const theirs = listed.find(({ id }) => id === serviceId);
    const texts =
      theirs === undefined
        ? ["is not in the participant's list (a service that gives lists in pages may hold it on a later one)"]
        : addressDifferences(data, theirs, work);
    for (const text of texts) work.result.differences.push({ subject: "address", name, id: serviceId, text });
  }
}

function addressDifferences(ours: JsonObject, theirs: ListedAddress, work: Work): string[] {
  return PLACE_FIELDS.flatMap((field) => {
    const [mine, given] = [ours[field], theirs[field]];
    if (typeof mine !== "string" || given === null) return [];
    if (field === "street" && isMasked({ street: given })) {
      work.note("streets that come masked");
      return [];
    }
    if (foldIdentity(mine) === foldIdentity(given)) return [];
    return [`${field} is ${JSON.stringify(given)} there, ${JSON.stringify(mine)} here`];
  });
}

async function checkDocument(work: Work, document: RegisteredDocument): Promise<void> {
  const { serviceId, kind, key, generation, events, state } = document;
  const name = `${kind} ${key}${generation > 1 ? `, generation ${generation}` : ""}`;
  const differs = (text: string) => work.result.differences.push({ subject: "document", name, id: serviceId, text });
  const unread = (text: string) => work.result.unread.push({ subject: "document", name, id: serviceId, text });
  const answer = await read(work, "document", document.id, readDocument(serviceId), unread);
  if (answer === null) return;
  work.result.checked.documents += 1;
  if (answer.result !== "accepted") return void differs("is not there");
  const found = documentOf(answer.body);
  if (found === null) return void unread("was answered with what cannot be understood");
  if (found.documentId !== null && found.documentId !== serviceId) differs(`comes under the id ${found.documentId}`);
  const body = found.body as JsonObject;
  const theirState = body["state"];
  if (typeof theirState !== "string" || !["open", "closed", "cancelled"].includes(theirState.toLowerCase())) {
    work.note("documents whose state a read does not tell");
  } else if (theirState.toLowerCase() !== state) differs(`is ${theirState} there, ${state} here`);
  const listed = Array.isArray(body["events"]) ? body["events"] : null;
  if (listed === null) return work.note("events, because reads of their documents do not list them", events.length);
  checkEvents(work, name, events, listed);
}

function checkEvents(work: Work, document: string, ours: RegisteredDocument["events"], listed: JsonValue[]): void {
  const names = new Set<string>();
  for (const entry of listed) {
    if (!isJsonObject(entry)) continue;
    for (const member of ["id", "eventId", "deduplicationId"]) {
      const value = entry[member];
      if (typeof value === "string") names.add(value);
    }
  }
  for (const { event, deduplicationId, eventId } of ours) {
    work.result.checked.events += 1;
    if ((eventId !== null && names.has(eventId)) || names.has(deduplicationId)) continue;
    if (eventId === null) {
      work.note("events that landed without an id and cannot be told apart in a read");
      continue;
    }
    const name = `${event} of ${document}`;
    work.result.differences.push({ subject: "event", name, id: eventId, text: "is not on the timeline" });
  }
}

function words(...values: (JsonValue | undefined)[]): string {
  return values.filter((value) => typeof value === "string").join(" ");
}
