/** What a person types beside a running import (F13): an answer within two seconds, and none of SQLite's words. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Door, openDoor } from "./door.js";
import { endProcesses, type Ended, rowferry, type Rowferry, serviceEnv, startRowferry } from "./processes.js";
import { evenly, writeDeliveries } from "../support/deliveries.js";
import { drawn } from "../support/sample.js";

vi.setConfig({ testTimeout: 400_000, hookTimeout: 60_000 });
afterAll(endProcesses);

let folder: string;
let ledger: string;
let door: Door;
let env: Record<string, string>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-beside-"));
  ledger = join(folder, "ledger.db");
  door = await openDoor({ rate: null });
  env = { ...serviceEnv(door, ledger), ROWFERRY_RATE: "20", ROWFERRY_BURST: "30" };
});
afterEach(async () => {
  await door.close();
  rmSync(folder, { recursive: true, force: true });
});

const type = (...args: string[]) => rowferry(args, { cwd: folder, env });

/** What a command takes beyond what it takes to start at all, ms; and what it said. */
async function timed(...args: string[]): Promise<Ended & { ms: number }> {
  const start = Date.now();
  await type("--version");
  const begun = Date.now();
  const ended = await type(...args);
  expect(ended.stderr + ended.stdout, args.join(" ")).not.toMatch(/SQLITE|database is locked|unexpected/i);
  return { ...ended, ms: Date.now() - begun - (begun - start) };
}

/** Whether another process is writing, and has been for a while. */
async function isWriting(): Promise<boolean> {
  for (let look = 0; look < 5; look += 1) {
    const database = new Database(ledger, { timeout: 0 });
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

async function end({ child, ended }: Rowferry): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

describe("beside an import that stages", () => {
  test("dismiss and resolve say so at once, and with --wait do what they are told; status and plan answer", {
    tags: ["long"],
  }, async () => {
    const few = await writeDeliveries(folder, evenly(3, 3, "A"), "few");
    expect((await type("import", ...few)).code).toBe(0);
    const many = await writeDeliveries(folder, evenly(150_000, 15_000, "B"), "many");
    const running = startRowferry(["import", ...many], { cwd: folder, env });
    while (!(await isWriting())) await wait(20);
    const refused = await timed("dismiss", "--document", "A1");
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("--wait")]);
    expect(refused.ms).toBeLessThan(2_000);
    expect(await isWriting(), "it was still staging").toBe(true);
    const status = await timed("status");
    expect([status.code, status.ms < 2_000]).toEqual([0, true]);
    const waited = type("dismiss", "--document", "A1", "--wait");
    // It has landed: there is nothing to dismiss, and the ledger could be asked.
    expect((await waited).code).toBe(2);
    expect(await isWriting(), "it waited for the end of staging").toBe(false);
    await end(running);
  });
});

describe("beside an import that sends", () => {
  test("show, status, dismiss, resolve and plan answer within two seconds, again and again", async () => {
    const many = await writeDeliveries(folder, evenly(6_000, 6_000, "B"), "many");
    const more = await writeDeliveries(folder, evenly(5, 5, "C"), "more");
    const running = startRowferry(["import", ...many], { cwd: folder, env });
    while (door.sandbox.store.documents().length < 5) await wait(20);
    for (let round = 0; round < drawn(2, 4); round += 1) {
      for (const [args, codes] of [
        [["status"], [0]],
        [["show", "B1"], [0]],
        [["dismiss", "--document", "B5999"], [2]],
        [["resolve", "B5999", "--document-id", "x", "--yes"], [2]],
        [["plan", ...more], [0]],
      ] as const) {
        const { code, ms, stderr } = await timed(...args);
        expect(codes, `${args.join(" ")}: ${stderr}`).toContain(code);
        expect(ms, args.join(" ")).toBeLessThan(2_000);
      }
    }
    expect(running.child.exitCode, "it goes on").toBeNull();
    await end(running);
    expect(
      readdirSync(folder).filter((name) => name.includes(".plan-")),
      "no copy is left",
    ).toEqual([]);
  });
});
