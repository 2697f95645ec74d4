/** What is said of a row in which none of its input's events happens: it would otherwise be lost in silence (P7). */
import type { Problem } from "../../model/problem.js";
import { shorten } from "../fold.js";
import type { EventPart } from "../record/event.js";
import type { ColumnUse } from "../value/columns.js";

/** Conditions that are written out; the rest are counted. */
const SHOWN = 8;

/** The column is named where all conditions read the same one. `events` all have a `when`: the others always happen. */
export function noEvent(events: readonly EventPart[]): Problem {
  const conditions = events.map(({ event, happens }) => `${event} when ${shorten(happens?.words ?? "")}`);
  const more = conditions.length - SHOWN;
  if (more > 0) conditions.splice(SHOWN, more, `${more} more`);
  const columns = new Set(events.flatMap(({ happens }) => (happens?.uses ?? []).map((use: ColumnUse) => use[0] ?? "")));
  const [only = null] = columns;
  return {
    code: "no-event",
    message: `none of the input's events happens in this row: ${conditions.join("; ")}`,
    hint: "Correct the cells that decide it, skip such rows with `skip`, or write `rowsWithoutEvents: allow` in the input.",
    column: columns.size === 1 ? only : null,
  };
}
