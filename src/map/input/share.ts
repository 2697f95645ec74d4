/** Rows with the same cells share one record object, which saves work here and in the ledger. */
import { detachText } from "../../model/detach.js";
import { isExactNumber } from "../../model/json.js";
import type { View } from "../column/view.js";
import type { Piece } from "../piece.js";

const CAPACITY = 5000;

/** Remembers the results for some thousands of different cells. */
export function share<T>({ reads, run }: Piece<T>, table: View): Piece<T>["run"] {
  if (reads.others.has("row")) return run;
  const indexes = new Set([...reads.columns].map(({ slot }) => table.index[slot] ?? -1));
  const known = new Map<string, T>();
  return (view) => {
    // Kinds change how text is read, and groups read several rows.
    if (view.members !== null || view.kinds !== null) return run(view);
    let key = "";
    for (const index of indexes) key += `${view.cells[index] ?? ""}\u0000`;
    const shared = known.get(key);
    if (shared !== undefined) return shared;
    const record = run(view);
    // A failure must report its problems for every row.
    if (record == null) return record;
    if (known.size >= CAPACITY) known.clear();
    const kept = detach(record) as T;
    known.set(detachText(key), kept);
    return kept;
  };
}

/** Copies cells, because a cell is a slice that keeps its whole chunk of the file in memory. */
function detach(value: unknown): unknown {
  if (typeof value === "string") return detachText(value);
  if (Array.isArray(value)) return value.map(detach);
  if (value === null || typeof value !== "object" || isExactNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, detach(member)]));
}
