/** What a person decides or mends between runs, one thing at a time; and what a night must then remember. */
import { copyFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { decideAlone } from "../../../src/desk/access.js";
import { backup } from "../../../src/desk/care.js";
import { restoreLedger } from "../../../src/desk/restore.js";
import { retrying } from "../../../src/desk/decide.js";
import { tallyWithdrawn } from "../../../src/ledger/decide/withdraw.js";
import type { LedgerDatabase } from "../../../src/ledger/open-ledger.js";
import { createCells } from "../../../src/ledger/stage/row-cells.js";
import type { Selectors } from "../../../src/ledger/decide/selection.js";
import { RowferryError } from "../../../src/model/error.js";
import { dismissSelected, withdrawSelected } from "../../support/decide.js";
import { hasLanded } from "./copies.js";
import type { Step, StoryRow } from "./story.js";
import { mapped, USUAL_TAX_ID } from "./story-rows.js";
import { eventOf, idOf, readEvents, type Witness } from "./witness.js";
import { cellOf, type World } from "./world.js";

type Decide = Extract<Step, { do: "decide" }>;
type Import = Extract<Step, { do: "import" }>;

/** As its cells are kept: two rows of one content are one to a dismissal (HARD-CASES H23). */
export function contentOf(row: StoryRow): string {
  const whole = { ...(row.is === "event" && { participant: USUAL_TAX_ID, bad: false }), ...row, row: 0 };
  return JSON.stringify(Object.fromEntries(Object.entries(whole).toSorted(([one], [other]) => (one < other ? -1 : 1))));
}

/** What a row says of its event, but for the parties, which it may take from its document. */
export const saidBy = ({ document, key, minute, ...row }: StoryRow & { is: "event" }): string =>
  JSON.stringify([document, key, minute, row.name, row.weight]);

/** Whether one of these files has the row, by content. */
const isInFile = (imported: readonly Import[], row: string, which: (file: string) => boolean): boolean =>
  imported.some((one) => which(nameOf(one)) && one.rows.some((given) => contentOf(given) === row));

/** `imported`: the files so far. A decision that was killed had reached the journal, and the ledger not yet. */
export async function decideOne(
  world: World,
  step: Decide,
  imported: readonly Import[],
  witness: Witness,
): Promise<void> {
  const documents = world.look((database) => database.prepare<[], string>(keys).pluck().all());
  const files = step.what === "withdraw" ? imported : [];
  const choice = [...files, ...documents][Math.floor(step.which * (files.length + documents.length))];
  if (choice === undefined) return;
  const selectors: Selectors =
    typeof choice === "string" ? { document: `manifest/${choice}` } : { input: `${nameOf(choice)}.csv` };
  const free = new Set(world.look(readNeverSent).map(eventOf));
  const before = step.killed ? world.copyOfLedger() : null;
  const done = await carryOut(world, step.what, selectors);
  if (before !== null) {
    world.target.ledgerPath = before;
    return;
  }
  if (done === null) return;
  if (done.replacements > 0 && typeof choice === "string") return noteNotReplaced(world, witness, choice);
  const isAbout = ({ document, row }: Pick<Witness["holds"][number], "document" | "row">) =>
    typeof choice === "string" ? document === choice : isInFile(imported, row, (file) => file === nameOf(choice));
  if (step.what === "dismiss") {
    witness.gaveUp = true;
    world.refusals.release();
    giveUp(witness, isAbout);
  } else if (step.what === "undo") {
    const { landed, onTheWire } = thereNow(world);
    const again = witness.givenUp.filter(isAbout);
    witness.givenUp = witness.givenUp.filter((hold) => !isAbout(hold));
    // Also of rows that hold nothing any more: their files came without them, or their events landed by others.
    for (const row of witness.dismissed)
      if (isAbout({ document: (JSON.parse(row) as StoryRow).document ?? "", row })) witness.dismissed.delete(row);
    witness.holds.push(...again.map((hold) => ({ ...hold, landed, onTheWire })));
  } else if (step.what === "withdraw") {
    // What another file has as well, such as the rejected one, still holds, unless `status` tells that it is taken back too.
    const takenBack = new Set(world.look(tallyWithdrawn).map(({ input }) => input));
    const isToCorrect = world.look(readToCorrect);
    const isElsewhere = (row: string) =>
      typeof choice !== "string" &&
      isInFile(imported, row, (file) => file !== nameOf(choice) && (isToCorrect(row) || !takenBack.has(`${file}.csv`)));
    witness.holds = witness.holds.filter((hold) => !isAbout(hold) || isElsewhere(hold.row));
    witness.givenUp = witness.givenUp.filter((hold) => !isAbout(hold) || isElsewhere(hold.row));
    const known = new Set(world.look(readEvents).map(idOf));
    // What was taken back comes anew.
    for (const id of witness.stood.keys()) if (!known.has(id)) witness.stood.delete(id);
    witness.refused.clear();
    if (typeof choice === "string") return;
    // What the file changed, and was not sent, is as the others say.
    const others = imported.filter((one) => nameOf(one) !== nameOf(choice));
    for (const [event, row] of witness.says)
      if (free.has(event) && isInFile(imported, contentOf(row), (file) => file === nameOf(choice)))
        sayAsOthers(witness, event, contentOf(row), others);
  }
}

/** What the newest row of these files says that is not `gone`, by content; nothing if there is none. */
export function sayAsOthers(witness: Witness, event: string, gone: string, files: readonly Import[]): void {
  // The same bytes under an edited mapping say only what that makes of them.
  const latest = new Map(files.map((one) => [one.file, one]));
  const others = [...latest.values()].flatMap(({ rows }) => rows).filter((one) => eventSaidBy(one) === event);
  const other = others.findLast((one) => contentOf(one) !== gone && !witness.outdated.has(contentOf(one)));
  if (other?.is === "event" && !witness.accepted.has(saidBy(other))) witness.says.set(event, other);
  else witness.says.delete(event);
}

/** What `withdraw` may take back. */
const readNeverSent = (database: LedgerDatabase) => {
  const never = database
    .prepare<[], number>(
      `SELECT e.id FROM events_now e JOIN documents d ON d.id = e.document_id
       WHERE e.state IN ('planned', 'held', 'deferred') AND e.attempted_hash IS NULL AND d.generation = 1`,
    )
    .pluck()
    .all();
  return readEvents(database).filter(({ id }) => never.includes(id));
};

const keys = "SELECT DISTINCT key FROM documents WHERE kind = 'manifest' ORDER BY key";

/** A replacement of which nothing was sent is taken back, and nothing else. */
function noteNotReplaced(world: World, witness: Witness, key: string) {
  const { replaced, stood } = witness.replacing.get(key) ?? { stood: new Map<string, number>() };
  if (replaced === undefined) witness.replaced.delete(key);
  else witness.replaced.set(key, replaced);
  for (const id of witness.stood.keys()) if (id.startsWith(`${key} `)) witness.stood.delete(id);
  for (const [id, at] of stood) witness.stood.set(id, at);
  // What waited there with a refused file had landed before.
  for (const event of world.look(readEvents))
    if (event.key === key && hasLanded(event)) witness.refused.delete(eventOf(event));
}

/** @returns null where there is nothing to decide */
async function carryOut(
  world: World,
  what: Decide["what"],
  selectors: Selectors,
): Promise<{ replacements: number } | null> {
  const { target, clock, journal } = world;
  const holding = { clock, waitForLock: false, journal };
  try {
    if (what === "withdraw") return await clock.run(withdrawSelected(target, selectors, holding));
    if (what === "retry") await clock.run(decideAlone(target, retrying(selectors), holding));
    else dismissSelected(target, selectors, clock, journal, what === "undo");
    return { replacements: 0 };
  } catch (error) {
    if (error instanceof RowferryError && ["usage", "already-done"].includes(error.code)) return null;
    throw error;
  }
}

/** Tells of a row, by content, whether the ledger has it as invalid and open. */
export function readToCorrect(database: LedgerDatabase): (row: string) => boolean {
  const cells = createCells(database);
  const ids = database.prepare<[], number>("SELECT id FROM invalid_rows WHERE lead IS NULL").pluck().all();
  const open = new Set(ids.map((id) => cells.of(id)?.cells[0]));
  return (row) => open.has(cellOf(mapped(JSON.parse(row) as StoryRow)));
}

/** What a person corrected to become this row, or this row into, by content; with the row itself. */
export function versionsOf({ versions }: Witness, row: string, side: "before" | "now"): string[] {
  const other = side === "before" ? "now" : "before";
  const found = [row];
  for (const content of found)
    for (const one of versions) if (one[other] === content && !found.includes(one[side])) found.push(one[side]);
  return found;
}

/** A person has dismissed what these rows hold. */
export function giveUp(
  witness: Witness,
  isAbout: (hold: Pick<Witness["holds"][number], "document" | "row">) => boolean,
): void {
  const gone = witness.holds.filter(isAbout);
  for (const { row } of [...gone, ...witness.gone.filter(isAbout)]) {
    witness.dismissed.add(row);
    for (const earlier of versionsOf(witness, row, "before")) {
      witness.corrected.add(earlier);
      if (earlier !== row) witness.outdated.add(earlier);
    }
  }
  // A change that is accepted stays out of what is sent again.
  for (const row of [...witness.says.values(), ...witness.disputed])
    if (row.is === "event" && isAbout({ document: row.document, row: contentOf(row) })) {
      witness.says.delete(eventSaidBy(row));
      witness.accepted.add(saidBy(row));
    }
  witness.givenUp.push(...gone);
  witness.holds = witness.holds.filter((hold) => !gone.includes(hold));
}

/** What has landed, and what a killed process had on the wire. */
export const thereNow = (world: World) => ({
  landed: new Set(world.documents().flatMap(({ events }) => events.map(({ eventId }) => eventId))),
  onTheWire: world.onTheWire(),
});

/** As `eventOf` names it. */
export const eventSaidBy = (row: StoryRow): string =>
  `${(row.is === "event" && row.name) || "Weighing"} ${row.document} ${row.key}`;

export const nameOf = ({ file, named = file }: Import): string => named;

/** A file that has come before has other content now: the rows that it lacks stand for nothing, and changed ones come anew. */
export function noteNewVersion(witness: Witness, step: Import, imported: readonly Import[]): void {
  const earlier = imported.filter((one) => nameOf(one) === nameOf(step));
  const mine = new Set(step.rows.map(contentOf));
  const gone = new Set(earlier.flatMap(({ rows }) => rows.map(contentOf)).filter((row) => !mine.has(row)));
  // They stay to correct, and may be dismissed as such.
  witness.gone.push(...witness.holds.filter(({ row }) => gone.has(row)));
  witness.holds = witness.holds.filter(({ row }) => !gone.has(row));
  witness.givenUp = witness.givenUp.filter(({ row }) => !gone.has(row));
  // What comes back, may be late by then.
  for (const text of gone) {
    const { document, key } = JSON.parse(text) as StoryRow;
    witness.stood.delete(`${document} ${key}`);
    // What another file brings as well, waits for the refused one no longer.
    const isElsewhere = (one: Import) =>
      nameOf(one) !== nameOf(step) &&
      one.rows.some(
        (row) =>
          contentOf(row) === text || (one.maxErrors === undefined && row.document === document && row.key === key),
      );
    if (imported.some(isElsewhere)) witness.refused.delete(eventSaidBy(JSON.parse(text) as StoryRow));
  }
  // The same bytes under an edited mapping say only what that makes of them.
  const spoken = new Set(step.rows.map(eventSaidBy));
  for (const row of imported.flatMap(({ file, rows }) => (file === step.file ? rows : []))) {
    const event = eventSaidBy(row);
    if (spoken.has(event) && witness.says.get(event) === row) witness.says.delete(event);
  }
  const before = new Set(earlier.flatMap(({ rows }) => rows.map(contentOf)));
  for (const row of step.rows) if (!before.has(contentOf(row))) witness.stood.delete(`${row.document} ${row.key}`);
}

const backupOf = (world: World) => join(dirname(world.journal ?? ""), "monday.db");

export async function backUp(world: World): Promise<void> {
  await world.clock.run(backup(world.target, backupOf(world)));
}

/** @returns false where there is no backup */
export async function restore(world: World): Promise<boolean> {
  const from = backupOf(world);
  if (!existsSync(from)) return false;
  const copy = `${from}.copy`;
  copyFileSync(from, copy);
  world.leave();
  await world.clock.run(restoreLedger(world.target, { backup: copy, journal: world.journal }, world.clock));
  return true;
}
