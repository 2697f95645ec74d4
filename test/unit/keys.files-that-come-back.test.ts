/**
 * Files that come back, in any order, format and number: after each import the timeline is what the newest file says, or the
 * rows that differ are listed as changed (HARD-CASES H27, H36, H37; findings F6, F76, F85). Judged by the service's timelines.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { LedgerDatabase } from "../../src/ledger/ledger-database.js";
import { createSandbox } from "../../src/sandbox/index.js";
import type { Summary } from "../../src/model/summary.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loads, weighings, weighingsWith, weights } from "../support/weighings.js";

const A = ["L1 10 10", "L1 20 20", "L2 30 30"];
/** With another weight of L1. */
const B = ["L1 10 11", "L1 20 20", "L2 30 30"];

/** A run that ends so, and leaves so many rows to correct. */
const ended = (exitCode: number, rows: number, more: object = {}): Partial<Summary> =>
  expect.objectContaining({ exitCode, open: expect.objectContaining({ rows }), ...more });
const changed = (exitCode: number, count?: number): Partial<Summary> =>
  expect.objectContaining({
    exitCode,
    open: expect.objectContaining({ events: count === undefined ? {} : { changed: count } }),
  });

async function replaced(office: Office, load: string) {
  expect((await office.type("replace", load, "--reason", "weights")).code).toBe(0);
  return office.run("resume");
}

/** Two equal rows that cannot be read, a third beside them. */
const twins = ["L1 10 x", "L1 10 x", "L2 10 12"];

it("of equal rows a dismissal gives up the one that was named, also when they come back", long, async () => {
  const office = openOffice(weighings);
  expect(await office.brought("w.csv", loads(...twins))).toEqual(ended(3, 2));
  await office.ends(0, "dismiss --row w.csv:2");
  for (const end of ["", "\n"]) expect(await office.brought("w.csv", loads(...twins), { end })).toEqual(ended(3, 1));
  await office.ends(0, "dismiss --code number-unreadable --yes");
  expect(await office.import("w.csv")).toEqual(ended(0, 0));
  // A third one was never named.
  expect(await office.brought("w.csv", loads(...twins, "L1 10 x"))).toEqual(ended(3, 1));
});

/** A row that cannot be read, and one that waits for it. */
const unread = ["L1 10 x", "L1 20 5"];

describe("a row that another file brought right", () => {
  it("stays settled when its own file comes back", long, async () => {
    const right = ["L1 10 7", "L1 20 5"];
    const office = await openOfficeAt(createSandbox({ rate: null }), weighings);
    const brought = (file: string, ...more: string[]) =>
      office.run("import", "m.yaml", file, "--journal", "journal.jsonl", ...more);
    office.writeCsv("a.csv", loads(...unread));
    office.writeCsv("b.csv", loads(...right));
    expect(await brought("a.csv")).toEqual(ended(3, 1));
    expect(await brought("b.csv")).toEqual(ended(0, 0));
    expect(await brought("a.csv")).toEqual(ended(0, 0, { requests: expect.objectContaining({ sent: 0 }) }));
    // The journal knows of it too.
    const ledger = ["--ledger", "rebuilt.db"];
    await office.type("ledger", "rebuild", "journal.jsonl", ...ledger);
    const { said } = await office.type("withdraw", "--row", "a.csv:2", ...ledger);
    expect(said).toContain('There is no input "a.csv". There is none yet.');
    for (const file of ["b.csv", "a.csv"]) expect(await brought(file, ...ledger)).toEqual(ended(0, 0));
    expect(weights(office)).toEqual(right);
  });

  it("stays so when both files come again unchanged in one import", long, async () => {
    const office = openOffice(weighings);
    await office.brought("a.csv", loads("L1 10 1O", "L1 20 2"));
    office.writeCsv("b.csv", loads("L1 10 10"));
    for (const _ of ["that night", "the next"]) expect(await office.import("a.csv", "b.csv")).toEqual(ended(0, 0));
    expect(weights(office)).toEqual(["L1 10 10", "L1 20 2"]);
  });
});

describe("two rows of one import that correct one row", () => {
  /** The rejected file, with its row as these; its header alone and each row alone. */
  const corrected = async (office: Office, ...rows: string[]) => {
    const [names = [], row = []] = office.rejectedRows(await office.brought("a.csv", loads(...unread)));
    return [
      names,
      ...loads(...rows)
        .slice(1)
        .map((cells) => [...cells, ...row.slice(3)]),
    ];
  };

  it("with another key are refused by name where they are of two files", long, async () => {
    const other = "L1 12 2";
    const office = openOffice(weighings);
    const [names = [], one = [], two = []] = await corrected(office, "L1 10 1", other);
    office.writeCsv("c.csv", [names, one]);
    office.writeCsv("d.csv", [names, two]);
    const message = "d.csv, row 2: this row and c.csv, row 2 both correct a.csv, row 2, and differ";
    expect(await office.type("import", "m.yaml", "c.csv", "d.csv")).toMatchObject({
      code: 3,
      err: expect.stringContaining(message),
    });
    expect(weights(office)).toEqual([]);
    // One of them is kept.
    await office.ends(0, "import m.yaml d.csv");
    expect(weights(office)).toEqual([other, "L1 20 5"]);
  });

  it("and contradict each other in one file are both in question", long, async () => {
    const office = openOffice(weighings);
    const summary = await office.brought("c.csv", await corrected(office, "L1 10 1", "L1 10 2"));
    expect(summary).toEqual(ended(3, 1, { problems: [expect.objectContaining({ code: "event-key-twice" })] }));
    expect(weights(office)).toEqual([]);
    const [names = [], row = []] = office.rejectedRows(summary, { 1: "3", 2: "3" });
    await office.lands("e.csv", [names, row]);
    expect(weights(office)).toEqual(["L1 10 3", "L1 20 5"]);
  });

  it("in the same way are one", long, async () => {
    const office = openOffice(weighings);
    expect(await office.brought("c.csv", await corrected(office, "L1 10 1", "L1 10 1"))).toEqual(ended(0, 0));
    expect(weights(office)).toEqual(["L1 10 1", "L1 20 5"]);
  });

  it("are one where the other is as it was in another person's copy of the rejected file", long, async () => {
    const office = openOffice(weighings);
    const [names = [], ...rows] = office.rejectedRows(await office.brought("a.csv", loads("L1 10 x", "L2 10 y")));
    const mended = (cell: string, by: string) => [
      names,
      ...rows.map((row) => row.map((one) => (one === cell ? by : one))),
    ];
    office.writeCsv("c.csv", mended("x", "1"));
    office.writeCsv("d.csv", mended("y", "2"));
    expect(await office.import("c.csv", "d.csv")).toEqual(ended(0, 0));
    expect(weights(office)).toEqual(["L1 10 1", "L2 10 2"]);
  });

  it.each(
    sampled(
      [
        ["c.csv", "b.csv"],
        ["b.csv", "c.csv"],
      ],
      2,
    ),
  )("contradict each other where one of them is the source's own (%s, %s)", async (...files) => {
    const office = openOffice(weighings);
    office.writeCsv("c.csv", await corrected(office, "L1 10 1"));
    office.writeCsv("b.csv", loads("L1 10 2", "L1 20 5"));
    const summary = await office.import(...files);
    expect(summary).toEqual(ended(3, 1, { problems: [expect.objectContaining({ code: "event-key-twice" })] }));
    expect(weights(office)).toEqual([]);
  });
});

describe("a rowId that a later file brings with a row that cannot be read", () => {
  const byLoad = weighingsWith({ rowId: "=load", event: { key: "once" } });

  it("is not corrected by the earlier file, which comes again beside it", long, async () => {
    const office = openOffice(byLoad);
    office.writeCsv("w-a.csv", loads("L1 10 1", "L2 20 2"));
    office.writeCsv("w-b.csv", loads("L1  3"));
    for (const events of [{ landed: 1 }, {}])
      expect(await office.import("w-a.csv", "w-b.csv")).toEqual(ended(3, 1, { events }));
    expect(weights(office)).toEqual(["L2 20 2"]);
  });

  it("is superseded with every earlier row that has it", async () => {
    const office = openOffice(byLoad);
    office.writeCsv("w-a.csv", loads("L1 10 1", "L1  2"));
    office.writeCsv("w-b.csv", loads("L1 30 3"));
    expect(await office.import("w-a.csv", "w-b.csv")).toMatchObject({ outcomes: { landed: 1, superseded: 2 } });
  });
});

describe("a file that comes back with the same bytes", () => {
  /** Both have been imported, A first. */
  const both = async () => {
    const office = openOffice(weighings);
    await office.lands("w-a.csv", loads(...A));
    expect(await office.brought("w-b.csv", loads(...B))).toEqual(changed(3, 1));
    return office;
  };

  it("is judged anew once another file has changed what it says (A, B, A)", long, async () => {
    const office = await both();
    expect(await office.import("w-a.csv")).toMatchObject({ exitCode: 0, rows: { known: 3 }, open: { events: {} } });
    expect(weights(office)).toEqual(A);
    // What the newest file says is what a replacement would send.
    await office.import("w-b.csv");
    await office.import("w-a.csv");
    await replaced(office, "load/L1");
    expect(weights(office).toSorted()).toEqual(A);
  });

  it("corrects a row that another file has brought unreadable since", long, async () => {
    const office = openOffice(weighings);
    await office.brought("a.csv", loads("L1 10 7"));
    expect(await office.brought("b.csv", loads("L1 10 x"))).toEqual(ended(3, 1));
    expect(await office.import("a.csv")).toEqual(ended(0, 0));
  });

  it("counts each row once beside the file that changes what it says", long, async () => {
    const office = openOffice(weighings);
    await office.lands("w-a.csv", loads(...A));
    office.writeCsv("w-b.csv", loads(...B));
    expect(await office.import("w-a.csv", "w-b.csv")).toMatchObject({
      rows: { read: 6, known: 5, staged: 1 },
      outcomes: { landed: 0, toDecide: 1, superseded: 0 },
    });
  });

  it("is judged anew after `replace` (A, B, replace, A)", long, async () => {
    const office = await both();
    expect((await replaced(office, "load/L1")).exitCode).toBe(0);
    expect(weights(office).toSorted()).toEqual(B);
    // What it compared and what it names add up to all that the service has.
    const told = /3 events.* events of documents that were replaced \(3\)/;
    expect(await office.type("verify")).toMatchObject({ code: 0, said: expect.stringMatching(told) });
    expect(office.documents().flatMap(({ events }) => events)).toHaveLength(6);
    expect(await office.import("w-a.csv")).toEqual(changed(3, 1));
    expect(await office.import("w-b.csv")).toMatchObject({ exitCode: 0, rows: { known: 3 } });
  });
});

describe("a file that was staged in part and comes back with fewer rows (F85)", () => {
  const three = ["L1 10 1", "L2 10 2", "L3 10 3"];
  const five = [...three, "L4 10 4", "L5 10 5"];
  /** Two of its documents have been sent; then it comes with these rows. */
  const back = async (...rows: string[]) => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", loads(...five));
    await office.import("w.csv", "--limit", "2");
    expect(weights(office)).toEqual(five.slice(0, 2));
    return { office, summary: await office.brought("w.csv", loads(...rows)) };
  };

  it("does not send the deleted rows, says so, and lets a person decide", long, async () => {
    const { office, summary } = await back(...three);
    expect(summary).toMatchObject({
      exitCode: 3,
      open: { events: { rejected: 2 } },
      problems: [{ code: "row-gone", count: 2 }],
    });
    await office.run("resume");
    expect(weights(office)).toEqual(three);
    const { code, out } = await office.type("dismiss", "--code", "row-gone", "--yes");
    expect([code, out]).toEqual([0, expect.stringContaining("Dismissed: 2 events.")]);
    await office.ends(0, "resume");
    expect(weights(office)).toEqual(three);
  });

  const sending = [
    ["retry --code row-gone", "Trying again: 2 deleted rows"],
    ["import m.yaml w.csv", "All is well"],
  ] as const;
  it.each(sampled(sending, 2))(
    "sends them when the whole file comes back, or when a person says so: %s",
    async (line, said) => {
      const { office } = await back(...three);
      office.writeCsv("w.csv", loads(...five));
      await office.ends(0, line, said);
      expect(weights(office)).toEqual(five);
    },
  );

  it("does not send a row that another file brought too, until that was withdrawn", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", loads(...five));
    await office.import("w.csv", "--limit", "2");
    office.writeCsv("bad.csv", loads("L5 10 5", "L6 10 x"));
    await office.type("import", "m.yaml", "bad.csv", "--max-errors", "0");
    await office.ends(0, "withdraw --input bad.csv --yes");
    const summary = await office.brought("w.csv", loads(...three));
    expect(summary.problems).toMatchObject([{ code: "row-gone", count: 2 }]);
    expect(weights(office)).toEqual(three);
  });

  it(
    "stops, and sends none of them, if a damaged page hides what the file has in common with the earlier one; the remedy of `ledger check` mends it",
    long,
    async () => {
      const office = openOffice(weighings);
      await office.brought("w.csv", loads(...three));
      office.writeCsv("w.csv", loads(...five));
      await office.import("w.csv", "--limit", "1");
      const ledger = new LedgerDatabase(office.path("state/sandbox/ledger.db"));
      ledger.run("UPDATE pages SET page = zeroblob(length(page))");
      ledger.close();
      office.writeCsv("w.csv", loads(...three.slice(0, 2)));
      const { code, err } = await office.type("import", "m.yaml", "w.csv");
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/page from row 2 of input \d+ cannot be read; `rowferry ledger\s+check`/),
      ]);
      expect(weights(office)).toEqual(five.slice(0, 4));
      appendFileSync(office.path("m.yaml"), "\n# read again\n");
      office.writeCsv("w.csv", loads(...five));
      await office.import("w.csv", "--limit", "1");
      expect((await office.type("ledger", "check")).out).toContain("The ledger is sound.");
    },
  );

  it("leaves alone what another night's file of the same name has left open", long, async () => {
    const { office, summary } = await back("L8 10 8", "L9 10 9");
    expect(summary.exitCode).toBe(0);
    expect(weights(office).toSorted()).toEqual([...five, "L8 10 8", "L9 10 9"]);
  });
});

it("an upload that broke off (F87) comes to rest by itself when the whole file comes", long, async () => {
  const office = openOffice(weighings);
  const whole = "Load,At,Gross\nL1,2026-01-01 10:10,10\nL2,2026-01-01 10:20,20\nL3,2026-01-01 10:30,30\n";
  for (const cut of [whole.indexOf("L3") + 9, whole.indexOf(",30\n") + 1]) {
    for (const part of [whole.slice(0, cut), whole]) {
      writeFileSync(office.path("w.csv"), part);
      const end = await office.import("w.csv");
      if (part === whole) expect(end).toEqual(ended(0, 0));
    }
    expect(weights(office)).toEqual(["L1 10 10", "L2 20 20", "L3 30 30"]);
  }
});

describe("a row that was corrected here and comes back uncorrected (H37)", () => {
  const bad = ["L1 10 10", "L1 20 2O", "L2 30 30"];
  const told = [{ code: "still-wrong-in-source", count: 1 }];

  it("is corrected and no longer dismissed where it had been dismissed before (H23)", long, async () => {
    const office = openOffice(weighings);
    const night = await office.brought("w-1.csv", loads(...bad));
    await office.ends(0, "dismiss --row w-1.csv:3");
    await office.brought("corrected.csv", office.rejectedRows(night, { "2O": "20" }));
    expect(await office.brought("w-2.csv", loads(...bad))).toMatchObject({
      exitCode: 0,
      rows: { known: 3, invalid: 0 },
      outcomes: { dismissed: 0 },
      warnings: told,
    });
    await office.ends(2, "dismiss --undo --row w-2.csv:3");
    expect(weights(office)).toEqual(["L1 10 10", "L1 20 20", "L2 30 30"]);
  });

  it("is known, is said once, and holds nothing; a third version is judged like any other", long, async () => {
    const office = openOffice(weighings);
    let summary = await office.brought("w-1.csv", loads(...bad));
    expect(summary).toMatchObject({ exitCode: 3, rows: { invalid: 1 } });
    // Corrected twice, wrong the first time.
    for (const right of ["2l", "20"]) {
      const mended = office.rejectedRows(summary, { "2O": right, "2l": right });
      summary = await office.brought(`corrected-${right}.csv`, mended);
    }
    expect(summary.exitCode).toBe(0);
    expect(weights(office)).toEqual(A);
    const next = await office.brought("w-2.csv", loads(...bad, "L9 10 9"));
    expect(next).toEqual(ended(0, 0, { rows: { read: 4, skipped: 0, invalid: 0, known: 3, staged: 1 } }));
    expect(next.warnings).toMatchObject(told);
    expect((await office.brought("w-3.csv", loads(...bad, "L9 10 9", "L9 20 9"))).warnings).toEqual([]);
    expect(await office.brought("w-4.csv", loads("L1 10 10", "L1 20 21", "L2 30 30"))).toEqual(changed(3, 1));
  });

  it("only as often as it was corrected, also where the correction is staged again", long, async () => {
    const office = openOffice(weighings);
    const mended = { x: "1", "2026-01-01 10:10": "2026-01-01 10:11" };
    const rows = office.rejectedRows(await office.brought("w.csv", loads(...twins)), mended);
    await office.brought("corrected.csv", rows.slice(0, 2));
    office.writeMapping({ ...weighings, description: "Loads" });
    await office.import("corrected.csv");
    const next = await office.brought("w.csv", loads(...twins), { end: "\n" });
    expect(next).toMatchObject({ exitCode: 3, rows: { invalid: 1, known: 2 } });
  });

  it.each([
    ["is corrected each time that it says its event again", weighings, ["L1 10 66", "L1 40 9"]],
    [
      "is believed the second time where equal rows are several events",
      weighingsWith({ event: { key: "content", within: "file" } }),
      ["L1 10 66", "L1 10 9", "L1 40 9"],
    ],
  ])("%s", long, async (_, source, replacement) => {
    const office = openOffice(source);
    await office.brought("w-1.csv", loads("L1 40 9"));
    const night = await office.brought("w-2.csv", loads("L1 10 9"));
    await office.brought("corrected.csv", office.rejectedRows(night, { "9": "66" }));
    await office.brought("w-2.csv", loads("L1 10 9", "L1 10 9"));
    await replaced(office, "L1");
    expect(office.documents().at(-1)?.externalId).toBe("L1");
    expect(weights(office).toSorted()).toEqual(replacement);
  });

  const left: [what: string, row: string, events: object, rows: number][] = [
    ["late", "L1 10 10", { rejected: 1 }, 0],
    ["changed", "L1 30 31", { changed: 1 }, 0],
    ["invalid", "L1 40 y", {}, 1],
  ];
  it.each(sampled(left, 3))(
    "unlike one that is %s and comes back in its rejected file as it was",
    async (_, row, events, rows) => {
      const files = (more: string[]) => loads("L1 30 30", row, "L2 10 x", ...more);
      const open = expect.objectContaining({ events, rows });
      const office = openOffice(weighings);
      await office.brought("w-1.csv", loads("L1 30 30"));
      const mended = office.rejectedRows(await office.brought("w-2.csv", files([])), { x: "1" });
      expect(await office.brought("corrected.csv", mended)).toMatchObject({ exitCode: 3, open });
      const next = await office.brought("w-3.csv", files(["L9 10 9"]));
      expect(next).toMatchObject({ exitCode: 3, open, rows: { read: 4, invalid: rows } });
      expect(next.warnings).toMatchObject(told);
      expect(weights(office)).toEqual(["L1 30 30", "L2 10 1", "L9 10 9"]);
    },
  );

  it("also where it was late or changed, and comes as it was in another copy of its rejected file", long, async () => {
    const office = openOffice(weighings);
    await office.brought("w-1.csv", loads("L1 30 30", "L3 30 30"));
    const summary = await office.brought("w-2.csv", loads("L1 30 30", "L1 10 10", "L3 30 31", "L2 10 x"));
    const [header = [], late = [], other = []] = office.rejectedRows(summary, {
      "2026-01-01 10:10": "2026-01-01 10:40",
      "31": "30",
    });
    await office.brought("one.csv", [header, late, other]);
    expect(await office.brought("other.csv", office.rejectedRows(summary, { x: "1" }))).toEqual(ended(0, 0));
    expect(weights(office)).toEqual(["L1 30 30", "L1 40 10", "L3 30 30", "L2 10 1"]);
  });
});

it(
  "a change that was dismissed is not sent by a later replacement, and stays dismissed behind it (H23, H26)",
  long,
  async () => {
    const office = openOffice(weighings);
    await office.brought("a.csv", loads(...A));
    expect(await office.brought("b.csv", loads(...B))).toEqual(changed(3, 1));
    await office.ends(0, "dismiss --row b.csv:2");
    expect((await replaced(office, "L1")).exitCode).toBe(0);
    expect(weights(office).toSorted()).toEqual(A);
    // Judged by its rows.
    expect(await office.brought("b.csv", loads(...B), { end: "\n" })).toEqual(changed(0));
    await office.ends(0, "dismiss --undo --row b.csv:2");
    expect((await replaced(office, "L1")).exitCode).toBe(0);
    expect(weights(office).toSorted()).toEqual(B);
  },
);

describe("two files of one import with the same bytes", () => {
  it("are one file, told so: each row is counted once, by what became of it", long, async () => {
    const office = openOffice(weighings);
    for (const name of ["a.csv", "b.csv"]) office.writeCsv(name, loads("L1 10 1", "L1 20 x", "L1 30 3"));
    expect(await office.import("a.csv", "b.csv")).toMatchObject({
      rows: { read: 3, invalid: 1, staged: 2 },
      outcomes: { landed: 1, waiting: 1, toCorrect: 1 },
    });
    const { said } = await office.type("import", "m.yaml", "a.csv", "b.csv");
    expect(said).toContain("b.csv: The content is the same as that of a.csv, so it is read only once.");
    await office.ends(0, "show a.csv:4");
  });

  it("are not counted as twins, which would send the second file's rows again later", long, async () => {
    const event = { key: "content", within: "import" };
    const office = openOffice(weighingsWith({ event }));
    for (const name of ["a.csv", "b.csv"]) office.writeCsv(name, loads("L1 10 1", "L1 20 2"));
    await office.import("a.csv", "b.csv");
    // Judged by its rows, not by its bytes.
    office.writeMapping(weighingsWith({ event, skip: '=load == "none"' }));
    expect(await office.import("a.csv")).toMatchObject({ exitCode: 0, rows: { known: 2, staged: 0 } });
    expect(weights(office)).toEqual(["L1 10 1", "L1 20 2"]);
  });
});
