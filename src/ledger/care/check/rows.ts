/** Rows: each has one fate, and files, rows and what they yielded agree (P7). */
import { IMPORT_AGAIN, type LedgerPromise, ONLY_CELLS } from "./promise.js";

const rowName = (id: string): string => `'row ' || (${id} & 4294967295) || ' of input ' || (${id} >> 32)`;

export const rowPromises: readonly LedgerPromise[] = [
  {
    name: "every row that was read has a fate",
    remedy: IMPORT_AGAIN,
    broken: `SELECT i.name || ': ' || i.read || ' rows were read, ' || counted || ' have a fate' FROM (
       SELECT i.*, (SELECT count(*) FROM (
         SELECT id FROM rows WHERE id >= i.id << 32 AND id < (i.id + 1) << 32
         UNION SELECT row_id FROM row_events WHERE row_id >= i.id << 32 AND row_id < (i.id + 1) << 32
         UNION SELECT l.row_id FROM row_pages k JOIN page_rows(k.kind, k.first_row, k.page) l
           WHERE k.kind = 'known' AND k.first_row >= i.id << 32 AND k.first_row < (i.id + 1) << 32
         UNION SELECT row_id FROM row_records WHERE row_id >= i.id << 32 AND row_id < (i.id + 1) << 32)) AS counted
       FROM inputs i) i WHERE i.read <> counted`,
  },
  {
    name: "skipped and invalid rows are as many as counted",
    remedy: IMPORT_AGAIN,
    broken: `SELECT i.name || ': ' || i.skipped || ' skipped and ' || i.invalid || ' invalid are counted, there are ' || s || ' and ' || v FROM (
       SELECT i.*, (SELECT count(*) FROM rows r WHERE r.id >= i.id << 32 AND r.id < (i.id + 1) << 32
           AND coalesce((SELECT fate FROM rows l WHERE l.id = r.lead), r.fate) = 'skipped') AS s,
         (SELECT count(*) FROM rows r WHERE r.id >= i.id << 32 AND r.id < (i.id + 1) << 32
           AND coalesce((SELECT fate FROM rows l WHERE l.id = r.lead), r.fate) = 'invalid') AS v
       FROM inputs i) i WHERE i.skipped <> s OR i.invalid <> v`,
  },
  {
    name: "a row has one fate: what was skipped or invalid has yielded nothing",
    remedy: IMPORT_AGAIN,
    broken: `SELECT ${rowName("r.id")} FROM rows r WHERE r.fate IN ('skipped', 'invalid')
       AND (EXISTS (SELECT 1 FROM row_events WHERE row_id = r.id) OR EXISTS (SELECT 1 FROM row_records WHERE row_id = r.id))`,
  },
  {
    name: "every row is of a file that was imported, and a group's rows of one file",
    remedy: IMPORT_AGAIN,
    broken: `SELECT ${rowName("r.id")} FROM rows r WHERE NOT EXISTS (SELECT 1 FROM inputs WHERE id = r.id >> 32)
       OR r.lead IS NOT NULL AND (r.lead >> 32 <> r.id >> 32 OR r.lead >= r.id)`,
  },
  {
    name: "what a row yielded is there",
    remedy: IMPORT_AGAIN,
    broken: `SELECT 'row ' || (re.row_id & 4294967295) || ' of input ' || (re.row_id >> 32) FROM
       (SELECT row_id, event_id FROM row_events UNION ALL
        SELECT l.row_id, l.event_id FROM row_pages k JOIN page_rows(k.kind, k.first_row, k.page) l WHERE k.kind = 'known') re
     WHERE NOT EXISTS (SELECT 1 FROM events WHERE id = re.event_id)
       OR NOT EXISTS (SELECT 1 FROM inputs WHERE id = re.row_id >> 32)`,
  },
  {
    name: "what holds others is an invalid row",
    remedy: IMPORT_AGAIN,
    broken: `SELECT ${rowName("h.row_id")} FROM (SELECT row_id FROM placements UNION SELECT row_id FROM input_holds) h
     WHERE NOT EXISTS (SELECT 1 FROM rows r WHERE r.id = h.row_id AND r.fate = 'invalid')`,
  },
  {
    name: "a row that a person must change has its cells",
    remedy: ONLY_CELLS,
    broken: `SELECT ${rowName("r.id")} FROM rows r WHERE r.fate = 'invalid' AND r.settled IS NULL AND r.lead IS NULL
       AND r.id NOT IN (SELECT c.row_id FROM row_pages k JOIN page_rows(k.kind, k.first_row, k.page) c WHERE k.kind = 'cells')`,
  },
];
