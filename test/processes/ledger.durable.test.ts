/** Journal and pruned ledger hold all that was ever said to be in them: full disks and limits (F10, P1; HARD-CASES H33). */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { openJournal } from "../../src/ledger/journal/journal.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { createWorld, type World } from "../nights/simulation/world.js";
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

describe("ledger prune under a file-size limit", { tags: ["long"] }, () => {
  let world: World;
  beforeEach(() => {
    world = createWorld();
  });
  afterEach(() => world.close());

  test.each([40, 100, 300])("of %i KiB, which it reaches, loses no body", async (limit) => {
    const rows = Array.from({ length: 300 }, (_, index) =>
      eventRow({ row: index + 2, document: `M${index}`, minute: 10, weight: `weight ${Math.sin(index)}` }),
    );
    await world.import([{ name: "a.csv", contentHash: "a", rows }]);
    const { ledger, env } = here();
    Object.assign(env, { ROWFERRY_BASE_URL: world.target.baseUrl, ROWFERRY_TOKEN_URL: world.target.tokenUrl });
    mkdirSync(dirname(ledger), { recursive: true });
    copyFileSync(world.target.ledgerPath, ledger);
    Object.assign(world.target, { stateFolder: dirname(ledger), ledgerPath: ledger });
    const bodies = async () => {
      const shown = await Promise.all(rows.map((_, index) => world.show(`M${index}`)));
      return shown.map(({ documents }) => documents[0]?.events.map(({ body }) => body));
    };
    const before = await bodies();
    const args = ["ledger", "prune", "--keep-for", "1d"];
    const first = await here().run(args, { fileBlocks: limit });
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining("disk")]);
    expect(await bodies()).toEqual(before);
    const second = await here().run(args);
    expect(second.code, second.stderr).toBe(0);
    expect(
      world.look((database) => database.prepare("SELECT count(*) FROM events WHERE payload <> ''").pluck().get()),
    ).toBe(0);
    expect(await bodies()).toEqual(before);
  });
});
