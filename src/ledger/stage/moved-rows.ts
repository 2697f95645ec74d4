/**
 * A row that has come instead of another, corrected or by its rowId, and gives other keys: what landed under the old ones
 * stays where it is, and a source that is mended later brings them again. So it is said before anything is sent; and a key
 * that changed as spreadsheets change keys (007 into 7) is a mistake.
 */
import type { Database } from "better-sqlite3";
import type { Problem } from "../../model/problem.js";
import { areNearlyEqual } from "../../model/near-keys.js";
import type { Records } from "../../model/records.js";
import { describeRow } from "../views/describe-row.js";
import type { KnownRows } from "./known-rows.js";

/** A document's or an event's key as texts that belong together. */
interface Name {
  /** What it is a key of: `load`, or `ticket of load L1`. */
  of: string;
  parts: string[];
  landed: boolean;
}

interface Found {
  kind: string;
  key: string;
  event: string | null;
  key_parts: string | null;
  landed: number;
}

export interface Move {
  problem: Problem;
  /** Whether it changed as spreadsheets change keys. */
  mangled: boolean;
}

export function createMovedRows(database: Database, knownRows: KnownRows) {
  const placed = database.prepare<[number], Found>(
    `SELECT d.kind, d.key, p.event, p.key_parts, 0 AS landed FROM placements p JOIN documents d ON d.id = p.document_id
     WHERE p.row_id = ?`,
  );
  const given = database.prepare<[string], Found>(
    `SELECT d.kind, d.key, e.event, e.key_parts, e.landed
     FROM events_now e JOIN documents d ON d.id = e.document_id
     WHERE e.id IN (SELECT value FROM json_each(?))`,
  );
  const eventsOf = database.prepare<[number], number>("SELECT event_id FROM row_events WHERE row_id = ?").pluck();

  const before = (row: number): Found[] => {
    const events = [...eventsOf.all(row), ...knownRows.eventsOf(row)];
    return [...placed.all(row), ...given.all(JSON.stringify(events))];
  };

  return {
    /** `row`: the one that `records` have come instead of. */
    movesOf(row: number, records: Records): Move[] {
      const old = before(row);
      if (old.length === 0) return [];
      const now = records.events.map(({ document, event, key }) => ({
        ...document,
        event,
        parts: key.by === "fields" ? key.parts : null,
      }));
      const oldDocuments = old.map(({ kind, key, landed }): Name => ({ of: kind, parts: [key], landed: landed === 1 }));
      const newDocuments = [
        ...records.documents.map(({ kind, key }) => ({ of: kind, parts: [key] })),
        ...now.map(({ kind, key }) => ({ of: kind, parts: [key] })),
      ];
      const moves = movedBetween(oldDocuments, newDocuments);
      if (moves.length === 0) {
        const name = ({ kind, key }: { kind: string; key: string }, event: string) => `${event} of ${kind} ${key}`;
        const oldEvents = old.flatMap(({ event, key_parts, landed, ...document }): Name[] => {
          const parts = event === null || key_parts === null ? [] : (JSON.parse(key_parts) as string[]);
          return event === null || parts.length === 0 || parts[0] === "content"
            ? []
            : [{ of: name(document, event), parts, landed: landed === 1 }];
        });
        const newEvents = now.flatMap(({ event, parts, ...document }) =>
          parts === null ? [] : [{ of: name(document, event), parts }],
        );
        // Of an event that never landed only the new one will ever be there.
        moves.push(...movedBetween(oldEvents, newEvents).filter(({ from, mangled }) => from.landed || mangled));
      }
      return moves.map(({ from, to, mangled }) => ({
        mangled,
        problem: problemOf(describeRow(database, row), from, to, mangled),
      }));
    },
  };
}

type Moved = { from: Name; to: string[]; mangled: boolean };

/** Keys of one thing of which none is there any more, and others are. */
function movedBetween(old: readonly Name[], now: readonly { of: string; parts: string[] }[]): Moved[] {
  const moved: Moved[] = [];
  for (const from of old) {
    const same = now.filter(({ of }) => of === from.of);
    const isThere = (parts: readonly string[]) =>
      same.some((one) => JSON.stringify(one.parts) === JSON.stringify(parts));
    const [to] = same;
    const others = old.filter(({ of }) => of === from.of);
    if (to === undefined || others.some(({ parts }) => isThere(parts)) || moved.some((one) => one.from.of === from.of))
      continue;
    const mangled =
      to.parts.length === from.parts.length &&
      to.parts.every((part, index) => part === from.parts[index] || areNearlyEqual(part, from.parts[index] ?? ""));
    moved.push({ from, to: to.parts, mangled });
  }
  return moved;
}

function problemOf(row: string, { of, parts, landed }: Name, to: readonly string[], mangled: boolean): Problem {
  const [was, is] = [parts.join(" "), to.join(" ")];
  if (mangled) {
    const message = `${row} was of ${of} ${was}; here its key is ${is}, which may be the work of a spreadsheet.`;
    const hint = `Write ${was} again. If ${is} is meant, empty rowferry_row in this row, and dismiss the other one.`;
    return { code: "key-mangled", message, hint, column: null };
  }
  const rest = landed ? " What has landed stays there." : "";
  return {
    code: "row-moved",
    message: `${row} was of ${of} ${was}, and is of ${of} ${is} now.${rest}`,
    hint: null,
    column: null,
  };
}
