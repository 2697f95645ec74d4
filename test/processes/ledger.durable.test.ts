/** Journal and archive hold all that was ever said to be in them: full disks, limits and torn ends (F10, P1; HARD-CASES H33). */
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { prune } from "../../src/desk/care.js";
import { readArchive } from "../../src/ledger/care/archive.js";
import { openJournal } from "../../src/ledger/journal/journal.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { createWorld, type World } from "../nights/simulation/world.js";
import { isSample } from "../support/sample.js";
import { installed } from "./installation.js";
import { shortWaits } from "./processes.js";

const here = installed({ ledger: "state/env/ledger.db", preload: [shortWaits] });

/** KiB: more than these imports' ledgers need. */
const LIMIT = 8_192;

describe("under a file-size limit that the journal reaches", () => {
  // Among the registrations and among the documents.
  test.each([500, 30_001])(
    "after %i more bytes it alone brings back all that was sent",
    { tags: ["long"] },
    async (room) => {
      const journal = here().path("journal.ndjson");
      const { door, env, folder, ledger } = here();
      openJournal(journal, folder, {
        target: "env",
        baseUrl: door.baseUrl,
        clientId: env["ROWFERRY_CLIENT_ID"] ?? "",
      }).close();
      const header = readFileSync(journal, "utf8");
      const entry = (padding: string) => `{"entry":"end","at":0,"padding":"${padding}"}\n`;
      const length = LIMIT * 1024 - room - header.length - entry("").length;
      writeFileSync(journal, header + entry("x".repeat(length)));
      const first = await here().import({ fileBlocks: LIMIT }, "--journal", journal);
      expect([first.code, first.stderr]).toEqual([1, expect.stringContaining("journal could not be written")]);
      const text = readFileSync(journal, "utf8");
      expect(text.endsWith("\n"), "no tear is left").toBe(true);
      for (const line of text.trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();

      for (const ending of ["", "-wal", "-shm"]) rmSync(ledger + ending, { force: true });
      expect((await here().run(["ledger", "rebuild", journal])).code).toBe(0);
      const last = await here().import({}, "--journal", journal);
      await here().expectWhole(last);
      expect(last.stdout + last.stderr).not.toContain("foreign");
    },
  );
});

/** A gzip member of so many bytes that holds nothing: all of it is the name in its header. */
function emptyMember(bytes: number) {
  const named = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
  const rest = gzipSync("").subarray(named.length);
  return Buffer.concat([named, Buffer.alloc(bytes - named.length - 1 - rest.length, "x"), Buffer.alloc(1), rest]);
}

describe("the archive", () => {
  let world: World;
  beforeEach(() => {
    world = createWorld();
  });
  afterEach(() => world.close());

  const night = (letter = "M") => ({
    name: "a.csv",
    contentHash: `a${letter}`,
    rows: Array.from({ length: 300 }, (_, index) =>
      eventRow({ row: index + 2, document: `${letter}${index}`, minute: 10, weight: `weight ${Math.sin(index)}` }),
    ),
  });
  const archive = () => join(world.target.stateFolder, "archive");
  const month = () => join(archive(), `${new Date(world.clock.now()).toISOString().slice(0, 7)}.ndjson.gz`);
  const archived = async () => {
    const keys = new Set<unknown>();
    for await (const entry of readArchive(archive())) if (entry.type === "payload") keys.add(entry["deduplicationId"]);
    return keys.size;
  };
  /** Bodies that the ledger no longer has. */
  const gone = () =>
    world.look((database) =>
      Number(database.prepare<[], number>("SELECT count(*) FROM events WHERE payload = ''").pluck().get()),
    );
  const pruneAll = () => prune(world.target, -1, { clock: world.clock, waitForLock: false });

  test.each(isSample ? [21] : [0, 1, 20, 21, 2_000])(
    "whose last write a power loss cut by %i bytes loses nothing, and what is pruned later is read too",
    async (lost) => {
      await world.import([night()]);
      const copy = join(world.target.stateFolder, "before.db");
      world.withLedger((database) => database.prepare("VACUUM INTO ?").run(copy));
      await pruneAll();
      truncateSync(month(), statSync(month()).size - lost);
      // The ledger that had not yet been told.
      world.target.ledgerPath = copy;
      await world.import([night("N")]);
      await pruneAll();
      expect([gone(), await archived()]).toEqual([600, 600]);
    },
  );

  test.each(isSample ? [100] : [0, 100, 3_000])(
    "under a file-size limit that it reaches after %i bytes keeps what the ledger gave away",
    async (room) => {
      await world.import([night()]);
      const { ledger, env } = here();
      Object.assign(env, { ROWFERRY_BASE_URL: world.target.baseUrl, ROWFERRY_TOKEN_URL: world.target.tokenUrl });
      mkdirSync(join(dirname(ledger), "archive"), { recursive: true });
      copyFileSync(world.target.ledgerPath, ledger);
      Object.assign(world.target, { stateFolder: dirname(ledger), ledgerPath: ledger });
      const mark = gzipSync("");
      writeFileSync(month(), Buffer.concat([emptyMember(LIMIT * 1024 - room - mark.length), mark]));
      const args = ["ledger", "prune", "--keep-for", "1d"];
      const first = await here().run(args, { fileBlocks: LIMIT });
      expect([first.code, first.stderr]).toEqual([1, expect.stringContaining("archive could not be written")]);
      expect(await archived()).toBeGreaterThanOrEqual(gone());
      const second = await here().run(args);
      expect(second.code, second.stderr).toBe(0);
      expect([gone(), await archived()]).toEqual([300, 300]);
    },
  );
});
