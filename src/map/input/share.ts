/** Rows that repeat the cells of a record share one object, and the work behind it, here and in the ledger. */
import { detachText } from "../../model/detach.js";
import { isExactNumber } from "../../model/json.js";
import type { View } from "../column/view.js";
import type { Piece } from "../piece.js";

const CAPACITY = 5000;

/** Remembers what the piece made for some thousands of different cells. */
export function share<T>({ reads, run }: Piece<T>, table: View): Piece<T>["run"] {
  if (reads.row) return run;
  const indexes = new Set([...reads.columns].map(({ slot }) => table.index[slot] ?? -1));
  const known = new Map<string, T>();
  return (view) => {
    // Kinds change how a text is read, and groups read several rows.
    if (view.members !== null || view.kinds !== null) return run(view);
    let key = "";
    for (const index of indexes) key += `${view.cells[index] ?? ""}\u0000`;
    const shared = known.get(key);
    if (shared !== undefined) return shared;
    const record = run(view);
    // A failure reports its problems again for every row.
    if (record == null) return record;
    if (known.size >= CAPACITY) known.clear();
    const kept = detach(record) as T;
    known.set(detachText(key), kept);
    return kept;
  };
}

/** A copy: a cell is a slice of its chunk of the file, and would keep all of it in memory. */
function detach(value: unknown): unknown {
  if (typeof value === "string") return detachText(value);
  if (Array.isArray(value)) return value.map(detach);
  if (value === null || typeof value !== "object" || isExactNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, detach(member)]));
}
