/** The promises of DESIGN section 1 against what the service holds and what the ledger says. */
import type { LedgerDatabase } from "../../src/ledger/open-ledger.js";
import { keyText } from "../../src/ledger/event-key.js";
import type { Summary } from "../../src/model/summary.js";
import type { DocumentWithTimeline, EventRecord } from "../../src/sandbox/index.js";
import { checkLedger } from "../../src/ledger/check/check.js";
import { isPassedByCopy, writesOn } from "./copies.js";
import { type Story, TONIGHT } from "./story.js";
import type { World } from "./world.js";

export interface Witness {
  /** Invalid rows that hold what is later on their documents, since they were first imported. */
  holds: { document: string; at: number; landed: ReadonlySet<string>; id: string; row: string }[];
  /** Whether any fault or kill befell the night. */
  disturbed: boolean;
  summaries: { summary: Summary; rows: number }[];
  /** Documents with a row that the service refuses. */
  bad: Set<string>;
  /** Where each row's timeline stood when the row was first imported, ms, by document and key. */
  stood: Map<string, number>;
  /** Whether a person has dismissed anything. */
  gaveUp: boolean;
  /** Invalid rows that a person has dismissed, by content. */
  dismissed: Set<string>;
  /** Ids of documents that were replaced by a next generation, by key. */
  replaced: Map<string, Set<string>>;
}

interface LedgerEvent {
  id: number;
  deduplicationId: string;
  name: string;
  at: number;
  payload: string;
  keyParts: string;
  kind: string;
  key: string;
  state: string;
  reason: string | null;
  waitsFor: string | null;
  dismissed: number;
  documentId: number;
  relatedDocument: number | null;
  targetDocument: number | null;
  /** Whether it writes on other documents: a back-reference, or copies. */
  mirrored: number;
  /** Whether its document has a later generation. */
  replaced: number;
  /** The id that the service gave it; null: none came. */
  serviceEventId: string | null;
  documentState: string;
  documentServiceId: string | null;
  documentLastAt: number | null;
}

type Sent = { document: DocumentWithTimeline; event: EventRecord };

export function checkPromises(world: World, story: Story, witness: Witness, atRest: boolean): string[] {
  return world.look((database) => {
    const events = readEvents(database);
    const documents = world.sandbox.store.documents();
    const sent = new Map<string, Sent[]>();
    for (const document of documents) {
      for (const event of document.events) {
        if (event.origin !== "sent" || event.deduplicationId === null) continue;
        const list = sent.get(event.deduplicationId) ?? [];
        list.push({ document, event });
        sent.set(event.deduplicationId, list);
      }
    }
    return [
      ...onceEach(events, sent),
      ...oneDocumentEach(documents, witness),
      ...registeredOnce(world, story),
      ...heldBack(documents, witness),
      ...fates(witness),
      ...lastTimes(events, documents),
      ...(witness.disturbed || clocksDiffer(story, witness)
        ? []
        : nothingRefused(world, story, witness, events, database)),
      ...(atRest ? settled(events, documents, story, witness, database) : []),
      ...(atRest ? ledgerChecked(database) : []),
    ];
  });
}

const ledgerChecked = (database: LedgerDatabase): string[] =>
  checkLedger(database).flatMap(({ name, broken }) => broken.map((text) => `ledger check, ${name}: ${text}`));

function readEvents(database: LedgerDatabase): LedgerEvent[] {
  return database
    .prepare<[], Omit<LedgerEvent, "deduplicationId"> & { deduplication_id: Buffer }>(
      `SELECT e.id, e.deduplication_id, e.name, e.at, e.payload, e.key_parts AS keyParts, d.kind, d.key, d.id AS documentId,
         e.related_document AS relatedDocument, e.target_document AS targetDocument, e.mirrored,
         EXISTS (SELECT 1 FROM documents n WHERE n.key = d.key AND n.kind = d.kind AND n.generation > d.generation) AS replaced, coalesce(s.state, 'planned') AS state,
         s.reason, s.waits_for AS waitsFor, coalesce(s.dismissed, 0) AS dismissed,
         s.service_event_id AS serviceEventId,
         coalesce(x.state, 'planned') AS documentState, x.service_id AS documentServiceId, x.last_at AS documentLastAt
       FROM events e JOIN documents d ON d.id = e.document_id LEFT JOIN event_states s ON s.event_id = e.id
       LEFT JOIN document_states x ON x.document_id = d.id`,
    )
    .all()
    .map(({ deduplication_id, ...event }) => ({ ...event, deduplicationId: keyText(deduplication_id) }));
}

const describe = (event: LedgerEvent): string =>
  `${event.kind} ${event.key} ${event.name} at ${new Date(event.at).toISOString()} (${event.state}, ${event.reason}, ${event.waitsFor})`;

/** P1, P5: what the ledger calls landed is there once; what it calls anything else but doubt is not there. */
function onceEach(events: readonly LedgerEvent[], sent: ReadonlyMap<string, Sent[]>): string[] {
  const broken: string[] = [];
  const known = new Set(events.map(({ deduplicationId }) => deduplicationId));
  for (const [key, found] of sent) {
    if (found.length > 1) broken.push(`P1 doubled: ${key} stands ${found.length} times`);
    if (!known.has(key)) broken.push(`P1 unknown: ${key} is on a timeline and not in the ledger`);
  }
  for (const event of events) {
    const [found] = sent.get(event.deduplicationId) ?? [];
    const isLanded = ["landed", "landed-without-id", "changed"].includes(event.state);
    if (isLanded && found === undefined) broken.push(`P1 lost: ${describe(event)}`);
    if (!isLanded && !["stalled", "sending"].includes(event.state) && found !== undefined)
      broken.push(`P1 untold: on its timeline, but ${describe(event)}`);
    if (found === undefined) continue;
    if (found.document.externalId !== event.key) broken.push(`P1 misplaced: ${describe(event)}`);
    if (event.documentServiceId !== null && found.document.id !== event.documentServiceId)
      broken.push(`P1 misplaced by id: ${describe(event)}`);
    if (event.state === "landed" && found.event.at !== event.at) broken.push(`P1 other content: ${describe(event)}`);
  }
  return broken;
}

const isReplaced = ({ id, externalId }: DocumentWithTimeline, witness: Witness): boolean =>
  witness.replaced.get(externalId ?? "")?.has(id) === true;

function oneDocumentEach(documents: readonly DocumentWithTimeline[], witness: Witness): string[] {
  const counts = new Map<string, number>();
  for (const { externalId } of documents.filter((document) => !isReplaced(document, witness)))
    counts.set(externalId ?? "", (counts.get(externalId ?? "") ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([key, count]) => `P1 doubled: ${count} documents ${key}`);
}

function registeredOnce(world: World, story: Story): string[] {
  // Created first and seen by nobody, twins are what `create-first` risks where the service allows them.
  const risky = story.settings.participants?.strategy === "create-first" && story.sandbox.twinParticipants === true;
  const twins = risky ? [] : world.sandbox.store.twinParticipants();
  return [
    ...twins.map(({ first, count }) => `P1 doubled: ${count} participants ${first.taxId}`),
    ...world.sandbox.store
      .doubledAddresses()
      .map(({ first, count }) => `P1 doubled: ${count} addresses ${first.street}`),
  ];
}

/** P3: behind an invalid row nothing has landed since it was imported, as long as it could still be sent in place. */
function heldBack(documents: readonly DocumentWithTimeline[], witness: Witness): string[] {
  const broken: string[] = [];
  for (const hold of witness.holds) {
    const document = documents.find((one) => one.externalId === hold.document && !isReplaced(one, witness));
    if (document === undefined) continue;
    const before = document.events.filter(({ eventId }) => hold.landed.has(eventId));
    if (before.some(({ at }) => at > hold.at) && hold.at !== Number.NEGATIVE_INFINITY) continue;
    const past = document.events.find(({ at, eventId }) => at > hold.at && !hold.landed.has(eventId));
    if (past !== undefined)
      broken.push(
        `P3: ${past.origin} ${past.name} passed the invalid row ${hold.row} at ${new Date(past.at).toISOString()}`,
      );
  }
  return broken;
}

/** P7: read = skipped + invalid + known + staged. */
function fates(witness: Witness): string[] {
  return witness.summaries.flatMap(({ summary, rows }) => {
    const { read, skipped, invalid, known, staged } = summary.rows;
    if (read === rows && read === skipped + invalid + known + staged) return [];
    return [`P7: ${rows} rows, counted as ${JSON.stringify(summary.rows)}`];
  });
}

/** P2: the ledger never believes a timeline to be further on than it is: good rows would be refused as late. */
function lastTimes(events: readonly LedgerEvent[], documents: readonly DocumentWithTimeline[]): string[] {
  const broken = new Set<string>();
  for (const { documentServiceId, documentLastAt, key } of events) {
    const there = documents.find(({ id }) => id === documentServiceId);
    if (there === undefined || documentLastAt === null) continue;
    if ((there.lastAt ?? Number.NEGATIVE_INFINITY) < documentLastAt)
      broken.add(`P2: the ledger believes ${key} to stand at ${new Date(documentLastAt).toISOString()}`);
  }
  return [...broken];
}

/**
 * The service's clock is not known before its first answer: until then a fast clock here may send too early, which costs
 * a request and no row (HARD-CASES H10): of a row that lies ahead, or of a replacement's CANCEL, which is of now.
 */
function clocksDiffer(story: Story, witness: Witness): boolean {
  const isFast = story.steps.some((step) => step.do === "set clock" && step.minutes > 0);
  const rowsAreLate = story.steps.some(
    (step) => step.do === "import" && step.rows.some(({ minute }) => (minute ?? 0) > TONIGHT),
  );
  return (story.sandbox.clockOffset ?? 0) !== 0 || (isFast && (rowsAreLate || witness.replaced.size > 0));
}

/** P2: an undisturbed night sends nothing that the service refuses, but what no plan can know to be bad. */
function nothingRefused(
  world: World,
  story: Story,
  witness: Witness,
  events: readonly LedgerEvent[],
  database: LedgerDatabase,
): string[] {
  if (witness.bad.size > 0 || story.sandbox.maxEvents != null) return [];
  // A copy that the service made at its own time a moment ago, in a direction that nobody knows, passes a CANCEL.
  const copies = story.steps.some(
    (step) => step.do === "import" && step.rows.some((row) => row.is === "event" && row.propagate === true),
  );
  if (copies && witness.replaced.size > 0 && story.sandbox.linkTime === "server") return [];
  const refused = world.sandbox.store
    .requests()
    .filter(
      ({ method, status, path }) => method === "POST" && status >= 400 && status !== 403 && path !== "/participants",
    );
  if (refused.length <= refusedBehindCopies(world, events, database)) return [];
  return refused.map(({ path, status }) => `P2: ${path} was refused with ${status} in an undisturbed night`);
}

/** Refused requests that carried an event which a copy had passed. */
function refusedBehindCopies(world: World, events: readonly LedgerEvent[], database: LedgerDatabase): number {
  const documents = world.sandbox.store.documents();
  const passed = events.filter((event) => {
    const there = documents.find(({ id }) => id === event.documentServiceId);
    return event.reason === "service-refused" && isPassedByCopy(event, there, events);
  });
  return database
    .prepare<[string], number>(
      `SELECT count(DISTINCT c.request_id) FROM request_events c JOIN requests r ON r.id = c.request_id AND r.result = 'refused'
       WHERE c.event_id IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
    .all(JSON.stringify(passed.map(({ id }) => id)))[0] as number;
}

/** At rest everything that has not landed has a reason that is true. */
function settled(
  events: readonly LedgerEvent[],
  documents: readonly DocumentWithTimeline[],
  story: Story,
  witness: Witness,
  database: LedgerDatabase,
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
  for (const event of events) {
    const say = (what: string) => broken.push(`${what}: ${describe(event)}, document ${event.documentState}`);
    const there = documents.find(({ id, externalId }) =>
      event.documentServiceId === null
        ? externalId === event.key && witness.replaced.get(event.key)?.has(id) !== true
        : id === event.documentServiceId,
    );
    // Of what was replaced a person expects nothing more, but that it is cancelled.
    if (event.replaced === 1 && ["stalled", "rejected"].includes(event.state)) continue;
    const mayBePassed = story.sandbox.linkTime === "server" && isLinkedUnawares(event, events);
    const isTerse = story.sandbox.terseErrors === true && witness.bad.has(event.key);
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
          !isBehind(event, events, witness) &&
          !isBehindLinked(event, events, story, witness) &&
          !isOvertaken(event, events) &&
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
          !witness.bad.has(event.key) &&
          !isOvertaken(event, events)
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
): string[] {
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
function isLinkedUnawares({ documentId }: LedgerEvent, events: readonly LedgerEvent[]): boolean {
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

/** A row that came late, behind events or links whose landing was in doubt: only the service could tell that it was late. */
function isOvertaken(event: LedgerEvent, events: readonly LedgerEvent[]): boolean {
  return events.some(
    (other) =>
      other.at > event.at &&
      (other.documentId === event.documentId
        ? ["stalled", "landed-without-id", "held"].includes(other.state)
        : other.relatedDocument === event.documentId &&
          other.mirrored === 1 &&
          ["stalled", "landed-without-id"].includes(other.state)),
  );
}

/** A link in doubt to what was replaced since: the service would refuse it now, whether it landed or not. */
function isToReplaced(
  { relatedDocument }: LedgerEvent,
  events: readonly LedgerEvent[],
  documents: readonly DocumentWithTimeline[],
  witness: Witness,
): boolean {
  const id = events.find(({ documentId }) => documentId === relatedDocument)?.documentServiceId;
  return documents.some((document) => document.id === id && isReplaced(document, witness));
}

/** Whether something stands open before it on its document. */
function isBehind(event: LedgerEvent, events: readonly LedgerEvent[], witness: Witness): boolean {
  if (witness.holds.some(({ document, at }) => document === event.key && at <= event.at)) return true;
  return events.some(
    (other) =>
      other.documentId === event.documentId &&
      other.at <= event.at &&
      other.dismissed === 0 &&
      (["held", "rejected"].includes(other.state) || (other.state === "stalled" && isOvertaken(other, events))),
  );
}

/**
 * Whether something stands open on a timeline that it writes on, or writes before it on its own: sent again it would
 * pass what can still be sent in place (P3), as behind something of its own document.
 */
function isBehindLinked(
  event: LedgerEvent,
  events: readonly LedgerEvent[],
  { sandbox }: Story,
  { holds }: Witness,
): boolean {
  const isServerTime = sandbox.linkTime === "server";
  return events.some((other) => {
    if (other.documentId === event.documentId || (other.at > event.at && !isServerTime)) return false;
    const isOpen =
      other.dismissed === 0 && (other.state === "held" || (other.state === "rejected" && !isByPlan(other)));
    if (writesOn(event, other.documentId, events))
      return isOpen || holds.some(({ document, at }) => document === other.key && (at <= event.at || isServerTime));
    return isOpen && !isServerTime && writesOn(other, event.documentId, events);
  });
}

const isByPlan = ({ reason }: LedgerEvent): boolean => ["late", "after-close", "after-cancel"].includes(reason ?? "");

/** Whether its timeline had passed it when its row came; a row that stood behind a mended one may come late as well. */
function wasLate(event: LedgerEvent, witness: Witness): boolean {
  if (witness.bad.has(event.key) || witness.gaveUp) return true;
  const [key = ""] = JSON.parse(event.keyParts) as string[];
  return (witness.stood.get(`${event.key} ${key}`) ?? Number.POSITIVE_INFINITY) > event.at;
}

function isLate(event: LedgerEvent, there: DocumentWithTimeline | undefined): boolean {
  return there !== undefined && there.lastAt !== null && there.lastAt > event.at;
}

/** Whether what it waits for stands open itself. */
function isWaiting(event: LedgerEvent, byId: ReadonlyMap<number, LedgerEvent>, database: LedgerDatabase): boolean {
  const [what = "", id = ""] = (event.waitsFor ?? "").split(":");
  const state = (sql: string) => database.prepare<[number], string | null>(sql).pluck().get(Number(id));
  switch (what) {
    case "event": {
      const other = byId.get(Number(id));
      return other !== undefined && !["landed", "landed-without-id"].includes(other.state);
    }
    case "row":
      return state("SELECT fate FROM rows WHERE id = ? AND fate = 'invalid' AND settled IS NULL") === "invalid";
    case "document": {
      if (event.reason === "link-circle") return true;
      if (event.reason === "related-cancelled") return true;
      const found = state("SELECT coalesce((SELECT state FROM document_states WHERE document_id = ?), 'planned')");
      return found !== "open" && found !== "closed";
    }
    case "participant":
      return state("SELECT state FROM participants WHERE id = ?") !== "registered";
    case "address":
      return state("SELECT state FROM addresses WHERE id = ?") !== "registered";
    default:
      return false;
  }
}
