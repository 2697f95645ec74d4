/** What can be told of an invalid row, so that it holds no more than it must: HARD-CASES H13, H14, H15. */
import type { MappedRow } from "../../src/model/records.js";
import { bind, headerOf, load, mapRows, mappingWith, row } from "../support/map.support.js";

const DAY = { Doc: "1", Day: "01/02/2026", Ticket: "T1" };
const AT = Date.UTC(2026, 1, 1);

const YAML = mappingWith({
  columns:
    "id: Id\nkind: { header: Kind, required: true }\nticket: Ticket\nkg: { header: Kg, as: number }\nnote: Note\nnever: Never",
  input: "rowId: =default(id, 'none')",
  fields: "kind: =kind",
  more: `
weighing:
  when: =filled(ticket)
  name: W
  key: =ticket
  externalCreatedAt: =day
  isPublic: true
  attributes: { public: { Kg: =kg } }
note: { when: =filled(note), name: N, key: content, within: file, externalCreatedAt: =day, isPublic: true }`,
});

async function placements(cells: { [header: string]: string }) {
  return placementsOf(mapRows(await load(YAML), [{ Kind: "k", Id: "r1", ...cells }])[0]);
}

function placementsOf(mapped: MappedRow | undefined) {
  if (mapped?.outcome.fate !== "invalid") throw new Error(JSON.stringify(mapped));
  return mapped.outcome.placements;
}

describe("an invalid row", () => {
  it("places each of its events by document, key and time, also those without a mistake", async () => {
    expect(await placements({ ...DAY, Kg: "x" })).toEqual([
      { document: { kind: "paper", key: "1" }, event: "step", keyParts: [], at: AT },
      { document: { kind: "paper", key: "1" }, event: "weighing", keyParts: ["T1"], at: AT },
    ]);
  });

  it("with an unreadable time holds everything of its document", async () => {
    expect(await placements({ ...DAY, Day: "soon" })).toMatchObject([
      { event: "step", at: null },
      { event: "weighing", keyParts: ["T1"], at: null },
    ]);
  });

  it("whose event goes by content has no key", async () => {
    const [, , note] = await placements({ ...DAY, Note: "x", Kg: "x" });
    expect(note).toEqual({ document: { kind: "paper", key: "1" }, event: "note", keyParts: null, at: AT });
  });

  it("places no event whose condition does not hold", async () => {
    expect(await placements({ ...DAY, Ticket: "", Kind: "" })).toMatchObject([{ event: "step" }]);
  });

  it("whose document cannot be told has no placement (H14)", async () => {
    expect(await placements({ ...DAY, Doc: "" })).toEqual([]);
  });

  it("whose document has a mistake of its own is still placed by its key", async () => {
    expect(await placements({ ...DAY, Kind: "" })).toMatchObject([
      { document: { key: "1" }, event: "step", at: AT },
      { event: "weighing" },
    ]);
  });

  it("that yields a document without events holds that document", async () => {
    const yaml = YAML.replace("name: Step", "name: Step\n        when: =filled(never)");
    const [mapped] = mapRows(await load(yaml), [{ Doc: "1", Kind: "" }]);
    expect(placementsOf(mapped)).toEqual([
      { document: { kind: "paper", key: "1" }, event: null, keyParts: null, at: null },
    ]);
  });

  it("whose condition fails places the event with nothing known", async () => {
    const yaml = mappingWith({ columns: "x: { header: X, as: number }", event: "when: =x > 0" });
    const [mapped] = mapRows(await load(yaml), [{ ...DAY, X: "?" }]);
    expect(placementsOf(mapped)).toEqual([
      { document: { kind: "paper", key: "1" }, event: "step", keyParts: null, at: null },
    ]);
  });

  it("of the wrong shape places its document only: its cells may stand under the wrong headers", async () => {
    const mapping = await load(YAML);
    const header = headerOf(mapping, [DAY]);
    const problem = { code: "row-long" as const, message: "9 cells", hint: null, column: null };
    const [mapped] = bind(mapping, header).map([
      { ...row(2, header, { ...DAY, Kind: "k", Id: "1" }), problems: [problem] },
    ]);
    expect(placementsOf(mapped)).toMatchObject([
      { document: { key: "1" }, event: null, keyParts: null, at: null },
      { event: null },
    ]);
    expect(mapped?.outcome).toMatchObject({ problems: [problem] });
  });
});

it.each([
  ["Doc", "invalid"],
  ["Day", "skipped"],
])("a cell of %s that cannot be read leaves a row to skip %s", async (column, fate) => {
  const mapping = await load(mappingWith({ input: "skip: =blank(doc)" }));
  const header = ["Doc", "Day"];
  const problem = { code: "cell-error" as const, message: "", hint: null, column };
  const [mapped] = bind(mapping, header).map([{ ...row(2, header, {}), problems: [problem] }]);
  expect(mapped?.outcome.fate).toBe(fate);
});

it("a skipped row is not skipped where its cells cannot be trusted", async () => {
  const mapping = await load(mappingWith({ input: "skip: =blank(doc)" }));
  const header = ["Doc", "Day"];
  const [mapped] = bind(mapping, header).map([
    { ...row(2, header, {}), problems: [{ code: "row-short" as const, message: "", hint: null, column: null }] },
  ]);
  expect(mapped?.outcome.fate).toBe("invalid");
});
