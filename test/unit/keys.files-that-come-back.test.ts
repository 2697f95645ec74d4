/**
 * Files that come back, in any order, format and number: after each import the timeline is what the newest file says, or the
 * rows that differ are listed as changed (HARD-CASES H27, H36, H37; findings F6, F76, F85). Judged by the service's timelines.
 */
import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { jsonOf } from "../support/cli.world.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const header = ["Load", "At", "Gross"];
const at = (minute: number) => `2026-01-01 10:${String(minute).padStart(2, "0")}`;

/** Weights by load and minute, as documents have them that are not cancelled: `L1 10` → `12`. */
function weights(office: Office) {
  const found: { [weighing: string]: string } = {};
  for (const { externalId: load, events, state } of office.documents()) {
    if (state === "cancelled") continue;
    for (const { at: time, body } of events) {
      const { attributes } = body["metadata"] as { attributes: { name: string; value: string }[] };
      found[`${load} ${new Date(time).getUTCMinutes()}`] = attributes.find((one) => one.name === "Gross")?.value ?? "";
    }
  }
  return found;
}

type Said = { [weighing: string]: string };
const rowsOf = (said: Said) => [
  header,
  ...Object.entries(said).map(([weighing, gross]) => {
    const [load = "", minute = ""] = weighing.split(" ");
    return [load, at(Number(minute)), gross];
  }),
];

const A: Said = { "L1 10": "10", "L1 20": "20", "L2 30": "30" };

/** Two equal rows that cannot be read, a third beside them. */
const twins = [header, ["L1", at(10), "x"], ["L1", at(10), "x"], ["L2", at(10), "12"]];

it.each(["", "\n"])(
  "of equal rows a dismissal gives up the one that was named, also when they come back (end: %j)",
  async (end) => {
    const office = openOffice(weighings);
    expect(await office.brought("w.csv", twins)).toMatchObject({ exitCode: 3, open: { rows: 2 } });
    expect((await office.type("dismiss", "--row", "w.csv:2")).code).toBe(0);
    expect(await office.brought("w.csv", twins, { end })).toMatchObject({ exitCode: 3, open: { rows: 1 } });
    expect((await office.type("dismiss", "--code", "number-unreadable", "--yes")).code).toBe(0);
    expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    // A third one was never named.
    expect(await office.brought("w.csv", [...twins, ["L1", at(10), "x"]])).toMatchObject({
      exitCode: 3,
      open: { rows: 1 },
    });
  },
);

/** A row that cannot be read, and one that waits for it. */
const unread = [header, ["L1", at(10), "x"], ["L1", at(20), "5"]];

it.each([
  ["it alone", [header, ["L1", at(10), "7"]]],
  ["all rows", [header, ["L1", at(10), "7"], ["L1", at(20), "5"]]],
])("a row that another file brought right stays settled when its own file comes back (%s)", async (_, right) => {
  const sandbox = createSandbox({ rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  const journal = ["--journal", office.path("journal.jsonl")];
  const brought = (file: string, ...more: string[]) =>
    office.run("import", office.path("m.yaml"), office.path(file), ...journal, ...more);
  office.writeCsv("a.csv", unread);
  office.writeCsv("b.csv", right);
  expect(await brought("a.csv")).toMatchObject({ exitCode: 3, open: { rows: 1 } });
  expect(await brought("b.csv")).toMatchObject({ exitCode: 0, open: { rows: 0 } });
  for (const _night of [1, 2])
    expect(await brought("a.csv")).toMatchObject({ exitCode: 0, open: { rows: 0 }, requests: { sent: 0 } });
  // The journal knows of it too.
  const ledger = ["--ledger", office.path("rebuilt.db")];
  await office.type("ledger", "rebuild", office.path("journal.jsonl"), ...ledger);
  for (const file of ["b.csv", "a.csv"])
    expect(await brought(file, ...ledger)).toMatchObject({ exitCode: 0, open: { rows: 0 } });
  expect(weights(office)).toEqual({ "L1 10": "7", "L1 20": "5" });
});

describe("two rows of one import that correct one row", () => {
  const corrected = async (office: Office, ...rows: [minute: number, gross: string][]) => {
    const [names = [], row = []] = office.rejectedRows(await office.brought("a.csv", unread));
    return { names, rows: rows.map(([minute, gross]) => ["L1", at(minute), gross, ...row.slice(3)]) };
  };

  it.each([
    ["with other content", [10, "2"]],
    ["with another key", [12, "2"]],
  ] as const)("%s are refused by name where they are of two files", async (__, [minute, gross]) => {
    const office = openOffice(weighings);
    const { names, rows } = await corrected(office, [10, "1"], [minute, gross]);
    office.writeCsv("c.csv", [names, ...rows.slice(0, 1)]);
    office.writeCsv("d.csv", [names, ...rows.slice(1)]);
    const refused = await office.type("import", ...["m.yaml", "c.csv", "d.csv"].map(office.path));
    const message = "d.csv, row 2: this row and c.csv, row 2 both correct a.csv, row 2, and differ";
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining(message)]);
    expect(weights(office)).toEqual({});
    // One of them is kept.
    expect(await office.import("d.csv")).toMatchObject({ exitCode: 0 });
    expect(weights(office)).toEqual({ [`L1 ${minute}`]: gross, "L1 20": "5" });
  });

  it("and contradict each other in one file are both in question", async () => {
    const office = openOffice(weighings);
    const { names, rows } = await corrected(office, [10, "1"], [10, "2"]);
    const summary = await office.brought("c.csv", [names, ...rows]);
    expect(summary).toMatchObject({ exitCode: 3, open: { rows: 1 }, problems: [{ code: "event-key-twice" }] });
    expect(weights(office)).toEqual({});
    const [again = [], row = []] = office.rejectedRows(summary);
    expect(await office.brought("e.csv", [again, ["L1", at(10), "3", ...row.slice(3)]])).toMatchObject({ exitCode: 0 });
    expect(weights(office)).toEqual({ "L1 10": "3", "L1 20": "5" });
  });

  it("in the same way are one", async () => {
    const office = openOffice(weighings);
    const { names, rows } = await corrected(office, [10, "1"], [10, "1"]);
    expect(await office.brought("c.csv", [names, ...rows])).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    expect(weights(office)).toEqual({ "L1 10": "1", "L1 20": "5" });
  });
});

describe("a rowId that a later file brings with a row that cannot be read", () => {
  const { inputs, ...rest } = weighings;
  const { events, ...input } = inputs.weighings;
  const weighing = { ...events.weighing, key: "once" };
  const byLoad = { ...rest, inputs: { weighings: { ...input, rowId: "=load", events: { weighing } } } };

  it("is not corrected by the earlier file, which comes again beside it", async () => {
    const office = openOffice(byLoad);
    office.writeCsv("w-a.csv", [header, ["L1", at(10), "1"], ["L2", at(20), "2"]]);
    office.writeCsv("w-b.csv", [header, ["L1", "", "3"]]);
    for (const landed of [1, 0]) {
      const summary = await office.import("w-a.csv", "w-b.csv");
      expect([landed, summary.events["landed"] ?? 0, summary.open.rows, summary.exitCode]).toEqual([
        landed,
        landed,
        1,
        3,
      ]);
    }
    expect(weights(office)).toEqual({ "L2 20": "2" });
  });

  it("is superseded with every earlier row that has it", async () => {
    const office = openOffice(byLoad);
    office.writeCsv("w-a.csv", [header, ["L1", at(10), "1"], ["L1", "", "2"]]);
    office.writeCsv("w-b.csv", [header, ["L1", at(30), "3"]]);
    expect(await office.import("w-a.csv", "w-b.csv")).toMatchObject({ outcomes: { landed: 1, superseded: 2 } });
  });
});

describe("a file that comes back with the same bytes", () => {
  it("is judged anew once another file has changed what it says (A, B, A)", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w-a.csv", rowsOf(A));
    office.writeCsv("w-b.csv", rowsOf({ ...A, "L1 10": "11" }));
    expect((await office.import("w-a.csv")).exitCode).toBe(0);
    expect(await office.import("w-b.csv")).toMatchObject({ exitCode: 3, open: { events: { changed: 1 } } });
    const again = await office.import("w-a.csv");
    expect(again).toMatchObject({ exitCode: 0, rows: { read: 3, known: 3 }, open: { events: {} } });
    expect(weights(office)).toEqual(A);
    // What the newest file says is what a replacement would send.
    await office.import("w-b.csv");
    await office.import("w-a.csv");
    expect((await office.type("replace", "load/L1", "--reason", "weights")).code).toBe(0);
    await office.run("resume");
    expect(weights(office)).toEqual(A);
  });

  it("is judged anew after `replace` (A, B, replace, A)", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w-a.csv", rowsOf(A));
    const B = { ...A, "L1 10": "11" };
    office.writeCsv("w-b.csv", rowsOf(B));
    await office.import("w-a.csv");
    await office.import("w-b.csv");
    await office.type("replace", "load/L1", "--reason", "weights");
    expect((await office.run("resume")).exitCode).toBe(0);
    expect(weights(office)).toEqual(B);
    // What it compared and what it names add up to all that the service has.
    const { code, out } = await office.type("verify");
    const told = /3 events.*\n[^]*events of documents that were replaced, which are not compared \(3\)/;
    expect([code, out]).toEqual([0, expect.stringMatching(told)]);
    expect(office.documents().flatMap(({ events }) => events)).toHaveLength(6);
    expect(await office.import("w-a.csv")).toMatchObject({ exitCode: 3, open: { events: { changed: 1 } } });
    expect(await office.import("w-b.csv")).toMatchObject({ exitCode: 0, rows: { known: 3 } });
  });

  it("costs nothing while all of it is what the timelines hold, whatever else has been imported", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w-a.csv", rowsOf(A));
    office.writeCsv("w-c.csv", rowsOf({ "L3 10": "1" }));
    for (const name of ["w-a.csv", "w-c.csv", "w-a.csv", "w-c.csv", "w-a.csv"]) await office.import(name);
    const known = await office.import("w-a.csv");
    expect(known).toMatchObject({ exitCode: 0, rows: { read: 3, known: 3 }, requests: { sent: 0 } });
  });
});

describe("a file that was staged in part and comes back with fewer rows (F85)", () => {
  const five: Said = { "L1 10": "1", "L2 10": "2", "L3 10": "3", "L4 10": "4", "L5 10": "5" };
  const three: Said = { "L1 10": "1", "L2 10": "2", "L3 10": "3" };

  it("does not send the deleted rows, says so, and lets a person decide", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", rowsOf(five));
    await office.import("w.csv", "--limit", "2");
    expect(Object.keys(weights(office))).toHaveLength(2);
    const again = await office.brought("w.csv", rowsOf(three));
    expect(weights(office)).toEqual(three);
    expect(again).toMatchObject({ exitCode: 3, open: { events: { rejected: 2 } } });
    expect(again.problems).toMatchObject([{ code: "row-gone", count: 2 }]);
    await office.run("resume");
    expect(weights(office)).toEqual(three);
    const { code, out } = await office.type("dismiss", "--code", "row-gone", "--yes");
    expect([code, out]).toEqual([0, expect.stringContaining("Dismissed: 2 events.")]);
    expect((await office.run("resume")).exitCode).toBe(0);
    expect(weights(office)).toEqual(three);
  });

  it("sends them when the whole file comes back, or when a person says so", async () => {
    for (const way of ["file", "retry"] as const) {
      const office = openOffice(weighings);
      office.writeCsv("w.csv", rowsOf(five));
      await office.import("w.csv", "--limit", "2");
      await office.brought("w.csv", rowsOf(three));
      office.writeCsv("w.csv", rowsOf(five));
      const end = way === "file" ? await office.import("w.csv") : await office.run("retry", "--code", "row-gone");
      expect([way, end.exitCode]).toEqual([way, 0]);
      expect(weights(office)).toEqual(five);
    }
  });

  it("leaves alone what another night's file of the same name has left open", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", rowsOf(five));
    await office.import("w.csv", "--limit", "2");
    expect((await office.brought("w.csv", rowsOf({ "L8 10": "8", "L9 10": "9" }))).exitCode).toBe(0);
    expect(weights(office)).toEqual({ ...five, "L8 10": "8", "L9 10": "9" });
  });
});

it("an upload that broke off (F87) comes to rest by itself when the whole file comes", async () => {
  const office = openOffice(weighings);
  const whole = "Load,At,Gross\nL1,2026-01-01 10:10,10\nL2,2026-01-01 10:20,20\nL3,2026-01-01 10:30,30\n";
  for (const cut of [whole.indexOf("L3") + 1, whole.indexOf("L3") + 9, whole.indexOf(",30\n") + 1]) {
    writeFileSync(office.path("w.csv"), whole.slice(0, cut));
    await office.import("w.csv");
    writeFileSync(office.path("w.csv"), whole);
    const end = await office.import("w.csv");
    expect([cut, end.exitCode, end.open.rows, weights(office)]).toEqual([
      cut,
      0,
      0,
      { "L1 10": "10", "L2 20": "20", "L3 30": "30" },
    ]);
  }
});

it("known rows stay known, and the counts add up, where an edited mapping gives them another address", async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", rowsOf(A));
  const { weighings: input } = weighings.inputs;
  const addresses = { site: { ...input.addresses.site, number: "2" } };
  office.writeMapping({ ...weighings, inputs: { weighings: { ...input, addresses } } });
  office.writeCsv("w.csv", rowsOf({ ...A, "L3 10": "1" }));
  const files = [office.path("m.yaml"), office.path("w.csv")];
  const plan = (await jsonOf(office.world, "plan", ...files)).at(-1);
  expect(plan).toMatchObject({ inputs: [{ read: 4, known: 3, staged: 1 }], outcomes: { toSend: 1, landed: 0 } });
  expect((await office.type("plan", ...files)).out).toContain("Rows       4 = 1 to send + 3 known");
});

describe("a row that was corrected here and comes back uncorrected (H37)", () => {
  it("is known, is said once, and holds nothing; a third version is judged like any other", async () => {
    const office = openOffice(weighings);
    const bad = { ...A, "L1 20": "2O" };
    const first = await office.brought("w-1.csv", rowsOf(bad));
    expect(first).toMatchObject({ exitCode: 3, rows: { invalid: 1 } });
    const rejected = office.rejectedRows(first);
    office.writeCsv(
      "w-corrected.csv",
      rejected.map((row) => row.map((cell) => (cell === "2O" ? "20" : cell))),
    );
    expect((await office.import("w-corrected.csv")).exitCode).toBe(0);
    expect(weights(office)).toEqual(A);
    const next = await office.brought("w-2.csv", rowsOf({ ...bad, "L9 10": "9" }));
    expect(next).toMatchObject({ exitCode: 0, rows: { read: 4, invalid: 0, known: 3, staged: 1 }, open: { rows: 0 } });
    expect(next.warnings).toMatchObject([{ code: "still-wrong-in-source", count: 1 }]);
    expect((await office.brought("w-3.csv", rowsOf({ ...bad, "L9 10": "9", "L9 20": "9" }))).warnings).toEqual([]);
    expect(await office.brought("w-4.csv", rowsOf({ ...A, "L1 20": "21" }))).toMatchObject({
      exitCode: 3,
      open: { events: { changed: 1 } },
    });
  });

  it("only as often as it was corrected, also where the correction is staged again", async () => {
    const office = openOffice(weighings);
    const [heading = [], first = []] = office.rejectedRows(await office.brought("w.csv", twins));
    const corrected = first.map((cell) => (cell === "x" ? "1" : cell === at(10) ? at(11) : cell));
    await office.brought("corrected.csv", [heading, corrected]);
    office.writeMapping({ ...weighings, description: "Loads" });
    await office.import("corrected.csv");
    const next = await office.brought("w.csv", twins, { end: "\n" });
    expect(next).toMatchObject({ exitCode: 3, rows: { invalid: 1, known: 2 } });
  });

  it("also where its first correction was wrong too", async () => {
    const office = openOffice(weighings);
    const bad = { ...A, "L1 20": "2O" };
    let summary = await office.brought("w-1.csv", rowsOf(bad));
    for (const [before, after] of [
      ["2O", "2l"],
      ["2l", "20"],
    ] as const) {
      const rows = office.rejectedRows(summary).map((row) => row.map((cell) => (cell === before ? after : cell)));
      summary = await office.brought(`corrected-${after}.csv`, rows);
    }
    expect(weights(office)).toEqual(A);
    const next = await office.brought("w-2.csv", rowsOf({ ...bad, "L9 10": "9" }));
    expect(next).toMatchObject({ exitCode: 0, rows: { read: 4, invalid: 0, known: 3, staged: 1 }, open: { rows: 0 } });
    expect(next.warnings).toMatchObject([{ code: "still-wrong-in-source", count: 1 }]);
  });

  it("also where it was valid, and only its place on the timeline was not", async () => {
    const office = openOffice(weighings);
    await office.brought("w-1.csv", rowsOf({ "L1 30": "30" }));
    const late = { "L1 30": "30", "L1 10": "10" };
    const refused = await office.brought("w-2.csv", rowsOf(late));
    expect(refused).toMatchObject({ exitCode: 3, open: { events: { rejected: 1 } } });
    office.writeCsv(
      "w-corrected.csv",
      office.rejectedRows(refused).map((row) => row.map((cell) => (cell === at(10) ? at(40) : cell))),
    );
    expect((await office.import("w-corrected.csv")).exitCode).toBe(0);
    expect(weights(office)).toEqual({ "L1 30": "30", "L1 40": "10" });
    for (const name of ["w-2.csv", "w-3.csv"]) {
      office.writeCsv(name, rowsOf(late), { end: name === "w-3.csv" ? "\n" : "" });
      expect(await office.import(name)).toMatchObject({
        exitCode: 0,
        rows: { read: 2, known: 2 },
        open: { events: {} },
      });
    }
    expect(weights(office)).toEqual({ "L1 30": "30", "L1 40": "10" });
  });
});

describe("any sequence of files, corrections and replacements", () => {
  const anyWeighing = fc.constantFrom("L1 10", "L1 20", "L2 10", "L2 20", "L2 30");
  const gross = fc.constantFrom("1", "2", "3");
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("import" as const),
        version: fc.nat(2),
        as: fc.constantFrom("same", "newline", "name", "excel"),
        without: fc.option(anyWeighing, { freq: 3 }),
        bad: fc.option(anyWeighing, { freq: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("correct" as const), gross, part: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("replace" as const), load: fc.constantFrom("L1", "L2") }) },
  );
  const all = ["L1 10", "L1 20", "L2 10", "L2 20", "L2 30"];
  const version = fc
    .tuple(gross, gross, gross, gross, gross)
    .map((values) => Object.fromEntries(all.map((name, index) => [name, values[index] ?? ""])));

  const endsRight = fc.asyncProperty(
    fc.tuple(version, version, version),
    fc.array(step, { minLength: 2, maxLength: 8 }),
    async (versions, steps) => {
      const office = openOffice(weighings);
      const said: Said = {};
      let corrected = 0;
      let last = { exitCode: 0 } as Awaited<ReturnType<Office["import"]>>;
      const judge = (story: string) => {
        const there = weights(office);
        const differing = all.filter((name) => said[name] !== undefined && there[name] !== said[name]);
        const { events, rows } = last.open;
        const listed = { changed: events["changed"] ?? 0, held: events["held"] ?? 0, rows };
        // What is neither on the timeline nor listed as changed is held behind a row that must be corrected.
        const missing = differing.filter((name) => there[name] === undefined);
        expect([story, listed.changed], JSON.stringify({ said, there })).toEqual([
          story,
          differing.length - missing.length,
        ]);
        expect([story, missing.length > 0 && listed.rows + listed.held === 0]).toEqual([story, false]);
        expect([story, last.exitCode]).toEqual([story, differing.length + listed.rows + listed.held > 0 ? 3 : 0]);
        const { read, skipped, invalid, known, staged } = last.rows;
        expect([story, read]).toEqual([story, skipped + invalid + known + staged]);
      };
      // All of them first, so that no row comes later than its place allows.
      const first = versions[0];
      Object.assign(said, first);
      office.writeCsv("w-0-0.csv", rowsOf(first));
      last = await office.import("w-0-0.csv");
      judge("the first file");
      for (const [index, move] of steps.entries()) {
        const story = `${index}: ${JSON.stringify(move)}`;
        if (move.do === "import") {
          const content = { ...versions[move.version] };
          if (move.without !== null) delete content[move.without];
          const bad = move.bad;
          if (bad !== null && content[bad] !== undefined) content[bad] = "x";
          const name = `w-${move.version}-${move.as === "name" ? index : 0}.${move.as === "excel" ? "xlsx" : "csv"}`;
          if (move.as === "excel") await office.writeExcel(name, rowsOf(content));
          else office.writeCsv(name, rowsOf(content), { end: move.as === "newline" ? "\n" : "" });
          last = await office.import(name);
          for (const [weighing, weight] of Object.entries(content)) if (weight !== "x") said[weighing] = weight;
          judge(story);
        } else if (move.do === "correct") {
          const file = last.files?.find(({ kind, path }) => kind === "rejected" && path.endsWith(".csv"));
          if (file === undefined) continue;
          const [top = [], ...rows] = office.rejectedRows({ ...last, files: [file] });
          const wrong = rows.filter((row) => row[2] === "x").slice(0, move.part ? 1 : undefined);
          if (wrong.length === 0) continue;
          const name = `w-corrected-${++corrected}.csv`;
          office.writeCsv(name, [top, ...wrong.map((row) => row.map((cell) => (cell === "x" ? move.gross : cell)))]);
          last = await office.import(name);
          for (const [load, time = ""] of wrong) said[`${load} ${Number(time.slice(14, 16))}`] = move.gross;
          judge(story);
        } else {
          await office.type("replace", `load/${move.load}`, "--reason", "what the file says");
          last = await office.run("resume");
          judge(story);
        }
      }
    },
  );

  it("ends with what the newest file says of each row, or with that row listed", { timeout: 120_000 }, async () => {
    await fc.assert(endsRight, { numRuns: 3 });
  });

  it("and many more of them", { timeout: 600_000, tags: ["long"] }, async () => {
    await fc.assert(endsRight, { numRuns: 24 });
  });
});

it("a change that was dismissed is not sent by a later replacement, and stays dismissed behind it (H23, H26)", async () => {
  const office = openOffice(weighings);
  await office.brought("a.csv", rowsOf(A));
  expect(await office.brought("b.csv", rowsOf({ ...A, "L1 10": "11" }))).toMatchObject({ exitCode: 3 });
  expect((await office.type("dismiss", "--row", "b.csv:2")).code).toBe(0);
  expect((await office.type("replace", "L1", "--reason", "its owner asked for it")).code).toBe(0);
  expect(await office.run("resume")).toMatchObject({ exitCode: 0 });
  expect(weights(office)).toEqual(A);
  // Judged by its rows, and again.
  for (const end of ["\n", "\n\n"]) {
    const again = await office.brought("b.csv", rowsOf({ ...A, "L1 10": "11" }), { end });
    expect(again).toMatchObject({ exitCode: 0, open: { events: {} } });
  }
  expect((await office.type("dismiss", "--undo", "--row", "b.csv:2")).code).toBe(0);
  expect((await office.type("replace", "L1", "--reason", "right after all")).code).toBe(0);
  expect(await office.run("resume")).toMatchObject({ exitCode: 0 });
  expect(weights(office)).toEqual({ ...A, "L1 10": "11" });
});

describe("two files of one import with the same bytes", () => {
  const rows = [header, ["L1", at(10), "1"], ["L1", at(20), "x"], ["L1", at(30), "3"]];

  it("are one file, told so: each row is counted once, by what became of it", async () => {
    const office = openOffice(weighings);
    office.writeCsv("a.csv", rows);
    office.writeCsv("b.csv", rows);
    const summary = await office.import("a.csv", "b.csv");
    expect(summary.rows).toMatchObject({ read: 3, invalid: 1, staged: 2 });
    expect(summary.outcomes).toMatchObject({ landed: 1, waiting: 1, toCorrect: 1 });
    const { out, err } = await office.type("import", office.path("m.yaml"), office.path("a.csv"), office.path("b.csv"));
    expect((out + err).replaceAll(/\s+/g, " ")).toContain("b.csv: The content is that of a.csv, so it is read once.");
    expect((await office.type("show", "a.csv:4")).code).toBe(0);
  });

  it("are not counted as twins, which would send the second file's rows again later", async () => {
    const { weighings: input } = weighings.inputs;
    const content = { ...input.events.weighing, key: "content", within: "import" };
    const source = { ...weighings, inputs: { weighings: { ...input, events: { weighing: content } } } };
    const office = openOffice(source);
    office.writeCsv("a.csv", [header, ["L1", at(10), "1"], ["L1", at(20), "2"]]);
    office.writeCsv("b.csv", [header, ["L1", at(10), "1"], ["L1", at(20), "2"]]);
    await office.import("a.csv", "b.csv");
    // Judged by its rows, not by its bytes.
    office.writeMapping({ ...source, inputs: { weighings: { ...source.inputs.weighings, skip: '=load == "none"' } } });
    expect(await office.import("a.csv")).toMatchObject({ exitCode: 0, rows: { known: 2, staged: 0 } });
    expect(office.documents().map(({ events }) => events.length)).toEqual([2]);
  });
});

it("an unreadable row that a row of another file corrects stays corrected when both files come again unchanged", async () => {
  const office = openOffice(weighings);
  office.writeCsv("a.csv", [header, ["L1", at(10), "1O"], ["L1", at(20), "2"]]);
  await office.import("a.csv");
  office.writeCsv("b.csv", [header, ["L1", at(10), "10"]]);
  for (const _ of ["that night", "the next", "the one after it"])
    expect(await office.import("a.csv", "b.csv")).toMatchObject({ exitCode: 0, open: { rows: 0 } });
  expect(office.documents().map(({ events }) => events.length)).toEqual([2]);
});
