/** Counts for summaries and `status`, of a run and of the whole ledger. */
import { decided, unexplainedWaits } from "../../model/solution.js";
import type { OpenWork, RowOutcomes, StateCounts } from "../../model/summary.js";
import { countSending } from "../in-flight.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { withOwners } from "../registrations.js";
import { isInInput } from "../rows.js";
import { requestsOf, SENT } from "../runs.js";

type Counted = { state: string; count: number };

const counted = (rows: readonly Counted[]): StateCounts =>
  Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ state, count }) => [state, count]));

/** By their present state. */
export function tallyRun(database: LedgerDatabase, run: number): Omit<OpenWork, "rows"> {
  const count = (text: string) => counted(database.rows<Counted>(text, requestsOf(run)));
  const asked = (subject: string) =>
    `(SELECT subject_id FROM requests WHERE id BETWEEN @first AND @last AND subject = '${subject}'
       AND kind <> 'read-participant') GROUP BY state`; // asked only whether and when it answers
  const registrations = "SELECT state, count(*) AS count FROM registrations WHERE id IN";
  return {
    participants: count(`${registrations} ${asked("participant")}`),
    addresses: count(`${registrations} ${asked("address")}`),
    documents: count(`SELECT state, count(*) AS count FROM document_states WHERE document_id IN ${asked("document")}`),
    events: count(`SELECT e.state, count(*) AS count FROM ${SENT} GROUP BY 1`),
  };
}

const unsettledDocuments = `SELECT id FROM failed_documents WHERE reason = 'doubt-unsettled'
  UNION SELECT document_id FROM open_events WHERE state = 'stalled' AND reason = 'doubt-unsettled'`;

/**
 * Events that went out with a stranded document, or are in doubt behind doubt that only a person can settle, wait for a
 * person, not for the next run (H1, H4).
 */
export const shownState = (of: string): string =>
  `CASE WHEN ${of}.state <> 'stalled' THEN ${of}.state WHEN ${of}.waits_for IS NOT NULL THEN 'held'
     WHEN ${of}.reason = 'document-stranded' THEN 'stranded' WHEN ${of}.document_id IN (${unsettledDocuments}) THEN 'unsettled'
     ELSE ${of}.state END`;

/** Events in doubt on a document with doubt that only a person can settle: one word about the document settles all. */
export const unsettledEvents = `SELECT id FROM open_events WHERE state = 'stalled' AND reason <> 'document-stranded'
  AND document_id IN (${unsettledDocuments})`;

/** In doubt, and asked about only with the document's first events, all of which wait themselves. */
export const creationsThatWait = `SELECT f.id FROM failed_documents f JOIN documents d USING (id)
  WHERE f.state = 'stalled' AND f.reason <> 'doubt-unsettled' AND NOT d.create_empty
    AND (SELECT min(coalesce(waits_for <> 'document:' || f.id, 0)) FROM events_now WHERE document_id = f.id AND NOT dismissed)`;

export function tallyOpen(database: LedgerDatabase): OpenWork {
  const count = (text: string, values: object = {}) => database.rows<Counted>(text, values);
  // An address is registered after its participant, and never without it.
  const registrations = `SELECT iif(o.state = 'planned' AND p.state = 'rejected', 'held', o.state) AS state, count(*) AS count
    FROM ${withOwners("open_registrations")} WHERE o.subject = @subject AND (p.reason IS NOT 'dismissed' OR o.state <> 'planned') GROUP BY 1`;
  const sending = countSending(database);
  const planned = database.value<number>(
    `SELECT (SELECT count(*) FROM events) - (SELECT count(*) FROM event_states)
       + (SELECT count(*) FROM open_events WHERE state = 'planned')`,
  );
  const events = count(
    `SELECT ${shownState("o")} AS state, count(*) AS count FROM open_events o WHERE state <> 'planned' GROUP BY 1`,
  );
  const documents = count(
    `SELECT CASE WHEN reason = 'doubt-unsettled' THEN 'unsettled' WHEN id IN (${creationsThatWait}) THEN 'held' ELSE state END AS state,
       count(*) AS count FROM failed_documents GROUP BY 1`,
  );
  return {
    participants: counted(count(registrations, { subject: "participant" })),
    addresses: counted(count(registrations, { subject: "address" })),
    documents: counted([{ state: "sending", count: sending.documents }, ...documents]),
    events: apartFromWaiting(
      database,
      counted([{ state: "planned", count: planned ?? 0 }, { state: "sending", count: sending.events }, ...events]),
    ),
    rows: countInvalidRows(database),
  };
}

/** Events held only by time count as `waiting`, because nobody must act. */
function apartFromWaiting(database: LedgerDatabase, { held = 0, ...events }: StateCounts): StateCounts {
  const waiting = held > 0 && (events["deferred"] ?? 0) > 0 ? countHeldForTime(database) : 0;
  return {
    ...events,
    ...(held > waiting ? { held: held - waiting } : {}),
    ...(waiting > 0 ? { waiting } : {}),
  };
}

/** With more held events, a person should look anyway. */
const MOST_HELD = 50_000;

/**
 * Held events that wait, directly or through others, only for a time in the future (H20); a later run sends them. 0 if
 * more than 50,000 events are held.
 */
function countHeldForTime(database: LedgerDatabase) {
  const held = database.rows<{ id: number; document_id: number; waits_for: string }>(
    "SELECT id, document_id, waits_for FROM open_events WHERE state = 'held' AND waits_for IS NOT NULL LIMIT @most",
    { most: MOST_HELD + 1 },
  );
  if (held.length > MOST_HELD) return 0;
  const waiting = Map.groupBy(held, ({ waits_for: name }) => name);
  // A document that does not exist yet waits for whatever its first event waits for.
  const isFirst = (document: number, id: number) =>
    id ===
    database.value<number>(
      `SELECT e.id FROM events e JOIN documents_now d ON d.id = e.document_id
       WHERE e.document_id = @document AND d.service_id IS NULL ORDER BY e.at, e.rank, e.id LIMIT 1`,
      { document },
    );
  const reached = database.rows<{ id: number; document_id: number }>(
    "SELECT id, document_id FROM open_events WHERE state = 'deferred'",
  );
  let count = 0;
  for (const { id, document_id: document } of reached) {
    const ofDocument = waiting.get(`document:${document}`) ?? [];
    const next = [
      ...(waiting.get(`event:${id}`) ?? []),
      ...(ofDocument.length > 0 && isFirst(document, id) ? ofDocument : []),
    ];
    count += next.length;
    reached.push(...next);
  }
  return count;
}

/** Every refusal writes a problem; 0: none. */
export function newestProblem(database: LedgerDatabase): number {
  return database.number("SELECT max(id) FROM problems");
}

/** Of the events that it sent. */
export const tallyRefused = (database: LedgerDatabase, run: number): { sent: number; refused: number } =>
  database.row(
    `SELECT count(*) AS sent, count(iif(e.state = 'rejected', 1, NULL)) AS refused FROM ${SENT}`,
    requestsOf(run),
  ) ?? { sent: 0, refused: 0 };

/** Events of the whole ledger; cheap enough to count every second. */
export function countOpenEvents(database: LedgerDatabase): { problems: number; held: number; deferred: number } {
  const states = counted(
    database.rows<Counted>(
      `SELECT iif(state IN ('held', 'deferred'), state, 'problems') AS state, count(*) AS count FROM open_events
       WHERE state <> 'planned' GROUP BY 1`,
    ),
  );
  return { problems: 0, held: 0, deferred: 0, ...states };
}

/** Neither corrected nor dismissed. */
export function countInvalidRows(database: LedgerDatabase): number {
  return database.number("SELECT count(*) FROM invalid_rows");
}

/** Worst first; queries use the position. */
const outcomes = [
  "toDecide",
  "toCorrect",
  "toSettle",
  "waiting",
  "toSend",
  "later",
  "eventless",
  "dismissed",
  "superseded",
] as const;
const [DECIDE, CORRECT, SETTLE, WAITING, SEND, LATER, EVENTLESS, DISMISSED, SUPERSEDED] = outcomes.keys();

/** A known row may still bring a new place, because its mapping was edited; it stays known. */
const isStaged =
  "(EXISTS (SELECT 1 FROM row_events e WHERE e.row_id = f.row_id) OR EXISTS (SELECT 1 FROM row_records r WHERE r.row_id = f.row_id))";

const openOutcomes = `SELECT row_id, CASE
    WHEN subject = 'event' AND id IN temp.to_settle THEN ${SETTLE} WHEN state = 'held' THEN ${WAITING} WHEN state = 'deferred' THEN ${LATER}
    WHEN state IN ('foreign', 'changed', 'stranded') OR code IN ('${decided.join("', '")}') AND subject <> 'row' OR subject = 'event' AND id IN (${unsettledEvents}) THEN ${DECIDE}
    WHEN state IN ('rejected', 'invalid') THEN ${CORRECT} ELSE ${SEND} END AS outcome
  FROM row_fates f WHERE subject IN ('row', 'event') OR (${isStaged}
    -- What brings a participant and an event in the future is in the future, as it is once the participant is registered.
    AND NOT (state = 'planned' AND EXISTS (SELECT 1 FROM row_events e WHERE e.row_id = f.row_id)))
  UNION ALL SELECT re.row_id, iif(e.dismissed, ${DISMISSED}, ${SEND})
    FROM inputs_asked i CROSS JOIN row_events re ON ${isInInput("re.row_id")} JOIN events_now e ON e.id = re.event_id
    WHERE e.state IN ('planned', 'sending') OR e.dismissed
  UNION ALL SELECT row_id, ${DISMISSED} FROM registrations f
    WHERE state <> 'registered' AND row_id IS NOT NULL AND reason = 'dismissed' AND ${isStaged}
  UNION ALL SELECT r.id, iif(r.settled_by IS NULL, ${DISMISSED}, ${SUPERSEDED}) FROM inputs_asked i CROSS JOIN rows r ON ${isInInput("r.id")}
    WHERE r.fate IN ('invalid', 'staged') AND r.settled IS NOT NULL
  -- Rows that gave no event, and whose document is still to be sent, or waits for its first event (H28).
  UNION ALL SELECT rr.row_id, iif(d.create_empty, ${SEND}, ${EVENTLESS}) FROM inputs_asked i CROSS JOIN row_records rr ON ${isInInput("rr.row_id")}
    JOIN documents_now d ON d.id = rr.record_id WHERE rr.kind = 'document' AND d.declared = 1 AND d.mode = 'create'
    AND d.state = 'planned' AND (d.create_empty = 1 OR NOT EXISTS (SELECT 1 FROM events e WHERE e.document_id = d.id))`;

/** Events held by what no row to correct explains, and what waits for these. */
const toSettle = `CREATE TEMP TABLE held_now AS SELECT id, document_id, reason, waits_for FROM open_events WHERE state = 'held';
  CREATE INDEX temp.held_now_by ON held_now (waits_for);
  CREATE TEMP TABLE to_settle (id INTEGER PRIMARY KEY);
  INSERT INTO temp.to_settle WITH RECURSIVE stuck (id, document_id) AS (
    SELECT id, document_id FROM temp.held_now WHERE reason IN ('${unexplainedWaits.join("', '")}')
    UNION SELECT h.id, h.document_id FROM stuck s
      CROSS JOIN temp.held_now h ON h.waits_for IN ('event:' || s.id, 'document:' || s.document_id))
  SELECT id FROM stuck;`;

const none = Object.fromEntries(outcomes.map((name) => [name, 0])) as Omit<RowOutcomes, "landed">;

const withInputs = "WITH inputs_asked (id) AS MATERIALIZED (SELECT value FROM json_each(@inputs))";

/**
 * Outcomes of staged and invalid rows of these inputs, each row counted once, by its worst outcome (P7). Rows that have
 * landed completely are left out. Gathered in a table, because sorting a million rows takes 70 MiB.
 */
export function tallyRows(
  database: LedgerDatabase,
  files: readonly { id: number; staged: number }[],
): Omit<RowOutcomes, "landed"> {
  if (files.length === 0) return none;
  const inputs = files.map(({ id }) => id);
  // In a file that was not read again, the rows that an earlier import staged are known.
  const anew = files.flatMap(({ id, staged }) => (staged > 0 ? [id] : []));
  database.exec("CREATE TEMP TABLE row_outcomes (row_id INTEGER PRIMARY KEY, outcome INTEGER NOT NULL)");
  database.exec(toSettle);
  const add = (rows: string) =>
    database.run(
      `${withInputs} INSERT INTO temp.row_outcomes ${rows}
       ON CONFLICT (row_id) DO UPDATE SET outcome = min(outcome, excluded.outcome)`,
      { inputs },
    );
  add(`SELECT row_id, outcome FROM (${openOutcomes}) WHERE row_id >> 32 IN (SELECT id FROM inputs_asked)`);
  add(`SELECT r.id, o.outcome FROM inputs_asked i CROSS JOIN rows r ON ${isInInput("r.id")}
       JOIN temp.row_outcomes o ON o.row_id = r.lead WHERE r.lead IS NOT NULL`);
  const counts = outcomes.map((name, index) => `count(*) FILTER (WHERE o.outcome = ${index}) AS ${name}`);
  const found = database.row<Omit<RowOutcomes, "landed">>(
    `SELECT ${counts.join(", ")} FROM temp.row_outcomes o LEFT JOIN rows r ON r.id = o.row_id
     WHERE r.fate = 'invalid' OR (r.fate IS NULL OR r.fate = 'staged') AND o.row_id >> 32 IN @anew`,
    { anew },
  );
  database.exec("DROP TABLE temp.row_outcomes; DROP TABLE temp.to_settle; DROP TABLE temp.held_now");
  return found ?? none;
}
