/**
 * Compares what the rows of a file have sent with what they yield when the same bytes are read again. In another
 * encoding, or with other reader settings, a row may get a different key although no formula of the key has changed.
 */
import type { LedgerDatabase } from "../ledger-database.js";
import { READABLE, rowsOn } from "../pages.js";
import { rowsOfInput } from "../rows.js";

/** Reading a file again is what `ledger check` advises against garbled pages. */
const KNOWN = `(${rowsOn("known", `k.first_id BETWEEN @first AND @last AND ${READABLE}`)})`;

/** What rows from @first to @last bring; label and event are blank for a document without events. */
const BROUGHT = `SELECT re.row_id, e.document_id, e.event AS label, e.id AS event FROM row_events re JOIN events e ON e.id = re.event_id
    WHERE re.row_id BETWEEN @first AND @last
  UNION ALL SELECT row_id, record_id, '', 0 FROM row_records WHERE kind = 'document' AND row_id BETWEEN @first AND @last`;

export interface OtherKeys {
  /** Rows whose records would be sent again. */
  rows: number;
  /** The document of one of them, and what it is called now. */
  was: string;
  is: string;
}

/** Call before the input is staged again; the result, afterwards. That gives null if each row keeps its keys. */
export function whatRowsSent(database: LedgerDatabase, input: number) {
  const range = rowsOfInput(input);
  database.exec("DROP TABLE IF EXISTS temp.rows_sent; CREATE TEMP TABLE rows_sent (row_id, document_id, label, event)");
  database.run(
    `INSERT INTO temp.rows_sent SELECT b.* FROM (${BROUGHT}) b LEFT JOIN events_now e ON e.id = b.event
     JOIN documents_now d ON d.id = b.document_id WHERE coalesce(e.sent, d.service_id IS NOT NULL)`,
    range,
  );
  database.run(
    `INSERT INTO temp.rows_sent SELECT l.row_id, e.document_id, e.event, e.id FROM ${KNOWN} l CROSS JOIN events e ON e.id = l.event_id`,
    range,
  );
  return (declaredNew: ReadonlySet<string>): OtherKeys | null => {
    database.run(`DELETE FROM temp.rows_sent WHERE event IN (SELECT event_id FROM ${KNOWN})`, range);
    return database.row<OtherKeys>(
      `WITH brought AS MATERIALIZED (${BROUGHT})
       SELECT count(DISTINCT s.row_id) AS rows, old.name AS was, new.name AS "is" FROM temp.rows_sent s JOIN brought b USING (row_id, label)
       JOIN documents_now old ON old.id = s.document_id JOIN documents_now new ON new.id = b.document_id AND new.kind = old.kind
       LEFT JOIN events_now e ON e.id = b.event
       WHERE (s.document_id, s.event) <> (b.document_id, b.event) AND NOT coalesce(e.sent, new.service_id IS NOT NULL)
         AND (s.document_id, s.event) NOT IN (SELECT document_id, event FROM brought)
         AND old.kind NOT IN @declaredNew
         AND old.kind || '/' || s.label NOT IN @declaredNew
       HAVING rows > 0`,
      { ...range, declaredNew: [...declaredNew] },
    );
  };
}
