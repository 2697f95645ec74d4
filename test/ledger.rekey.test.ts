/** Keys that a changed mapping would make anew (HARD-CASES H25): refused, or taken on without sending anything again. */
import { afterEach, describe, expect, it } from "vitest";
import type { Summary } from "../src/model/summary.js";
import { createWorld, type World } from "./simulation/world.js";
import { importText, weighingMapping } from "./simulation/yaml-import.js";

interface Shape {
  namespace?: string;
  documentKey?: string;
  eventKey?: string;
}

const mapping = ({ eventKey = "[{ column: Ticket }]", ...shape }: Shape) =>
  weighingMapping({
    ...shape,
    event: `
        key: ${eventKey}
        externalCreatedAt: { column: Date }
        attributes: { Weight: { column: Weight, isPublic: true } }`,
  });

const header = "MTR,CNPJ,Ticket,Date,Weight";
const rows = [
  "M1,11222333000181,1,2026-01-01 10:00,5",
  "M1,11222333000181,2,2026-01-01 11:00,6",
  "M2,11222333000181,3,2026-01-01 10:00,7",
];

let world: World;
afterEach(() => world.close());

const run = (shape: Shape, lines: string[], options: { rekey?: boolean; file?: string } = {}): Promise<Summary> =>
  importText(
    world,
    mapping(shape),
    options.file ?? "march.csv",
    `${[header, ...lines].join("\n")}\n`,
    options.rekey === true ? { rekey: true } : {},
  );
const timelines = () => world.sandbox.store.documents().map(({ events }) => events.length);

const changes: [string, Shape][] = [
  ["the event's key", { eventKey: "[{ column: Ticket }, { column: Date }]" }],
  ["the namespace", { namespace: "acme-2" }],
  ["the document's key", { documentKey: '{ template: "MTR-{MTR}" }' }],
];

describe.each(changes)("a mapping that changes %s", (_what, changed) => {
  it("is refused with the list of what would be doubled, and sends nothing", async () => {
    world = createWorld();
    await run({}, rows);
    const refused = run(changed, rows);
    await expect(refused).rejects.toMatchObject({ code: "keys-changed" });
    await expect(refused).rejects.toThrow(/manifest\/weighing \(3 sent, such as manifest M1\)/);
    expect(timelines()).toEqual([2, 1]);
  });

  it("with --rekey knows the rows that landed, and goes on with new ones on the same documents", async () => {
    world = createWorld();
    await run({}, rows);
    const rekeyed = await run(changed, rows, { rekey: true });
    expect([rekeyed.rows.known, rekeyed.requests.sent, rekeyed.exitCode]).toEqual([3, 0, 0]);
    const later = await run(changed, [...rows, "M1,11222333000181,4,2026-01-01 12:00,8"], { file: "april.csv" });
    expect([later.rows.known, later.rows.staged, later.exitCode]).toEqual([3, 1, 0]);
    expect(timelines()).toEqual([3, 1]);
    const again = await run(changed, [...rows, "M1,11222333000181,4,2026-01-01 12:00,8"], { file: "may.csv" });
    expect([again.rows.known, again.requests.sent]).toEqual([4, 0]);
  });
});

describe("rekeying", () => {
  const changed: Shape = { eventKey: "[{ column: Ticket }, { column: Date }]" };

  it("by a file that was never imported finds landed events by their content, and by their time where they were edited", async () => {
    world = createWorld();
    await run({}, rows);
    const edited = rows.map((row) => row.replace(/,5$/, ",5.5"));
    const summary = await run(changed, edited.toReversed(), { rekey: true, file: "export.csv" });
    expect([summary.rows.known, summary.open.events, summary.requests.sent]).toEqual([2, { changed: 1 }, 0]);
    expect(timelines()).toEqual([2, 1]);
  });

  it("lets what was never sent go out under its new key, once", async () => {
    world = createWorld();
    world.sandbox.setFaults([
      {
        match: { path: "/documents/events" },
        nth: 2,
        times: 100,
        action: { kind: "status", status: 503, when: "before" },
      },
    ]);
    await run({}, rows);
    world.sandbox.setFaults([]);
    const summary = await run(changed, rows, { rekey: true });
    expect(summary.exitCode).toBe(0);
    expect(timelines()).toEqual([2, 1]);
    const again = await run(changed, rows.toReversed(), { file: "again.csv" });
    expect([again.rows.known, again.requests.sent]).toEqual([3, 0]);
  });

  it("of documents' own keys needs the files that landed: a new file is refused", async () => {
    world = createWorld();
    await run({}, rows);
    const refused = run({ documentKey: '{ template: "MTR-{MTR}" }' }, rows.slice(1), { rekey: true, file: "new.csv" });
    await expect(refused).rejects.toMatchObject({ code: "keys-changed" });
    expect(timelines()).toEqual([2, 1]);
  });

  it("is not needed for an edit that makes no key, or where nothing of that kind was sent", async () => {
    world = createWorld();
    await run({}, []);
    const summary = await run(changed, rows, { file: "first.csv" });
    expect(summary.exitCode).toBe(0);
    expect(timelines()).toEqual([2, 1]);
  });
});
