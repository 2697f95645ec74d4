/** What disturbed runs have left at the service, against what an undisturbed one leaves there (P1, P2). */
import Database from "better-sqlite3";
import { runImport } from "../../src/run/import.js";
import type { EventRecord, Sandbox } from "../../src/sandbox/index.js";
import { unthrottled } from "../../src/submit/throttle.js";
import { sandboxTransport } from "../nights/simulation/sandbox-transport.js";
import { createWorld } from "../nights/simulation/world.js";
import { manifests } from "./processes.js";
import { doubledAddresses, twinParticipants } from "../support/doubled.js";

/** Events by the documents' external ids, without generated ids. */
export type Timelines = Map<string, string[]>;

export function timelinesOf({ store }: Sandbox): Timelines {
  const events = ({ name, at, origin, deduplicationId }: EventRecord) => `${at} ${origin} ${name} ${deduplicationId}`;
  return new Map(store.documents().map((document) => [document.externalId ?? "", document.events.map(events)]));
}

let ofManifests: Promise<Timelines> | null = null;

/** Of the manifests of the examples, imported in virtual time with nothing in the way. */
export function undisturbedTimelines(): Promise<Timelines> {
  ofManifests ??= importUndisturbed();
  return ofManifests;
}

async function importUndisturbed() {
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

export const REGISTERED_TWICE = "a registration is doubled";
const STRANDED = "x.state = 'stranded'";
const WAITING = `${STRANDED} OR EXISTS (SELECT 1 FROM events e JOIN event_states s ON s.event_id = e.id
  WHERE e.document_id = d.id AND s.state IN ('held', 'stalled'))`;

/** Keys of documents of which that is true. */
function documentsWhere(ledgerPath: string, condition: string) {
  const ledger = new Database(ledgerPath, { readonly: true });
  try {
    const keys = `SELECT d.key FROM documents d LEFT JOIN document_states x ON x.document_id = d.id WHERE ${condition}`;
    return new Set(ledger.prepare<[], string>(keys).pluck().all());
  } finally {
    ledger.close();
  }
}

/**
 * What is not as the undisturbed run left it, but for what waits for a person: of a document that waits the timeline may end
 * early; what others' events write on it may be missing while anything waits. `code`: of the last run.
 */
export function differences(
  code: number | null,
  sandbox: Sandbox,
  ledgerPath: string,
  undisturbed: Timelines,
): string[] {
  const waiting = documentsWhere(ledgerPath, WAITING);
  const broken: string[] = [];
  const fitting = waiting.size > 0 ? 3 : 0;
  if (code !== fitting) broken.push(`exit code ${code}, not ${fitting}`);
  const result = timelinesOf(sandbox);
  for (const [key, events] of undisturbed) {
    const found = result.get(key) ?? [];
    const isSent = (event: string) => event.includes(" sent ");
    const sent = found.filter(isSent);
    const wanted = events.filter(isSent).slice(0, waiting.has(key) ? sent.length : undefined);
    const isThere = (event: string) => wanted.includes(event) || (!isSent(event) && found.includes(event));
    const expected = waiting.size > 0 ? events.filter(isThere) : events;
    if (found.join("\n") !== expected.join("\n"))
      broken.push(`the timeline of ${key} is\n${found.join("\n")}\nand not\n${expected.join("\n")}`);
  }
  for (const key of result.keys()) if (!undisturbed.has(key)) broken.push(`${key} is new`);
  if (sandbox.store.documents().length !== result.size) broken.push("a document is doubled");
  const doubled = [...twinParticipants(sandbox.store), ...doubledAddresses(sandbox.store)];
  if (doubled.length > 0) broken.push(REGISTERED_TWICE);
  return broken;
}

/** Nothing differs. @returns how many documents are stranded */
export function expectWhole(
  code: number | null,
  sandbox: Sandbox,
  ledgerPath: string,
  undisturbed: Timelines,
  what = "",
): number {
  expect(differences(code, sandbox, ledgerPath, undisturbed), what).toEqual([]);
  return documentsWhere(ledgerPath, STRANDED).size;
}
