/** The tables of a sandbox's file. */

/** Kept as `PRAGMA user_version`; a file of another version is refused. */
export const SCHEMA_VERSION = 1;

export const SCHEMA = `
CREATE TABLE participants (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, natural_key TEXT NOT NULL, record TEXT NOT NULL
) STRICT;
CREATE INDEX participants_by_key ON participants (natural_key);
CREATE TABLE addresses (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, participant_id TEXT NOT NULL, dataset TEXT NOT NULL,
  place TEXT NOT NULL, record TEXT NOT NULL
) STRICT;
CREATE INDEX addresses_by_participant ON addresses (participant_id, place);
CREATE TABLE documents (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, dataset TEXT NOT NULL, external_id TEXT, record TEXT NOT NULL
) STRICT;
CREATE INDEX documents_by_external_id ON documents (dataset, external_id) WHERE external_id IS NOT NULL;
CREATE TABLE events (
  document_id TEXT NOT NULL, sequence INTEGER NOT NULL, at INTEGER NOT NULL,
  state_after TEXT NOT NULL CHECK (state_after IN ('open', 'closed', 'cancelled')), record TEXT NOT NULL,
  PRIMARY KEY (document_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE keys (scope TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (scope, key)) STRICT, WITHOUT ROWID;
CREATE TABLE relations (
  seq INTEGER PRIMARY KEY, from_id TEXT NOT NULL, to_id TEXT NOT NULL, UNIQUE (from_id, to_id)
) STRICT;
CREATE TABLE tokens (token TEXT PRIMARY KEY, client_id TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
