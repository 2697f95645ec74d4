/** What a kill leaves in doubt was on the wire: between intent and wire lies no wait (P4, H44). At the real limit. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterAll, describe, expect, test, vi } from "vitest";
import { documentDeduplicationId, type DocumentKey } from "../../src/model/keys.js";
import { seededRandom } from "../../src/sandbox/index.js";
import { keyText } from "../../src/ledger/event-key.js";
import { type Door, openDoor } from "./door.js";
import { endProcesses, serviceEnv, startRowferry } from "./processes.js";
import { drawn } from "../support/sample.js";
import { refusedBy } from "../support/submit/exact-bucket.js";
import { type Delivery, evenly, linked, writeDeliveries } from "../support/deliveries.js";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });
afterAll(endProcesses);

/** Keys of what a killed process was sending, as its ledger says. */
function inDoubt(ledgerPath: string): string[] {
  const ledger = new Database(ledgerPath, { readonly: true });
  const events = ledger
    .prepare<[], Buffer>(
      "SELECT e.deduplication_id FROM event_states s JOIN events e ON e.id = s.event_id WHERE s.state = 'sending'",
    )
    .pluck()
    .all();
  const documents = ledger
    .prepare<[], DocumentKey>(
      `SELECT d.namespace, d.kind, d.key, d.generation FROM document_states s JOIN documents d ON d.id = s.document_id
       WHERE s.state = 'sending'`,
    )
    .all();
  ledger.close();
  return [...events.map((key) => keyText(key)), ...documents.map((key) => documentDeduplicationId(key))];
}

interface Kill {
  doubtful: number;
  /** Of those, the ones whose request never reached the service. */
  neverSent: number;
}

async function killAtRandom(
  rows: Iterable<Delivery>,
  { kills, seed, answerAfterMs }: { kills: number; seed: number; answerAfterMs: number },
): Promise<{ kills: Kill[]; door: Door }> {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-doubt-"));
  const ledger = join(folder, "ledger.db");
  const door = await openDoor({ rate: 20, burst: 30 }, answerAfterMs);
  const random = seededRandom(seed);
  const result: Kill[] = [];
  try {
    const args = await writeDeliveries(folder, rows);
    const env = { ...serviceEnv(door, ledger), ROWFERRY_RATE: "20", ROWFERRY_BURST: "30" };
    for (let round = 0; round < kills; round += 1) {
      const { child, ended } = startRowferry(round === 0 ? ["import", ...args] : ["resume"], { cwd: folder, env });
      const before = door.sandbox.store.documents().length;
      while (door.sandbox.store.documents().length === before && child.exitCode === null) await wait(5);
      await wait(random() * 5_000);
      child.kill("SIGKILL");
      expect((await ended).code, "killed while it sent").toBeNull();
      // What the kernel had taken arrives.
      await wait(300);
      const keys = inDoubt(ledger);
      result.push({ doubtful: keys.length, neverSent: keys.filter((key) => !door.hasSeen(key)).length });
    }
    return { kills: result, door };
  } finally {
    await door.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function expectOnlyDoubtAtTheDoor(rows: Iterable<Delivery>, seed: number, answerAfterMs: number): Promise<void> {
  const { kills, door } = await killAtRandom(rows, { kills: drawn(2, 4), seed, answerAfterMs });
  // A kill may fall between the intent's last byte and the request's first: that is one request, its document and its event.
  expect(Math.max(...kills.map(({ neverSent }) => neverSent)), JSON.stringify(kills)).toBeLessThanOrEqual(2);
  expect(door.arrivals.length).toBeGreaterThan(25 * kills.length);
  expect(refusedBy(20, 30, door.arrivals), "requests over the limit, restarts included (P6)").toBe(0);
}

describe("whatever kill -9 leaves in doubt had its request at the service's door", () => {
  test("documents of their own", () => expectOnlyDoubtAtTheDoor(evenly(2_000, 2_000), 1, 50));
  test("documents that are linked to one", { tags: ["long"] }, () => expectOnlyDoubtAtTheDoor(linked(3_000), 2, 50));
  test("answers that take 1.5 s", { tags: ["long"] }, () => expectOnlyDoubtAtTheDoor(evenly(2_000, 2_000), 3, 1_500));
});
