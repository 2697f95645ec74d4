/** Lives through one night of a story, and says where a promise (DESIGN section 1) was broken. */
import { dismiss, findDocument, resolveDocument } from "../../src/ledger/settle.js";
import { selectOpen } from "../../src/ledger/selection.js";
import type { LedgerDatabase } from "../../src/ledger/open-ledger.js";
import type { MappedRow } from "../../src/model/mapped-row.js";
import type { Summary } from "../../src/model/summary.js";
import { checkPromises, type Witness } from "./promises.js";
import type { Step, Story, StoryRow } from "./story.js";
import { eventRow, invalidRow, START } from "./story-rows.js";
import { createWorld, type RunPlan, type StoryFile, type World } from "./world.js";

export interface Night {
  /** What was broken, in words; empty: nothing. */
  broken: string[];
  requests: number;
}

export async function live(story: Story): Promise<Night> {
  const world = createWorld({
    seed: story.seed,
    sandbox: story.sandbox,
    settings: story.settings,
    maxEventsPerRequest: story.maxEventsPerRequest,
  });
  const witness: Witness = {
    holds: [],
    disturbed: false,
    summaries: [],
    bad: new Set(),
    stood: new Map(),
    gaveUp: false,
  };
  try {
    const broken: string[] = [];
    for (const step of story.steps) {
      await take(world, story, step, witness);
      broken.push(...checkPromises(world, story, witness, false));
      if (broken.length > 0) return { broken, requests: world.sandbox.store.statistics().requests };
    }
    await comeToRest(world, witness);
    broken.push(...checkPromises(world, story, witness, true));
    return { broken, requests: world.sandbox.store.statistics().requests };
  } catch (error) {
    return { broken: [`crash: ${error instanceof Error ? error.stack : String(error)}`], requests: 0 };
  } finally {
    await world.close();
  }
}

async function take(world: World, story: Story, step: Step, witness: Witness): Promise<void> {
  switch (step.do) {
    case "import":
    case "resume": {
      world.sandbox.setFaults(step.faults, story.seed);
      const isDisturbed = step.faults.length > 0 || step.kill !== null;
      witness.disturbed ||= isDisturbed;
      const plan: RunPlan = step.kill == null ? {} : { killAt: step.kill };
      const files = step.do === "import" ? [fileOf(step)] : null;
      if (step.do === "import") note(world, witness, step.rows);
      const summary = await world.run(files, plan);
      if (summary !== null) witness.summaries.push({ summary, rows: step.do === "import" ? step.rows.length : 0 });
      return;
    }
    case "set clock":
      world.clock.set(world.clock.now() + step.minutes * 60_000);
      world.sandbox.setClockOffset(world.sandbox.settings.clockOffset - step.minutes * 60_000);
      return;
    case "wait":
      await world.clock.advance(step.minutes * 60_000);
      return;
    case "dismiss":
      world.withLedger((database) => dismiss(database, selectOpen(database, {}), "release", world.clock.now()));
      witness.holds = [];
      witness.gaveUp = true;
      return;
    case "resolve":
      world.withLedger((database) => resolveAll(world, database));
      return;
  }
}

/** What a person would find at the service. */
function resolveAll(world: World, database: LedgerDatabase): void {
  const stranded = database
    .prepare<[], { kind: string; key: string }>(
      `SELECT kind, key FROM documents d JOIN document_states s ON s.document_id = d.id WHERE s.state = 'stranded'`,
    )
    .all();
  for (const { kind, key } of stranded) {
    const [found] = world.sandbox.store.documentsByExternalId(key);
    if (found === undefined) continue;
    resolveDocument(database, findDocument(database, `${kind}/${key}`), found.id, world.clock.now());
  }
}

function fileOf(step: Step & { do: "import" }): StoryFile {
  return { name: `${step.file}.csv`, contentHash: step.file, rows: step.rows.map(mapped) };
}

function mapped(row: StoryRow): MappedRow {
  if (row.is === "event") return eventRow(row);
  const { document, minute, event, key } = row;
  if (document === null) return invalidRow(row.row, []);
  return invalidRow(row.row, [
    { key: document, event, keyParts: key === null ? null : [key], ...(minute === null ? {} : { minute }) },
  ]);
}

/** Remembers what these rows hold from now on, and what they mend. */
function note(world: World, witness: Witness, rows: readonly StoryRow[]): void {
  const landed = new Set(world.sandbox.store.documents().flatMap(({ events }) => events.map((event) => event.eventId)));
  for (const row of rows) {
    const id = `${row.document} ${row.key}`;
    if (row.is === "event") {
      const [there] = world.sandbox.store.documentsByExternalId(row.document);
      if (!witness.stood.has(id)) witness.stood.set(id, there?.lastAt ?? Number.NEGATIVE_INFINITY);
      witness.holds = witness.holds.filter((hold) => hold.id !== id);
      if (row.bad === true) witness.bad.add(row.document);
      continue;
    }
    if (row.document === null || witness.holds.some((hold) => hold.row === JSON.stringify(row))) continue;
    const at = row.minute === null ? Number.NEGATIVE_INFINITY : START + row.minute * 60_000;
    witness.holds.push({
      document: row.document,
      at,
      landed,
      id: row.key === null ? "" : id,
      row: JSON.stringify(row),
    });
  }
}

/** Without faults, runs until nothing changes any more. */
async function comeToRest(world: World, witness: Witness): Promise<void> {
  world.sandbox.setFaults([]);
  let last: Summary | null = null;
  for (let round = 0; round < 6; round += 1) {
    const summary = await world.resume();
    witness.summaries.push({ summary, rows: 0 });
    if (
      last !== null &&
      JSON.stringify(last.open) === JSON.stringify(summary.open) &&
      summary.exitCode === last.exitCode
    )
      return;
    last = summary;
  }
}
