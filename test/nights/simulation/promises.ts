/** The promises of DESIGN section 1 against what the service holds and what the ledger says. */
import type { LedgerDatabase } from "../../../src/ledger/open-ledger.js";
import type { DocumentWithTimeline, EventRecord } from "../../../src/sandbox/index.js";
import { checkLedger } from "../../../src/ledger/care/check/check.js";
import { settled } from "./at-rest.js";
import { isPassedByCopy } from "./copies.js";
import { readToCorrect, versionsOf } from "./decisions.js";
import { type Story, TONIGHT } from "./story.js";
import { START } from "./story-rows.js";
import { describe, isReplaced, type LedgerEvent, eventOf, readEvents, type Witness } from "./witness.js";
import type { World } from "./world.js";
import { doubledAddresses, twinParticipants } from "../../support/doubled.js";

const LANDED = ["landed", "landed-without-id", "changed"];

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
      ...events
        .filter((event) => LANDED.includes(event.state) && !event.replaced && witness.refused.has(eventOf(event)))
        .map((event) => `H14: --max-errors refused its file: ${describe(event)}`),
      ...fates(witness),
      ...lastTimes(events, documents),
      ...(witness.disturbed || clocksDiffer(story, witness) ? [] : nothingRefused(world, story, witness, events)),
      ...(atRest ? settled(events, documents, story, witness, database, world.refusals.byMirror) : []),
      ...(atRest ? ledgerChecked(database) : []),
      ...(atRest && story.files === undefined ? asTheRowsSay(events, sent, witness) : []),
      ...(atRest && story.files === undefined ? toCorrect(database, witness) : []),
    ];
  });
}

/** H23: what a person has given up is no longer to correct; what holds others, and nobody has given up, is. */
function toCorrect(database: LedgerDatabase, witness: Witness) {
  const isToCorrect = readToCorrect(database);
  const isGone = (row: string) => witness.gone.some((hold) => hold.row === row);
  return [
    ...[...witness.dismissed]
      .filter((row) => !isGone(row) && isToCorrect(row))
      .map((row) => `H23: dismissed, and open: ${row}`),
    ...witness.holds
      .filter(({ row }) => !isGone(row) && !witness.corrected.has(row))
      // The same bytes are not read again where their correction is still to correct.
      .filter(({ row }) => !versionsOf(witness, row, "now").some(isToCorrect))
      .map(({ row }) => `H13: to correct, and not open: ${row}`),
  ];
}

/** P1: what the ledger says has landed as its row says, stands so on its timeline. */
function asTheRowsSay(events: readonly LedgerEvent[], sent: ReadonlyMap<string, Sent[]>, witness: Witness) {
  return events.flatMap((event) => {
    const row = witness.says.get(eventOf(event));
    const [found] = sent.get(event.deduplicationId) ?? [];
    const isKnown = ["landed", "landed-without-id"].includes(event.state) && event.replaced === 0;
    if (row === undefined || found === undefined || !isKnown) return [];
    const { metadata } = found.event.body as { metadata?: { attributes?: { name: string; value: string }[] } };
    const weight = metadata?.attributes?.find(({ name }) => name === "Weight")?.value;
    const isSame = weight === row.weight && found.event.at === START + row.minute * 60_000;
    return isSame ? [] : [`P1 not as its row says: ${JSON.stringify(row)}, ${describe(event)}, weight ${weight}`];
  });
}

const ledgerChecked = (database: LedgerDatabase) =>
  checkLedger(database).flatMap(({ name, broken }) => broken.map((text) => `ledger check, ${name}: ${text}`));

/** P1, P5: what the ledger calls landed is there once; what it calls anything else but doubt is not there. */
function onceEach(events: readonly LedgerEvent[], sent: ReadonlyMap<string, Sent[]>) {
  const broken: string[] = [];
  const known = new Set(events.map(({ deduplicationId }) => deduplicationId));
  for (const [key, found] of sent) {
    if (found.length > 1) broken.push(`P1 doubled: ${key} stands ${found.length} times`);
    if (!known.has(key)) broken.push(`P1 unknown: ${key} is on a timeline and not in the ledger`);
  }
  for (const event of events) {
    const [found] = sent.get(event.deduplicationId) ?? [];
    const isLanded = LANDED.includes(event.state);
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

function oneDocumentEach(documents: readonly DocumentWithTimeline[], witness: Witness) {
  const counts = new Map<string, number>();
  for (const { externalId } of documents.filter((document) => !isReplaced(document, witness)))
    counts.set(externalId ?? "", (counts.get(externalId ?? "") ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([key, count]) => `P1 doubled: ${count} documents ${key}`);
}

function registeredOnce(world: World, story: Story) {
  // Created first and seen by nobody, twins are what `create-first` risks where the service allows them.
  const risky = story.settings.participants?.strategy === "create-first" && story.sandbox.twinParticipants === true;
  const twins = risky ? [] : twinParticipants(world.sandbox.store);
  return [
    ...twins.map(({ first, count }) => `P1 doubled: ${count} participants ${first.taxId}`),
    ...doubledAddresses(world.sandbox.store).map(
      ({ first, count }) => `P1 doubled: ${count} addresses ${first.street}`,
    ),
  ];
}

/** P3: behind an invalid row nothing has landed since it was imported, as long as it could still be sent in place. */
function heldBack(documents: readonly DocumentWithTimeline[], witness: Witness) {
  const broken: string[] = [];
  for (const hold of witness.holds) {
    const document = documents.find((one) => one.externalId === hold.document && !isReplaced(one, witness));
    if (document === undefined) continue;
    const before = document.events.filter(({ eventId }) => hold.landed.has(eventId));
    if (before.some(({ at }) => at > hold.at) && hold.at !== Number.NEGATIVE_INFINITY) continue;
    const wasSent = (key: string | null) => key !== null && hold.onTheWire.some((body) => body.includes(key));
    const past = document.events.find(
      ({ at, eventId, deduplicationId }) => at > hold.at && !hold.landed.has(eventId) && !wasSent(deduplicationId),
    );
    if (past !== undefined)
      broken.push(
        `P3: ${past.origin} ${past.name} passed the invalid row ${hold.row} at ${new Date(past.at).toISOString()}`,
      );
  }
  return broken;
}

/** P7: read = skipped + invalid + known + staged. */
function fates(witness: Witness) {
  return witness.summaries.flatMap(({ summary, rows }) => {
    const { read, skipped, invalid, known, staged } = summary.rows;
    if (read === rows && read === skipped + invalid + known + staged) return [];
    return [`P7: ${rows} rows, counted as ${JSON.stringify(summary.rows)}`];
  });
}

/** P2: the ledger never believes a timeline to be further on than it is: good rows would be refused as late. */
function lastTimes(events: readonly LedgerEvent[], documents: readonly DocumentWithTimeline[]) {
  const broken = new Set<string>();
  const byId = new Map(documents.map((document) => [document.id, document]));
  for (const { documentServiceId, documentLastAt, key } of events) {
    const there = documentServiceId === null ? undefined : byId.get(documentServiceId);
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
function clocksDiffer(story: Story, witness: Witness) {
  const isFast = story.steps.some((step) => step.do === "set clock" && step.minutes > 0);
  const rowsAreLate = story.steps.some(
    (step) => step.do === "import" && step.rows.some(({ minute }) => (minute ?? 0) > TONIGHT),
  );
  return (story.sandbox.clockOffset ?? 0) !== 0 || (isFast && (rowsAreLate || witness.replaced.size > 0));
}

/** P2: an undisturbed night sends nothing that the service refuses, but what no plan can know to be bad. */
function nothingRefused(world: World, story: Story, witness: Witness, events: readonly LedgerEvent[]) {
  if (witness.bad.size > 0 || story.sandbox.maxEvents != null) return [];
  // A copy that the service made at its own time a moment ago, in a direction that nobody knows, passes a CANCEL.
  const copies = story.steps.some(
    (step) => step.do === "import" && step.rows.some((row) => row.is === "event" && row.propagate === true),
  );
  if (copies && witness.replaced.size > 0 && story.sandbox.linkTime === "server") return [];
  const documents = world.sandbox.store.documents();
  const passed = events.filter((event) => {
    const there = documents.find(({ id }) => id === event.documentServiceId);
    // In doubt, where it went with others first, of which a service may keep some (open point 9).
    const isRefused = event.reason === "service-refused" || event.reason === "refused-in-doubt";
    return isRefused && isPassedByCopy(event, there, events);
  });
  const forOthers = new Set([...world.refusals.byMirror, ...passed.map(({ deduplicationId }) => deduplicationId)]);
  return world.refusals.all
    .filter(({ status, keys }) => status !== 403 && !keys.some((key) => forOthers.has(key)))
    .map(({ path, status }) => `P2: ${path} was refused with ${status} in an undisturbed night`);
}
