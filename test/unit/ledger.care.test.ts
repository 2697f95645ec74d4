/** Looking after the ledger's file: schema, state machines, backup, rebind. */
import { once } from "node:events";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { folderForCopy, keepBackups } from "../../src/ledger/care/backup.js";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import { hasLog } from "../../src/ledger/care/lock.js";
import { schema } from "../../src/ledger/schema.js";
import { openLedger, openLedgerBeside, openLedgerReadOnly } from "../../src/ledger/open-ledger.js";
import type { PipelineEvent } from "../../src/model/summary.js";
import type { Target } from "../../src/model/target.js";
import { type Machine, statesOf, transitions } from "../../src/model/states.js";
import { rehearse } from "../../src/run/plan.js";
import { ownerOf } from "../../src/run/sandbox.js";
import { beside, reading } from "../../src/desk/access.js";
import { backup } from "../../src/desk/care.js";
import { rebind } from "../../src/desk/rebind.js";
import { unthrottled } from "../../src/submit/throttle.js";
import { type Transport, TransportFailure } from "../../src/submit/transport.js";
import { sandboxTransport } from "../nights/simulation/sandbox-transport.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { createWorld, type World } from "../nights/simulation/world.js";
import { folder } from "../support/cli.world.js";

const owner = { target: "t", baseUrl: "https://service.test", clientId: "c" };

let world: World | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

function newLedger() {
  const path = join(folder(), "state", "ledger.db");
  const database = openLedger(path, owner, 0);
  database.pragma("foreign_keys = OFF");
  onTestFinished(() => void database.close());
  return { path, database };
}

it.each([
  ["newer", 99],
  ["older", 1],
])("the schema of a %s program is refused by name, for writing, reading and beside a run", (age, version) => {
  const { path, database } = newLedger();
  database.pragma(`user_version = ${version}`);
  for (const open of [
    () => openLedger(path, owner, 0),
    () => openLedgerReadOnly(path, owner),
    () => openLedgerBeside(path, owner),
  ])
    expect(open).toThrow(expect.objectContaining({ code: `ledger-${age}` }));
});

it.each([
  ["empty", (path: string) => writeFileSync(path, "")],
  ["of SQLite without a table", (path: string) => void new Database(path).exec("PRAGMA user_version = 1").close()],
])("a file that is %s is no ledger in which all is well: for writing, reading and beside a run", (_what, write) => {
  const path = join(folder(), "ledger.db");
  write(path);
  for (const open of [
    () => openLedger(path, owner, 0),
    () => openLedgerReadOnly(path, owner),
    () => openLedgerReadOnly(path, null),
    () => openLedgerBeside(path, owner),
  ])
    expect(open).toThrow(expect.objectContaining({ code: "ledger-damaged" }));
});

it("a ledger over which another file is copied while it is read is said to be damaged", () => {
  const { path, database } = newLedger();
  const target = { ...owner, ledgerPath: path } as unknown as Target;
  const lose = () => void database.exec("DROP VIEW failures; DROP TABLE problems");
  for (const table of ["failures", "problems"])
    expect(() =>
      reading(target, (reader) => {
        if (table === "failures") lose();
        return reader.row(`SELECT * FROM ${table}`);
      }),
    ).toThrow(expect.objectContaining({ code: "ledger-damaged" }));
});

it("a ledger that is moved while it is written is said to be moved, and not to lack room", () => {
  const { path } = newLedger();
  const fail = () => {
    throw new Database.SqliteError("attempt to write a readonly database", "SQLITE_READONLY_DBMOVED");
  };
  const moved = { code: "ledger-unreadable", message: expect.stringContaining("moved or replaced") };
  expect(() => beside({ ...owner, ledgerPath: path } as unknown as Target, fail)).toThrow(
    expect.objectContaining(moved),
  );
});

it("a plan that finds the disk full says so, and is nothing unexpected", async () => {
  world = createWorld();
  const full = () => Promise.reject(new Database.SqliteError("database or disk is full", "SQLITE_FULL"));
  const { target, clock } = world;
  const options = { target, clock, random: () => 0.5, signal: new AbortController().signal, observe: () => {} };
  await expect(
    rehearse({ ...options, fresh: false, journal: null, limits: { waitForLock: false } }, null, full),
  ).rejects.toMatchObject({ code: "ledger-not-written", message: expect.stringContaining("the disk is full") });
});

it("the schema belongs to one service and client", () => {
  const { path } = newLedger();
  expect(() => openLedger(path, { ...owner, clientId: "other" }, 0)).toThrow(
    expect.objectContaining({ code: "ledger-of-another-target" }),
  );
});

it("may lose its log to the last process that closes it, at any moment", long, async () => {
  const path = join(folder(), "ledger.db");
  const others = `const { rmSync, writeFileSync } = require("node:fs");
    const log = ${JSON.stringify(`${path}-wal`)};
    for (;;) { writeFileSync(log, "x"); rmSync(log); }`;
  const worker = new Worker(others, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, "online");
  const seen = new Set<boolean>();
  for (let looks = 0; looks < 8_000 || (seen.size < 2 && looks < 1_000_000); looks += 1) seen.add(hasLog(path));
  expect(seen.size).toBe(2);
});

describe("state machines", () => {
  const put: Record<Machine, (database: Database.Database, state: string) => void> = {
    participant: (database, state) =>
      database
        .prepare(
          "INSERT INTO registrations (id, kind, identity, state, service_id) VALUES (1, 'participant', 'k', ?, ?)",
        )
        .run(state, state === "registered" ? "x" : null),
    address: (database, state) =>
      database
        .prepare(
          "INSERT INTO registrations (id, kind, owner, identity, state, service_id) VALUES (1, 'address', 1, 'k', ?, ?)",
        )
        .run(state, state === "registered" ? "x" : null),
    document(database, state) {
      database.exec(
        "INSERT OR IGNORE INTO documents (id, namespace, kind, key, declared, mode) VALUES (1, 'n', 'k', '1', 1, 'create')",
      );
      database
        .prepare("INSERT INTO document_states (document_id, state, service_id, changed_at) VALUES (1, ?, 'x', 0)")
        .run(state);
    },
    event(database, state) {
      database
        .prepare(
          "INSERT INTO event_states (document_id, event_id, state, waits_for, changed_at) VALUES (1, 1, ?, 'row:1', 0)",
        )
        .run(state);
    },
  };
  const move: Record<Machine, string> = {
    participant: "UPDATE registrations SET state = @to, service_id = iif(@to = 'registered', 'x', NULL) WHERE id = 1",
    address: "UPDATE registrations SET state = @to, service_id = iif(@to = 'registered', 'x', NULL) WHERE id = 1",
    document: "UPDATE document_states SET state = @to WHERE document_id = 1",
    event: "UPDATE event_states SET state = @to WHERE event_id = 1",
  };
  const wanted: Record<Machine, string[]> = {
    participant: ["planned", "sending", "registered", "rejected", "stalled"],
    address: ["planned", "sending", "registered", "rejected", "stalled"],
    document: ["planned", "sending", "open", "closed", "cancelled", "rejected", "stalled", "stranded"],
    event: [
      "planned",
      "sending",
      "landed",
      "landed-without-id",
      "rejected",
      "stalled",
      "foreign",
      "held",
      "deferred",
      "changed",
    ],
  };
  const machines = ["participant", "address", "document", "event"] as const;

  it.each(machines)("%s: no state of the design is left out, and each can be stored", long, (machine) => {
    expect(statesOf(machine).toSorted()).toEqual(wanted[machine].toSorted());
    for (const state of statesOf(machine)) expect(() => put[machine](newLedger().database, state)).not.toThrow();
    expect(() => put[machine](newLedger().database, "lost")).toThrow(/CHECK/);
  });

  it("older SQLite tools can read it: what a trigger says is a text, as before SQLite 3.47", () => {
    expect(schema.match(/RAISE\([^)]*\)/g)).toEqual(Array(3).fill(expect.stringMatching(/^RAISE\(ABORT, '[^']*'\)$/)));
  });

  it.each(machines)("%s: SQL permits every move that is listed, and refuses every other", (machine) => {
    const { database } = newLedger();
    const listed = new Set(transitions[machine].map(([from, , to]) => `${from} → ${to}`));
    const permitted = new Set<string>();
    const refusals = new Set<string>();
    for (const from of statesOf(machine)) {
      for (const to of statesOf(machine)) {
        if (from === to) continue;
        database.exec("SAVEPOINT attempt");
        put[machine](database, from);
        try {
          database.prepare(move[machine]).run({ to });
          permitted.add(`${from} → ${to}`);
        } catch (error) {
          refusals.add(String(error));
        }
        database.exec("ROLLBACK TO attempt; RELEASE attempt");
      }
    }
    expect(permitted).toEqual(listed);
    expect([...refusals]).toEqual([expect.stringMatching(/^SqliteError: \w+: no such transition$/)]);
  });
});

/** Landed, held, invalid, dismissed and stranded work in one ledger. */
async function used(): Promise<World> {
  const made = createWorld();
  world = made;
  await made.bring("a", [
    "M1 10",
    "M1 20 invalid",
    "M1 30",
    eventRow({
      row: 5,
      document: "M2",
      minute: 10,
      related: { document: "M1", bidirectional: false },
      name: "RELATED",
    }),
  ]);
  await made.bring("b", ["7: M1 10"]);
  return made;
}

it("ledger backup is a whole ledger, made while another connection writes", long, async () => {
  const made = await used();
  const path = join(made.target.stateFolder, "backup.db");
  const writing = openLedgerBeside(made.target.ledgerPath, ownerOf(made.target));
  writing.exec("BEGIN IMMEDIATE");
  writing.exec("DELETE FROM problems");
  const bytes = await backup(made.target, path);
  writing.exec("ROLLBACK");
  writing.close();
  expect(bytes).toBe(statSync(path).size);
  const copy = openLedgerReadOnly(path, ownerOf(made.target));
  expect(copy.prepare("SELECT count(*) FROM problems").pluck().get()).toBeGreaterThan(0);
  expect(checkLedger(copy).flatMap(({ broken }) => broken)).toEqual([]);
  copy.close();
});

it("what killed backups and plans left is removed by later ones, and nothing that may be in use", () => {
  const path = folder();
  const file = (name: string) => join(path, name);
  const mine = "rowferry-t-2026-11-19T0200.db";
  const parts = [`${mine}.0a1b2c3d.part`, "rowferry-t-2026-11-20T0200.db.0a1b2c3d.part", `${mine}.mine.part`];
  const journal = `${mine}.0a1b2c3d.part-journal`;
  for (const name of [
    mine,
    journal,
    "rowferry-t-2026-11-20T0100.db",
    "rowferry-u-2026-11-19T0200.db.0a1b2c3d.part",
    ...parts,
  ])
    writeFileSync(file(name), "");
  expect(keepBackups(file("rowferry-t-2026-11-20T0100.db"), "t", 2)).toEqual([]);
  expect(readdirSync(path)).toHaveLength(5);
  expect(existsSync(file(`${mine}.0a1b2c3d.part`))).toBe(false);
  const killed = folderForCopy(file("ledger.db"));
  const running = folderForCopy(file("ledger.db"));
  const before = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(killed, before, before);
  folderForCopy(file("ledger.db"));
  expect([killed, running].map((made) => existsSync(made))).toEqual([false, true]);
});

it("--keep never removes the backup that was just made, also beside one of a clock that was ahead", () => {
  const path = folder();
  for (const day of ["2026-11-18", "2026-11-19", "2036-01-01"])
    writeFileSync(join(path, `rowferry-t-${day}T0200.db`), "");
  const keep = (count: number) => keepBackups(join(path, "rowferry-t-2026-11-19T0200.db"), "t", count);
  expect(keep(2)).toEqual(["rowferry-t-2026-11-18T0200.db"]);
  expect(keep(1)).toEqual(["rowferry-t-2036-01-01T0200.db"]);
});

describe("ledger rebind", () => {
  const options = (made: World, transport = sandboxTransport(made.sandbox, made.clock)) => ({
    clock: made.clock,
    random: () => 0.5,
    waitForLock: false,
    transport,
    throttle: unthrottled,
    observe: () => {},
  });
  const movedTarget = ({ target }: World) => ({ ...target, baseUrl: "https://new.service.test" });

  /** Shares participants, but reads of some documents are answered 404. */
  function anotherTenant(made: World, isGone: (id: string) => boolean): Transport {
    const own = sandboxTransport(made.sandbox, made.clock);
    return async (request) => {
      const [, id] = /\/documents\/([^/]+)$/.exec(request.url) ?? [];
      if (id === undefined || !isGone(decodeURIComponent(id))) return own(request);
      const errors = [{ code: "NOT_FOUND", id: "1", timestamp: "2026-01-01T00:00:00.000Z" }];
      return { status: 404, headers: {}, body: JSON.stringify({ errors }) };
    };
  }

  it("moves a ledger to another address of the service that knows its participants", long, async () => {
    const made = await used();
    const found = await made.clock.run(rebind(movedTarget(made), options(made)));
    expect(found).toEqual({ before: "https://service.test as client sandbox", lookedUp: 1, journal: null });
    expect(() => made.withLedger(() => {})).toThrow(expect.objectContaining({ code: "ledger-of-another-target" }));
  });

  it("is refused where the service does not know them", long, async () => {
    const made = await used();
    const stranger = createWorld();
    try {
      const transport = sandboxTransport(stranger.sandbox, made.clock);
      await expect(made.clock.run(rebind(movedTarget(made), options(made, transport)))).rejects.toMatchObject({
        code: "rebind-refused",
        message: expect.stringMatching(/^The service does not know the participant with the id [0-9a-f-]{36}\.$/),
      });
      made.withLedger(() => {});
    } finally {
      await stranger.close();
    }
  });

  it("is refused by another tenant, which knows the participants and none of the documents", long, async () => {
    const made = await used();
    const newest = made.sandbox.store.documents().at(-1)?.id ?? "";
    const refused = rebind(
      movedTarget(made),
      options(
        made,
        anotherTenant(made, () => true),
      ),
    );
    await expect(made.clock.run(refused)).rejects.toMatchObject({
      code: "rebind-refused",
      message: expect.stringMatching(new RegExp(`M2 .*${newest}`)),
      hint: expect.stringContaining("another tenant"),
    });
    made.withLedger(() => {});
  });

  it("is not refused for a document that is gone where another is there", long, async () => {
    const made = await used();
    const [oldest] = made.sandbox.store.documents();
    const transport = anotherTenant(made, (id) => id !== oldest?.id);
    expect(await made.clock.run(rebind(movedTarget(made), options(made, transport)))).toMatchObject({ lookedUp: 1 });
  });

  it("leaves it to the participants where all documents are cancelled", long, async () => {
    const made = await used();
    made.withLedger((database) => database.exec("UPDATE document_states SET state = 'cancelled'"));
    const transport = anotherTenant(made, () => true);
    expect(await made.clock.run(rebind(movedTarget(made), options(made, transport)))).toMatchObject({ lookedUp: 1 });
  });

  const unavailable = { status: 503, headers: { "retry-after": "120" }, body: "" };
  it.each<[string, (made: World, own: Transport) => Transport]>([
    [
      "takes no connection",
      () => () => Promise.reject(new TransportFailure("connect-refused", false, "connect ECONNREFUSED")),
    ],
    [
      "answers 503",
      (_made, own) => (request) => (request.url.includes("/oauth") ? own(request) : Promise.resolve(unavailable)),
    ],
    [
      "takes connections and says nothing",
      ({ clock }) =>
        async ({ timeouts }) => {
          await clock.sleep(timeouts.headersMs);
          throw new TransportFailure("headers-timeout", true, "no answer in time");
        },
    ],
  ])("says soon that a service that %s does not answer, and ends within a minute", long, async (_how, down) => {
    const made = await used();
    const began = made.clock.now();
    const said: [number, string][] = [];
    const transport = down(made, sandboxTransport(made.sandbox, made.clock));
    const observe = (event: PipelineEvent) =>
      void (event.type === "notice" && said.push([made.clock.now() - began, event.message]));
    const moved = { ...movedTarget(made), tokenUrl: `${made.target.tokenUrl}?key=t0ken-key` };
    await expect(made.clock.run(rebind(moved, { ...options(made, transport), observe }))).rejects.toMatchObject({
      code: "service-outage",
      message: expect.stringMatching(/^(?!.*t0ken-key).*https:\/\/new\.service\.test/),
    });
    expect(made.clock.now() - began).toBeLessThanOrEqual(65_000);
    expect(said).toEqual([[expect.any(Number), expect.stringContaining("does not answer")]]);
    expect(said[0]?.[0]).toBeLessThanOrEqual(3_000);
    made.withLedger(() => {});
  });
});
