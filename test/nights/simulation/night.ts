/** Lives through one night of a story, and says where a promise (DESIGN section 1) was broken. */
import { createHash } from "node:crypto";
import { dismiss } from "../../../src/ledger/decide/dismiss.js";
import { findDocument } from "../../../src/ledger/documents-named.js";
import { selectOpen } from "../../../src/ledger/decide/selection.js";
import { decideBeside } from "../../../src/desk/access.js";
import { rebuildLedger } from "../../../src/desk/restore.js";
import { replaceEach, resolveNamed } from "../../support/decide.js";
import { readStatus } from "../../../src/desk/status.js";
import { noteCorrections, rejectedFile } from "./corrections.js";
import {
  backUp,
  contentOf,
  decideOne,
  giveUp,
  eventSaidBy,
  nameOf,
  noteNewVersion,
  restore,
  saidBy,
  thereNow,
} from "./decisions.js";
import { checkPromises } from "./promises.js";
import { hasLanded } from "./copies.js";
import { partsOf, writeReal } from "./real-shapes.js";
import {
  type Beside,
  FIRST_OF_CORRECTIONS,
  FIRST_OF_DECISIONS,
  type Step,
  type Story,
  type StoryRow,
} from "./story.js";
import { mapped, START } from "./story-rows.js";
import { eventOf, idOf, newWitness, readEvents, type Witness } from "./witness.js";
import { createWorld, type RunPlan, type StoryFile, type World, type WrittenFile } from "./world.js";

export interface Night {
  /** What was broken, in words; empty: nothing. */
  broken: string[];
  requests: number;
  /** Runs, each of which opened the ledger, those of a lost ledger included. */
  runs: number;
}

export async function live(story: Story): Promise<Night> {
  const world = createWorld({
    seed: story.seed,
    sandbox: story.sandbox,
    settings: story.settings,
    maxEventsPerRequest: story.maxEventsPerRequest,
    onlooker: story.seed % 4 !== 0,
    ...(story.journal === true ? { journal: true } : {}),
  });
  const witness = newWitness();
  const imported = new Map<string, Import>();
  /** In the order in which they came last, as a person imports them again. */
  const newest = new Map<string, Import>();
  const remember = (name: string, step: Import) => {
    imported.set(name, step);
    newest.delete(name);
    newest.set(name, step);
  };
  const night = (broken: string[]): Night => ({
    broken,
    requests: world.sandbox.store.statistics().requests,
    runs: world.runs(),
  });
  try {
    const broken: string[] = [];
    for (const step of story.steps) {
      const files = [...imported.values()];
      if (step.do === "lose ledger") await loseLedger(world, story, [...newest.values()], witness);
      else if (step.do === "restore") await restoreBackup(world, story, [...newest.values()], witness);
      else if (step.do === "decide") await decideOne(world, step, files, witness);
      else if (step.do === "correct") {
        const file = rejectedFile(world, step, files, imported.size);
        if (file === null) continue;
        noteCorrections(world, witness, file, files);
        await take(world, story, file, files, witness);
        remember(file.file, file);
      } else await take(world, story, step, files, witness);
      if (step.do === "import") remember(`${step.file} ${step.version ?? "1"}`, step);
      if (step.do === "set clock" || step.do === "wait") continue;
      broken.push(...checkPromises(world, story, witness, false));
      if (broken.length > 0) return night(broken);
    }
    await bringContentAgain(world, story, [...newest.values()], witness);
    await comeToRest(world, story, witness);
    broken.push(...checkPromises(world, story, witness, true));
    return night(broken);
  } catch (error) {
    return night([`crash: ${error instanceof Error ? error.stack : String(error)}`]);
  } finally {
    await world.close();
  }
}

type Import = Extract<Step, { do: "import" }>;

type Others = "lose ledger" | "restore" | "decide" | "correct";

async function take(
  world: World,
  story: Story,
  step: Exclude<Step, { do: Others }>,
  imported: readonly Import[],
  witness: Witness,
) {
  switch (step.do) {
    case "import":
    case "resume": {
      world.setFaults(step.faults, story.seed);
      const isDisturbed = step.faults.length > 0 || step.kill !== null;
      witness.disturbed ||= isDisturbed;
      const plan: RunPlan = step.kill == null ? {} : { killAt: step.kill };
      const files = step.do === "import" ? [await fileOf(world, story, step)] : null;
      if (step.do === "import") {
        noteNewVersion(witness, step, imported);
        note(world, witness, step, imported);
        if (step.maxErrors !== undefined) plan.limits = { maxErrors: step.maxErrors };
        const typed = step.beside ?? [];
        if (typed.length > 0) plan.beside = (request) => typeBeside(world, files?.[0], typed, request, witness);
      }
      const summary = await world.run(files, plan);
      if (summary !== null) witness.summaries.push({ summary, rows: step.do === "import" ? rowsOf(step) : 0 });
      if (step.do === "import" && summary?.stopped?.code === "too-many-invalid") noteRefused(world, witness, step.rows);
      return;
    }
    case "set clock":
      world.clock.set(world.clock.now() + step.minutes * 60_000);
      world.sandbox.setClockOffset(world.sandbox.settings.clockOffset - step.minutes * 60_000);
      return;
    case "wait":
      await world.clock.advance(step.minutes * 60_000);
      return;
    case "back up":
      return backUp(world);
    case "dismiss":
      return dismissAll(world, witness);
    case "resolve":
      return resolveAll(world, witness);
    case "replace":
      return replaceOne(world, step.which, witness);
  }
}

/** Gives up all that is wrong, and releases what waits for it. */
function dismissAll(world: World, witness: Witness) {
  const { clock, journal, target } = world;
  decideBeside(target, (database, now) => ({ done: dismiss(database, selectOpen(database, {}), "release", now) }), {
    clock,
    journal,
  });
  giveUp(witness, () => true);
  world.refusals.release();
  witness.gaveUp = true;
}

/** Commands of a person, while the import is at this request. */
async function typeBeside(
  world: World,
  file: StoryFile | WrittenFile | undefined,
  typed: readonly Beside[],
  request: number,
  witness: Witness,
) {
  for (const { command } of typed.filter((one) => one.request === request)) {
    if (command === "dismiss") dismissAll(world, witness);
    else if (command === "resolve") resolveAll(world, witness);
    else if (command === "status") await readStatus(world);
    else if (command === "show") await world.show("A");
    else if (file !== undefined && "path" in file) await world.plan(file);
  }
}

/** What a person would find at the service. */
function resolveAll(world: World, witness: Witness) {
  const stranded = world.look((database) =>
    database
      .prepare<[], string>(
        `SELECT kind || '/' || key FROM documents d JOIN document_states s ON s.document_id = d.id
         WHERE s.state = 'stranded' AND s.reason IS NOT 'replaced'`,
      )
      .pluck()
      .all()
      .map((name) => findDocument(database, name)),
  );
  for (const document of stranded) {
    const found = newestOf(world, document.key, witness);
    if (found === undefined) continue;
    const check = { document, documentId: found.id };
    resolveNamed(world.target, check, world.clock, { by: "somebody", journal: world.journal });
  }
}

/** The document of that key which no other has replaced. */
function newestOf(world: World, key: string, witness: Witness) {
  return world.sandbox.store.documentsByExternalId(key).find(({ id }) => witness.replaced.get(key)?.has(id) !== true);
}

/** Not one whose events made other documents: to make those again is the service's way, and nobody's wish. */
async function replaceOne(world: World, which: number, witness: Witness) {
  const keys = world.look((database) =>
    database
      .prepare<[], string>(
        `SELECT d.key FROM documents d JOIN document_states s ON s.document_id = d.id
         WHERE d.kind = 'manifest' AND s.state IN ('open', 'closed', 'cancelled', 'stranded')
           AND NOT EXISTS (SELECT 1 FROM documents n WHERE n.kind = d.kind AND n.key = d.key AND n.generation > d.generation)
           AND NOT EXISTS (SELECT 1 FROM events e WHERE e.document_id = d.id AND e.target_document IS NOT NULL)
         ORDER BY d.key`,
      )
      .pluck()
      .all(),
  );
  const key = keys[Math.floor(which * keys.length)];
  if (key === undefined) return;
  const { clock, journal } = world;
  await clock.run(replaceEach(world.target, [`manifest/${key}`], "wrong", { clock, waitForLock: false, journal }));
  const stood = new Map([...witness.stood].filter(([id]) => id.startsWith(`${key} `)));
  const replaced = witness.replaced.get(key);
  witness.replacing.set(key, { stood, ...(replaced !== undefined && { replaced }) });
  witness.replaced.set(key, new Set(world.sandbox.store.documentsByExternalId(key).map(({ id }) => id)));
  // On the next generation every row comes in time.
  for (const id of witness.stood.keys()) if (id.startsWith(`${key} `)) witness.stood.set(id, Number.NEGATIVE_INFINITY);
}

/** The journal is all that is left; what it cannot know comes back with the files (DESIGN section 3). */
async function loseLedger(world: World, story: Story, imported: readonly Import[], witness: Witness) {
  const { clock, journal, target } = world;
  world.loseLedger();
  witness.disturbed = true;
  witness.holds = [];
  witness.refused.clear();
  witness.stood.clear();
  if (journal === null) throw new Error("a night without a journal loses no ledger");
  await clock.run(rebuildLedger(target, { journal, backup: null }, clock));
  await importAgain(world, story, imported, witness);
}

async function restoreBackup(world: World, story: Story, imported: readonly Import[], witness: Witness) {
  if (!(await restore(world))) return;
  witness.disturbed = true;
  witness.holds = [];
  witness.refused.clear();
  await importAgain(world, story, imported, witness);
}

async function importAgain(world: World, story: Story, imported: readonly Import[], witness: Witness) {
  world.setFaults([]);
  for (const [index, step] of imported.entries()) {
    noteNewVersion(witness, step, imported.slice(0, index));
    noteCorrections(world, witness, step, imported.slice(0, index));
    note(world, witness, step, imported.slice(0, index));
    witness.summaries.push({ summary: await world.import([await fileOf(world, story, step)]), rows: rowsOf(step) });
  }
}

/** What `content-missing` asks for. */
async function bringContentAgain(world: World, story: Story, imported: readonly Import[], witness: Witness) {
  const names = world.look((database) =>
    database
      .prepare<[], string>(
        `SELECT DISTINCT i.name FROM events_now e JOIN row_events re ON re.event_id = e.id JOIN inputs i ON i.id = re.row_id >> 32
         WHERE e.payload = '' AND e.unsent AND NOT e.dismissed`,
      )
      .pluck()
      .all(),
  );
  const files = imported.filter((one) => names.includes(`${nameOf(one)}.csv`));
  await importAgain(world, story, files, witness);
}

async function fileOf(world: World, story: Story, step: Import): Promise<StoryFile | WrittenFile> {
  if (story.files !== undefined) return writeReal(world.target.stateFolder, story, step.file, step.rows);
  const { file, version = "1", corrects } = step;
  const isSkippable = story.seed >= FIRST_OF_DECISIONS;
  // What a rejected file names by the beginning of its hash, is one file only.
  const contentHash = story.seed >= FIRST_OF_CORRECTIONS ? createHash("sha256").update(file).digest("hex") : file;
  return { name: `${nameOf(step)}.csv`, contentHash, version, isSkippable, rows: step.rows.map(mapped), corrects };
}

const rowsOf = ({ rows }: Import) => rows.reduce((sum, row) => sum + partsOf(row), 0);

function noteRefused(world: World, witness: Witness, rows: readonly StoryRow[]) {
  const events = new Set(rows.map(eventSaidBy));
  const unsent = world.look(readEvents).filter(({ state }) => ["planned", "held", "deferred"].includes(state));
  for (const event of unsent) if (events.has(eventOf(event))) witness.refused.add(eventOf(event));
}

/** Remembers what these rows hold from now on, and what they mend. */
function note(world: World, witness: Witness, { rows, corrects }: Import, imported: readonly Import[]) {
  if (corrects === undefined) noteMended(witness, rows, imported);
  const documents = world.documents();
  const { landed, onTheWire } = thereNow(world);
  const landedBefore = new Set(
    world
      .look(readEvents)
      .filter(({ state, replaced }) => replaced === 0 && hasLanded({ state }))
      .map(idOf),
  );
  // The document of each key which no other has replaced.
  const newest = new Map<string, number | null>();
  for (const { id, externalId, lastAt } of documents) {
    const key = externalId ?? "";
    if (!newest.has(key) && witness.replaced.get(key)?.has(id) !== true) newest.set(key, lastAt);
  }
  const given = new Map<string, Set<string>>();
  for (const row of rows) {
    const id = `${row.document} ${row.key}`;
    const event = eventSaidBy(row);
    witness.refused.delete(event);
    if (row.is === "event") {
      if (witness.accepted.has(saidBy(row))) witness.says.delete(event);
      else if (!witness.outdated.has(contentOf(row))) witness.says.set(event, row);
      given.set(event, (given.get(event) ?? new Set()).add(contentOf(row)));
      if (!witness.stood.has(id)) witness.stood.set(id, newest.get(row.document) ?? Number.NEGATIVE_INFINITY);
      for (const hold of witness.holds) if (hold.id === id) witness.corrected.add(hold.row);
      // What the file no longer has came back in a rejected file too, which this event settles.
      for (const hold of witness.gone)
        if (hold.id === id && witness.returned.has(hold.row)) witness.corrected.add(hold.row);
      witness.holds = witness.holds.filter((hold) => hold.id !== id);
      witness.givenUp = witness.givenUp.filter((hold) => hold.id !== id);
      if (row.bad === true) witness.bad.add(row.document);
      continue;
    }
    const content = contentOf(row);
    if (row.document === null || witness.dismissed.has(content)) continue;
    // HARD-CASES H37.
    if (witness.corrected.has(content) || witness.holds.some((hold) => hold.row === content)) continue;
    const at = row.minute === null ? Number.NEGATIVE_INFINITY : START + row.minute * 60_000;
    const hold = { document: row.document, at, landed, onTheWire, id: row.key === null ? "" : id, row: content };
    // HARD-CASES H15: it holds nothing, and may be dismissed.
    (landedBefore.has(id) ? witness.gone : witness.holds).push(hold);
  }
  // Rows that contradict each other say nothing.
  for (const [event, contents] of given)
    if (contents.size > 1) {
      witness.says.delete(event);
      witness.disputed.push(...rows.filter((row) => eventSaidBy(row) === event));
    }
}

/** An export of another name, with an event in the same row, has mended rows of theirs (docs/decisions/mended-in-the-source.md). */
function noteMended(witness: Witness, rows: readonly StoryRow[], imported: readonly Import[]) {
  for (const earlier of imported.filter(({ corrects }) => corrects === undefined)) {
    const inPlace = rows.flatMap((row) => {
      const was = earlier.rows.find((one) => one.row === row.row);
      return was === undefined ? [] : [{ row, was }];
    });
    const isSame = ({ row, was }: (typeof inPlace)[number]) =>
      row.is === "event" && was.is === "event" && eventSaidBy(row) === eventSaidBy(was);
    if (!inPlace.some(isSame)) continue;
    const mended = inPlace.flatMap(({ row, was }) => {
      const isOpen = row.is === "event" && was.is === "invalid" && was.key === null && row.document === was.document;
      return isOpen && [null, row.minute].includes(was.minute) ? [contentOf(was)] : [];
    });
    witness.holds = witness.holds.filter(({ row }) => !mended.includes(row));
  }
}

/** Without faults, runs until a run changes nothing any more. */
async function comeToRest(world: World, story: Story, witness: Witness) {
  world.setFaults([]);
  const step = story.steps.at(-1);
  const isQuiet = step !== undefined && "faults" in step && step.faults.length === 0 && step.kill === null;
  let last = isQuiet ? (witness.summaries.at(-1)?.summary ?? null) : null;
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
