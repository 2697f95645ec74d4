import type { Database } from "better-sqlite3";
import { inputOf, rowId } from "./row-id.js";

/**
 * Which of its twins a corrected row's event is, under `key: content`: it stands alone in its rejected file, so the rows of
 * the file that it comes from count, and those that came with it (HARD-CASES H22).
 */
export function createTwinCounter(database: Database, inputId: number) {
  const taken = database
    .prepare<
      [{ document: number; event: string; hash: string; corrects: number; origin: number; row: number; input: number }],
      number
    >(
      `SELECT CAST(json_extract(e.key_parts, '$[2]') AS INTEGER) FROM events e
       WHERE e.document_id = @document AND e.event = @event AND json_extract(e.key_parts, '$[0]') = 'content'
         AND json_extract(e.key_parts, '$[1]') = @hash
         AND EXISTS (SELECT 1 FROM row_events re WHERE re.event_id = e.id
           AND (re.row_id >> 32 = @origin AND re.row_id <> @corrects OR re.row_id >> 32 = @input AND re.row_id <> @row))`,
    )
    .pluck();
  return (twin: { document: number; event: string; hash: Buffer; row: number; corrects: number }): number => {
    const others = new Set(
      taken.all({
        document: twin.document,
        event: twin.event,
        hash: twin.hash.toString("hex"),
        corrects: twin.corrects,
        origin: inputOf(twin.corrects),
        row: rowId(inputId, twin.row),
        input: inputId,
      }),
    );
    let ordinal = 1;
    while (others.has(ordinal)) ordinal += 1;
    return ordinal;
  };
}
