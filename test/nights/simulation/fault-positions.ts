/** Every fault of the sandbox at every request of small imports; timelines compared with the undisturbed run (issue: fault × position). */
import type { Summary } from "../../../src/model/summary.js";
import type { FaultAction } from "../../../src/sandbox/index.js";
import { eventRow } from "./story-rows.js";
import { createWorld, type StoryFile, type World } from "./world.js";

export const faultActions: FaultAction[] = [
  ...[500, 502, 503, 504, 429].map((status): FaultAction => ({ kind: "status", status, when: "before" })),
  ...[500, 503, 504].map((status): FaultAction => ({ kind: "status", status, when: "after", body: "html" })),
  { kind: "drop", when: "before" },
  { kind: "drop", when: "after" },
  { kind: "truncate" },
  { kind: "delay", ms: 400_000, when: "after" },
  { kind: "delay", ms: 400_000, when: "before" },
  { kind: "pending-process" },
  { kind: "expire-token" },
];

/** Three documents, relations both ways, a target with a row of its own, CLOSE and CANCEL. */
export const files: StoryFile[] = [
  {
    name: "small.csv",
    contentHash: "small",
    rows: [
      eventRow({ row: 2, document: "A", minute: 10 }),
      eventRow({ row: 3, document: "A", minute: 20, name: "RELATED", related: { document: "B", bidirectional: true } }),
      eventRow({ row: 4, document: "B", minute: 15, participant: "44555666000104" }),
      eventRow({ row: 5, document: "B", minute: 30, target: "T" }),
      eventRow({ row: 6, document: "B", minute: 40, name: "CLOSE" }),
      eventRow({ row: 7, document: "C", minute: 10, street: "Rua B" }),
      eventRow({
        row: 8,
        document: "C",
        minute: 50,
        name: "RELATED",
        related: { document: "A", bidirectional: false },
      }),
      eventRow({ row: 9, document: "C", minute: 60, name: "CANCEL", reason: "wrong" }),
      eventRow({ row: 10, document: "T", minute: 35, onTarget: true }),
    ],
  },
];

type Timelines = Map<string, string[]>;

function timelines(world: World): Timelines {
  return new Map(
    world.sandbox.store
      .documents()
      .map(({ externalId, events }) => [
        externalId ?? "",
        events.map(({ at, name, origin, deduplicationId }) => `${at} ${origin} ${name} ${deduplicationId}`),
      ]),
  );
}

/** Keys of documents that wait for a person: stranded ones, and those whose events wait for one. */
function waiting(world: World): Set<string> {
  return world.withLedger((database) => {
    const keys = database
      .prepare<[], string>(
        `SELECT d.key FROM documents d LEFT JOIN document_states x ON x.document_id = d.id
         WHERE x.state = 'stranded' OR EXISTS (SELECT 1 FROM events e JOIN event_states s ON s.event_id = e.id
           WHERE e.document_id = d.id AND s.state IN ('held', 'stalled'))`,
      )
      .pluck()
      .all();
    return new Set(keys);
  });
}

async function toRest(world: World): Promise<Summary> {
  let summary = await world.import(files);
  for (let round = 0; round < 9; round += 1) {
    const before = JSON.stringify(summary.open);
    summary = await world.resume();
    if (summary.stopped === null && summary.requests.sent === 0 && JSON.stringify(summary.open) === before) break;
  }
  return summary;
}

export interface Undisturbed {
  timelines: Timelines;
  requests: number;
}

export async function undisturbed(): Promise<Undisturbed> {
  const world = createWorld();
  try {
    await toRest(world);
    return { timelines: timelines(world), requests: world.sandbox.store.statistics().requests };
  } finally {
    await world.close();
  }
}

/** What went wrong with this fault at this request, `times` in a row; empty: nothing. */
export async function befallen(
  action: FaultAction,
  position: number,
  times: number,
  expected: Undisturbed,
): Promise<string[]> {
  const world = createWorld();
  const where = `${JSON.stringify(action)} at request ${position}, ${times} times`;
  try {
    world.sandbox.setFaults([{ nth: position, times, action }]);
    const summary = await toRest(world);
    const broken: string[] = [];
    const found = timelines(world);
    const wait = waiting(world);
    for (const [key, events] of expected.timelines) {
      const there = found.get(key) ?? [];
      const wanted = wait.has(key) || wait.size > 0 ? events.filter((event) => there.includes(event)) : events;
      if (JSON.stringify(there) !== JSON.stringify(wanted)) broken.push(`${where}: timeline of ${key} differs`);
    }
    for (const key of found.keys()) if (!expected.timelines.has(key)) broken.push(`${where}: ${key} is new`);
    if (world.sandbox.store.documents().length > found.size) broken.push(`${where}: a document is doubled`);
    const doubled = [...world.sandbox.store.twinParticipants(), ...world.sandbox.store.doubledAddresses()];
    // A registration that commits after the program has looked for it is a limit that the documents name (HARD-CASES H7).
    const isLate = action.kind === "delay" && action.when === "before";
    if (doubled.length > 0 && !isLate) broken.push(`${where}: a registration is doubled`);
    const exit = wait.size > 0 ? 3 : 0;
    if (summary.exitCode !== exit) broken.push(`${where}: exit code ${summary.exitCode}, not ${exit}`);
    return broken;
  } catch (error) {
    return [`${where}: ${String(error)}`];
  } finally {
    await world.close();
  }
}
