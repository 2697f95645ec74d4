/** Same cells, same record: rows that repeat a participant or an address share one object, and the work behind it. */
import type { BoundColumns, ColumnUse } from "../value/columns.js";
import { detach, detachText } from "../value/detach.js";
import type { RowView } from "../value/row-view.js";
import type { Build, Made, RowRecords } from "./entity.js";

const CAPACITY = 5000;
/** After so many rows the share of repeats decides whether remembering goes on. */
const TRIAL = 4000;
const WORTH_IT = 0.25;

/** Remembers what `build` made for the latest cells. `uses` must name every column that it reads. */
export function shareLatest<T>(uses: readonly ColumnUse[], columns: BoundColumns, build: Build<T>): Build<T> {
  const indexes = positions(uses, columns);
  const latest: string[] = indexes.map(() => "");
  let latestMade: Made<T> = null;
  return (view, records) => {
    // Kinds change how a text is read, and groups read several rows.
    if (view.members !== null || view.kinds !== null) return build(view, records);
    if (latestMade !== null && same(indexes, latest, view)) return latestMade;
    // A failure is not remembered: it reports its problems again for every row.
    latestMade = build(view, records);
    for (let position = 0; position < indexes.length; position++)
      latest[position] = view.cells[indexes[position] ?? -1] ?? "";
    return latestMade;
  };
}

/** As `shareLatest`, for records that come again after others: some thousands are kept while that pays. */
export function shareMany<T>(uses: readonly ColumnUse[], columns: BoundColumns, build: Build<T>): Build<T> {
  const indexes = positions(uses, columns);
  const known = new Map<string, T>();
  let calls = 0;
  let hits = 0;
  let useful = true;
  const recall: Build<T> = (view: RowView, records: RowRecords) => {
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
  return shareLatest(uses, columns, recall);
}

function positions(uses: readonly ColumnUse[], columns: BoundColumns): number[] {
  return [...new Set(uses.map((use) => columns.index(use)))].filter((index) => index >= 0);
}

function same(indexes: readonly number[], latest: readonly string[], view: RowView): boolean {
  for (let position = 0; position < indexes.length; position++) {
    if (view.cells[indexes[position] ?? -1] !== latest[position]) return false;
  }
  return true;
}
