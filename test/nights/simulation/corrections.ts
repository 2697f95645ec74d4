/** A person corrects the rejected rows of a file, in a spreadsheet, and imports them. */
import { createRejects } from "../../../src/ledger/views/open-rows.js";
import { contentOf, eventSaidBy, saidBy, sayAsOthers, versionsOf } from "./decisions.js";
import { asCorrected, type Step, type StoryRow } from "./story.js";
import { mapped } from "./story-rows.js";
import { seededRandom } from "../../../src/sandbox/index.js";
import { eventOf, readEvents, type Witness } from "./witness.js";
import { cellOf, type World } from "./world.js";

type Import = Extract<Step, { do: "import" }>;

/** `count`: makes its name. Null: nothing is rejected, or the person deleted every row. */
export function rejectedFile(
  world: World,
  { which, draw, kill }: Extract<Step, { do: "correct" }>,
  imported: readonly Import[],
  count: number,
): Import | null {
  const random = seededRandom(draw);
  const rows = new Map(imported.flatMap((one) => one.rows.map((row) => [cellOf(mapped(row)), row] as const)));
  const rejected = world.look((database) => {
    const rejects = createRejects(database);
    const inputs = rejects.inputs();
    const input = inputs[Math.floor(which * inputs.length)];
    return input === undefined ? [] : [...rejects.rows(input)];
  });
  const deleted: StoryRow[] = [];
  const lines = rejected.flatMap(({ ref, cells, problems }) => {
    const row = rows.get(cells[0] ?? "");
    if (row === undefined) throw new Error(`no row of this night: ${cells[0]}`);
    const line = asCorrected(row, random);
    if (line === null) deleted.push(row);
    return line === null ? [] : [{ was: row, row: line.row, ref, code: line.code ?? problems[0]?.code ?? "" }];
  });
  if (lines.length === 0) return null;
  return {
    do: "import",
    file: `rejected-${count}`,
    rows: lines.map(({ row }, index): StoryRow => ({ ...row, row: index + 2 })),
    faults: [],
    kill,
    deleted,
    corrects: lines.map(({ ref, code, was }) => ({ ref, code, was })),
  };
}

const isEvent = (content: string) => (JSON.parse(content) as StoryRow).is === "event";

/** What the corrected rows held, and all their versions, is free, unless they came back as they were. */
export function noteCorrections(world: World, witness: Witness, file: Import, earlier: readonly Import[]): void {
  const inState = (...wanted: string[]) =>
    new Set(
      world
        .look(readEvents)
        .filter(({ state }) => wanted.includes(state))
        .map(eventOf),
    );
  const landed = inState("landed");
  const differing = inState("changed");
  const free = inState("changed", "planned", "held", "deferred", "rejected");
  // Of two rows that contradict each other, a person keeps the one that is right.
  const keyOf = ({ document, key }: StoryRow) => `${document} ${key}`;
  const kept = new Set(file.rows.map(keyOf));
  const changed = file.rows.flatMap((row, index) => {
    const was = file.corrects?.[index]?.was;
    return was === undefined || keyOf(was) === keyOf(row) ? [] : [was];
  });
  for (const row of [...(file.deleted ?? []), ...changed])
    if (row.is === "event" && kept.has(keyOf(row))) witness.outdated.add(contentOf(row));
  // One that they contradict in another file has been seen as well.
  const decided = file.rows.filter((row, index) => {
    const { was, code } = file.corrects?.[index] ?? {};
    return code === "event-key-twice" && was !== undefined && keyOf(was) === keyOf(row);
  });
  for (const row of witness.disputed)
    if (decided.some((one) => keyOf(one) === keyOf(row))) witness.outdated.add(contentOf(row));
  for (const [index, row] of file.rows.entries()) {
    const was = file.corrects?.[index]?.was;
    if (was === undefined) continue;
    const before = contentOf(was);
    const now = contentOf(row);
    // As it was rejected, it corrects nothing, unless what it has become since is wrong itself.
    const newest = versionsOf(witness, before, "now").at(-1) ?? before;
    const isOld = newest === before || (isEvent(newest) && file.corrects?.[index]?.code !== "ok");
    if (before === now) witness.returned.add(before);
    if (before === now && isOld) continue;
    const all = [...versionsOf(witness, before, "before"), ...versionsOf(witness, before, "now")];
    const gone = all.filter((content) => content !== now);
    if (before !== now) witness.versions.push({ before, now });
    const isGone = (hold: Witness["holds"][number]) => gone.includes(hold.row);
    witness.holds = witness.holds.filter((hold) => !isGone(hold));
    witness.givenUp = witness.givenUp.filter((hold) => !isGone(hold));
    witness.outdated.delete(now);
    // What is still wrong outdates nothing.
    if (row.is !== "event") continue;
    const event = eventSaidBy(was);
    const said = witness.says.get(event);
    // It is another event's row now: the event stands as the others say.
    if (event !== eventSaidBy(row) && free.has(event) && said !== undefined && contentOf(said) === before)
      sayAsOthers(witness, event, before, earlier);
    // A correction that came too late: what has landed is believed if it comes back, unless that is the correction itself.
    const isThere = said === undefined ? witness.accepted.has(saidBy(row)) : contentOf(said) === now;
    const hasLanded = file.corrects?.[index]?.code !== "changed" && (landed.has(event) || differing.has(event));
    const cameLate = before !== now && hasLanded && !isThere;
    for (const content of versionsOf(witness, before, "before")) if (content !== now) witness.outdated.add(content);
    if (cameLate) witness.outdated.delete(before);
    for (const content of gone) witness.corrected.add(content);
    witness.stood.delete(`${row.document} ${row.key}`);
  }
}
