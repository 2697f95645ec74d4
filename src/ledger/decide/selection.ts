/** Selects the open rows, events and documents that a person means, in the same way for every command. */
import { RowferryError } from "../../model/error.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { generationsNamed } from "../documents-named.js";
import { inputOf, parseRowReference, rowNumberOf } from "../rows.js";

export interface Selectors {
  /** A run that staged or sent it. */
  run?: string | undefined;
  input?: string | undefined;
  /** Each as `file:17`, as `17` with `input`, or as a rejected file names it. */
  row?: readonly string[] | undefined;
  /** As documents-named.ts reads it. */
  document?: string | undefined;
  code?: string | undefined;
}

export interface Selection {
  /** Invalid and not settled. */
  rows: number[];
  /** Held, rejected, foreign, changed or stalled, and not dismissed. */
  events: number[];
  documents: number[];
  participants: number[];
  addresses: number[];
}

/** Null: any. @throws RowferryError `document-unknown` */
export const selectorValues = (database: LedgerDatabase, { run, input, row, document, code }: Selectors) => ({
  run: run ?? null,
  input: input ?? null,
  rows: row === undefined ? null : JSON.stringify(row.flatMap((text) => rowsNamed(database, text, { run, input }))),
  documents: document === undefined ? null : JSON.stringify(generationsNamed(database, document)),
  code: code ?? null,
});

/** Names of this ledger that a selector may take. */
export const namesFor = (database: LedgerDatabase, selector: "run" | "input"): string[] =>
  database.values<string>(
    selector === "run" ? "SELECT name FROM runs ORDER BY id DESC" : "SELECT DISTINCT name FROM inputs ORDER BY name",
  );

export const isRow = (id: string): string =>
  `iif(@rows IS NULL, (@input IS NULL OR (${id} >> 32) IN (SELECT id FROM inputs WHERE name = @input))
     AND (@run IS NULL OR (${id} >> 32) IN (SELECT i.id FROM inputs i JOIN runs u ON u.id = i.run_id WHERE u.name = @run)),
   ${id} IN (SELECT value FROM json_each(@rows)))`;

export const isDocument = (id: string): string =>
  `(@documents IS NULL OR ${id} IN (SELECT value FROM json_each(@documents)))`;

export const invalidRows = (settled: string): string => `SELECT r.id FROM rows r
  WHERE r.fate = 'invalid' AND r.settled ${settled} AND r.lead IS NULL AND ${isRow("r.id")} AND (@documents IS NULL
    OR EXISTS (SELECT 1 FROM placements p WHERE p.row_id = r.id AND ${isDocument("p.document_id")}))`;

const isCode = (code: string): string => `(@code IS NULL OR ${code} = @code)`;

/** A dismissed record is open again when a later row waits for it. */
const isAwaited = (name: string) =>
  `EXISTS (SELECT 1 FROM open_events h WHERE h.state = 'held' AND h.waits_for = ${name})`;

const eventsOf = (which: string): string => `SELECT e.id FROM ${which}
    AND (coalesce(@input, @run, @rows) IS NULL
      OR EXISTS (SELECT 1 FROM row_events re WHERE re.event_id = e.id AND ${isRow("re.row_id")}))
    AND ${isDocument("e.document_id")} AND ${isCode("e.code")}`;

const openEvents = eventsOf("open_events e WHERE e.state IN ('held', 'rejected', 'foreign', 'changed', 'stalled')");

/** Events of the named row that only wait to be sent. */
const waitingEvents = `SELECT e.id FROM row_events re JOIN events_now e ON e.id = re.event_id
  WHERE @rows IS NOT NULL AND ${isRow("re.row_id")} AND e.state IN ('planned', 'deferred')
    AND ${isDocument("e.document_id")} AND ${isCode("coalesce(e.reason, e.state)")}`;

/** Events of replaced documents cannot be taken up again. */
const dismissedEvents = eventsOf(`(SELECT event_id AS id, document_id, coalesce(reason, state) AS code FROM event_states
    WHERE dismissed = 1 AND state IN ('rejected', 'foreign', 'changed')) e
  WHERE NOT EXISTS (SELECT 1 FROM documents d JOIN documents n ON n.key = d.key AND n.kind = d.kind AND n.namespace = d.namespace
    AND n.generation > d.generation WHERE d.id = e.document_id)`);

const dismissedRecords = `SELECT id FROM documents_now d WHERE @kind = 'document' AND d.reason = 'dismissed' AND d.state = 'rejected'
    AND ${isRow("d.row_id")} AND ${isDocument("d.id")}
  UNION ALL SELECT id FROM registrations t WHERE t.kind = @kind AND @documents IS NULL AND t.reason = 'dismissed' AND ${isRow("t.row_id")}`;

const documents = `SELECT d.id FROM (SELECT id, row_id, reason FROM failed_documents
    UNION ALL SELECT id, row_id, reason FROM documents_now n
    WHERE n.state = 'rejected' AND n.reason = 'dismissed' AND ${isAwaited("'document:' || n.id")}) d
  WHERE ${isRow("d.row_id")} AND ${isDocument("d.id")} AND ${isCode("d.reason")}`;

const registrations = `SELECT t.id FROM registrations t
  WHERE t.kind = @kind AND @documents IS NULL AND t.state <> 'registered' AND t.state IN ('rejected', 'stalled')
    AND (t.reason IS NOT 'dismissed' OR ${isAwaited("t.kind || ':' || t.id")}
      OR EXISTS (SELECT 1 FROM aliases a WHERE a.registration_id = t.id AND ${isAwaited("t.kind || ':-' || a.id")}))
    AND ${isRow("t.row_id")} AND ${isCode("t.reason")}`;

/**
 * Everything open that fits all selectors; or everything that can be, or was, given up. @throws RowferryError `usage`
 * for a row number that several files have
 */
export function selectOpen(
  database: LedgerDatabase,
  selectors: Selectors,
  which: "open" | "to give up" | "given up" = "open",
): Selection {
  const isGone = which === "given up";
  const events = which === "to give up" ? `${openEvents} UNION ${waitingEvents}` : openEvents;
  const values = selectorValues(database, selectors);
  const ids = (select: string, more: object = {}) =>
    database.values<number>(`${select} ORDER BY 1`, { ...values, ...more });
  const selection: Selection = {
    rows: ids(`${invalidRows(isGone ? "= 'dismissed'" : "IS NULL")} AND ${isCode("r.reason")}`),
    events: ids(isGone ? dismissedEvents : events),
    documents: ids(isGone ? dismissedRecords : documents, { kind: "document" }),
    participants: ids(isGone ? dismissedRecords : registrations, { kind: "participant" }),
    addresses: ids(isGone ? dismissedRecords : registrations, { kind: "address" }),
  };
  if (selectors.row !== undefined) refuseAmbiguous(database, selectors, rowsOf(database, selection));
  return selection;
}

/** Also refuses selectors that fit nothing. @throws RowferryError `usage`, with the open codes */
export function selectNamed(
  database: LedgerDatabase,
  selectors: Selectors,
  which: "open" | "to give up" | "given up" = "open",
): Selection {
  const selection = selectOpen(database, selectors, which);
  const isNamed = Object.values(selectors).some((selector) => selector !== undefined);
  if (!isNamed || Object.values(selection).some((ids) => ids.length > 0)) return selection;
  if (which === "given up") throw new RowferryError("usage", "No dismissed record fits these selectors.");
  const codes = database.values<string>(
    `SELECT count(*) || ' of ' || code FROM (
       SELECT code FROM open_events WHERE state IN ('held', 'rejected', 'foreign', 'changed', 'stalled')
       UNION ALL SELECT reason FROM invalid_rows WHERE lead IS NULL)
     WHERE code IS NOT NULL GROUP BY code ORDER BY count(*) DESC, code LIMIT 8`,
  );
  const hint = codes.length === 0 ? "Nothing is open." : `Open: ${codes.join(", ")}; \`rowferry status\` shows them.`;
  throw new RowferryError("usage", "No open record fits these selectors.", { hint });
}

export function rowsOf(database: LedgerDatabase, selection: Selection): Set<number> {
  const rows = (select: string, ids: readonly number[]) =>
    database.values<number>(`${select} IN (SELECT value FROM json_each(@ids)) AND row_id IS NOT NULL`, {
      ids: JSON.stringify(ids),
    });
  return new Set([
    ...selection.rows,
    ...rows("SELECT row_id FROM row_events WHERE event_id", selection.events),
    ...rows("SELECT row_id FROM documents WHERE id", selection.documents),
    ...rows("SELECT row_id FROM registrations WHERE id", [...selection.participants, ...selection.addresses]),
  ]);
}

export interface Size {
  rows: number;
  documents: number;
}

/** What a decision about the selection touches. */
export function sizeOf(database: LedgerDatabase, selection: Selection): Size {
  const rows = [...rowsOf(database, selection)];
  const found = database.value<number>(
    `SELECT count(*) FROM (SELECT value FROM json_each(@documents)
       UNION SELECT document_id FROM placements WHERE row_id IN (SELECT value FROM json_each(@rows))
       UNION SELECT document_id FROM events WHERE id IN (SELECT value FROM json_each(@events)))`,
    {
      documents: JSON.stringify(selection.documents),
      rows: JSON.stringify(selection.rows),
      events: JSON.stringify(selection.events),
    },
  );
  return { rows: rows.length, documents: found ?? 0 };
}

/** Selected events that changed or are late for their document, which is named as `kind/key`. */
export function replaceable(database: LedgerDatabase, { events }: Selection): { document: string }[] {
  return database.rows(
    `SELECT d.kind || '/' || d.key AS document FROM open_events e JOIN documents d ON d.id = e.document_id
     WHERE e.id IN (SELECT value FROM json_each(@ids)) AND (e.state = 'changed' OR e.code IN ('late', 'after-close'))
     ORDER BY d.id, e.id`,
    { ids: JSON.stringify(events) },
  );
}

/** Without events that only wait for others. */
export function withoutHeld(database: LedgerDatabase, selection: Selection): Selection {
  const events = database.values<number>(
    "SELECT id FROM events_now WHERE id IN (SELECT value FROM json_each(@ids)) AND state <> 'held'",
    { ids: JSON.stringify(selection.events) },
  );
  return { ...selection, events };
}

/** A name must mean one row: other rows are not touched (F87). */
export function refuseAmbiguous(database: LedgerDatabase, selectors: Selectors, touched: ReadonlySet<number>): void {
  for (const text of selectors.row ?? []) {
    const rows = rowsNamed(database, text, selectors).filter((id) => touched.has(id));
    if (rows.length < 2) continue;
    const found = database.rows<{ name: string; run: string }>(
      `SELECT i.name, u.name AS run FROM inputs i JOIN runs u ON u.id = i.run_id
       WHERE i.id IN (SELECT value FROM json_each(@inputs)) ORDER BY i.staged_at, i.id`,
      { inputs: JSON.stringify(rows.map(inputOf)) },
    );
    const row = rowNumberOf(rows[0] ?? 0);
    const choices = found.map(({ name, run }) => `${name}:${row} (run ${run})`).join(", ");
    throw new RowferryError("usage", `${found.length} inputs have a row ${row}: ${choices}.`, {
      hint:
        new Set(found.map(({ name }) => name)).size === 1
          ? "Add --run <name> to say which import of it you mean."
          : "Name the file too: --row <file>:<row>.",
    });
  }
}

/** Ids; none need exist. */
export function rowsNamed(database: LedgerDatabase, text: string, { input, run }: Selectors): number[] {
  const named = parseRowReference(text);
  const [, file, row] = /^(?:(.+):)?(\d+)$/s.exec(text) ?? [];
  return database.values<number>(
    `SELECT iif(@hash IS NULL, (i.id << 32) + @row, @row) FROM inputs i JOIN runs u ON u.id = i.run_id
     WHERE iif(@hash IS NULL, (@input IS NULL OR i.name = @input) AND (@run IS NULL OR u.name = @run),
       i.id = @row >> 32 AND substr(i.content_hash, 1, 8) = @hash)`,
    { hash: named?.hashPrefix ?? null, row: named?.row ?? Number(row), input: file ?? input ?? null, run: run ?? null },
  );
}
