/** The answer to P7: of any row of any file ever imported, what became of it and why. */
import { basename } from "node:path";
import type { LedgerDatabase } from "../../ledger-database.js";
import { describeRow, rowId, rowNumberOf } from "../../rows.js";
import { createKnownRows } from "../../stage/known-rows.js";
import { createCells } from "../../stage/row-cells.js";
import { eventsOfRow } from "./show-events.js";
import { registrationWithId } from "./show-registrations.js";
import { isoTime } from "./show-requests.js";
import type { ShownRow } from "./shown.js";

interface InputRow {
  id: number;
  name: string;
  sheet: string | null;
  path: string;
  mapping: string;
  header: string;
  staged_at: number;
  content_hash: string;
}

interface FateRow {
  fate: string;
  reason: string | null;
  settled: string | null;
  settled_by: number | null;
  lead: number | null;
}

/** Of a row without an entry of its own; null: there is no such row. */
function fateByLinks(database: LedgerDatabase, id: number): "staged" | "known" | null {
  if (database.has("SELECT 1 FROM row_events WHERE row_id = @id", { id })) return "staged";
  return createKnownRows(database).eventsOf(id).length > 0 ? "known" : null;
}

function shown(database: LedgerDatabase, input: InputRow, number: number): ShownRow | null {
  const id = rowId(input.id, number);
  const own = database.row<FateRow>("SELECT fate, reason, settled, settled_by, lead FROM rows WHERE id = @id", { id });
  const fate = own?.fate ?? fateByLinks(database, id);
  if (fate === null) return null;
  const lead = own?.lead ?? null;
  const source = lead ?? id;
  const kept = createCells(database).of(id);
  const records = database.values<number>(
    "SELECT record_id FROM row_records WHERE row_id = @source AND kind <> 'document' ORDER BY kind, record_id",
    { source },
  );
  return {
    file: input.name,
    sheet: input.sheet,
    row: number,
    path: input.path,
    contentHash: input.content_hash,
    mapping: input.mapping,
    stagedAt: isoTime(input.staged_at),
    fate,
    reason: own?.reason ?? null,
    settled: own?.settled ?? null,
    settledBy: own?.settled_by == null ? null : describeRow(database, own.settled_by),
    groupOf: lead === null ? null : rowNumberOf(lead),
    problems: database.rows<ShownRow["problems"][number]>(
      `SELECT severity, code, column_name AS "column", message, hint FROM problems WHERE row_id = @source ORDER BY id`,
      { source },
    ),
    cells: kept === null ? null : named(JSON.parse(input.header) as string[], kept.cells),
    events: eventsOfRow(database, source),
    records: records.flatMap((record) => registrationWithId(database, record)),
  };
}

/** `file:row`, `file.xlsx:sheet:row`; a path will do for the file. Every import of a file of that name, oldest first. */
export function findRows(database: LedgerDatabase, text: string): ShownRow[] {
  const [, place = "", number] = /^(.+?):(\d{1,9})$/s.exec(text) ?? [];
  if (number === undefined) return [];
  const candidates: [string, string | null][] = [[place, null]];
  const colon = place.lastIndexOf(":");
  if (colon > 0) candidates.push([place.slice(0, colon), place.slice(colon + 1)]);
  for (const [file, sheet] of candidates) {
    const inputs = database.rows<InputRow>(
      `SELECT * FROM inputs WHERE (name = @name OR path = @file) AND (@sheet IS NULL OR sheet = @sheet COLLATE NOCASE)
       ORDER BY staged_at, id`,
      { name: basename(file), file, sheet },
    );
    const rows = inputs.flatMap((input) => shown(database, input, Number(number)) ?? []);
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Cells by header, as a person knows them. */
export function named(header: readonly string[], cells: readonly string[]): { [header: string]: string } {
  const entries = cells.map((cell, position): [string, string] => {
    const name = header[position] ?? "";
    if (name === "") return [`column ${position + 1}`, cell];
    const isOnly = header.indexOf(name) === header.lastIndexOf(name);
    return [isOnly ? name : `${name} (column ${position + 1})`, cell];
  });
  return Object.fromEntries(entries);
}
