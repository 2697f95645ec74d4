/** Cells are kept of rows that are not landed; pruning changes no answer, and costs no request (DESIGN section 3, P7, H24). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import { prune } from "../../src/desk/care.js";
import { writeRejects } from "../../src/desk/files.js";
import { paceOf } from "../../src/ledger/views/past-runs.js";
import { everyStranded } from "../../src/ledger/views/timelines.js";
import { dismissSelected } from "../support/decide.js";
import { eventRow, invalidRow, participantOf, rowInWords } from "../nights/simulation/story-rows.js";
import { createWorld, lostAnswers, type StoryFile, type World, storyFile } from "../nights/simulation/world.js";

const DAY = 86_400_000;

let world: World;
afterEach(() => world.close());

/** Most rows land; one in twenty is refused by the service, one in twenty waits behind an invalid row. */
function shared(count: number): StoryFile {
  const rows = Array.from({ length: count }, (_, index) => {
    const row = index + 2;
    const document = `M${index}`;
    if (index % 20 === 5) return eventRow({ row, document, minute: 10, bad: true });
    if (index % 20 === 7) return invalidRow(row, [{ key: `M${index + 1}`, minute: 5 }]);
    return eventRow({ row, document, minute: 10, weight: `weight of row ${row}, ${Math.sin(index)}` });
  });
  return storyFile("a", rows);
}

const pruneAll = () => prune(world.target, -1, { clock: world.clock, waitForLock: false });

/** What a person is told of some rows, and the file they would correct. */
async function answers(folder: string) {
  const rows = [];
  for (const row of [2, 7, 9, 10, 256, 257, 258, 300, 590, 601]) rows.push((await world.show(`a.csv:${row}`)).rows);
  const rejects = await writeRejects(world.target, {}, join(world.target.stateFolder, folder));
  const files = rejects.files.map(({ path }) => readFileSync(path, "utf8"));
  const { documents } = await world.show("M0");
  return { rows, documents, rejects: rejects.rows, files };
}

const count = (what: string) =>
  world.withLedger((database) => Number(database.prepare<[], number>(`SELECT count(*) FROM ${what}`).pluck().get()));

describe("pruning", () => {
  it("packs what landed; show and rejects answer as before, and what is open goes on", async () => {
    world = createWorld();
    await world.import([shared(600)]);
    const before = await answers("before");
    expect(before.files[0]?.split("\n").length).toBeGreaterThan(60);
    const { payloads, attempts, sizeBefore, sizeAfter } = await pruneAll();
    expect(payloads).toBe(600 - 3 * 30);
    expect(attempts).toBeGreaterThan(payloads);
    expect(count("events WHERE payload <> ''")).toBe(2 * 30);
    expect(sizeAfter).toBeLessThan(sizeBefore);
    expect(await answers("after")).toEqual(before);
    expect(world.withLedger(checkLedger).flatMap(({ broken }) => broken)).toEqual([]);
    expect(await pruneAll()).toMatchObject({ payloads: 0, attempts: 0 });

    const again = await world.bring("b", [
      eventRow({ row: 2, document: "M0", minute: 10, weight: "weight of row 2, 0" }),
    ]);
    expect([again.rows.known, again.requests.sent]).toEqual([1, 0]);
    await world.bring("b1", ["9: M8 4"]);
    const held = (await world.show("a.csv:10")).rows[0];
    expect(held?.cells?.["row"]).toContain('"M8"');
  });

  it("leaves the evidence for a stranded document and the course of a run", async () => {
    world = createWorld();
    world.setFaults(lostAnswers());
    await world.bring("a", ["M1 10", "M2 10"]);
    const told = () => world.look((database) => [...everyStranded(database), paceOf(database, 1)]);
    const before = told();
    expect(before).toMatchObject([{ requestIds: [expect.any(String)] }, { sent: expect.anything() }]);
    await pruneAll();
    expect(told()).toEqual(before);
  });

  it("leaves what landed within the time to keep, and packs what landed between earlier events", async () => {
    world = createWorld();
    await world.import([shared(60)]);
    const options = { clock: world.clock, waitForLock: false };
    expect(await prune(world.target, DAY, options)).toMatchObject({ payloads: 0 });
    await world.clock.run(world.clock.sleep(2 * DAY));
    dismissSelected(world.target, { document: "M8" }, world.clock);
    await world.resume();
    expect(await prune(world.target, DAY, options)).toMatchObject({ payloads: 60 - 3 * 3 });
    expect(await pruneAll()).toMatchObject({ payloads: 1 });
    expect(count("dismissals")).toBeGreaterThan(0);
    expect(world.withLedger(checkLedger).flatMap(({ broken }) => broken)).toEqual([]);
    for (const row of [2, 8, 10, 11, 61]) {
      const [event] = (await world.show(`M${row - 2}`)).documents[0]?.events ?? [];
      expect(JSON.stringify(event?.body), `row ${row}`).toContain(`weight of row ${row},`);
    }
  });

  it("gives back the cells of the file that was asked for, not of another one of its name", async () => {
    world = createWorld();
    for (const night of ["1", "2"]) {
      const rows = [eventRow({ row: 2, document: `N${night}`, minute: 10 }), invalidRow(3, [{ key: `N${night}` }])];
      // The invalid row keeps the page from going at the run's end.
      rows.push(eventRow({ row: 4, document: `N${night}`, minute: 30 }));
      await world.import([{ name: "night.csv", contentHash: `n${night}`, rows }]);
    }
    await pruneAll();
    const { rows } = await world.show("night.csv:2");
    expect(rows.map(({ cells }) => /"N\d"/.exec(cells?.["row"] ?? "")?.[0])).toEqual(['"N1"', '"N2"']);
  });
});

it("at a run's end, cells of a row stay while a participant that it declared is refused, though its event has landed", async () => {
  world = createWorld();
  const row = rowInWords("M1 10", 2);
  if (row.outcome.fate === "valid") row.outcome.records.participants.push(participantOf("", "Nobody"));
  await world.bring("a", [row]);
  const [shown] = (await world.show("a.csv:2")).rows;
  expect(shown?.events.map(({ state }) => state)).toEqual(["landed"]);
  expect((await writeRejects(world.target, {}, join(world.target.stateFolder, "r"))).rows).toHaveLength(1);
});
