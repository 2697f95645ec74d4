/** What follows a document into its next generation: holds, dismissals and new keys (HARD-CASES H15, H23, H25, H26). */
import { afterEach, describe, expect, it } from "vitest";
import type { Summary } from "../src/model/summary.js";
import { dismissSelected } from "../src/pipeline/dismiss.js";
import { replaceNamed } from "../src/pipeline/replace-document.js";
import { showAnything } from "../src/pipeline/show.js";
import { eventRow, invalidRow } from "./simulation/story-rows.js";
import { createWorld, type StoryFile, type World } from "./simulation/world.js";
import { importText, weighingMapping } from "./simulation/yaml-import.js";

let world: World;
afterEach(() => world.close());

const file = (contentHash: string, rows: StoryFile["rows"]): StoryFile => ({
  name: `${contentHash}.csv`,
  contentHash,
  rows,
});
const replace = (document: string) =>
  replaceNamed(world.target, { document, reason: "wrong weight" }, { clock: world.clock, waitForLock: false });
const statesOf = async (document: string) =>
  (await showAnything(world.target, document)).documents
    .at(-1)
    ?.events.map(({ at, state }) => [at.slice(14, 16), state]);

describe("an invalid row of a document that is replaced (H15, H26)", () => {
  const bad = (row: number, minute: number) =>
    invalidRow(row, [{ key: "M1", event: "weighing", keyParts: [String(minute)], minute }]);

  it("goes on holding what is later there, until its event comes right: by its key, in another file", async () => {
    world = createWorld();
    await world.import([
      file("a", [
        eventRow({ row: 2, document: "M1", minute: 10 }),
        bad(3, 15),
        eventRow({ row: 4, document: "M1", minute: 20 }),
      ]),
    ]);
    await replace("M1");
    await world.resume();
    expect(await statesOf("M1")).toEqual([
      ["10", "landed"],
      ["20", "held"],
    ]);
    const right = await world.import([file("b", [eventRow({ row: 2, document: "M1", minute: 15 })])]);
    expect([right.exitCode, right.open.rows]).toEqual([0, 0]);
    expect((await statesOf("M1"))?.map(([, state]) => state)).toEqual(["landed", "landed", "landed"]);
  });

  it("whose event had landed holds that event in the next generation, where it can be corrected in place (P3)", async () => {
    world = createWorld();
    await world.import([file("a", [eventRow({ row: 2, document: "M1", minute: 10, weight: "5" })])]);
    await world.import([file("b", [bad(2, 10), eventRow({ row: 3, document: "M1", minute: 20 })])]);
    await replace("M1");
    const summary = await world.resume();
    expect(summary.open.events).toEqual({ held: 2 });
    const right = await world.import([file("c", [eventRow({ row: 2, document: "M1", minute: 10, weight: "6" })])]);
    expect([right.exitCode, right.open.events]).toEqual([0, {}]);
    const [, next] = world.sandbox.store.documents();
    expect(JSON.stringify(next?.events[0])).toContain('"6"');
  });

  it("holds nothing more once its event has landed in the next generation", async () => {
    world = createWorld();
    await world.import([file("a", [bad(3, 15), eventRow({ row: 4, document: "M2", minute: 20 })])]);
    await world.import([file("b", [eventRow({ row: 2, document: "M1", minute: 5 })])]);
    await replace("M1");
    // The placement stands, its row was never settled; its event lands through other rows.
    world.withLedger((database) => database.exec("UPDATE rows SET settled = 'dismissed' WHERE fate = 'invalid'"));
    await world.import([file("c", [eventRow({ row: 2, document: "M1", minute: 15 })])]);
    world.withLedger((database) => database.exec("UPDATE rows SET settled = NULL WHERE fate = 'invalid'"));
    const later = await world.import([file("d", [eventRow({ row: 2, document: "M1", minute: 30 })])]);
    expect(later.open.events).toEqual({});
  });
});

describe("what was dismissed on a document that is replaced (H23)", () => {
  it("stays dismissed on its next generation when tomorrow's full export brings it again", async () => {
    world = createWorld();
    const rows = [
      eventRow({ row: 2, document: "M1", minute: 10 }),
      eventRow({ row: 3, document: "M1", minute: 20, bad: true }),
    ];
    await world.import([file("a", rows)]);
    dismissSelected(world.target, { row: 3, input: "a.csv" }, world.clock);
    await replace("M1");
    await world.resume();
    const again = await world.import([file("b", [...rows, eventRow({ row: 4, document: "M1", minute: 30 })])]);
    expect([again.exitCode, again.open.events]).toEqual([0, {}]);
    expect(world.sandbox.store.documents().map(({ events }) => events.length)).toEqual([2, 2]);
  });
});

describe("a document that is replaced after its keys were changed (H25, H26)", () => {
  const mapping = (shape: { eventKey?: string; documentKey?: string }) =>
    weighingMapping({
      ...(shape.documentKey === undefined ? {} : { documentKey: shape.documentKey }),
      event: `
        key: ${shape.eventKey ?? "[{ column: Ticket }]"}
        externalCreatedAt: { column: Date }
        attributes: { Weight: { column: Weight, isPublic: true } }`,
    });
  const lines = [
    "MTR,CNPJ,Ticket,Date,Weight",
    "M1,11222333000181,1,2026-01-01 10:00,5",
    "M1,11222333000181,2,2026-01-01 10:00,6",
    "M1,11222333000181,3,2026-01-01 10:00,7",
  ];
  const run = (shape: Parameters<typeof mapping>[0], name: string, text: string[], rekey = false): Promise<Summary> =>
    importText(world, mapping(shape), name, `${text.join("\n")}\n`, rekey ? { rekey } : {});
  const changes: [string, Parameters<typeof mapping>[0]][] = [
    ["the event's key", { eventKey: "[{ column: Ticket }, { column: Date }]" }],
    ["the document's key", { documentKey: '{ template: "MTR-{MTR}" }' }],
  ];

  it.each(changes)("knows its rows under the new keys: %s", async (_what, changed) => {
    world = createWorld();
    await run({}, "march.csv", lines);
    await run(changed, "march.csv", lines, true);
    await replace("M1");
    await world.resume();
    const edited = lines.map((line) => line.replace(/,6$/, ",6.5"));
    const again = await run(changed, "april.csv", edited);
    expect([again.rows.known, again.open.events]).toEqual([2, { changed: 1 }]);
    expect(world.sandbox.store.documents().map(({ events }) => events.length)).toEqual([4, 3]);
  });

  it("knows rows also of a file that was not imported since", async () => {
    world = createWorld();
    const { eventKey } = { eventKey: "[{ column: Ticket }, { column: Date }]" };
    await run({}, "march.csv", lines);
    await run({}, "other.csv", [lines[0] ?? "", "M9,11222333000181,9,2026-01-01 10:00,5"]);
    await run({ eventKey }, "other.csv", [lines[0] ?? "", "M9,11222333000181,9,2026-01-01 10:00,5"], true);
    await replace("M1");
    await world.resume();
    const again = await run({ eventKey }, "march.csv", lines);
    expect([again.rows.known, again.requests.sent]).toEqual([3, 0]);
  });
});

describe("rows that are staged anew under new keys (H25)", () => {
  const mapping = (eventKey: string) =>
    weighingMapping({
      event: `
        key: ${eventKey}
        externalCreatedAt: { column: Date }
        attributes: { Weight: { column: Weight, isPublic: true } }`,
    });
  const header = "MTR,CNPJ,Ticket,Date,Weight";

  it("are each an event of their own, though one of them takes the place of what was withdrawn", async () => {
    world = createWorld();
    const first = `${header}\nM1,11222333000181,1,2026-01-01 10:00,5\n`;
    const second = `${header}\nM2,11222333000181,1,2026-01-01 10:00,5\nM2,11222333000181,2,2026-01-01 10:00,5\n`;
    await importText(world, mapping("[{ column: Ticket }]"), "a.csv", first);
    world.sandbox.setFaults([
      {
        match: { path: "/documents/events" },
        nth: 1,
        times: 100,
        action: { kind: "status", status: 400, when: "before" },
      },
    ]);
    await importText(world, mapping("[{ column: Ticket }]"), "b.csv", second);
    world.sandbox.setFaults([]);
    const changed = mapping("[{ column: Ticket }, { column: Date }]");
    await importText(world, changed, "b.csv", second, { rekey: true });
    expect(world.sandbox.store.documents().map(({ events }) => events.length)).toEqual([1, 2]);
  });

  it("take the place of what the service refused under the old key", async () => {
    world = createWorld();
    const rows = `${header}\nM1,11222333000181,1,2026-01-01 10:00,5\n`;
    const changed = mapping("[{ column: Ticket }, { column: Date }]");
    const refuse = (status: number) =>
      world.sandbox.setFaults([
        {
          match: { path: "/documents/events" },
          nth: 1,
          times: 100,
          action: { kind: "status", status, when: "before" },
        },
      ]);
    const first = `${header}\nM1,11222333000181,0,2026-01-01 09:00,5\n`;
    await importText(world, mapping("[{ column: Ticket }]"), "first.csv", first);
    refuse(429);
    await importText(world, mapping("[{ column: Ticket }]"), "a.csv", rows);
    await importText(world, changed, "a.csv", rows, { rekey: true });
    refuse(400);
    expect((await world.resume()).open.events).toEqual({ rejected: 1 });
    world.sandbox.setFaults([]);
    await importText(world, changed.replace("isPublic: true }", "isPublic: false }"), "a.csv", rows);
    expect(world.sandbox.store.documents().map(({ events }) => events.length)).toEqual([2]);
  });
});

describe("a link in doubt to a document that was replaced, corrected since (H9, H26)", () => {
  it("lets rows of the next generation come in: what landed linked to the first", async () => {
    world = createWorld();
    const link = (weight: string) =>
      eventRow({
        row: 2,
        document: "M1",
        minute: 40,
        name: "RELATED",
        weight,
        related: { document: "M3", bidirectional: true },
      });
    await world.import([
      file("a", [eventRow({ row: 2, document: "M1", minute: 5 }), eventRow({ row: 3, document: "M3", minute: 10 })]),
    ]);
    world.sandbox.setFaults([
      { match: { path: "/documents/events" }, nth: 1, times: 50, action: { kind: "drop", when: "after" } },
    ]);
    expect((await world.import([file("b", [link("5")])])).open.events).toEqual({ stalled: 1 });
    world.sandbox.setFaults([]);
    await replace("M3");
    expect((await world.import([file("c", [link("6")])])).open.events).toEqual({ changed: 1 });
    const later = await world.import([file("d", [eventRow({ row: 2, document: "M3", minute: 20 })])]);
    expect([later.events, later.open.events]).toEqual([{ landed: 1 }, { changed: 1 }]);
  });
});

describe("a document whose payloads are pruned", () => {
  it("is sent again from the very files that brought it", async () => {
    world = createWorld();
    const event = "        key: [{ column: At }]\n        externalCreatedAt: { column: At }";
    const bring = () => importText(world, weighingMapping({ event }), "a.csv", rows);
    const rows = "MTR,CNPJ,At\nM1,11222333000181,2025-10-01 10:00\nM1,11222333000181,2025-10-01 11:00\n";
    expect((await bring()).exitCode).toBe(0);
    world.withLedger((database) => database.exec("UPDATE events SET payload = ''"));
    await replace("M1");
    const again = await bring();
    expect([again.exitCode, again.rows.staged]).toEqual([0, 2]);
    expect((await statesOf("M1"))?.map(([, state]) => state)).toEqual(["landed", "landed"]);
  });
});

describe("a document that has made others", () => {
  it("is not replaced, for they would be made twice: nothing is cancelled, nothing planned", async () => {
    world = createWorld();
    await world.import([file("a", [eventRow({ row: 2, document: "M1", minute: 10, target: "B1" })])]);
    await expect(replace("M1")).rejects.toMatchObject({
      code: "document-has-made-others",
      message: expect.stringContaining("(batch B1)") as string,
    });
    const summary = await world.resume();
    expect([summary.exitCode, summary.requests.sent]).toEqual([0, 0]);
    expect(await statesOf("M1")).toEqual([["10", "landed"]]);
  });
});
