/** The answer to P7: of any row of any file ever imported, what became of it and why. */
import { basename } from "node:path";
import type { Database } from "better-sqlite3";
import { createKnownRows } from "../../stage/known-rows.js";
import { describeRow } from "../describe-row.js";
import { createCellReader } from "../../stage/row-cells.js";
import { inputOf, rowId, rowNumberOf } from "../../row-id.js";
import type { EventView } from "./show-events.js";
import type { RegistrationView } from "./show-registrations.js";
import { isoTime } from "./show-requests.js";
import type { ShownRegistration, ShownRow } from "./shown.js";

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

export function createRowView(database: Database, views: { events: EventView; registrations: RegistrationView }) {
  const inputs = database.prepare<[string, string, string | null, string | null], InputRow>(
    `SELECT id, name, sheet, path, mapping, header, staged_at, content_hash FROM inputs
     WHERE (name = ? OR path = ?) AND (? IS NULL OR sheet = ? COLLATE NOCASE) ORDER BY staged_at, id`,
  );
  const inputById = database.prepare<[number], InputRow>(
    "SELECT id, name, sheet, path, mapping, header, staged_at, content_hash FROM inputs WHERE id = ?",
  );
  const fate = database.prepare<[number], FateRow>(
    "SELECT fate, reason, settled, settled_by, lead FROM rows WHERE id = ?",
  );
  const hasStaged = database
    .prepare<[number], number>("SELECT EXISTS (SELECT 1 FROM row_events WHERE row_id = ?)")
    .pluck();
  const knownRows = createKnownRows(database);
  /** Of a row without an entry of its own; null: there is no such row. */
  const fateByLinks = (id: number): "staged" | "known" | null => {
    if (hasStaged.get(id) === 1) return "staged";
    return knownRows.eventsOf(id).length > 0 ? "known" : null;
  };
  const cells = createCellReader(database);
  const problems = database.prepare<[number], ShownRow["problems"][number]>(
    `SELECT severity, code, column_name AS "column", message, hint FROM problems WHERE row_id = ? ORDER BY id`,
  );
  const records = database.prepare<[number], { kind: "participant" | "address" | "document"; record_id: number }>(
    "SELECT kind, record_id FROM row_records WHERE row_id = ? ORDER BY kind, record_id",
  );

  const shown = (input: InputRow, number: number): ShownRow | null => {
    const id = rowId(input.id, number);
    const own = fate.get(id);
    const found = own?.fate ?? fateByLinks(id);
    if (found === null) return null;
    const lead = own?.lead ?? null;
    const source = lead ?? id;
    const kept = cells.of(id);
    const header = JSON.parse(input.header) as string[];
    return {
      file: input.name,
      sheet: input.sheet,
      row: number,
      path: input.path,
      contentHash: input.content_hash,
      mapping: input.mapping,
      stagedAt: isoTime(input.staged_at),
      fate: found,
      reason: own?.reason ?? null,
      settled: own?.settled ?? null,
      settledBy: own?.settled_by == null ? null : describeRow(database, own.settled_by),
      groupOf: lead === null ? null : rowNumberOf(lead),
      problems: problems.all(source),
      cells: kept === null ? null : named(header, kept.cells),
      events: views.events.ofRow(source),
      records: records
        .all(source)
        .flatMap(({ kind, record_id }): ShownRegistration[] =>
          kind === "document" ? [] : views.registrations.get(kind, record_id),
        ),
    };
  };

  return {
    /** `file:row`, `file.xlsx:sheet:row`; a path will do for the file. Every import of a file of that name, oldest first. */
    find(text: string): ShownRow[] {
      const match = /^(.+?):(\d{1,9})$/s.exec(text);
      if (match === null) return [];
      const [, place = "", number = ""] = match;
      const candidates: [string, string | null][] = [[place, null]];
      const colon = place.lastIndexOf(":");
      if (colon > 0) candidates.push([place.slice(0, colon), place.slice(colon + 1)]);
      for (const [file, sheet] of candidates) {
        const found = inputs.all(basename(file), file, sheet, sheet);
        const rows = found.map((input) => shown(input, Number(number))).filter((row) => row !== null);
        if (rows.length > 0) return rows;
      }
      return [];
    },
    get(id: number): ShownRow | null {
      const input = inputById.get(inputOf(id));
      return input === undefined ? null : shown(input, rowNumberOf(id));
    },
  };
}

export type RowView = ReturnType<typeof createRowView>;

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
