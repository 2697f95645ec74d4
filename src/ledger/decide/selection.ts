/** Selects the open rows, events and documents that a person means, in the same way for every command. */
import { RowferryError } from "../../model/error.js";
import { listed } from "../../model/fold.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { generationsNamed } from "../documents-named.js";
import { parseRowReference, referenceOf, rowName, rowNumberOf, sizeOfGroups } from "../rows.js";
import { staysShutOut } from "./replace.js";

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
  rows: row === undefined ? null : row.flatMap((text) => rowsNamed(database, text, { run, input })),
  documents: document === undefined ? null : generationsNamed(database, document),
  code: code ?? null,
});

/** Names of this ledger that a selector may take. */
export const namesFor = (database: LedgerDatabase, selector: "run" | "input"): string[] =>
  database.values<string>(
    selector === "run"
      ? "SELECT name FROM runs ORDER BY id DESC"
      : "SELECT DISTINCT name FROM inputs WHERE mapping_hash IS NOT NULL ORDER BY name",
  );

export const isRow = (id: string): string =>
  `iif(@rows IS NULL, (@input IS NULL OR (${id} >> 32) IN (SELECT id FROM inputs WHERE name = @input))
     AND (@run IS NULL OR (${id} >> 32) IN (SELECT i.id FROM inputs i JOIN runs u ON u.id = i.run_id WHERE u.name = @run)),
   ${id} IN @rows)`;

export const isDocument = (id: string): string => `(@documents IS NULL OR ${id} IN @documents)`;

/** A dismissed record is open again when a later row waits for it. */
const isAwaited = (name: string) => `${name} IN (SELECT waits_for FROM open_events WHERE state = 'held')`;

const fromRows = (which: string) => `SELECT 'rows' AS kind, r.id, r.id AS row_id, p.document_id, r.reason AS code
  FROM rows r LEFT JOIN placements p ON p.row_id = r.id WHERE r.fate = 'invalid' AND r.lead IS NULL AND r.settled ${which}`;

const registrations =
  "SELECT iif(t.kind = 'participant', 'participants', 'addresses'), t.id, t.row_id, NULL, t.reason FROM registrations t";

/** A line for each row and document of each record. */
const open = `${fromRows("IS NULL")}
  UNION ALL SELECT 'events', o.id, re.row_id, o.document_id, o.code FROM open_events o LEFT JOIN row_events re ON re.event_id = o.id
    WHERE o.state IN ('held', 'rejected', 'foreign', 'changed', 'stalled')
  UNION ALL SELECT 'documents', id, row_id, id, reason FROM failed_documents
  UNION ALL SELECT 'documents', n.id, n.row_id, n.id, n.reason FROM documents_now n
    WHERE n.state IN ('rejected', 'stranded') AND n.reason = 'dismissed' AND ${isAwaited("'document:' || n.id")}
  UNION ALL ${registrations}
    WHERE t.state <> 'registered' AND t.state IN ('rejected', 'stalled')
      AND (t.reason IS NOT 'dismissed' OR ${isAwaited("t.kind || ':' || t.id")})`;

const candidates = {
  open,
  // Also events of a named row that only wait to be sent.
  "to give up": `${open}
  UNION ALL SELECT 'events', e.id, re.row_id, e.document_id, coalesce(e.reason, e.state)
    FROM row_events re JOIN events_now e ON e.id = re.event_id WHERE @rows IS NOT NULL AND e.state IN ('planned', 'deferred')`,
  // Events of replaced documents cannot be taken up again.
  "given up": `${fromRows("= 'dismissed'")}
  UNION ALL SELECT 'events', s.event_id, re.row_id, s.document_id, coalesce(s.reason, s.state)
    FROM event_states s LEFT JOIN row_events re USING (event_id)
    WHERE s.dismissed = 1 AND s.state IN ('rejected', 'foreign', 'changed')
      AND NOT (SELECT replaced FROM documents_now WHERE id = s.document_id)
  UNION ALL SELECT 'documents', id, row_id, id, reason FROM documents_now WHERE reason = 'dismissed' AND state IN ('rejected', 'stranded')
  UNION ALL ${registrations} WHERE t.reason = 'dismissed'`,
};

type Which = keyof typeof candidates;

/**
 * Everything open that fits all selectors; or everything that can be, or was, given up. @throws RowferryError `usage`
 * for a row number that several files have
 */
export function selectOpen(database: LedgerDatabase, selectors: Selectors, which: Which = "open"): Selection {
  const selection: Selection = { rows: [], events: [], documents: [], participants: [], addresses: [] };
  const found = database.rows<{ kind: keyof Selection; id: number }>(
    `SELECT DISTINCT kind, id FROM (${candidates[which]})
     WHERE ${isRow("row_id")} AND ${isDocument("document_id")} AND (@code IS NULL OR code = @code) ORDER BY id`,
    selectorValues(database, selectors),
  );
  for (const { kind, id } of found) selection[kind].push(id);
  if (selectors.row !== undefined) refuseAmbiguous(database, selectors, rowsOf(database, selection));
  return selection;
}

/**
 * Also refuses selectors that fit nothing. @throws RowferryError `usage`, with the open codes; `already-done` where what
 * fits was given up, or is open again, already
 */
export function selectNamed(database: LedgerDatabase, selectors: Selectors, which: Which = "open"): Selection {
  const selection = selectOpen(database, selectors, which);
  const isNamed = Object.values(selectors).some((selector) => selector !== undefined);
  if (!isNamed) return selection;
  if (Object.values(selection).some((ids) => ids.length > 0)) {
    const touched = rowsOf(database, selection);
    const missed = selectors.row?.find((text) => !rowsNamed(database, text, selectors).some((id) => touched.has(id)));
    if (missed === undefined) return selection;
    const hint = "Leave it out, or use `rowferry show` to see what became of it. Nothing was changed.";
    throw new RowferryError("usage", `--row ${missed} fits no ${which === "given up" ? "dismissed" : "open"} record.`, {
      hint,
    });
  }
  const isSo = (other: Which) => Object.values(selectOpen(database, selectors, other)).some((ids) => ids.length > 0);
  if (which === "to give up" && isSo("given up"))
    throw new RowferryError("already-done", "All that these selectors match is dismissed already.");
  // What it waited for is no longer known.
  if (which === "given up" && selectors.code !== undefined) {
    const others = selectOpen(database, { ...selectors, code: "dismissed" }, which);
    if (Object.values(others).some((ids) => ids.length > 0))
      throw new RowferryError("usage", "No dismissed record matches these selectors.", {
        hint: "What only waited when it was dismissed no longer has the code of its wait: name its rows, document or file in place of the code, or write --code dismissed.",
      });
  }
  if (which === "given up" && isSo("to give up"))
    throw new RowferryError("already-done", "What these selectors match is open; none of it is dismissed.");
  if (which === "given up") throw new RowferryError("usage", "No dismissed record matches these selectors.");
  const codes = database.values<string>(
    `SELECT count(*) || ' of ' || code FROM (
       SELECT code FROM open_events WHERE state IN ('held', 'rejected', 'foreign', 'changed', 'stalled')
       UNION ALL SELECT reason FROM invalid_rows WHERE lead IS NULL
       UNION ALL SELECT reason FROM open_registrations WHERE state IN ('rejected', 'stalled'))
     WHERE code IS NOT NULL GROUP BY code ORDER BY count(*) DESC, code LIMIT 8`,
  );
  const hint =
    codes.length === 0
      ? "Nothing needs a decision; `rowferry withdraw --input <file>` takes back what only waits to be sent."
      : `Open: ${codes.join(", ")}; \`rowferry status\` shows them.`;
  throw new RowferryError("usage", "No open record matches these selectors.", { hint });
}

export function rowsOf(database: LedgerDatabase, selection: Selection): Set<number> {
  const rows = (select: string, ids: readonly number[]) =>
    database.values<number>(`${select} IN @ids AND row_id IS NOT NULL`, {
      ids,
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

/** Rows whose events a later file of that name has, too. */
const CAME_AGAIN = `SELECT re.row_id FROM row_events re JOIN inputs mine ON mine.id = re.row_id >> 32
  WHERE re.event_id IN @events AND EXISTS (
    SELECT 1 FROM row_events o JOIN inputs later ON later.id = o.row_id >> 32
    WHERE o.event_id = re.event_id AND later.name = mine.name AND later.sheet IS mine.sheet AND later.run_id > mine.run_id)`;

/** What a decision about the selection touches. */
export function sizeOf(database: LedgerDatabase, selection: Selection): Size {
  const found = database.number(
    `SELECT count(*) FROM (SELECT value FROM json_each(@documents)
       UNION SELECT document_id FROM placements WHERE row_id IN @rows
       UNION SELECT document_id FROM events WHERE id IN @events)`,
    selection,
  );
  const rows = rowsOf(database, selection);
  for (const row of database.values<number>(CAME_AGAIN, { events: selection.events })) rows.delete(row);
  return { rows: sizeOfGroups(database, [...rows]), documents: found };
}

export const helpedByReplacement = "code IN ('changed', 'late', 'after-close', 'after-cancel', 'document-gone')";

/**
 * Documents, as `kind/key`, of which selected events changed or came too late, and would not again; of a `code`, also
 * those that a replacement helps otherwise.
 */
export function replaceable(
  database: LedgerDatabase,
  { events, documents }: Selection,
  code: string | undefined,
): string[] {
  return database.values<string>(
    `SELECT kind || '/' || key FROM documents WHERE id IN (
       SELECT document_id FROM open_events o WHERE id IN @events
         AND (state = 'changed' OR code IN ('late', 'after-close') OR code = @code AND ${helpedByReplacement})
         AND NOT (${staysShutOut("o.id", "o.code")})
       UNION SELECT document_id FROM document_states WHERE document_id IN @documents AND @code IS NOT NULL AND state = 'stranded')
     ORDER BY id`,
    { events, documents, code: code ?? null },
  );
}

/** Without events that only wait for others. */
export function withoutHeld(database: LedgerDatabase, selection: Selection): Selection {
  const events = database.values<number>("SELECT id FROM events_now WHERE id IN @ids AND state <> 'held'", {
    ids: selection.events,
  });
  return { ...selection, events };
}

/** A name must mean one row: other rows are not touched (F87). */
export function refuseAmbiguous(database: LedgerDatabase, selectors: Selectors, touched: ReadonlySet<number>): void {
  for (const text of selectors.row ?? []) {
    const rows = rowsNamed(database, text, selectors).filter((id) => touched.has(id));
    if (rows.length < 2) continue;
    const found = database.rows<{ name: string; run: string; place: string; reference: string }>(
      `SELECT i.name, u.name AS run, ${rowName("j.value")} AS place, ${referenceOf("j.value")} AS reference
       FROM json_each(@rows) j JOIN inputs i ON i.id = j.value >> 32 JOIN runs u ON u.id = i.run_id ORDER BY i.staged_at, i.id`,
      { rows },
    );
    const row = rowNumberOf(rows[0] ?? 0);
    const choices = listed(
      found.map(({ name, run }) => `${name}:${row} (run ${run})`),
      10,
    );
    const isOneFile = new Set(found.map(({ name }) => name)).size === 1;
    const isOneEach = new Set(found.map(({ run }) => run)).size === found.length;
    // As sheets of one workbook have.
    const named = listed(
      found.map(({ place, reference }) => `--row ${reference} for ${place}`),
      10,
    );
    const which = isOneEach ? "Add --run <name> to say which import of it you mean." : `Say which you mean: ${named}.`;
    throw new RowferryError("usage", `${found.length} inputs have a row ${row}: ${choices}.`, {
      hint: isOneFile ? which : "Name the file too: --row <file>:<row>.",
    });
  }
}

/** Ids; none need exist. */
export function rowsNamed(database: LedgerDatabase, text: string, { input, run }: Selectors): number[] {
  const named = parseRowReference(text);
  const [, file, row] = /^(?:(.+):)?(\d+)$/s.exec(text) ?? [];
  return database.values<number>(
    `SELECT iif(@hash IS NULL, (i.id << 32) + @row, @row) FROM inputs i JOIN runs u ON u.id = i.run_id
     WHERE (@input IS NULL OR i.name = @input) AND (@run IS NULL OR u.name = @run)
       AND iif(@hash IS NULL, @file IS NULL OR i.name = @file, i.id = @row >> 32 AND substr(i.content_hash, 1, 8) = @hash)`,
    {
      hash: named?.hashPrefix ?? null,
      row: named?.row ?? Number(row),
      file: file ?? null,
      input: input ?? null,
      run: run ?? null,
    },
  );
}
