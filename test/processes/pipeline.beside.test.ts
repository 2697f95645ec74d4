/** What a person types beside a running import (F13): an answer within two seconds, and none of SQLite's words. */
import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { evenly, writeDeliveries } from "../support/deliveries.js";
import { drawn } from "../support/sample.js";
import { installed, REAL } from "./installation.js";
import type { Ended, Rowferry } from "./processes.js";

const here = installed({ env: REAL, answerAfterMs: 50 });

/**
 * In two seconds beyond what `--version` takes, on a machine where that takes an eighth of a second at most; a slower or
 * busier one has as much more, for `plan` loads a dozen times as much as `--version`. The quickest of three tries, as a
 * machine may pause.
 */
async function expectQuick(fitting: number, ...args: string[]): Promise<Ended> {
  const line = args.join(" ");
  for (let tries = 1; ; tries += 1) {
    const startMs = await timed(() => here().run(["--version"]));
    let ended: Ended | undefined;
    const ms = (await timed(async () => (ended = await here().run(args)))) - startMs;
    expect(`${ended?.stderr}${ended?.stdout}`, line).not.toMatch(/SQLITE|database is locked|unexpected/i);
    expect(ended?.code, `${line}: ${ended?.stderr}`).toBe(fitting);
    const limitMs = Math.max(2_000, 16 * startMs);
    if (tries === 3) expect(ms, `${line}, started in ${startMs} ms`).toBeLessThan(limitMs);
    if (ms < limitMs && ended !== undefined) return ended;
  }
}

/** Whether another process is writing, and has been for a while. */
async function isWriting() {
  for (let look = 0; look < 5; look += 1) {
    const database = new Database(here().ledger, { timeout: 0 });
    try {
      database.exec("BEGIN IMMEDIATE; ROLLBACK");
      return false;
    } catch {
      await wait(30);
    } finally {
      database.close();
    }
  }
  return true;
}

async function timed(work: () => Promise<unknown>) {
  const begun = Date.now();
  await work();
  return Date.now() - begun;
}

async function end({ child, ended }: Rowferry) {
  child.kill("SIGKILL");
  await ended;
}

test(
  "beside an import that stages dismiss says so at once, and with --wait does what it is told; status answers",
  long,
  async () => {
    const few = await writeDeliveries(here().folder, evenly(3, 3, "A"), "few");
    expect((await here().run(["import", ...few])).code).toBe(0);
    const many = await writeDeliveries(here().folder, evenly(150_000, 15_000, "B"), "many");
    const running = here().start(["import", ...many]);
    while (!(await isWriting())) await wait(20);
    const refused = await expectQuick(5, "dismiss", "--document", "A1");
    expect(refused.stderr).toContain("--wait");
    expect(await isWriting(), "it was still staging").toBe(true);
    await expectQuick(0, "status");
    // It has landed: there is nothing to dismiss, and the ledger could be asked.
    expect((await here().run(["dismiss", "--document", "A1", "--wait"])).code).toBe(2);
    expect(await isWriting(), "it waited for the end of staging").toBe(false);
    await end(running);
  },
);

test(
  "beside an import that sends show, status, dismiss, resolve and plan answer within two seconds",
  long,
  async () => {
    const rows = 2_000;
    const many = await writeDeliveries(here().folder, evenly(rows, rows, "B"), "many");
    const more = await writeDeliveries(here().folder, evenly(5, 5, "C"), "more");
    const running = here().start(["import", ...many]);
    while (here().sandbox.store.documents().length < 5) await wait(20);
    for (let round = 0; round < drawn(1, 2); round += 1) {
      for (const [fitting, ...args] of [
        [0, "status"],
        [0, "show", "B1"],
        [2, "dismiss", "--document", `B${rows - 1}`],
        [2, "resolve", `B${rows - 1}`, "--document-id", "x", "--yes"],
        [0, "plan", ...more],
      ] as const) {
        await expectQuick(fitting, ...args);
      }
    }
    expect(running.child.exitCode, "it goes on").toBeNull();
    await end(running);
    const copies = readdirSync(here().folder).filter((name) => name.includes(".plan-"));
    expect(copies, "no copy is left").toEqual([]);
  },
);
