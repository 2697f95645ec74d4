/** What disturbed runs have left at the service, against what an undisturbed one leaves there (P1, P2). */
import Database from "better-sqlite3";
import { expect } from "vitest";
import { runImport } from "../../src/run/import.js";
import type { EventRecord, Sandbox } from "../../src/sandbox/index.js";
import { unthrottled } from "../../src/submit/throttle.js";
import { sandboxTransport } from "../nights/simulation/sandbox-transport.js";
import { createWorld } from "../nights/simulation/world.js";
import { manifests } from "./processes.js";

/** Events by the documents' external ids, without generated ids. */
export type Timelines = Map<string, string[]>;

export function timelinesOf({ store }: Sandbox): Timelines {
  const events = ({ name, at, deduplicationId }: EventRecord) => `${at} ${name} ${deduplicationId}`;
  return new Map(store.documents().map((document) => [document.externalId ?? "", document.events.map(events)]));
}

/** Of the manifests of the examples, imported in virtual time with nothing in the way. */
export async function undisturbedTimelines(): Promise<Timelines> {
  const [mappingPath = "", ...files] = manifests;
  const world = createWorld();
  try {
    const summary = await world.clock.run(
      runImport({
        target: world.target,
        mappingPath,
        files,
        clock: world.clock,
        random: () => 0.5,
        signal: new AbortController().signal,
        observe: () => {},
        fresh: false,
        journal: null,
        limits: { waitForLock: false },
        transport: sandboxTransport(world.sandbox, world.clock),
        throttle: unthrottled,
      }),
    );
    expect(summary).toMatchObject({ exitCode: 0, open: { documents: {}, events: {} } });
    return timelinesOf(world.sandbox);
  } finally {
    await world.close();
  }
}

/** Keys of documents that are stranded, and of those whose relation to a stranded one cannot be sent. */
function waitingIn(ledgerPath: string): { stranded: Set<string>; behind: Set<string> } {
  const ledger = new Database(ledgerPath, { readonly: true });
  const stranded = ledger
    .prepare<[], string>(
      "SELECT key FROM documents d JOIN document_states s ON s.document_id = d.id WHERE s.state = 'stranded'",
    )
    .pluck()
    .all();
  const behind = ledger
    .prepare<[], string>(
      `SELECT DISTINCT d.key FROM event_states s JOIN events e ON e.id = s.event_id JOIN documents d ON d.id = e.document_id
       WHERE s.state = 'held' AND s.reason = 'document-stranded'`,
    )
    .pluck()
    .all();
  ledger.close();
  return { stranded: new Set(stranded), behind: new Set(behind) };
}

/**
 * Every timeline is that of the undisturbed run, but what waits for a person behind a create whose answer was lost;
 * nothing is doubled. `code`: of the last run. @returns how many documents are stranded
 */
export function expectWhole(
  code: number | null,
  sandbox: Sandbox,
  ledgerPath: string,
  undisturbed: Timelines,
  what = "",
): number {
  const { stranded, behind } = waitingIn(ledgerPath);
  expect(code, what).toBe(stranded.size > 0 ? 3 : 0);
  const result = timelinesOf(sandbox);
  for (const [key, events] of undisturbed) {
    const found = result.get(key) ?? [];
    const whole = !stranded.has(key) && !behind.has(key);
    expect(found, `${what} ${key}`).toEqual(whole ? events : events.slice(0, found.length));
  }
  expect(sandbox.store.documents(), what).toHaveLength(result.size);
  expect([...sandbox.store.twinParticipants(), ...sandbox.store.doubledAddresses()], what).toEqual([]);
  return stranded.size;
}
