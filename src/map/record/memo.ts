/** Same cells, same record: rows that repeat a participant or an address share one object, and the work behind it. */
import { detach, detachText } from "../column/detach.js";
import type { View } from "../column/view.js";
import type { Reads } from "../formula/part.js";
import type { Build, Made, Maybe } from "./context.js";

const CAPACITY = 5000;
/** After so many rows the share of repeats decides whether remembering goes on. */
const TRIAL = 4000;
const WORTH_IT = 0.25;

/** Remembers what `build` made for the latest cells of one table. `reads` must name every column that it reads. */
export function shareLatest<T>(reads: Reads, table: View, build: Build<T>): Build<T> {
  if (reads.row) return build;
  const indexes = positions(reads, table);
  const latest: string[] = indexes.map(() => "");
  let latestMade: Maybe<T> = null;
  return (view, made) => {
    // Kinds change how a text is read, and groups read several rows.
    if (view.members !== null || view.kinds !== null) return build(view, made);
    if (latestMade !== null && same(indexes, latest, view)) return latestMade;
    // A failure is not remembered: it reports its problems again for every row.
    latestMade = build(view, made);
    for (let position = 0; position < indexes.length; position++)
      latest[position] = view.cells[indexes[position] ?? -1] ?? "";
    return latestMade;
  };
}

/** As `shareLatest`, for records that come again after others: some thousands are kept while that pays. */
export function shareMany<T>(reads: Reads, table: View, build: Build<T>): Build<T> {
  if (reads.row) return build;
  const indexes = positions(reads, table);
  const known = new Map<string, T>();
  let calls = 0;
  let hits = 0;
  let useful = true;
  const recall: Build<T> = (view: View, records: Made) => {
    if (!useful || view.members !== null || view.kinds !== null) return build(view, records);
    if (++calls >= TRIAL) {
      useful = hits >= calls * WORTH_IT;
      calls = 0;
      hits = 0;
      if (!useful) known.clear();
    }
    let key = "";
    for (const index of indexes) key += `${view.cells[index] ?? ""}\u0000`;
    const shared = known.get(key);
    if (shared !== undefined) {
      hits++;
      return shared;
    }
    const made = build(view, records);
    if (made == null || !useful) return made;
    if (known.size >= CAPACITY) known.clear();
    const kept = detach(made);
    known.set(detachText(key), kept);
    return kept;
  };
  return shareLatest(reads, table, recall);
}

function positions({ columns }: Reads, { index }: View): number[] {
  return [...new Set([...columns].map(({ slot }) => index[slot] ?? -1))].filter((at) => at >= 0);
}

function same(indexes: readonly number[], latest: readonly string[], view: View): boolean {
  for (let position = 0; position < indexes.length; position++) {
    if (view.cells[indexes[position] ?? -1] !== latest[position]) return false;
  }
  return true;
}
