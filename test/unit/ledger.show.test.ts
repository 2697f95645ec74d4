/** `show`: whatever a person has at hand leads to what became of it (P7). */
import { open, world } from "../nights/simulation/hard-case.js";
import exceljs from "exceljs";
import type { Shown } from "../../src/model/lines/show.js";
import { retry } from "../../src/ledger/decide/dismiss.js";
import { selectOpen } from "../../src/ledger/decide/selection.js";
import { showAnything, showSentBetween } from "../../src/desk/show.js";
import { eventRow, rowInWords } from "../nights/simulation/story-rows.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { loads, loadsWith, weighings, weighingsWith } from "../support/weighings.js";

// Some tests make none.
const show = (text: string) => world.show(text);
/** What `show --json` prints last. */
async function shownIn(office: Office, name: string) {
  const { out } = await office.type("show", name, "--json");
  return JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as Shown;
}

/** One document with a landed event, an invalid row and what it holds; another one that has landed. */
async function storyWithHold() {
  open();
  await world.bring("a", ["M1 10", "M1 20 invalid", "M1 30", "M2 10"]);
}

describe("show of a document", () => {
  it(
    "is found by its key, its id, its deduplicationId, and through any of its events' ids and keys",
    long,
    async () => {
      await storyWithHold();
      const [document] = (await show("M1")).documents;
      const event = document?.events[0];
      const names = [document?.documentId, document?.deduplicationId, event?.eventId, event?.deduplicationId];
      for (const name of names) expect((await show(name ?? "")).documents[0]?.key).toBe("M1");
      expect((await show(event?.eventId ?? "")).event?.rows).toEqual(["a.csv, row 2"]);
      expect((await show("M9")).documents).toEqual([]);
    },
  );
});

describe("show of rows", () => {
  it("says of an event nothing that was said of one that is no longer there", long, async () => {
    open();
    await world.bring("a", ["M1 10"]);
    const future = `3: M2 ${60 * 24 * 400}`;
    await world.bring("b", ["M1 20 bad", future]);
    world.withLedger((database) => retry(database, selectOpen(database, {}), world.clock.now()));
    await world.bring("b", [future]);
    expect((await show("M2")).documents[0]?.events).toMatchObject([{ state: "deferred", messages: [] }]);
  });

  it("says of a group that is known that all of its rows are", long, async () => {
    open();
    const group = { ...rowInWords("M1 10", 2), alsoRows: [3] };
    await world.bring("a", [group]);
    await world.bring("b", [group, "4: M1 20"]);
    const fates = await Promise.all(["b.csv:2", "b.csv:3"].map(async (name) => (await show(name)).rows[0]?.fate));
    expect(fates).toEqual(["known", "known"]);
  });
});

it("a row is found by its place exactly as it is printed, in the sheet that it names", long, async () => {
  const { weighings: input } = weighings.inputs;
  const may = { ...input, files: "*.xlsx", excel: { sheet: "May" } };
  const june = { ...may, excel: { sheet: "June, late" } };
  const office = openOffice({ ...weighings, inputs: { may, june, days: { ...input, files: "*.csv" } } });
  const workbook = new exceljs.Workbook();
  for (const [name, load] of [
    ["May", "M"],
    ["June, late", "J"],
  ] as const)
    workbook.addWorksheet(name).addRows([
      ["Load", "At", "Gross"],
      [load, "2026-01-01 10:10", "much"],
    ]);
  await workbook.xlsx.writeFile(office.path("book.xlsx"));
  await office.import("book.xlsx");
  await office.brought("w.csv", ["Load,At,Gross", "L1,2026-01-01 10:10,1200"]);
  const found = async (name: string) => {
    const { rows } = await shownIn(office, name);
    return rows.map(({ cells, sheet, row }) => [sheet, row, cells?.["Load"] ?? null]);
  };
  expect(await found('book.xlsx, sheet "May", row 2')).toEqual([["May", 2, "M"]]);
  expect(await found('book.xlsx, sheet "June, late", row 2')).toEqual([["June, late", 2, "J"]]);
  expect(await found("book.xlsx, row 2")).toHaveLength(2);
  expect(await found("w.csv, row 2")).toEqual([[null, 2, null]]);
  expect((await office.type("show", 'book.xlsx, sheet "May", row 3')).code).toBe(2);
});

it(
  "an event is told with its rows of the newest file of each name; a row of an earlier one says that it is",
  long,
  async () => {
    open();
    const office = openOffice(weighings);
    const files = [
      ["L1 10 1", "L1 20 1"],
      ["L1 05 1", "L1 10 1", "L1 20 1", "L1 30 1"],
      ["L1 10 1", "L1 20 1"],
    ];
    for (const rows of files) await office.brought("a.csv", loads(...rows));
    await office.brought("b.csv", loads("L1 20 1"));
    const [load] = (await shownIn(office, "load/L1")).documents;
    expect(load?.events.map(({ rows }) => rows)).toEqual([
      ["a.csv, row 2 (earlier file)"],
      ["a.csv, row 2"],
      ["a.csv, row 3", "b.csv, row 2"],
      ["a.csv, row 5 (earlier file)"],
    ]);
    const { rows } = await shownIn(office, "a.csv:2");
    expect(rows.map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
  },
);

describe("show of registrations, runs and requests", () => {
  it("finds a participant by tax id with and without dots, and its addresses with it", long, async () => {
    await storyWithHold();
    for (const taxId of ["11222333000181", "11.222.333/0001-81"]) {
      const { registrations } = await show(taxId);
      expect(registrations.map(({ record, state, origin }) => [record, state, origin])).toEqual([
        ["participant", "registered", "created"],
        ["address", "registered", "created"],
      ]);
    }
    const [participant] = (await show("11222333000181")).registrations;
    expect((await show(participant?.id ?? "")).registrations[0]?.name).toBe(participant?.name);
  });

  it("says what was sent in a time and what came back, without a token or a secret (P9)", async () => {
    open({ sandbox: { terseErrors: false } });
    world.setFaults([
      { match: { path: "/documents/events" }, nth: 1, action: { kind: "status", status: 503, when: "before" } },
    ]);
    const before = world.clock.now();
    await world.bring("a", ["M1 10"]);
    const { requests } = showSentBetween(world.target, before, world.clock.now(), 100);
    expect(requests.map(({ kind }) => kind)).toEqual([
      "lookup-participant",
      "create-participant",
      "create-address",
      "create-with-events",
    ]);
    const last = requests.at(-1);
    expect(last?.attempts.map(({ status }) => status)).toEqual([503, 201]);
    expect(last?.attempts[1]?.requestIds[0]).toMatch(/^x-request-id: /);
    expect(JSON.stringify(requests)).not.toMatch(/bearer|secret|authorization/i);
    expect(showSentBetween(world.target, before - 2000, before - 1000, 100).requests).toEqual([]);
    const id = last?.attempts[1]?.requestIds[0]?.split(": ")[1] ?? "";
    const found = await show(id);
    expect(found.requests.map(({ kind }) => kind)).toEqual(["create-with-events"]);
  });
});

describe("a name of a document", () => {
  it(
    "is its key, its externalId, the parts of its key or one of them; several choices are listed, and nothing is done",
    long,
    async () => {
      const { columns, documents, ...input } = weighings.inputs.weighings;
      const load = { ...documents.load, key: ["=plant", "=load"], externalId: "=plant + ':' + load" };
      const composed = {
        ...weighings,
        inputs: { weighings: { ...input, columns: { ...columns, plant: "Plant" }, documents: { load } } },
      };
      const office = openOffice(composed);
      await office.brought("w.csv", ["Plant,Load,At,Gross", "A,1,2026-01-01 10:10,1", "B,1,2026-01-01 10:10,1"]);
      const found = async (name: string) => {
        const { documents: named } = await shownIn(office, name);
        return named.map(({ declaredBy }) => declaredBy);
      };
      for (const name of ["A:1", "A, 1", "A/1", "load/A/1", "A"])
        expect([name, await found(name)]).toEqual([name, ["w.csv, row 2"]]);
      expect(await found("1")).toHaveLength(2);
      const refused = await office.type("replace", "1", "--reason", "wrong");
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("several documents")]);
    },
  );

  it("with more events than 50 gives the newest, their counts, and all where all are asked for", long, async () => {
    open();
    const rows = Array.from({ length: 60 }, (_, index) =>
      eventRow({ row: index + 2, document: "M1", minute: index, key: String(index) }),
    );
    await world.bring("a", rows);
    const [document] = (await show("M1")).documents;
    expect([document?.events.length, document?.events[0]?.rows, document?.eventCounts]).toEqual([
      50,
      ["a.csv, row 12"],
      { landed: 60 },
    ]);
    expect(showAnything(world.target, "M1", { all: true }).documents[0]?.events).toHaveLength(60);
  });
});

it("an event that was given up counts as dismissed, not as rejected", long, async () => {
  const sandbox = createSandbox();
  const office = await openOfficeAt(sandbox, weighings);
  sandbox.setFaults([
    { match: { method: "POST", path: "/documents/events" }, action: { kind: "status", status: 422, when: "before" } },
  ]);
  await office.brought("w.csv", ["Load,At,Gross", "A,2026-01-01 10:00,5"]);
  const counts = async () => (await shownIn(office, "A")).documents.map(({ eventCounts }) => eventCounts);
  expect(await counts()).toEqual([{ rejected: 1 }]);
  await office.type("dismiss", "--code", "service-refused", "--yes");
  expect(await counts()).toEqual([{ dismissed: 1 }]);
});

it("where TZ names no zone, times are in UTC, and said to be", long, async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", ["Load,At,Gross", "L1,2026-01-01 10:10,1200"]);
  const resolved = Intl.DateTimeFormat().resolvedOptions();
  for (const timeZone of [undefined, "Etc/Unknown"]) {
    const none = { ...resolved, timeZone } as Intl.ResolvedDateTimeFormatOptions;
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions").mockReturnValue(none);
    onTestFinished(() => asked.mockRestore());
    expect((await office.type("show", "L1")).out).toContain("times in UTC");
  }
});

it(
  "an event that has landed and whose row says something else now is told with each field, what landed and what the row says, wherever the change is listed; cells are hidden where output is collected (P9)",
  long,
  async () => {
    const office = openOffice(weighings);
    const header = ["Load", "At", "Gross"];
    await office.brought("w.csv", [header, "L1,2026-01-01 10:10,1200"]);
    const summary = await office.brought("w.csv", [header, "L1,2026-01-01 10:10,1250"]);
    expect(office.rejectedRows(summary)[1]?.join(" ")).toContain('attribute "Gross" was "1200" and is "1250"');
    expect(JSON.stringify(summary)).not.toContain("1250");
    const shown = await shownIn(office, "L1");
    expect(shown.documents[0]?.events[0]?.changes).toEqual([
      { field: 'attribute "Gross"', landed: "1200", now: "1250" },
    ]);
    expect((await office.type("status")).out).toContain("w.csv, row 2");
  },
);

it(
  "a change names no row that differs as the one that landed, even where the landed file came twice",
  long,
  async () => {
    const office = openOffice(weighings);
    const toldAfter = async (name: string, weight: number) =>
      (await office.brought(name, loads(`L1 10 ${weight}`))).problems.map(({ example }) => example).join();
    await toldAfter("w.csv", 5);
    expect(await toldAfter("x.csv", 6)).toContain("(w.csv, row 2, key");
    await toldAfter("w.csv", 5);
    await toldAfter("x.csv", 6);
    expect(await toldAfter("y.csv", 7)).not.toMatch(/[xy]\.csv, row/);
  },
);

it("what a rejected file says about its rows is not hidden with their cells when it comes back", long, async () => {
  const mapping = weighingsWith({ event: { key: ["=at", "=gross"] } });
  const office = openOffice({ ...mapping, defaults: { ...mapping.defaults, timezone: "America/Sao_Paulo" } });
  await office.brought("w.csv", loads("L1 20 5"));
  const late = await office.brought("x.csv", loads("L1 10 5"));
  const { problems } = await office.brought("again.csv", office.rejectedRows(late, { "5": "6" }));
  expect(problems).toMatchObject([
    { place: "again.csv, row 2", example: expect.stringContaining("but the timeline has already reached") },
  ]);
});

it(
  "rows that changed in other fields are another cause: a corrected weight among rows that got a column",
  long,
  async () => {
    const office = openOffice(weighings);
    await office.brought("set: w (1).csv", loads("A 01 5", "B 01 6", "C 01 7"));
    office.writeMapping(
      weighingsWith({
        columns: { note: "Note" },
        event: { attributes: { public: { Gross: "=gross", Note: "=note" } } },
      }),
    );
    const { problems } = await office.brought(
      "set: w (1).csv",
      loadsWith(["Note"], "A 01 5 x", "B 01 8 x", "C 01 7 x"),
    );
    expect(problems.map(({ count, example }) => [count, /: (attribute .*)\. A/.exec(example)?.[1]])).toEqual([
      [2, 'attribute "Note" was absent and is "…"'],
      [1, 'attribute "Gross" was "…" and is "…", attribute "Note" was absent and is "…"'],
    ]);
  },
);
