/** Selectors, the same for every command: which open rows, events and documents a person means (DESIGN section 7). */
import type { Database } from "better-sqlite3";
import { RowferryError } from "../../model/error.js";
import { inputOf } from "../row-id.js";

export interface Selectors {
  /** A run's name: what it staged or sent. */
  run?: string | undefined;
  /** An input's file name. */
  input?: string | undefined;
  /** A row number; with `input`, or as `file:17`. */
  row?: number | undefined;
  /** A document's key, or `kind/key`. */
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

/** What was dismissed is open again when something waits for it that was not: a row which came in later. */
const isAwaited = (name: string) =>
  `EXISTS (SELECT 1 FROM open_events h WHERE h.state = 'held' AND h.waits_for = ${name})`;

const failedRegistrations = (kind: "participant" | "address", table: string) =>
  `SELECT t.id FROM ${table} t WHERE t.state <> 'registered' AND t.state IN ('rejected', 'stalled')
     AND (t.reason IS NOT 'dismissed' OR ${isAwaited(`'${kind}:' || t.id`)}
       OR EXISTS (SELECT 1 FROM ${kind}_aliases a WHERE a.${kind}_id = t.id AND ${isAwaited(`'${kind}:-' || a.id`)}))`;

const failedDocuments = `SELECT d.id FROM (SELECT id, row_id, reason FROM failed_documents UNION ALL SELECT id, row_id, reason FROM documents_now n
    WHERE n.state = 'rejected' AND n.reason = 'dismissed' AND ${isAwaited("'document:' || n.id")}) d WHERE true`;

type Condition = { sql: string; values: (string | number)[] };

/**
 * Everything that is open and fits all the selectors given; without selectors everything that is open.
 * @throws RowferryError `usage` for a row number that open rows of several files have
 */
export function selectOpen(database: Database, selectors: Selectors): Selection {
  const all = (sql: string, conditions: (Condition | null)[]) => {
    const given = conditions.filter((condition) => condition !== null);
    const where = given.map((condition) => ` AND ${condition.sql}`).join("");
    return database
      .prepare<unknown[], number>(`${sql}${where} ORDER BY 1`)
      .pluck()
      .all(...given.flatMap(({ values }) => values));
  };
  const onRow = (column: string) => rowConditions(selectors, column);
  const code = (expression: string): Condition | null =>
    selectors.code === undefined ? null : { sql: `${expression} = ?`, values: [selectors.code] };
  const onDocument = (id: string): Condition | null => documentCondition(selectors, id);
  const ofRowsOnly = selectors.document === undefined;
  const rowOfEvent = onRow("re.row_id").map((condition) => ({
    ...condition,
    sql: `EXISTS (SELECT 1 FROM row_events re WHERE re.event_id = e.id AND ${condition.sql})`,
  }));
  const byRowOf = (table: string): (Condition | null)[] => [...onRow(`${table}.row_id`), code(`${table}.reason`)];
  const selection: Selection = {
    rows: all("SELECT r.id FROM rows r WHERE r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL", [
      ...onRow("r.id"),
      code("r.reason"),
      documentCondition(
        selectors,
        "p.document_id",
        "EXISTS (SELECT 1 FROM placements p WHERE p.row_id = r.id AND ",
        ")",
      ),
    ]),
    events: all(
      "SELECT e.id FROM open_events e WHERE e.state IN ('held', 'rejected', 'foreign', 'changed', 'stalled')",
      [...rowOfEvent, onDocument("e.document_id"), code("e.code")],
    ),
    documents: all(failedDocuments, [...onRow("d.row_id"), onDocument("d.id"), code("d.reason")]),
    participants: ofRowsOnly ? all(failedRegistrations("participant", "participants"), byRowOf("t")) : [],
    addresses: ofRowsOnly ? all(failedRegistrations("address", "addresses"), byRowOf("t")) : [],
  };
  if (selectors.row !== undefined) refuseAmbiguous(database, selectors, inputsOf(database, selection, selectors.row));
  return selection;
}

/** The same, of what a person named: what fits nothing is a mistake. @throws RowferryError `usage` also then, with what is open */
export function selectNamed(database: Database, selectors: Selectors): Selection {
  const selection = selectOpen(database, selectors);
  const isNamed = Object.values(selectors).some((selector) => selector !== undefined);
  if (!isNamed || Object.values(selection).some((ids) => ids.length > 0)) return selection;
  const codes = database
    .prepare<[], string>(
      `SELECT count(*) || ' of ' || code FROM (
         SELECT code FROM open_events WHERE state IN ('held', 'rejected', 'foreign', 'changed', 'stalled')
         UNION ALL SELECT reason FROM rows WHERE fate = 'invalid' AND settled IS NULL AND lead IS NULL)
       WHERE code IS NOT NULL GROUP BY code ORDER BY count(*) DESC, code LIMIT 8`,
    )
    .pluck()
    .all();
  const hint =
    codes.length === 0 ? "Nothing is open." : `Open are ${codes.join(", ")}; \`rowferry status\` shows them.`;
  throw new RowferryError("usage", "Nothing that is open fits these selectors.", { hint });
}

/** A row number means one row: what a person did not name is not touched (findings F87). */
export function refuseAmbiguous(database: Database, { row, input }: Selectors, inputs: Iterable<number>): void {
  const found = database
    .prepare<[string], { name: string; path: string; run: string }>(
      `SELECT DISTINCT i.name, i.path, u.name AS run FROM inputs i JOIN runs u ON u.id = i.run_id
       WHERE i.id IN (SELECT value FROM json_each(?)) ORDER BY i.staged_at, i.id`,
    )
    .all(JSON.stringify([...inputs]));
  if (found.length < 2) return;
  const choices = found.map(({ name, path, run }) => `${name}:${row} of ${path}, imported by ${run}`).join("; ");
  const isNamed = input !== undefined && found.every(({ name }) => name === input);
  throw new RowferryError("usage", `Row ${row} is open in ${found.length} files: ${choices}.`, {
    hint: isNamed ? "Add --run <name> to say which import of it you mean." : "Name the file too: --row <file>:<row>.",
  });
}

function inputsOf(database: Database, selection: Selection, row: number): Set<number> {
  const rowsOfEvents = database
    .prepare<[string, number], number>(
      `SELECT DISTINCT row_id FROM row_events WHERE event_id IN (SELECT value FROM json_each(?)) AND row_id & 4294967295 = ?`,
    )
    .pluck();
  const declaring = (["documents", "participants", "addresses"] as const).flatMap((table) =>
    database
      .prepare<[string], number>(
        `SELECT row_id FROM ${table} WHERE id IN (SELECT value FROM json_each(?)) AND row_id IS NOT NULL`,
      )
      .pluck()
      .all(JSON.stringify(selection[table])),
  );
  const rows = [...selection.rows, ...rowsOfEvents.all(JSON.stringify(selection.events), row), ...declaring];
  return new Set(rows.map(inputOf));
}

export function rowConditions(selectors: Selectors, column: string): Condition[] {
  const conditions: Condition[] = [];
  if (selectors.input !== undefined) {
    conditions.push({ sql: `(${column} >> 32) IN (SELECT id FROM inputs WHERE name = ?)`, values: [selectors.input] });
  }
  if (selectors.run !== undefined) {
    conditions.push({
      sql: `(${column} >> 32) IN (SELECT i.id FROM inputs i JOIN runs u ON u.id = i.run_id WHERE u.name = ?)`,
      values: [selectors.run],
    });
  }
  if (selectors.row !== undefined) conditions.push({ sql: `(${column} & 4294967295) = ?`, values: [selectors.row] });
  return conditions;
}

export function documentCondition(selectors: Selectors, column: string, before = "", after = ""): Condition | null {
  if (selectors.document === undefined) return null;
  const sql = `${before}${column} IN (SELECT id FROM documents WHERE key = ? OR kind || '/' || key = ?)${after}`;
  return { sql, values: [selectors.document, selectors.document] };
}
