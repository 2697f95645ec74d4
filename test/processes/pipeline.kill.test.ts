/** Real processes, killed with SIGKILL half-way and run again (P1, P4; HARD-CASES H33; DESIGN section 1). */
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import {
  allKillPoints,
  clockAhead,
  type Ended,
  type KillPoint,
  killedAt,
  manifests,
  type ProcessOptions,
  serviceEnv,
  shortWaits,
  startRowferry,
  endProcesses,
} from "./processes.js";
import { expectWhole, type Timelines, undisturbedTimelines } from "./timelines.js";

// Real processes take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
afterAll(endProcesses);

const long = { tags: ["long"] };

let folder: string;
let ledger: string;
let sandbox: Sandbox;
let env: Record<string, string>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-kill-"));
  ledger = join(folder, "ledger.db");
  sandbox = createSandbox({ rate: null });
  env = serviceEnv(await sandbox.listen({ host: "127.0.0.1", port: 0 }), ledger);
});

afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

interface More extends Partial<ProcessOptions> {
  /** SIGKILL once the sandbox has seen so many requests. */
  killAfter?: number;
}

async function run(args: string[], { killAfter, ...more }: More = {}): Promise<Ended> {
  const { child, ended } = startRowferry(args, {
    cwd: folder,
    preload: [shortWaits],
    ...more,
    env: { ...env, ...more.env },
  });
  const watch = setInterval(() => {
    if (killAfter !== undefined && sandbox.store.statistics().requests >= killAfter) child.kill("SIGKILL");
  }, 1);
  return ended.finally(() => clearInterval(watch));
}
const runImport = (more: More = {}) => run(["import", "--journal", join(folder, "journal"), ...manifests], more);

let undisturbed: Timelines;
const expectAll = ({ code }: Ended): number => expectWhole(code, sandbox, ledger, undisturbed);

beforeAll(async () => {
  undisturbed = await undisturbedTimelines();
});

describe("an import killed with SIGKILL and run again", () => {
  // In registrations, at the first creates, and among the documents; `npm run soak -- --kills` draws many more.
  test("after 110 requests leaves the timelines of an undisturbed run", () => expectWholeAfterKill(110));
  test("after 10 requests leaves the timelines of an undisturbed run", long, () => expectWholeAfterKill(10));

  async function expectWholeAfterKill(requests: number): Promise<void> {
    expect((await runImport({ killAfter: requests })).code).toBeNull();
    const ended = await runImport();
    expectAll(ended);
    const resumed = await run(["resume"]);
    expect(resumed.code).toBe(ended.code);
    expect(resumed.stderr).not.toMatch(/staged/);
  }

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
      const slow = { ROWFERRY_RATE: "200", ROWFERRY_BURST: "8" };
      for (const [point, nth] of points) {
        expect((await runImport({ env: slow, program: killedAt(point, nth) })).code, point).toBeNull();
        // A resume has nothing to go on with, and says so.
        if (point === "before-staging-commits")
          expect((await run(["resume"])).stderr).toMatch(/Type that import again/);
      }
      const stranded = expectAll(await runImport());
      expect(stranded, "the last was killed with the answer to a create in hand").toBeGreaterThan(0);
      expect(stranded).toBeLessThan(undisturbed.size / 2);
    },
  );
});

describe("the log of a killed import (F93)", () => {
  const log = () => `${ledger}-wal`;
  const commands = [["import", ...manifests], ["resume"], ["status"], ["dismiss", "--code", "link-circle"], ["verify"]];

  async function expectRefused(sentence: RegExp): Promise<void> {
    const before = sandbox.store.statistics().requests;
    for (const command of commands) {
      const { code, stderr } = await run(command);
      expect({ code, stderr }, command[0]).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
    }
    expect(sandbox.store.statistics().requests).toBe(before);
  }

  test("is missed at once, and put back the import goes on", async () => {
    expect((await runImport({ killAfter: 60 })).code).toBeNull();
    renameSync(log(), join(folder, "elsewhere"));
    rmSync(`${ledger}-shm`);
    await expectRefused(/ledger\.db-wal, which is missing[^]*ledger rebuild <journal>[^]*ledger restore <backup>/);
    renameSync(join(folder, "elsewhere"), log());
    // Whoever closes the ledger last puts the log away: that is no loss.
    expect((await run(["dismiss", "--code", "link-circle"])).stderr).toMatch(/^rowferry: Nothing that is open fits/);
    expectAll(await runImport());
  });

  test("is not mixed into a backup that is copied over the ledger; restore puts it in place", long, async () => {
    const backup = join(folder, "backup.db");
    await runImport({ program: killedAt("after-staging-committed") });
    expect((await run(["ledger", "backup", backup])).code).toBe(0);
    expect((await runImport({ killAfter: 110 })).code).toBeNull();
    copyFileSync(backup, ledger);
    await expectRefused(/backup[^]*ledger\.db-wal[^]*ledger restore <backup>/);
    renameSync(log(), join(folder, "old-log"));
    const restored = await run(["ledger", "restore", backup]);
    expect({ code: restored.code, out: restored.stdout }).toEqual({ code: 0, out: expect.stringMatching(/kept as/) });
    // It is older than its journal, and that is said; the journal goes over it.
    const { code, stderr } = await runImport();
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("ledger rebuild") });
    rmSync(ledger);
    expect((await run(["ledger", "rebuild", join(folder, "journal"), backup])).code).toBe(0);
    expectAll(await runImport());
  });

  test("lost for ever: the journal makes the ledger anew", async () => {
    expect((await runImport({ killAfter: 60 })).code).toBeNull();
    rmSync(log());
    renameSync(ledger, join(folder, "moved-away.db"));
    expect((await run(["ledger", "rebuild", join(folder, "journal")])).code).toBe(0);
    expectAll(await runImport());
  });
});

describe("two imports at once (H33)", () => {
  test("the second ends with exit code 5, or waits for the first; both files land once", long, () =>
    expectApart(() => {}),
  );
  test("also where a person takes the lock's file away (F68)", () => expectApart(() => rmSync(`${ledger}.lock`)));

  async function expectApart(mishap: () => void): Promise<void> {
    const first = runImport({ env: { ROWFERRY_RATE: "60", ROWFERRY_BURST: "10" } });
    while (sandbox.store.statistics().requests === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    mishap();
    const [refused, pruned, waited] = await Promise.all([
      runImport(),
      run(["ledger", "prune", "--keep", "0d"]),
      run(["import", "--wait", ...manifests]),
    ]);
    expect([refused.code, pruned.code, (await first).code]).toEqual([5, 5, 0]);
    expect(refused.stderr).toMatch(/another rowferry process/i);
    expectAll(waited);
    expect(waited.stdout).toMatch(/known/);
  }
});

describe("a clock that is set back by a day between two runs (H33)", () => {
  test("the second run goes on at once, and loses nothing", long, async () => {
    expect((await runImport({ killAfter: 60 })).code).toBeNull();
    const ended = await runImport({ preload: [shortWaits, clockAhead(-86_400_000)] });
    expectAll(ended);
    expect((await run(["resume"])).code).toBe(ended.code);
  });
});
