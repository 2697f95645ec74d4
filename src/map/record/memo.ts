/** Same cells, same record: rows that repeat a participant or an address share one object, and the work behind it. */
import type { BoundColumns, ColumnUse } from "../value/columns.js";
import type { RowView } from "../value/row-view.js";
import type { Build, Made, RowRecords } from "./entity.js";

const CAPACITY = 5000;

/**
 * `uses` must name every column that `build` reads. Only what was made is remembered: a failure reports its problems
 * again for every row. `wide`: keep many (participants, addresses); otherwise only the latest (documents).
 */
export function memoize<T>(
  uses: readonly ColumnUse[],
  columns: BoundColumns,
  build: Build<T>,
  wide: boolean,
): Build<T> {
  const indexes = [...new Set(uses.map((use) => columns.index(use)))].filter((index) => index >= 0);
  const latest: string[] = indexes.map(() => "");
  let latestMade: Made<T> = null;
  const known = new Map<string, T>();

  const isLatest = (view: RowView): boolean => {
    if (latestMade === null) return false;
    for (let position = 0; position < indexes.length; position++) {
      if (view.cells[indexes[position] ?? -1] !== latest[position]) return false;
    }
    return true;
  };
  const remember = (view: RowView, made: Made<T>): void => {
    for (let position = 0; position < indexes.length; position++)
      latest[position] = view.cells[indexes[position] ?? -1] ?? "";
    latestMade = made;
  };
  const keyOf = (view: RowView): string => {
    let key = "";
    for (const index of indexes) key += `${view.cells[index] ?? ""}\u0000`;
    return key;
  };

  return (view: RowView, records: RowRecords): Made<T> => {
    // Kinds change how a text is read, and groups read several rows.
    if (view.members !== null || view.kinds !== null) return build(view, records);
    if (isLatest(view)) return latestMade;
    const key = wide ? keyOf(view) : "";
    const shared = wide ? known.get(key) : undefined;
    const made = shared === undefined ? build(view, records) : shared;
    remember(view, made);
    if (wide && shared === undefined && made != null) {
      if (known.size >= CAPACITY) known.clear();
      known.set(key, made);
    }
    return made;
  };
}
