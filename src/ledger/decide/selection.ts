/** Selectors, the same for every command: which open rows, events and documents a person means (DESIGN section 7). */
import { RowferryError } from "../../model/error.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { generationsNamed } from "../documents-named.js";
import { inputOf } from "../rows.js";

export interface Selectors {
  /** A run's name: what it staged or sent. */
  run?: string | undefined;
  /** An input's file name. */
  input?: string | undefined;
  /** A row number; with `input`, or as `file:17`. */
  row?: number | undefined;
  /** As documents-named.ts reads it. */
  document?: string | undefined;
  code?: string | undefined;
}

export interface Selection {
  /** Invalid rows that nobody has settled. */
  rows: number[];
  /** Events that are held, rejected, foreign, changed or stalled, and not dismissed. */
  events: number[];
  documents: number[];
  participants: number[];
  addresses: number[];
}

/** What the conditions below compare with; null: any. @throws RowferryError `document-unknown` */
export const selectorValues = (database: LedgerDatabase, { run, input, row, document, code }: Selectors) => ({
  run: run ?? null,
  input: input ?? null,
  row: row ?? null,
  documents: document === undefined ? null : JSON.stringify(generationsNamed(database, document)),
  code: code ?? null,
});

/** Whether the row with this id is meant. */
export const isRow = (id: string): string =>
  `(@input IS NULL OR (${id} >> 32) IN (SELECT id FROM inputs WHERE name = @input))
   AND (@run IS NULL OR (${id} >> 32) IN (SELECT i.id FROM inputs i JOIN runs u ON u.id = i.run_id WHERE u.name = @run))
   AND (@row IS NULL OR (${id} & 4294967295) = @row)`;

export const isDocument = (id: string): string =>
  `(@documents IS NULL OR ${id} IN (SELECT value FROM json_each(@documents)))`;

/** Invalid rows that are meant, `settled` or open. */
export const invalidRows = (settled: string): string => `SELECT r.id FROM rows r
  WHERE r.fate = 'invalid' AND r.settled ${settled} AND r.lead IS NULL AND ${isRow("r.id")} AND (@documents IS NULL
    OR EXISTS (SELECT 1 FROM placements p WHERE p.row_id = r.id AND ${isDocument("p.document_id")}))`;

const isCode = (code: string): string => `(@code IS NULL OR ${code} = @code)`;

/** What was dismissed is open again when something waits for it that was not: a row which came in later. */
const isAwaited = (name: string) =>
  `EXISTS (SELECT 1 FROM open_events h WHERE h.state = 'held' AND h.waits_for = ${name})`;

const eventsOf = (which: string): string => `SELECT e.id FROM ${which}
    AND (coalesce(@input, @run, @row) IS NULL
      OR EXISTS (SELECT 1 FROM row_events re WHERE re.event_id = e.id AND ${isRow("re.row_id")}))
    AND ${isDocument("e.document_id")} AND ${isCode("e.code")}`;

const openEvents = eventsOf("open_events e WHERE e.state IN ('held', 'rejected', 'foreign', 'changed', 'stalled')");

/** What a row that a person names gives and only waits to be sent. */
const waitingEvents = `SELECT e.id FROM row_events re JOIN events_now e ON e.id = re.event_id
  WHERE @row IS NOT NULL AND ${isRow("re.row_id")} AND e.state IN ('planned', 'deferred')
    AND ${isDocument("e.document_id")} AND ${isCode("coalesce(e.reason, e.state)")}`;

/** Of documents that were replaced nothing can be taken up again. */
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
 * Everything that is open and fits all the selectors given; without selectors everything that is open. Or what can be given up,
 * or has been. @throws RowferryError `usage` for a row number that such rows of several files have
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
  if (selectors.row !== undefined) {
    const isNamed = (row: number) => row % 2 ** 32 === selectors.row;
    refuseAmbiguous(database, selectors, [...rowsOf(database, selection)].filter(isNamed).map(inputOf));
  }
  return selection;
}

/** The same, of what a person named: what fits nothing is a mistake. @throws RowferryError `usage` also then, with what is open */
export function selectNamed(
  database: LedgerDatabase,
  selectors: Selectors,
  which: "open" | "to give up" | "given up" = "open",
): Selection {
  const selection = selectOpen(database, selectors, which);
  const isNamed = Object.values(selectors).some((selector) => selector !== undefined);
  if (!isNamed || Object.values(selection).some((ids) => ids.length > 0)) return selection;
  if (which === "given up") throw new RowferryError("usage", "Nothing that was dismissed fits these selectors.");
  const codes = database.values<string>(
    `SELECT count(*) || ' of ' || code FROM (
       SELECT code FROM open_events WHERE state IN ('held', 'rejected', 'foreign', 'changed', 'stalled')
       UNION ALL SELECT reason FROM rows WHERE fate = 'invalid' AND settled IS NULL AND lead IS NULL)
     WHERE code IS NOT NULL GROUP BY code ORDER BY count(*) DESC, code LIMIT 8`,
  );
  const hint =
    codes.length === 0 ? "Nothing is open." : `Open are ${codes.join(", ")}; \`rowferry status\` shows them.`;
  throw new RowferryError("usage", "Nothing that is open fits these selectors.", { hint });
}

/** The rows behind everything that a selection holds. */
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

/** A row number means one row: what a person did not name is not touched (findings F87). */
export function refuseAmbiguous(database: LedgerDatabase, { row, input }: Selectors, inputs: Iterable<number>): void {
  const found = database.rows<{ name: string; path: string; run: string }>(
    `SELECT DISTINCT i.name, i.path, u.name AS run FROM inputs i JOIN runs u ON u.id = i.run_id
     WHERE i.id IN (SELECT value FROM json_each(@inputs)) ORDER BY i.staged_at, i.id`,
    { inputs: JSON.stringify([...new Set(inputs)]) },
  );
  if (found.length < 2) return;
  const choices = found.map(({ path, run }) => `${path} (run ${run})`).join(", ");
  const isNamed = input !== undefined && found.every(({ name }) => name === input);
  throw new RowferryError("usage", `${found.length} inputs have a row ${row}: ${choices}.`, {
    hint: isNamed ? "Add --run <name> to say which import of it you mean." : "Name the file too: --row <file>:<row>.",
  });
}
