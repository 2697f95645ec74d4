/** Journal and archive hold all that was ever said to be in them: full disks, limits and torn ends (F10, P1; HARD-CASES H33). */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readArchive } from "../../src/ledger/care/archive.js";
import { openJournal } from "../../src/ledger/journal/journal.js";
import { openLedgerReadOnly } from "../../src/ledger/open-ledger.js";
import { prune } from "../../src/desk/care.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { endProcesses, manifests, rowferry, serviceEnv, shortWaits } from "./processes.js";
import { expectWhole, type Timelines, undisturbedTimelines } from "./timelines.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { createWorld, type World } from "../nights/simulation/world.js";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });
afterAll(endProcesses);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-durable-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** KiB: more than these imports' ledgers need. */
const LIMIT = 8_192;

describe("under a file-size limit that the journal reaches", () => {
  let sandbox: Sandbox;
  let undisturbed: Timelines;
  beforeEach(async () => {
    sandbox = createSandbox({ rate: null });
    undisturbed ??= await undisturbedTimelines();
  });
  afterEach(() => sandbox.close());

  // Among the registrations and among the documents.
  test("after 500 more bytes the journal alone brings back all that was sent", () => expectBroughtBack(500));
  test("after 30,001 more bytes too", { tags: ["long"] }, () => expectBroughtBack(30_001));

  async function expectBroughtBack(room: number): Promise<void> {
    const journal = join(folder, "journal.ndjson");
    const ledger = join(folder, "ledger.db");
    const env = serviceEnv(await sandbox.listen({ host: "127.0.0.1", port: 0 }), ledger);
    const run = (args: string[], fileBlocks?: number) =>
      rowferry(args, { cwd: folder, env, preload: [shortWaits], ...(fileBlocks === undefined ? {} : { fileBlocks }) });
    const owner = { target: "env", baseUrl: env["ROWFERRY_BASE_URL"] ?? "", clientId: env["ROWFERRY_CLIENT_ID"] ?? "" };
    openJournal(journal, folder, owner).close();
    const header = readFileSync(journal, "utf8");
    const entry = (padding: string) => `{"entry":"end","at":0,"padding":"${padding}"}\n`;
    const length = LIMIT * 1024 - room - header.length - entry("").length;
    writeFileSync(journal, header + entry("x".repeat(length)));
    const first = await run(["import", ...manifests, "--journal", journal], LIMIT);
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining("journal could not be written")]);
    const text = readFileSync(journal, "utf8");
    expect(text.endsWith("\n"), "no tear is left").toBe(true);
    for (const line of text.split("\n").filter((one) => one !== ""))
      expect(() => JSON.parse(line) as unknown).not.toThrow();

    for (const ending of ["", "-wal", "-shm"]) rmSync(ledger + ending, { force: true });
    expect((await run(["ledger", "rebuild", journal])).code).toBe(0);
    const last = await run(["import", ...manifests, "--journal", journal]);
    expectWhole(last.code, sandbox, ledger, undisturbed, last.stderr);
    expect(last.stdout + last.stderr).not.toContain("foreign");
  }
});

/** A gzip member of so many bytes that holds nothing: all of it is the name in its header. */
function emptyMember(bytes: number): Buffer {
  const named = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
  const rest = gzipSync("").subarray(named.length);
  return Buffer.concat([named, Buffer.alloc(bytes - named.length - 1 - rest.length, "x"), Buffer.alloc(1), rest]);
}

describe("the archive", () => {
  let world: World;
  afterEach(() => world.close());

  const night = (letter = "M") => ({
    name: "a.csv",
    contentHash: `a${letter}`,
    rows: Array.from({ length: 300 }, (_, index) =>
      eventRow({ row: index + 2, document: `${letter}${index}`, minute: 10, weight: `weight ${Math.sin(index)}` }),
    ),
  });
  const archive = () => join(world.target.stateFolder, "archive");
  const archived = async (): Promise<number> => {
    const keys = new Set<unknown>();
    for await (const entry of readArchive(archive())) if (entry.type === "payload") keys.add(entry["deduplicationId"]);
    return keys.size;
  };
  /** Bodies that the ledger no longer has. */
  const gone = (): number => {
    const database = openLedgerReadOnly(world.target.ledgerPath, null);
    try {
      return database.prepare<[], number>("SELECT count(*) FROM events WHERE payload = ''").pluck().get() ?? 0;
    } finally {
      database.close();
    }
  };
  const pruneAll = () => prune(world.target, -1, { clock: world.clock, waitForLock: false });

  test.each([0, 1, 20, 21, 2_000])(
    "whose last write a power loss cut by %i bytes loses nothing, and what is pruned later is read too",
    async (lost) => {
      world = createWorld();
      await world.import([night()]);
      const copy = join(world.target.stateFolder, "before.db");
      world.withLedger((database) => database.prepare("VACUUM INTO ?").run(copy));
      await pruneAll();
      const month = join(archive(), `${new Date(world.clock.now()).toISOString().slice(0, 7)}.ndjson.gz`);
      truncateSync(month, statSync(month).size - lost);
      // The ledger that had not yet been told.
      world.target.ledgerPath = copy;
      await world.import([night("N")]);
      await pruneAll();
      expect([gone(), await archived()]).toEqual([600, 600]);
    },
  );

  test.each([0, 100, 3_000])(
    "under a file-size limit that it reaches after %i bytes keeps what the ledger gave away",
    async (room) => {
      world = createWorld();
      await world.import([night()]);
      const state = join(folder, "state", "env");
      mkdirSync(join(state, "archive"), { recursive: true });
      copyFileSync(world.target.ledgerPath, join(state, "ledger.db"));
      const env = {
        ...serviceEnv({ baseUrl: world.target.baseUrl, tokenUrl: world.target.tokenUrl }, join(state, "ledger.db")),
      };
      world.target.stateFolder = state;
      world.target.ledgerPath = join(state, "ledger.db");
      const month = join(archive(), `${new Date(world.clock.now()).toISOString().slice(0, 7)}.ndjson.gz`);
      const mark = gzipSync("");
      writeFileSync(month, Buffer.concat([emptyMember(LIMIT * 1024 - room - mark.length), mark]));
      const pruneIt = (fileBlocks?: number) =>
        rowferry(["ledger", "prune", "--keep", "1d"], {
          cwd: folder,
          env,
          ...(fileBlocks === undefined ? {} : { fileBlocks }),
        });
      const first = await pruneIt(LIMIT);
      expect([first.code, first.stderr]).toEqual([1, expect.stringContaining("archive could not be written")]);
      expect(await archived()).toBeGreaterThanOrEqual(gone());
      const second = await pruneIt();
      expect(second.code, second.stderr).toBe(0);
      expect([gone(), await archived()]).toEqual([300, 300]);
    },
  );
});
