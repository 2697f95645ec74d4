/** Every fault of the sandbox at every request of small imports; timelines compared with the undisturbed run (issue: fault × position). */
import type { FaultAction } from "../../../src/sandbox/index.js";
import { eventRow } from "./story-rows.js";
import { differences, REGISTERED_TWICE, type Timelines, timelinesOf } from "../../processes/timelines.js";
import { createWorld, type StoryFile, type World, storyFile } from "./world.js";

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
  storyFile("small", [
    "A 10",
    "A 20 RELATED to=B",
    "B 15 participant=44555666000104",
    "B 30 target=T",
    "B 40 CLOSE",
    eventRow({ row: 7, document: "C", minute: 10, street: "Rua B" }),
    eventRow({
      row: 8,
      document: "C",
      minute: 50,
      name: "RELATED",
      related: { document: "A", bidirectional: false },
    }),
    "C 60 CANCEL reason=wrong",
    "T 35 onTarget",
  ]),
];

async function toRest(world: World) {
  let summary = await world.import(files);
  for (let round = 0; round < 9; round += 1) {
    const before = JSON.stringify(summary.open);
    summary = await world.resume();
    if (summary.stopped === null && summary.requests.sent === 0 && JSON.stringify(summary.open) === before) break;
  }
  return summary;
}

/** What the undisturbed import leaves, and how many requests it needs, but for a token. */
export async function undisturbed(): Promise<{ timelines: Timelines; requests: number }> {
  const world = createWorld();
  try {
    const { requests } = await world.import(files);
    return { timelines: timelinesOf(world.sandbox), requests: requests.sent };
  } finally {
    await world.close();
  }
}

/** What went wrong with this fault at this request, `times` in a row (empty: nothing). */
export async function befallen(
  action: FaultAction,
  position: number,
  times: number,
  expected: Timelines,
): Promise<string[]> {
  const world = createWorld();
  try {
    world.setFaults([{ nth: position, times, action }]);
    const { exitCode } = await toRest(world);
    // A registration that commits after the program has looked for it is a limit that the documents name (HARD-CASES H7).
    const isLate = action.kind === "delay" && action.when === "before";
    return differences(exitCode, world.sandbox, world.target.ledgerPath, expected)
      .filter((what) => !(isLate && what === REGISTERED_TWICE))
      .map((what) => `${JSON.stringify(action)} at request ${position}, ${times} times: ${what}`);
  } finally {
    await world.close();
  }
}
