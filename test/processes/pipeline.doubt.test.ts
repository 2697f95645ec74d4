/** What a kill leaves in doubt was on the wire: between intent and wire lies no wait (P4, H44). At the real limit. */
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { keyText } from "../../src/ledger/event-key.js";
import { documentDeduplicationId, type DocumentKey } from "../../src/model/keys.js";
import { seededRandom } from "../../src/sandbox/index.js";
import { type Delivery, evenly, linked, writeDeliveries } from "../support/deliveries.js";
import { drawn } from "../support/sample.js";
import { refusedBy } from "../support/submit/exact-bucket.js";
import { newInstallation, REAL, removeInstallation } from "./installation.js";
import { endProcesses } from "./processes.js";

vi.setConfig({ testTimeout: 300_000 });
afterAll(endProcesses);

/** Keys of what a killed process was sending, as its ledger says. */
function inDoubt(ledgerPath: string) {
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

async function expectOnlyDoubtAtTheDoor(rows: Iterable<Delivery>, seed: number, answerAfterMs: number) {
  const here = await newInstallation({ service: { rate: 20, burst: 30 }, answerAfterMs, env: REAL });
  const documents = () => here.sandbox.store.documents().length;
  const random = seededRandom(seed);
  const kills = drawn(2, 4);
  try {
    const args = await writeDeliveries(here.folder, rows);
    for (let kill = 0; kill < kills; kill += 1) {
      const before = documents();
      const { child, ended } = here.start(kill === 0 ? ["import", ...args] : ["resume"]);
      while (documents() === before && child.exitCode === null) await wait(5);
      await wait(random() * 2_000);
      child.kill("SIGKILL");
      expect((await ended).code, "killed while it sent").toBeNull();
      const doubted = inDoubt(here.ledger);
      // What the kernel had taken arrives. A kill may fall between the intent's last byte and the request's first: that is one
      // request, its document and its event.
      const neverSent = () => doubted.filter((key) => !here.door.hasSeen(key));
      await vi.waitFor(() => expect(neverSent().length, `kill ${kill}`).toBeLessThanOrEqual(2), 5_000);
    }
    const { arrivals } = here.door;
    expect(arrivals.length).toBeGreaterThan(15 * kills);
    expect(refusedBy(20, 30, arrivals), "requests over the limit, restarts included (P6)").toBe(0);
  } finally {
    await removeInstallation(here);
  }
}

describe("whatever kill -9 leaves in doubt had its request at the service's door", () => {
  test("documents of their own", long, () => expectOnlyDoubtAtTheDoor(evenly(2_000, 2_000), 1, 50));
  test("documents that are linked to one", long, () => expectOnlyDoubtAtTheDoor(linked(3_000), 2, 50));
  test("answers that take 1.5 s", long, () => expectOnlyDoubtAtTheDoor(evenly(2_000, 2_000), 3, 1_500));
});
