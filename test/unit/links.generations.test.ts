/** Links and the generations of what they link (service.md, What the service does 3; HARD-CASES H26). */
import { type LinkRow, type LinkedWorld, linkedWorld } from "../support/linked.js";

/** Links of documents that are not cancelled to documents that are. */
export function deadLinks(world: LinkedWorld): string[] {
  const documents = world.sandbox.store.documents();
  const stateOf = new Map(documents.map(({ id, state }) => [id, state]));
  return documents
    .filter(({ state }) => state !== "cancelled")
    .flatMap(({ externalId, events }) =>
      events.flatMap(({ body, name, origin }) => {
        const { documentId } = (body["relatedDocument"] ?? {}) as { documentId?: string };
        return documentId !== undefined && stateOf.get(documentId) === "cancelled"
          ? [`${externalId}: ${origin} ${name}`]
          : [];
      }),
    );
}

const alive = (world: LinkedWorld, key: string) =>
  world
    .timelines(key)
    .filter(({ state }) => state !== "cancelled")
    .map(({ events }) => events);

/** Loads A and B of this number, of which one or both link to the other. */
const rows = (number: number, links: string, weight: string): LinkRow[] => {
  const [a, b] = [`A${number}`, `B${number}`];
  return [
    { doc: a, at: 1, weight },
    { doc: b, at: 1, weight },
    ...(links.includes("A→B") ? [{ doc: a, at: 2, what: "link" as const, other: b }] : []),
    ...(links.includes("B→A") ? [{ doc: b, at: 3, what: "link" as const, other: a }] : []),
    { doc: a, at: 4, weight },
    { doc: b, at: 4, weight },
  ];
};
const cases = ["A→B", "A→B B→A"].flatMap((links) =>
  ["A B", "B A"].map((order) => ({ links, order: order.split(" ") })),
);

describe("two linked loads that both came back changed (F107)", () => {
  async function changed(): Promise<LinkedWorld> {
    const world = await linkedWorld();
    for (const [index, weight] of ["1", "2"].entries()) {
      world.write(
        `rows-${index}.csv`,
        cases.flatMap(({ links }, number) => rows(number, links, weight)),
      );
      expect((await world.import(`rows-${index}.csv`)).code).toBe(index === 0 ? 0 : 3);
    }
    return world;
  }
  const replace = (world: LinkedWorld, document: string) => world.typed("replace", document, "--reason", "corrected");
  async function expectWhole(world: LinkedWorld) {
    const { code, out, err } = await world.typed("resume");
    expect([code, world.refusals(), deadLinks(world)], out + err).toEqual([0, [], []]);
    for (const number of cases.keys())
      for (const key of [`A${number}`, `B${number}`]) expect(alive(world, key).length, key).toBe(1);
    await world.ends(0, "verify");
  }

  test("replaced in either order before anything is sent, they link to each other's new generation", long, async () => {
    const world = await changed();
    for (const [number, { order }] of cases.entries()) for (const one of order) await replace(world, `${one}${number}`);
    await expectWhole(world);
  });
});

test("a link to a document that is being replaced waits until its predecessor can be cancelled", async () => {
  const world = await linkedWorld();
  await world.brought("rows-a.csv", ["A 1"]);
  await world.typed("replace", "load/A", "--reason", "wrong");
  // By the service's clock the CANCEL is still to come.
  world.sandbox.setClockOffset(-600_000);
  const { code, out, err } = await world.brought("rows-b.csv", ["B 2 one-way A"]);
  expect(code, out + err).toBe(0);
  expect(world.timelines("B")).toEqual([]);
  world.sandbox.setClockOffset(0);
  await world.ends(0, "resume");
  expect(world.timelines("A").map(({ state }) => state)).toEqual(["cancelled", "open"]);
  expect([world.timelines("B").length, deadLinks(world)]).toEqual([1, []]);
});

test("a row is no longer said to differ from what landed once its document has been replaced", async () => {
  const world = await linkedWorld();
  await world.brings(0, "rows-1.csv", ["A 24"]);
  await world.brings(3, "rows-1.csv", ["A 24 weight=9"]);
  await world.brings(3, "rows-2.csv", ["A 20 cancel"]);
  await world.ends(0, "replace load/A --reason wrong");
  await world.ends(3, "resume");
  const { out } = await world.typed("rejects");
  expect(out).toContain("after-cancel");
  expect(out).not.toContain("changed");
});

test("a row that had landed, and that the service refuses in the next generation, is told with what to do", async () => {
  const world = await linkedWorld();
  await world.brings(0, "rows-1.csv", ["A 1", "A 2"]);
  await world.ends(0, "replace load/A --reason wrong");
  const match = { path: "/documents/events" };
  world.sandbox.setFaults([{ match, nth: 2, times: 9, action: { kind: "status", status: 400, when: "before" } }]);
  await world.ends(3, "resume");
  const { code, out } = await world.typed("rejects");
  expect([code, out]).toEqual([3, expect.stringMatching(/^1 row needs you\.[^]*rows-1\.csv, row 2 · service-refused/)]);
  expect(out).toMatch(/^rowferry import <mapping> <files…>[^]*^rowferry dismiss --row <file>:<row>/m);
  world.sandbox.setFaults([]);
  await world.brings(0, "rows-1.csv", ["A 1 weight=8", "A 2"]);
  expect(world.timelines("A").map(({ events }) => events)).toEqual([
    ["1 Weighing", "2 Weighing", "now CANCEL"],
    ["1 Weighing", "2 Weighing"],
  ]);
});
