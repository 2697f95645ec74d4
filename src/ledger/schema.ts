/**
 * The ledger's schema: tables, then views. States are in narrow tables of their own, because payloads are written once.
 * Comparisons with lists of states are chains of ORs in writing paths: SQLite builds a table for every IN list of three
 * or more, for each row. States and moves are those of model/states.ts. Rows are numbered `input *
 * 2^32 + row number`, requests `run * 2^32 + number`. Ids of documents and events are never used again: requests and
 * problems name them even when they are gone. A reference to a participant or address is its id, or minus the id of an
 * alias. Times are ms since 1970.
 */
import { type Machine, statesOf, transitions } from "../model/states.js";

const isState = (machine: Machine) =>
  statesOf(machine)
    .map((state) => `state = '${state}'`)
    .join(" OR ");

/** SQLite before 3.47 takes no expression for its message. */
const lawOf = (
  table: string,
  machine: Machine,
): string => `CREATE TRIGGER ${table}_law BEFORE UPDATE OF state ON ${table}
WHEN OLD.state <> NEW.state AND instr('${transitions[machine].map(([from, , to]) => ` ${from}>${to},`).join("")}',
  ' ' || OLD.state || '>' || NEW.state || ',') = 0
BEGIN SELECT RAISE(ABORT, '${table}: no such transition'); END;`;

/** The newest error of a record, as p. */
const withError = (subject: string, id: string) =>
  `LEFT JOIN problems p ON p.id = (SELECT max(id) FROM problems WHERE subject = ${subject} AND subject_id = ${id} AND severity = 'error')`;

export const schema = `
-- Facts about the whole ledger, such as its owner and its journal.
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Commands that staged or sent, with what they reported.
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  command TEXT NOT NULL,
  mapping TEXT,
  -- The user of the machine.
  started_by TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  staged_at INTEGER,
  finished_at INTEGER,
  exit_code INTEGER,
  summary TEXT
) STRICT;

-- Settings of mappings, each text once.
CREATE TABLE settings (id INTEGER PRIMARY KEY, json TEXT NOT NULL UNIQUE) STRICT;

-- How a mapping makes each kind of key: a later mapping that makes other keys would send twice.
CREATE TABLE fingerprints (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  mapping TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  -- The fingerprint without the label.
  kin TEXT NOT NULL DEFAULT '',
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (namespace, name, mapping)
) STRICT, WITHOUT ROWID;

-- What lookup tables and other lists gave for keys (a JSON object): other answers would give other keys. Source '': the
-- fingerprint without these lists, which may grow.
CREATE TABLE key_tables (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  mapping TEXT NOT NULL,
  source TEXT NOT NULL,
  entries TEXT NOT NULL,
  PRIMARY KEY (namespace, name, mapping, source)
) STRICT, WITHOUT ROWID;

-- Further names of documents to which rows refer by the service's id.
CREATE TABLE document_aliases (
  namespace TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  document_id INTEGER NOT NULL REFERENCES documents (id),
  PRIMARY KEY (namespace, kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_aliases_by_document ON document_aliases (document_id);

-- Mappings as they were used, each text once. hash: of the mapping and every file it names; text: without its tables.
CREATE TABLE mappings (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Files and sheets, as they were read.
CREATE TABLE inputs (
  id INTEGER PRIMARY KEY,
  content_hash TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  sheet TEXT,
  -- Its name, where formulas of its mapping name the file: the same bytes under another name are then another input.
  named TEXT NOT NULL DEFAULT '',
  mapping TEXT NOT NULL,
  -- Null: the journal.
  mapping_hash TEXT REFERENCES mappings (hash),
  mapping_input TEXT NOT NULL,
  namespace TEXT NOT NULL,
  header TEXT NOT NULL,
  dialect TEXT NOT NULL,
  settings_id INTEGER NOT NULL REFERENCES settings (id),
  run_id INTEGER NOT NULL REFERENCES runs (id),
  staged_at INTEGER NOT NULL,
  -- 1: --max-errors refused the import; unsent rows wait until the input is imported again.
  refused INTEGER NOT NULL DEFAULT 0 CHECK (refused IN (0, 1)),
  -- The count of content changes when it was judged.
  judged_at INTEGER NOT NULL DEFAULT 0,
  read INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  invalid INTEGER NOT NULL DEFAULT 0,
  known INTEGER NOT NULL DEFAULT 0,
  staged INTEGER NOT NULL DEFAULT 0,
  CHECK (read = skipped + invalid + known + staged)
) STRICT;
CREATE UNIQUE INDEX inputs_by_content ON inputs (content_hash, coalesce(sheet, ''), named, namespace, mapping_input);

-- Rows that are invalid, skipped or settled, that have a key, a group or no event. Any other row is only in row_events or pages.
-- settled_by is the row that replaced it.
CREATE TABLE rows (
  id INTEGER PRIMARY KEY,
  fate TEXT NOT NULL CHECK (fate = 'skipped' OR fate = 'invalid' OR fate = 'known' OR fate = 'staged'),
  reason TEXT,
  row_key TEXT,
  lead INTEGER,
  cell_hash BLOB,
  settled TEXT CHECK (settled IN ('corrected', 'superseded', 'dismissed', 'withdrawn')),
  settled_by INTEGER
) STRICT;
CREATE INDEX rows_invalid ON rows (cell_hash) WHERE fate = 'invalid';
CREATE INDEX rows_by_key ON rows (row_key) WHERE row_key IS NOT NULL;

-- Participants and their addresses. owner: for an address, the reference of its participant; 0: it is known only by its id.
CREATE TABLE registrations (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind = 'participant' OR kind = 'address'),
  owner INTEGER NOT NULL DEFAULT 0,
  identity TEXT NOT NULL,
  payload TEXT NOT NULL DEFAULT '{}',
  extended TEXT NOT NULL DEFAULT '{}',
  row_id INTEGER,
  settings_id INTEGER REFERENCES settings (id),
  state TEXT NOT NULL CHECK (${isState("participant")}) DEFAULT 'planned',
  reason TEXT,
  origin TEXT CHECK (origin IN ('created', 'found', 'given')),
  service_id TEXT,
  snapshot_id TEXT,
  geography TEXT,
  attempted INTEGER NOT NULL DEFAULT 0,
  changed_at INTEGER,
  -- For people: a tax id, or the place.
  name TEXT GENERATED ALWAYS AS (iif(kind = 'participant', payload ->> 'taxId', identity)) VIRTUAL,
  UNIQUE (identity, kind, owner),
  CHECK ((state = 'registered') = (service_id IS NOT NULL))
) STRICT;
CREATE INDEX registrations_open ON registrations (id) WHERE state <> 'registered';
CREATE INDEX registrations_by_row ON registrations (row_id) WHERE state <> 'registered';
CREATE INDEX registrations_by_service_id ON registrations (service_id) WHERE service_id IS NOT NULL;
${lawOf("registrations", "participant")}

-- Keys of mappings by which rows refer to a registration, perhaps before a row brings it. name: in the mapping.
CREATE TABLE aliases (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind = 'participant' OR kind = 'address'),
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  registration_id INTEGER REFERENCES registrations (id),
  UNIQUE (key, name, kind)
) STRICT;

-- Documents, one row per generation.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1 CHECK (generation > 0),
  -- 0: only referred to so far.
  declared INTEGER NOT NULL CHECK (declared IN (0, 1)),
  -- 1: earlier rows have declared it otherwise.
  differs INTEGER NOT NULL DEFAULT 0 CHECK (differs IN (0, 1)),
  mode TEXT NOT NULL CHECK (mode IN ('create', 'existing', 'target')),
  participant_ref INTEGER,
  address_ref INTEGER,
  external_id TEXT,
  fields TEXT NOT NULL DEFAULT '{}',
  create_empty INTEGER NOT NULL DEFAULT 0,
  settings_id INTEGER REFERENCES settings (id),
  row_id INTEGER,
  name TEXT NOT NULL GENERATED ALWAYS AS (kind || ' ' || key) VIRTUAL,
  UNIQUE (key, kind, namespace, generation)
) STRICT;

CREATE INDEX documents_replacing ON documents (id) WHERE generation > 1;
CREATE INDEX documents_by_row ON documents (row_id) WHERE declared = 1;

-- Keys of documents that have small or wide letters or leading zeros, and their form without these.
CREATE TABLE odd_keys (
  namespace TEXT NOT NULL,
  kind TEXT NOT NULL,
  folded TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (namespace, kind, folded, key)
) STRICT, WITHOUT ROWID;

-- What became of each document.
CREATE TABLE document_states (
  document_id INTEGER PRIMARY KEY REFERENCES documents (id),
  state TEXT NOT NULL CHECK (${isState("document")}),
  reason TEXT,
  service_id TEXT,
  last_at INTEGER,
  changed_at INTEGER NOT NULL,
  CHECK (service_id IS NOT NULL OR NOT (state = 'open' OR state = 'closed' OR state = 'cancelled'))
) STRICT;
CREATE INDEX document_states_open ON document_states (state) WHERE service_id IS NULL AND state <> 'sending';
-- A row may name a document by the id that the service gave it.
CREATE INDEX document_states_by_service_id ON document_states (service_id) WHERE service_id IS NOT NULL;
${lawOf("document_states", "document")}

-- Events that rows yielded, with the body to send.
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id INTEGER NOT NULL REFERENCES documents (id),
  deduplication_id BLOB NOT NULL CHECK (length(deduplication_id) = 20),
  content_hash BLOB NOT NULL CHECK (length(content_hash) = 16),
  event TEXT NOT NULL,
  key_parts TEXT NOT NULL,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 2),
  participant_ref INTEGER NOT NULL,
  address_ref INTEGER NOT NULL,
  related_document INTEGER REFERENCES documents (id),
  related_id TEXT,
  mirrored INTEGER NOT NULL DEFAULT 0 CHECK (mirrored IN (0, 1)),
  target_document INTEGER REFERENCES documents (id),
  payload TEXT NOT NULL,
  -- Parties that its row gives its document only: 1 the participant, 2 the address. They go with the document's.
  as_document INTEGER NOT NULL DEFAULT 0 CHECK (as_document BETWEEN 0 AND 3),
  input_id INTEGER NOT NULL REFERENCES inputs (id),
  UNIQUE (document_id, deduplication_id)
) STRICT;
CREATE INDEX events_by_related ON events (related_document) WHERE related_document IS NOT NULL;
CREATE INDEX events_propagated ON events (document_id) WHERE mirrored = 1 AND related_document IS NULL;
CREATE INDEX events_by_target ON events (target_document) WHERE target_document IS NOT NULL;

-- What became of each event. In order of documents, so that the outcome of a request is on one page.
CREATE TABLE event_states (
  document_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (${isState("event")}),
  reason TEXT,
  waits_for TEXT,
  -- In doubt, and asked about only when this is over; reason: of the doubt.
  hold TEXT,
  service_event_id TEXT,
  target_document_id TEXT,
  attempted_hash BLOB,
  -- Set when the row changes after an attempt: the earliest time sent, and the only document that all its contents link
  -- to.
  attempted_at INTEGER,
  attempted_link INTEGER,
  doubt INTEGER NOT NULL DEFAULT 0 CHECK (doubt IN (0, 1)),
  changed_hash BLOB,
  changed_content TEXT,
  dismissed INTEGER NOT NULL DEFAULT 0 CHECK (dismissed IN (0, 1)),
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (document_id, event_id),
  CHECK (state <> 'held' OR waits_for IS NOT NULL),
  CHECK (hold IS NULL OR (state = 'stalled' AND waits_for IS NOT NULL)),
  CHECK (doubt = 0 OR state = 'sending' OR state = 'stalled'),
  CHECK (dismissed = 0 OR state = 'rejected' OR state = 'foreign' OR state = 'changed' OR state = 'stalled')
) STRICT, WITHOUT ROWID;
-- What is being sent is found by its request: most events pass through it and on to landed without a change here.
CREATE INDEX event_states_open ON event_states (state) WHERE state <> 'landed' AND state <> 'sending';
${lawOf("event_states", "event")}

-- Data that is hardly ever read, in compressed pages. cells: rows as read that have not landed. known: rows whose events had
-- all landed before, unchanged, from row to event only.
CREATE TABLE pages (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind = 'cells' OR kind = 'known'),
  -- Of rows.
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  lowest_event INTEGER,
  highest_event INTEGER,
  page BLOB NOT NULL,
  UNIQUE (kind, first_id, last_id)
) STRICT;

-- Which rows yielded which event.
CREATE TABLE row_events (
  row_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  -- 1: a later row has given the event other content since.
  differs INTEGER NOT NULL DEFAULT 0 CHECK (differs IN (0, 1)),
  PRIMARY KEY (row_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX row_events_by_event ON row_events (event_id);

-- Which rows yielded which participant, address or document; for an invalid row, the negative ids of the aliases that it would declare.
CREATE TABLE row_records (
  row_id INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind = 'participant' OR kind = 'address' OR kind = 'document'),
  record_id INTEGER NOT NULL,
  PRIMARY KEY (row_id, kind, record_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX row_records_by_document ON row_records (record_id) WHERE kind = 'document';

-- What an invalid row would have put on which document; it holds what is later there (H13, H15).
CREATE TABLE placements (
  id INTEGER PRIMARY KEY,
  row_id INTEGER NOT NULL,
  document_id INTEGER NOT NULL REFERENCES documents (id),
  event TEXT,
  deduplication_id BLOB,
  key_parts TEXT,
  at INTEGER,
  -- Kept for its event, which among those of its instant stands where the row stood, once it is corrected.
  event_id INTEGER,
  -- The row would have created the document: it holds everything there, unless rows of its own have sent it.
  makes INTEGER NOT NULL DEFAULT 0 CHECK (makes IN (0, 1)),
  CHECK ((deduplication_id IS NULL) = (key_parts IS NULL))
) STRICT;
CREATE INDEX placements_by_event ON placements (document_id, deduplication_id);
CREATE INDEX placements_by_row ON placements (row_id);

-- Invalid rows whose document could not be told, where the mapping lets them hold what is later in their input (H14):
-- behind their own row, and behind those that they have come instead of.
CREATE TABLE input_holds (
  row_id INTEGER NOT NULL,
  behind INTEGER NOT NULL,
  PRIMARY KEY (row_id, behind)
) STRICT, WITHOUT ROWID;
CREATE INDEX input_holds_behind ON input_holds (behind);

-- Documents with unfinished work.
CREATE TABLE open_documents (document_id INTEGER PRIMARY KEY REFERENCES documents (id)) STRICT;

-- Errors and warnings, for people.
CREATE TABLE problems (
  id INTEGER PRIMARY KEY,
  row_id INTEGER,
  subject TEXT CHECK (subject IN ('participant', 'address', 'document', 'event')),
  subject_id INTEGER,
  stage TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('error', 'warning')),
  code TEXT NOT NULL,
  column_name TEXT,
  message TEXT NOT NULL,
  hint TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX problems_by_row ON problems (row_id) WHERE row_id IS NOT NULL;
CREATE INDEX problems_by_subject ON problems (subject, subject_id) WHERE subject IS NOT NULL;

-- Requests, numbered \`run * 2^32 + number in the run\`. One row per request, with its events and attempts, so that
-- an intent and an outcome take one page each.
CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL CHECK (subject = 'participant' OR subject = 'address' OR subject = 'document'),
  subject_id INTEGER NOT NULL,
  intended_at INTEGER NOT NULL,
  -- A JSON array in sending order; null: no events.
  events TEXT,
  result TEXT CHECK (result IN ('accepted', 'duplicate', 'refused', 'unanswered', 'stopped')),
  finished_at INTEGER,
  -- A JSON array; null: none.
  attempts TEXT,
  run_id INTEGER NOT NULL GENERATED ALWAYS AS (id >> 32) VIRTUAL,
  CHECK ((result IS NULL) = (finished_at IS NULL))
) STRICT;
CREATE INDEX requests_by_subject ON requests (subject_id);

-- What a person said became of something in doubt (H5). An event is named by its key, because its row may be deleted.
CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES documents (id),
  deduplication_id BLOB,
  said TEXT NOT NULL CHECK (said = 'landed' OR said = 'not-landed' OR said = 'document-id'),
  said_by TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_by_document ON decisions (document_id);

-- A dismissal names content, so that it stays in force when the same row comes back (H23). For a row that was
-- corrected, it names the row that replaced it (0: only a journal knows which).
CREATE TABLE dismissals (
  id INTEGER PRIMARY KEY,
  document_id INTEGER REFERENCES documents (id),
  deduplication_id BLOB,
  content_hash BLOB,
  cell_hash BLOB,
  row_id INTEGER,
  told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX dismissals_by_cells ON dismissals (cell_hash) WHERE cell_hash IS NOT NULL;
CREATE INDEX dismissals_by_event ON dismissals (document_id, deduplication_id) WHERE document_id IS NOT NULL;

-- Views

-- Which generations does each document have?
CREATE VIEW generations AS
  SELECT d.id AS of_id, g.* FROM documents d JOIN documents g USING (key, kind, namespace);

-- Which state is each document in? Planned, if nothing is recorded. replaced: by a later generation.
CREATE VIEW documents_now AS
  SELECT d.*, coalesce(s.state, 'planned') AS state, s.reason, s.service_id, s.last_at, s.changed_at,
    EXISTS (SELECT 1 FROM generations WHERE of_id = d.id AND generation > d.generation) AS replaced
  FROM documents d LEFT JOIN document_states s ON s.document_id = d.id;

-- Which state is each event in? landed: it is on the timeline; known: with the content of its row; sent: on the timeline, or
-- perhaps; unsent: certainly not. first_row: that brought it.
CREATE VIEW events_now AS
  SELECT e.*, coalesce(s.state, 'planned') AS state, s.reason, s.waits_for, s.hold, s.service_event_id, s.target_document_id,
    s.attempted_hash, s.attempted_at, s.attempted_link, coalesce(s.doubt, 0) AS doubt, s.changed_hash, s.changed_content,
    coalesce(s.dismissed, 0) AS dismissed, s.changed_at,
    coalesce(s.state IN ('landed', 'landed-without-id', 'changed'), 0) AS landed,
    coalesce(s.state IN ('landed', 'landed-without-id'), 0) AS known,
    coalesce(s.state IN ('landed', 'landed-without-id', 'changed', 'sending', 'stalled'), 0) AS sent,
    coalesce(s.state IN ('planned', 'held', 'deferred', 'rejected'), 1) AS unsent,
    (SELECT name FROM documents WHERE id = e.document_id) AS document,
    (SELECT min(row_id) FROM row_events WHERE event_id = e.id) AS first_row
  FROM events e LEFT JOIN event_states s ON s.document_id = e.document_id AND s.event_id = e.id;

-- Which events are not finished, and why, apart from dismissed ones? Events being sent are found by their requests. Held:
-- also what is in doubt and waits.
CREATE VIEW open_events AS
  SELECT s.event_id AS id, s.document_id, iif(s.hold IS NULL, s.state, 'held') AS state, coalesce(s.hold, s.reason) AS reason,
    s.waits_for, s.doubt,
    -- A refused CANCEL of a replacement is not a row's fault.
    iif(s.state = 'rejected' AND (SELECT event FROM events WHERE id = s.event_id) = '#replaced', 'cancel-refused',
      coalesce(s.hold, s.reason, s.state)) AS code
  FROM event_states s
  WHERE s.state <> 'landed' AND s.state <> 'sending' AND s.state <> 'landed-without-id' AND s.dismissed = 0;

-- Which documents were not created, and why?
CREATE VIEW failed_documents AS
  SELECT d.id, d.name, d.row_id, s.state, s.reason FROM document_states s JOIN documents d ON d.id = s.document_id
  WHERE s.service_id IS NULL AND s.state <> 'sending' AND s.state IN ('rejected', 'stalled', 'stranded')
    AND s.reason IS NOT 'replaced' AND s.reason IS NOT 'dismissed';

-- Which participants and addresses that rows brought are not registered? Held: their import was refused.
CREATE VIEW open_registrations AS
  SELECT kind AS subject, id, row_id,
    iif(state = 'planned' AND (SELECT refused FROM inputs WHERE id = row_id >> 32) = 1, 'held', state) AS state, reason, name FROM registrations
  WHERE state <> 'registered' AND row_id IS NOT NULL AND reason IS NOT 'dismissed';

-- Which records did rows yield without an event, and is each at the service?
CREATE VIEW row_records_now AS
  SELECT r.row_id, coalesce(p.reason, d.reason) AS reason,
    coalesce(p.state, d.state, 'planned') IN ('registered', 'open', 'closed', 'cancelled') AS done
  FROM row_records r LEFT JOIN registrations p ON r.kind <> 'document' AND p.id = r.record_id
    LEFT JOIN document_states d ON r.kind = 'document' AND d.document_id = r.record_id
  WHERE r.record_id > 0;

-- Which rows are invalid, and neither corrected nor dismissed?
CREATE VIEW invalid_rows AS SELECT * FROM rows WHERE fate = 'invalid' AND settled IS NULL;

-- Which rows hold what is later on which document, or the event that they would have changed?
CREATE VIEW holds AS
  SELECT p.* FROM placements p JOIN rows r ON r.id = p.row_id WHERE r.settled IS NULL
    AND NOT (p.makes AND EXISTS (SELECT 1 FROM document_states s
      WHERE s.document_id = p.document_id AND s.state <> 'planned' AND s.state <> 'rejected'));

-- What became of each row that is not done, and why? One line for an invalid row, and one for each open record of any other row.
-- The first row of a group speaks for all. An event without a state of its own is planned, and has no line.
CREATE VIEW row_fates AS
  SELECT id AS row_id, 'row' AS subject, id, fate AS state, reason AS code FROM invalid_rows WHERE lead IS NULL
  UNION ALL SELECT re.row_id, 'event', o.id, o.state, o.code FROM open_events o JOIN row_events re ON re.event_id = o.id
  UNION ALL SELECT row_id, 'document', id, state, coalesce(reason, state) FROM failed_documents WHERE row_id IS NOT NULL
  UNION ALL SELECT row_id, subject, id, state, coalesce(reason, state) FROM open_registrations;

-- What must a person or a later run take care of, and why? One line for each problem of an invalid row, and for each record that failed.
CREATE VIEW failures AS
  SELECT 'row' AS subject, r.id, r.id AS row_id, r.fate AS state, p.code, p.column_name, p.message, p.hint, NULL AS name
  FROM invalid_rows r JOIN problems p ON p.row_id = r.id AND p.severity = 'error'
  UNION ALL
  -- Names the row that differs, not the one that landed.
  SELECT 'event', o.id, coalesce(iif(o.state = 'changed', p.row_id, NULL), e.first_row),
    o.state, o.code, NULL, p.message, p.hint, e.event || ' of ' || e.document
  FROM open_events o JOIN events_now e ON e.id = o.id ${withError("'event'", "o.id")}
  WHERE o.state IN ('rejected', 'stalled', 'foreign', 'changed')
  UNION ALL
  SELECT 'document', f.id, f.row_id, f.state, f.reason, NULL, p.message, p.hint, f.name
  FROM failed_documents f ${withError("'document'", "f.id")}
  UNION ALL
  SELECT o.subject, o.id, o.row_id, o.state, o.reason, NULL, p.message, p.hint, o.subject || ' ' || o.name
  FROM open_registrations o ${withError("o.subject", "o.id")} WHERE o.state IN ('rejected', 'stalled');

-- Which events did a request carry, and in which order?
CREATE VIEW request_events AS
  SELECT r.id AS request_id, r.subject_id AS document_id, c.key AS position, c.value AS event_id
    FROM requests r JOIN json_each(r.events) c;
`;
