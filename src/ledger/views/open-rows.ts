/**
 * Rows that may still be asked for: what they yielded has not come to rest, or a person must change them. Cells are kept
 * of these and no others (DESIGN section 3).
 */
import type { Database } from "better-sqlite3";

/** What was dismissed waits for nobody. */
const openRegistration = (record: string) => `${record}.state <> 'registered' AND ${record}.reason IS NOT 'dismissed'`;
const openDocument =
  "(x.state IS NULL OR x.service_id IS NULL AND x.reason IS NOT 'dismissed' AND x.reason IS NOT 'replaced')";

/** Selects `row_id`, of rows from @first to @last; an event that has landed counts as open if it did so since @since (ms). */
const openRows = `
  SELECT re.row_id FROM row_events re JOIN events_now e ON e.id = re.event_id
    WHERE re.row_id BETWEEN @first AND @last AND (e.changed_at >= @since OR e.dismissed = 0 AND NOT e.known)
  UNION ALL SELECT r.id FROM rows r
    WHERE r.id BETWEEN @first AND @last AND r.fate = 'invalid' AND r.settled IS NULL
  UNION ALL SELECT r.row_id FROM row_records r JOIN participants p ON p.id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind = 'participant' AND ${openRegistration("p")}
  UNION ALL SELECT r.row_id FROM row_records r JOIN addresses a ON a.id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind = 'address' AND ${openRegistration("a")}
  UNION ALL SELECT r.row_id FROM row_records r LEFT JOIN document_states x ON x.document_id = r.record_id
    WHERE r.row_id BETWEEN @first AND @last AND r.kind = 'document' AND ${openDocument}`;

/** Rows that declared a record of their own which is not registered, whatever became of their events; ascending. */
const openDeclarations = `
  SELECT p.row_id FROM participants p WHERE p.row_id IS NOT NULL AND ${openRegistration("p")}
  UNION ALL SELECT a.row_id FROM addresses a WHERE a.row_id IS NOT NULL AND ${openRegistration("a")}
  UNION ALL SELECT d.row_id FROM document_states x JOIN documents d ON d.id = x.document_id
    WHERE x.service_id IS NULL AND x.state <> 'sending' AND x.state = 'rejected' AND x.reason IS NOT 'dismissed'
      AND d.row_id IS NOT NULL
  ORDER BY 1`;

interface Range {
  first: number;
  last: number;
  since: number;
}

export interface OpenRows {
  /** Ids of open rows from `first` to `last`, both included. `since`: ms; what landed since then counts as open. */
  within(first: number, last: number, since: number): Set<number>;
  /** Whether there is any, whenever the others landed. */
  anyWithin(first: number, last: number): boolean;
}

/** As things are when it is made. */
export function createOpenRows(database: Database): OpenRows {
  const declared = database.prepare<[], number>(openDeclarations).pluck().all();
  const declaredWithin = (first: number, last: number) =>
    declared.slice(firstFrom(declared, first), firstFrom(declared, last + 1));
  const rows = database.prepare<Range, number>(openRows).pluck();
  const any = database.prepare<Range, number>(`SELECT EXISTS (${openRows})`).pluck();
  return {
    within: (first, last, since) => new Set([...declaredWithin(first, last), ...rows.all({ first, last, since })]),
    anyWithin: (first, last) =>
      declaredWithin(first, last).length > 0 || any.get({ first, last, since: Number.MAX_SAFE_INTEGER }) === 1,
  };
}

/** Where the first number that is not below `least` stands in an ascending list. */
function firstFrom(ascending: readonly number[], least: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
