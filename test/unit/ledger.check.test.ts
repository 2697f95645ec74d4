/** `ledger check`: every promise is seen broken where it is broken, and says what to do (P1, P3, P4, P7). */
import { closeSync, openSync, writeSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import { keyBytes } from "../../src/ledger/event-key.js";
import { eventDeduplicationId } from "../../src/model/keys.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { createWorld, type World } from "../nights/simulation/world.js";

let world: World;
/** Landed, held, invalid, dismissed, known, closed and cancelled work in one ledger; input 1 is a.csv, input 2 b.csv. */
beforeAll(async () => {
  world = createWorld();
  const landed = "2: M1 10";
  const related = eventRow({
    row: 5,
    document: "M2",
    minute: 10,
    related: { document: "M1", bidirectional: false },
    name: "RELATED",
  });
  await world.bring("a", [
    landed,
    "M1 20 invalid",
    "M1 30",
    related,
    "M3 10",
    "M3 20 CLOSE",
    "M4 10",
    "M4 20 CANCEL reason=wrong",
  ]);
  await world.bring("b", [landed, related]);
});
afterAll(() => world.close());

/** What is checked after some damage, which is undone. */
const checked = (damage = "") =>
  world.withLedger((database) => {
    database.pragma("foreign_keys = OFF");
    database.exec(`BEGIN; ${damage}`);
    const found = checkLedger(database);
    database.exec("ROLLBACK");
    return found;
  });
const brokenAfter = (damage = "") => checked(damage).filter(({ broken }) => broken.length > 0);
const documentOf = (key: string) => `(SELECT id FROM documents WHERE key = '${key}')`;
const eventOf = (key: string, name = "Weighing") =>
  `(SELECT id FROM events WHERE document_id = ${documentOf(key)} AND name = '${name}' ORDER BY at LIMIT 1)`;
const row = (input: number, number: number) => `((${input} << 32) + ${number})`;

/** A page that says that a row of the first file stands for this event. */
const known = (number: number, event: number) =>
  `INSERT INTO pages (kind, first_id, last_id, lowest_event, highest_event, page)
   VALUES ('known', ${row(1, number)}, ${row(1, number)}, ${event}, ${event}, x'${deflateRawSync(
     JSON.stringify([[0, [event - 2 ** 32 - number]]]),
   ).toString("hex")}')`;

const damages: [promise: string, damage: string][] = [
  ["every row that was read is accounted for", "DELETE FROM row_events WHERE (row_id & 4294967295) = 2"],
  ["every row that was read is accounted for", known(99, 1)],
  ["every row that was read is accounted for", "DELETE FROM pages WHERE kind = 'known'"],
  ["the numbers of skipped and invalid rows are right", "UPDATE rows SET fate = 'skipped' WHERE fate = 'invalid'"],
  [
    "no skipped or invalid row yielded a record",
    `INSERT INTO row_events (row_id, event_id) SELECT id, 1 FROM rows WHERE fate = 'invalid'`,
  ],
  ["every row is of a file that was imported", `INSERT INTO rows (id, fate) VALUES (${row(99, 1)}, 'known')`],
  ["a group's rows are of one file, after its first row", `UPDATE rows SET lead = ${row(2, 1)} WHERE fate = 'invalid'`],
  ["every row is of a file that was imported", "INSERT INTO row_events (row_id, event_id) VALUES (99, 1)"],
  ["every record of a row exists", known(2, 99)],
  ["a row that holds others is invalid", `UPDATE placements SET row_id = ${row(1, 2)}`],
  ["the cells of every row to correct are kept", "DELETE FROM pages WHERE kind = 'cells'"],
  [
    "nothing has landed on a document without an id",
    `DELETE FROM document_states WHERE document_id = ${documentOf("M1")}`,
  ],
  ["no two documents have one id", "UPDATE document_states SET service_id = 'x'"],
  ["no two events have one eventId", "UPDATE event_states SET service_event_id = 'x' WHERE state = 'landed'"],
  [
    "a document is closed or cancelled by an event that landed",
    `UPDATE document_states SET state = 'closed' WHERE document_id = ${documentOf("M1")}`,
  ],
  [
    "a document is closed or cancelled by an event that landed",
    "UPDATE events SET name = 'Weighing' WHERE name = 'CANCEL'",
  ],
  ["nothing follows a CANCEL that landed", `UPDATE events SET name = 'CANCEL' WHERE id = ${eventOf("M2", "RELATED")}`],
  ["every document has the time of its newest event", "UPDATE document_states SET last_at = 0"],
  ["every state belongs to an existing event", "UPDATE event_states SET document_id = 99 WHERE state = 'landed'"],
  [
    "an event that is being sent belongs to a request",
    "UPDATE requests SET events = NULL; UPDATE event_states SET state = 'planned' WHERE state = 'held'; UPDATE event_states SET state = 'sending' WHERE state = 'planned'",
  ],
  ["the list of open documents is complete", "DELETE FROM open_documents"],
  ["everything that waits to be sent has its payload", "UPDATE events SET payload = ''"],
  ["every participant and address that is named exists", "UPDATE events SET address_ref = -77 WHERE id = 1"],
  ["every participant and address that is named exists", "UPDATE registrations SET owner = 77 WHERE kind = 'address'"],
  ["every participant and address that is named exists", "UPDATE documents SET address_ref = -77"],
  [
    "every row is of a file that was imported",
    `UPDATE registrations SET row_id = ${row(99, 1)} WHERE kind = 'participant'`,
  ],
  [
    "every reference points to something that exists",
    "INSERT INTO dismissals (document_id, deduplication_id, content_hash, at) VALUES (99, x'00', x'00', 0)",
  ],
  [
    "no two events have one key",
    `UPDATE events SET deduplication_id = (SELECT deduplication_id FROM events WHERE id = ${eventOf("M1")}) WHERE id = ${eventOf("M3")}`,
  ],
  ["every event has the key that its parts make", `UPDATE events SET key_parts = '["11"]' WHERE id = ${eventOf("M3")}`],
  ["every event has the key that its parts make", "UPDATE documents SET key = 'M33' WHERE key = 'M3'"],
  ["every reference points to something that exists", "UPDATE events SET related_document = 4711 WHERE id = 1"],
  [
    "every page of cells can be read, and holds its rows",
    "UPDATE pages SET page = zeroblob(length(page)) WHERE kind = 'cells'",
  ],
  [
    "every page of cells can be read, and holds its rows",
    "UPDATE pages SET last_id = last_id + 1 WHERE kind = 'cells'",
  ],
  [
    "every row is of a file that was imported",
    "UPDATE pages SET first_id = first_id + (99 << 32), last_id = last_id + (99 << 32)",
  ],
  ["every page of known rows holds its rows", "UPDATE pages SET last_id = last_id + 1 WHERE kind = 'known'"],
  ["every page of known rows holds its rows", "UPDATE pages SET highest_event = 0 WHERE kind = 'known'"],
  ["everything that known rows refer to has landed", `DELETE FROM event_states WHERE event_id = ${eventOf("M1")}`],
];

describe("ledger check", () => {
  it("finds nothing in a ledger with all kinds of work", () => {
    expect(brokenAfter()).toEqual([]);
  });

  it.each(damages)("says where this is broken, and what to do: %s", (name, damage) => {
    const found = brokenAfter(damage).find((one) => one.name === name);
    expect(found?.broken.length).toBeGreaterThan(0);
    expect(found?.remedy).toMatch(/^[A-Z].+\.$/);
  });

  it("has no promise that nothing here breaks, but that of the file itself", () => {
    const tried = new Set(damages.map(([name]) => name));
    const untried = checked().filter(({ name }) => !tried.has(name));
    expect(untried.map(({ name }) => name)).toEqual(["the file is whole, and every CHECK holds"]);
  });

  it("20,000 documents that rows name by their ids are checked at once", { tags: ["long"], timeout: 10_000 }, () =>
    world.withLedger((database) => {
      database.function("made_by_id", (key: string) =>
        keyBytes(eventDeduplicationId({ namespace: "n", kind: "known", key, generation: 1 }, "Weighing", [])),
      );
      database.exec(`BEGIN;
      INSERT INTO documents (namespace, kind, key, declared, mode)
        SELECT 'n', 'load', 'K' || value, 1, 'create' FROM (WITH RECURSIVE n (value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n WHERE value < 20000) SELECT * FROM n);
      INSERT INTO document_aliases SELECT 'n', 'known', 'id-' || key, id FROM documents WHERE namespace = 'n';
      INSERT INTO events (document_id, deduplication_id, content_hash, event, key_parts, name, at, rank, participant_ref, address_ref, payload, input_id)
        SELECT a.document_id, made_by_id(a.key), zeroblob(16), 'Weighing', '[]', 'Weighing', 0, 0, e.participant_ref, e.address_ref, '{}', 1
        FROM document_aliases a, (SELECT * FROM events LIMIT 1) e;`);
      const keys = checkLedger(database).find(({ name }) => name === "every event has the key that its parts make");
      database.exec("ROLLBACK");
      expect(keys?.broken).toEqual([]);
    }),
  );

  it("says of a file with pages that a disk garbled what it can still say", () => {
    const { page, size } = world.withLedger((database) => ({
      page: Number(database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'events'").pluck().get()),
      size: Number(database.pragma("page_size", { simple: true })),
    }));
    const ledger = openSync(world.target.ledgerPath, "r+");
    writeSync(ledger, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
    closeSync(ledger);
    const names = brokenAfter().map(({ name }) => name);
    expect(names).toContain("the file is whole, and every CHECK holds");
    expect(names).not.toContain("no two documents have one id");
  });
});
