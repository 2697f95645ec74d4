/** What must be true of a night that has come to rest: whatever has not landed has a reason that is true. */
import type { LedgerDatabase } from "../../../src/ledger/open-ledger.js";
import type { DocumentWithTimeline } from "../../../src/sandbox/index.js";
import { isPassedByCopy, isPassedByLink } from "./copies.js";
import type { Story } from "./story.js";
import { describe, idOf, isReplaced, type LedgerEvent, type Witness } from "./witness.js";

/** At rest everything that has not landed has a reason that is true. */
export function settled(
  events: readonly LedgerEvent[],
  documents: readonly DocumentWithTimeline[],
  story: Story,
  witness: Witness,
  database: LedgerDatabase,
  refusedMirrors: ReadonlySet<string>,
): string[] {
  const broken: string[] = [];
  const byId = new Map(events.map((event) => [event.id, event]));
  const isLinked = events.some(({ payload, kind }) => /relatedDocument|propagate/.test(payload) || kind === "batch");
  // Links may make a row late that came in time, where they stand at the service's time or came with another import.
  const isOneImport =
    !witness.disturbed &&
    story.sandbox.linkTime !== "server" &&
    new Set(story.steps.flatMap((step) => (step.do === "import" ? [step.file] : []))).size === 1;
  const clear = story.sandbox.checks !== "order-first" && story.sandbox.terseErrors !== true;
  const landed = new Set(["landed", "landed-without-id", "changed"]);
  for (const event of events) {
    if (landed.has(event.state)) continue;
    const say = (what: string) => broken.push(`${what}: ${describe(event)}, document ${event.documentState}`);
    const there = documents.find(({ id, externalId }) =>
      event.documentServiceId === null
        ? externalId === event.key && witness.replaced.get(event.key)?.has(id) !== true
        : id === event.documentServiceId,
    );
    // Of what was replaced a person expects nothing more, but that it is cancelled.
    if (event.replaced === 1 && ["stalled", "rejected"].includes(event.state)) continue;
    const mayBePassed =
      story.sandbox.linkTime === "server" &&
      (isLinkedUnawares(event, events) ||
        (cameLate(event, witness) && isPassedByLink(event, there, events, documents)));
    const isTerse =
      story.sandbox.terseErrors === true && (witness.bad.has(event.key) || refusedMirrors.has(event.deduplicationId));
    switch (event.state) {
      case "planned":
      case "sending":
        say("left undone");
        break;
      case "foreign":
        say("P5: nobody else has sent anything");
        break;
      case "stalled":
        if (event.documentState === "stranded") break;
        if (!witness.disturbed && story.sandbox.partialBatches !== true && !isTerse) say("in doubt without cause");
        else if (
          clear &&
          !witness.bad.has(event.key) &&
          !refusedMirrors.has(event.deduplicationId) &&
          !isWaiting(event, byId, database) &&
          !isBehindUnsettled(event, events) &&
          !isOvertaken(event, events, story) &&
          !isShutOut(event, events) &&
          !isPassedByCopy(event, there, events) &&
          !(story.journal === true && isOvertakenByJournal(event, events, witness)) &&
          !isToReplaced(event, events, documents, witness)
        )
          say("in doubt though the service tells");
        break;
      case "rejected":
        if (event.dismissed === 1) break;
        if (event.reason === "late" && !isLate(event, there)) say("not late");
        if (event.reason === "late" && (!isLinked || isOneImport) && event.kind !== "batch" && !wasLate(event, witness))
          say("late by our own doing");
        if (event.reason === "after-close" && there?.state === "open") say("not closed");
        if (event.reason === "after-cancel" && there?.state !== "cancelled") say("not cancelled");
        if (
          event.reason === "service-refused" &&
          !mayBePassed &&
          !isPassedByCopy(event, there, events) &&
          !refusedMirrors.has(event.deduplicationId) &&
          !witness.bad.has(event.key) &&
          !isOvertaken(event, events, story) &&
          !isToDoubtedCancel(event, events)
        )
          say("refused for no fault of its own");
        break;
      case "held":
        if (!isWaiting(event, byId, database)) say("waits for nothing");
        break;
      default:
    }
  }
  return [...broken, ...replacedCancelled(events, documents, witness)];
}

/** What was replaced is cancelled, or something says why not yet. */
function replacedCancelled(
  events: readonly LedgerEvent[],
  documents: readonly DocumentWithTimeline[],
  witness: Witness,
) {
  return documents
    .filter((document) => isReplaced(document, witness) && document.state !== "cancelled")
    .filter(({ id }) => {
      const own = events.filter(({ documentServiceId }) => documentServiceId === id);
      // Stranded, it has no id by which it could be cancelled.
      return own.length > 0 && !own.some(({ name, state }) => name === "CANCEL" && state !== "landed");
    })
    .map(({ externalId }) => `H26: ${externalId} was replaced and is not cancelled`);
}

/**
 * What links write at the service's own time passes rows that no plan could send before it: when a back-reference landed
 * that only a duplicate answer confirmed is not known, nor in which direction of a relation the service copies.
 */
function isLinkedUnawares({ documentId }: LedgerEvent, events: readonly LedgerEvent[]) {
  const related = new Set(
    events.flatMap((other) => {
      const ends = [other.documentId, other.relatedDocument, other.targetDocument].filter((id) => id !== null);
      return ends.includes(documentId) ? ends : [];
    }),
  );
  return events.some(
    ({ relatedDocument, targetDocument, documentId: from, mirrored, state, serviceEventId }) =>
      (mirrored === 1 && relatedDocument === null && related.has(from)) ||
      // As `changed`, too: what landed was found by a duplicate answer, or had been before its row changed.
      (["landed-without-id", "changed"].includes(state) &&
        serviceEventId === null &&
        (targetDocument === documentId || (mirrored === 1 && relatedDocument === documentId))),
  );
}

/**
 * A row that came late, behind events or links whose landing was in doubt: only the service could tell that it was late. What a
 * link writes at the service's own time is later than any row (night 50999244).
 */
function isOvertaken(event: LedgerEvent, events: readonly LedgerEvent[], { sandbox }: Story) {
  // At one instant a CLOSE or CANCEL stands behind all others.
  const isBefore = (other: LedgerEvent) =>
    event.at < other.at || (event.at === other.at && ["CLOSE", "CANCEL"].includes(other.name));
  return events.some(
    (other) =>
      other.id !== event.id &&
      (other.documentId === event.documentId
        ? isBefore(other) && ["stalled", "landed-without-id", "held"].includes(other.state)
        : other.relatedDocument === event.documentId &&
          other.mirrored === 1 &&
          (sandbox.linkTime === "server" || isBefore(other)) &&
          ["stalled", "landed-without-id"].includes(other.state)),
  );
}

/** Behind doubt that only a person settles, which is judged itself. */
const isBehindUnsettled = (event: LedgerEvent, events: readonly LedgerEvent[]) =>
  events.some(
    ({ documentId, at, reason }) => documentId === event.documentId && at <= event.at && reason === "doubt-unsettled",
  );

/** The same, where a kill kept that landing from the ledger, and the journal told of it when the ledger was rebuilt. */
function isOvertakenByJournal(event: LedgerEvent, events: readonly LedgerEvent[], witness: Witness) {
  const isLater = (other: LedgerEvent) => other.documentId === event.documentId && other.at > event.at;
  return cameLate(event, witness) && events.some((other) => isLater(other) && other.state === "landed");
}

/** Corrected while in doubt to stand behind a CLOSE: refused, it may have landed before with what it said at first (H1, H9). */
function isShutOut(event: LedgerEvent, events: readonly LedgerEvent[]) {
  return events.some(
    ({ name, documentId, at, state }) =>
      name === "CLOSE" && documentId === event.documentId && at <= event.at && state === "landed",
  );
}

/** A link to a document whose CANCEL is in doubt: it has landed, and only the service knows (night 8420321). */
function isToDoubtedCancel({ relatedDocument, key }: LedgerEvent, events: readonly LedgerEvent[]) {
  const related = events.find(({ documentId }) => documentId === relatedDocument)?.key;
  return events.some(
    (other) => other.name === "CANCEL" && other.state === "stalled" && other.key === related && other.key !== key,
  );
}

/** A link in doubt to what was replaced since: the service would refuse it now, whether it landed or not. */
function isToReplaced(
  { relatedDocument }: LedgerEvent,
  events: readonly LedgerEvent[],
  documents: readonly DocumentWithTimeline[],
  witness: Witness,
) {
  const id = events.find(({ documentId }) => documentId === relatedDocument)?.documentServiceId;
  return documents.some((document) => document.id === id && isReplaced(document, witness));
}

/** Whether its timeline had passed it when its row came; a row that stood behind a mended one may come late as well. */
function wasLate(event: LedgerEvent, witness: Witness) {
  return witness.bad.has(event.key) || witness.gaveUp || cameLate(event, witness);
}

/** Whether its timeline stood beyond it when its row was first imported. */
const cameLate = (event: LedgerEvent, { stood }: Witness) =>
  (stood.get(idOf(event)) ?? Number.POSITIVE_INFINITY) > event.at;

function isLate(event: LedgerEvent, there: DocumentWithTimeline | undefined) {
  return there !== undefined && there.lastAt !== null && there.lastAt > event.at;
}

/** Whether what it waits for stands open itself. */
function isWaiting(event: LedgerEvent, byId: ReadonlyMap<number, LedgerEvent>, database: LedgerDatabase) {
  const [what = "", id = ""] = (event.waitsFor ?? "").split(":");
  const state = (sql: string) => database.prepare<[number], string | null>(sql).pluck().get(Number(id));
  switch (what) {
    case "event": {
      const other = byId.get(Number(id));
      return other !== undefined && !["landed", "landed-without-id"].includes(other.state);
    }
    case "input":
      return state("SELECT name FROM inputs WHERE id = ? AND refused = 1") !== undefined;
    case "row":
      return state("SELECT fate FROM rows WHERE id = ? AND fate = 'invalid' AND settled IS NULL") === "invalid";
    case "document": {
      if (event.reason === "link-circle") return true;
      if (event.reason === "related-cancelled") return true;
      const found = state("SELECT coalesce((SELECT state FROM document_states WHERE document_id = ?), 'planned')");
      return found !== "open" && found !== "closed";
    }
    case "participant":
      return state("SELECT state FROM registrations WHERE id = ?") !== "registered";
    case "address":
      return state("SELECT state FROM registrations WHERE id = ?") !== "registered";
    default:
      return false;
  }
}
