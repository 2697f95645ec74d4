/** Answers P7: what became of any row of any file, and why. */
import { basename } from "node:path";
import type { LedgerDatabase } from "../../ledger-database.js";
import { referenceOf, rowId, rowName } from "../../rows.js";
import { createKnownRows } from "../../known-rows.js";
import { createCells } from "../../stage/row-cells.js";
import { eventsOfRow } from "./events.js";
import { registrations } from "./registrations.js";
import { parsed, type ShownRow } from "./shown.js";

/** A row without an entry of its own is known by its records. */
const select = `SELECT i.name AS file, i.sheet, @number AS "row", i.path, i.content_hash AS contentHash, ${referenceOf("@id")} AS reference, i.mapping,
    iif(@mapping, (SELECT text FROM mappings WHERE hash = i.mapping_hash), NULL) AS mappingText, iso(i.staged_at) AS stagedAt, i.header, coalesce(r.fate, iif(@known, 'known', NULL),
      iif(EXISTS (SELECT 1 FROM row_events WHERE row_id = @id), 'staged', NULL)) AS fate, r.reason, r.settled,
    iif(r.settled_by IS NULL, NULL, ${rowName("r.settled_by")}) AS settledBy, r.lead & 4294967295 AS groupOf,
    coalesce(r.lead, @id) AS source,
    (SELECT json_group_array(json_object('severity', severity, 'code', code, 'column', column_name, 'message', message, 'hint', hint))
       FROM (SELECT * FROM problems WHERE row_id = coalesce(r.lead, @id) ORDER BY id)) AS problems
  FROM inputs i LEFT JOIN rows r ON r.id = @id WHERE i.id = @input`;

type Found = Omit<ShownRow, "cells" | "events" | "records" | "fate"> & {
  fate: string | null;
  header: string[];
  source: number;
};

function shown(database: LedgerDatabase, input: number, number: number, mapping: 0 | 1): ShownRow | null {
  const id = rowId(input, number);
  const known = createKnownRows(database).eventsOf(id).length;
  const row = database.row<object>(select, { id, input, number, known, mapping });
  if (row === undefined) return null;
  const { fate, header, source, ...found } = parsed<Found>(row, "header", "problems");
  if (fate === null) return null;
  const kept = createCells(database).of(id);
  return {
    ...found,
    fate,
    cells: kept === null ? null : named(header, kept.cells),
    events: eventsOfRow(database, source),
    records: registrations(
      database,
      "r.id IN (SELECT record_id FROM row_records WHERE row_id = @source AND kind <> 'document')",
      { source },
    ),
  };
}

/** `file:row` or `file.xlsx:sheet:row`; accepts a path. Every import of such a file, oldest first. `mapping` 1: with its text. */
export function findRows(database: LedgerDatabase, text: string, mapping: 0 | 1): ShownRow[] {
  const [, place = "", number] = /^(.+?):(\d{1,9})$/s.exec(text) ?? [];
  if (number === undefined) return [];
  const candidates: [string, string | null][] = [[place, null]];
  const colon = place.lastIndexOf(":");
  if (colon > 0) candidates.push([place.slice(0, colon), place.slice(colon + 1)]);
  for (const [file, sheet] of candidates) {
    const inputs = database.values<number>(
      `SELECT id FROM inputs WHERE (name = @name OR path = @file) AND (@sheet IS NULL OR sheet = @sheet COLLATE NOCASE)
       ORDER BY staged_at, id`,
      { name: basename(file), file, sheet },
    );
    const rows = inputs.flatMap((input) => shown(database, input, Number(number), mapping) ?? []);
    if (rows.length > 0) return rows;
  }
  return [];
}

export function named(header: readonly string[], cells: readonly string[]): { [header: string]: string } {
  const entries = cells.map((cell, position): [string, string] => {
    const name = header[position] ?? "";
    if (name === "") return [`column ${position + 1}`, cell];
    const isOnly = header.indexOf(name) === header.lastIndexOf(name);
    return [isOnly ? name : `${name} (column ${position + 1})`, cell];
  });
  return Object.fromEntries(entries);
}
