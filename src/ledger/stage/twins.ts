import type { Database } from "better-sqlite3";
import type { KnownRows } from "./known-rows.js";
import { inputOf, rowId } from "../row-id.js";

interface Twin {
  document: number;
  event: string;
  hash: Buffer;
  row: number;
  corrects: number;
}

/**
 * Which of its twins a corrected row's event is, under `key: content`: it stands alone in its rejected file, so the rows of
 * the file that it comes from count, and those that came with it (HARD-CASES H22).
 */
export function createTwinCounter(database: Database, knownRows: KnownRows, inputId: number): (twin: Twin) => number {
  const twins = database.prepare<[number, string, string], { id: number; ordinal: number }>(
    `SELECT e.id, CAST(json_extract(e.key_parts, '$[2]') AS INTEGER) AS ordinal FROM events e
     WHERE e.document_id = ? AND e.event = ? AND json_extract(e.key_parts, '$[0]') = 'content'
       AND json_extract(e.key_parts, '$[1]') = ?`,
  );
  const others = database
    .prepare<[number, number, number, number], number>(
      "SELECT EXISTS (SELECT 1 FROM row_events WHERE event_id = ? AND row_id BETWEEN ? AND ? AND row_id <> ?)",
    )
    .pluck();
  const isInInput = (event: number, input: number, except: number): boolean => {
    const [first, last] = [rowId(input, 0), rowId(input + 1, 0) - 1];
    if (others.get(event, first, last, except) === 1) return true;
    return knownRows.rowsOf(event, first, last).some((row) => row !== except);
  };
  return ({ document, event, hash, row, corrects }) => {
    const taken = new Set<number>();
    for (const { id, ordinal } of twins.all(document, event, hash.toString("hex"))) {
      if (isInInput(id, inputOf(corrects), corrects) || isInInput(id, inputId, rowId(inputId, row))) taken.add(ordinal);
    }
    let ordinal = 1;
    while (taken.has(ordinal)) ordinal += 1;
    return ordinal;
  };
}
