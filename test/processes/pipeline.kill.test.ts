/** Real processes, killed with SIGKILL half-way and run again (P1, P4; HARD-CASES H33; DESIGN section 1). */
import { copyFileSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { installed } from "./installation.js";
import { allKillPoints, clockAhead, type KillPoint, killedAt, manifests, shortWaits } from "./processes.js";

const here = installed({ preload: [shortWaits] });

const journalled = () => ["--journal", here().path("journal")];
const again = () => here().import({}, ...journalled());
const built = (program: string) => here().import({ program }, ...journalled());

async function killAfter(requests: number) {
  const args = ["import", ...journalled(), ...manifests];
  expect((await here().runUntil(requests, ({ child }) => child.kill("SIGKILL"), args)).code).toBeNull();
}

describe("an import killed with SIGKILL and run again", () => {
  // In registrations, at the first creates, and among the documents; `npm run soak -- --kills` draws many more.
  test("after 110 requests leaves the timelines of an undisturbed run", () => expectWholeAfterKill(110));
  test("after 10 requests leaves the timelines of an undisturbed run", long, () => expectWholeAfterKill(10));

  async function expectWholeAfterKill(requests: number) {
    await killAfter(requests);
    const ended = await again();
    await here().expectWhole(ended);
    const resumed = await here().run(["resume"]);
    expect(resumed.code).toBe(ended.code);
    expect(resumed.stderr).not.toMatch(/staged/);
  }

  test(
    "before its rows were staged leaves nothing to go on with, and that all is well is said by nobody",
    long,
    async () => {
      expect((await built(killedAt("before-staging-commits", 1))).code).toBeNull();
      for (const [command = "", code] of [
        ["status", 0],
        ["resume", 3],
        ["status", 0],
        ["retry", 3],
      ] as const) {
        const ended = await here().run(
          [command, "--journal", here().path("journal")].slice(0, command === "status" ? 1 : 3),
        );
        expect(ended).toMatchObject({ code, stdout: expect.stringMatching(/run\s+that\s+import\s+again/i) });
        expect(ended.stdout).not.toMatch(/all is well/i);
      }
      await here().expectWhole(await again());
      expect((await here().run(["status"])).stdout).not.toContain("import again");
    },
  );

  test(
    "at every named point between two durable steps, one after the other, loses and doubles nothing",
    long,
    async () => {
      // Each run goes on where the one before was killed, and counts anew: 22 participants, 26 addresses, 66 documents.
      const points: [KillPoint, number][] = [
        ["before-staging-commits", 1],
        ["after-staging-committed", 1],
        ["after-planning", 1],
        // Among the participants
        ["after-journal", 20],
        ["after-intent", 20],
        ["before-outcome", 20],
        // Among the addresses
        ["before-outcome", 10],
        // Among the documents
        ["after-outcome", 30],
        ["after-journal", 10],
        ["after-intent", 10],
        ["before-outcome", 10],
        ["before-run-files", 1],
        ["after-run-files", 1],
      ];
      expect(new Set(points.map(([point]) => point))).toEqual(new Set(allKillPoints));
      // Few are in flight when the process is killed, or most documents would be stranded.
      Object.assign(here().env, { ROWFERRY_RATE: "200", ROWFERRY_BURST: "8" });
      for (const [point, nth] of points) {
        expect((await built(killedAt(point, nth))).code, point).toBeNull();
      }
      const stranded = await here().expectWhole(await again());
      expect(stranded, "the last was killed with the answer to a create in hand").toBeGreaterThan(0);
      expect(stranded).toBeLessThan(33);
    },
  );
});

test(
  "a decision killed before the ledger has it is not carried out by a ledger that is rebuilt later: the next command takes it out of the journal",
  long,
  async () => {
    await again();
    const [document] = here().sandbox.store.documents();
    const replacing = ["replace", document?.externalId ?? "", "--reason", "wrong", "--yes"];
    expect((await here().run(replacing, { program: killedAt("after-journal") })).code).toBeNull();
    expect(readFileSync(here().path("journal"), "utf8")).toContain('"entry":"replaced"');
    await again();
    renameSync(here().ledger, here().path("moved-away.db"));
    expect((await here().run(["ledger", "rebuild", here().path("journal")])).code).toBe(0);
    await here().expectWhole(await again());
  },
);

test(
  "an import killed before its new ledger has its first page leaves nothing in the way of the next",
  long,
  async () => {
    const killed = `data:text/javascript,${encodeURIComponent(`
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { openSync } = fs;
    fs.openSync = (path, ...how) => {
      const file = openSync(path, ...how);
      if (/ledger[.]db([.]part)?$/.test(path)) process.kill(process.pid, "SIGKILL");
      return file;
    };
    syncBuiltinESMExports();`)}`;
    expect((await here().import({ preload: [killed] })).code).toBeNull();
    await here().expectWhole(await again());
  },
);

test(
  "a restore killed before the backup takes its place leaves the former ledger there, which a new one would double",
  long,
  async () => {
    const { ledger } = here();
    const backup = here().path("backup.db");
    await here().import({}, "--limit", "5", ...journalled());
    expect((await here().run(["ledger", "backup", backup])).code).toBe(0);
    const killed = `data:text/javascript,${encodeURIComponent(`
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { renameSync } = fs;
    fs.renameSync = (from, to) =>
      to === ${JSON.stringify(ledger)} ? process.kill(process.pid, "SIGKILL") : renameSync(from, to);
    syncBuiltinESMExports();`)}`;
    expect((await here().run(["ledger", "restore", backup], { preload: [killed] })).code).toBeNull();
    await here().expectWhole(await again());
  },
);

describe("the log of a killed import (F93)", () => {
  const log = () => `${here().ledger}-wal`;
  const commands = [["import", ...manifests], ["resume"], ["status"], ["dismiss", "--code", "link-circle"], ["verify"]];

  async function expectRefused(sentence: RegExp) {
    const before = here().requests();
    // One after the other: each looks while it holds the ledger.
    for (const command of commands) {
      const { code, stderr } = await here().run(command);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
    }
    expect(here().requests()).toBe(before);
  }

  test("is missed at once, and put back the import goes on", long, async () => {
    await killAfter(60);
    renameSync(log(), here().path("elsewhere"));
    rmSync(`${here().ledger}-shm`);
    await expectRefused(/ledger\.db-wal, which is missing[^]*ledger rebuild <journal>[^]*ledger restore <backup>/);
    renameSync(here().path("elsewhere"), log());
    // Whoever closes the ledger last puts the log away: that is no loss.
    const { stderr } = await here().run(["dismiss", "--code", "link-circle"]);
    expect(stderr).toMatch(/^rowferry: No open record matches/);
    await here().expectWhole(await again());
  });

  test("is not mixed into a backup that is copied over the ledger; restore puts it in place", long, async () => {
    const { ledger } = here();
    const backup = here().path("backup.db");
    await built(killedAt("after-staging-committed"));
    expect((await here().run(["ledger", "backup", backup])).code).toBe(0);
    await killAfter(110);
    copyFileSync(backup, ledger);
    await expectRefused(/backup[^]*ledger\.db-wal[^]*ledger restore <backup>/);
    renameSync(log(), here().path("old-log"));
    const restored = await here().run(["ledger", "restore", backup]);
    expect({ code: restored.code, out: restored.stdout }).toEqual({ code: 0, out: expect.stringMatching(/kept as/) });
    // It is older than its journal, which goes over it.
    expect(restored.stdout).toContain("supplied what was sent until");
    await here().expectWhole(await again());
  });

  test("lost for ever: the journal makes the ledger anew", long, async () => {
    await killAfter(60);
    rmSync(log());
    renameSync(here().ledger, here().path("moved-away.db"));
    expect((await here().run(["ledger", "rebuild", here().path("journal")])).code).toBe(0);
    await here().expectWhole(await again());
  });
});

test.each([
  ["deleted", (ledger: string) => rmSync(ledger)],
  ["replaced", (ledger: string) => (copyFileSync(ledger, `${ledger}.new`), renameSync(`${ledger}.new`, ledger))],
])(
  "a ledger that is %s during an import stops it, and a copy keeps all that was sent (H33)",
  long,
  async (_, happens) => {
    const { ledger } = here();
    const stopped = await here().runUntil(60, () => happens(ledger), ["import", ...manifests]);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringMatching(/moved, deleted or replaced/) });
    const [, copy] = /ledger restore (\S+)`/.exec(stopped.stderr) ?? [];
    if (copy !== undefined) expect((await here().run(["ledger", "restore", copy])).code).toBe(0);
    expect(await here().expectWhole(await here().import())).toBe(0);
  },
);

test.each([
  ["deleted", (journal: string) => rmSync(journal)],
  ["emptied", (journal: string) => truncateSync(journal)],
])("a journal that is %s during an import stops it, and the next run misses it too", long, async (_, happens) => {
  const args = ["import", ...journalled(), ...manifests];
  const stopped = await here().runUntil(60, () => happens(here().path("journal")), args);
  expect(stopped).toMatchObject({ code: 1, stderr: expect.stringMatching(/journal was moved, deleted/) });
  expect((await again()).stderr).toMatch(/has lost entries/);
  expect((await here().run(["ledger", "backup", here().path("backup.db"), "--forget-journal"])).code).toBe(0);
  rmSync(here().path("journal"), { force: true });
  expect(await here().expectWhole(await again())).toBe(0);
});

describe("two imports at once (H33)", () => {
  test("the second ends with exit code 5, or waits for the first; both files land once", long, () =>
    expectApart(() => {}),
  );
  test("also where a person takes the lock's file away (F68)", long, () =>
    expectApart(() => rmSync(`${here().ledger}.lock`)),
  );

  async function expectApart(mishap: () => void) {
    const first = here().start(["import", ...manifests], { env: { ROWFERRY_RATE: "100", ROWFERRY_BURST: "10" } });
    while (here().requests() === 0) await wait(10);
    mishap();
    // On a busy machine the first would end before the others have begun.
    first.child.kill("SIGSTOP");
    const waiting = here().import({}, "--wait");
    const [refused, pruned] = await Promise.all([here().import(), here().run(["ledger", "prune", "--keep-for", "0d"])]);
    first.child.kill("SIGCONT");
    const waited = await waiting;
    expect([refused.code, pruned.code, (await first.ended).code]).toEqual([5, 5, 0]);
    expect(refused.stderr).toMatch(/another rowferry process/i);
    await here().expectWhole(waited);
    expect(waited.stdout).toMatch(/known/);
  }
});

test(
  "a clock set back by a day between two runs loses nothing, and the second goes on at once (H33)",
  long,
  async () => {
    await killAfter(60);
    const ended = await here().import({ preload: [shortWaits, clockAhead(-86_400_000)] }, ...journalled());
    await here().expectWhole(ended);
    expect((await here().run(["resume"])).code).toBe(ended.code);
  },
);
