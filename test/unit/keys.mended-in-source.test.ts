/**
 * Rows that are mended where they came from, and not in the rejected file (docs/decisions/mended-in-the-source.md): what they
 * held goes out once the mended file is imported, and nothing goes out because of a row that only looks like it.
 */
import { type Office, openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const input = weighings.inputs.weighings;
/** Each weighing by its ticket: without one, nobody knows which it is. */
const byTicket = (key: string | readonly string[], more: object = {}) => ({
  ...weighings,
  inputs: {
    weighings: {
      ...input,
      ...more,
      columns: { ...input.columns, ticket: "Ticket" },
      events: { weighing: { ...input.events.weighing, key, ...(key === "content" && { within: "file" }) } },
    },
  },
});
const header = ["Load", "At", "Gross", "Ticket"];
const row = (load: string, minute: number, gross: string, ticket: string) => [
  load,
  `2026-01-01 10:${minute}`,
  gross,
  ticket,
];
const good = row("L1", 10, "1", "T1");
const bad = row("L1", 20, "2", "");
const later = row("L1", 30, "3", "T3");

/** Weights by load, in the order of its timeline. */
const landed = (office: Office) =>
  Object.fromEntries(
    office.documents().map(({ externalId, events }) => [
      externalId,
      events.map(({ body }) => {
        const { attributes } = body["metadata"] as { attributes: { value: string }[] };
        return attributes[0]?.value;
      }),
    ]),
  );

/** Imports files one after the other; gives the exit codes and how many rows and events wait. */
async function importing(office: Office, ...files: [name: string, rows: string[][]][]) {
  const outcomes: [code: number, rows: number, held: number][] = [];
  for (const [name, rows] of files) {
    office.writeCsv(name, [header, ...rows]);
    const { exitCode, open } = await office.import(name);
    outcomes.push([exitCode, open.rows, open.events["held"] ?? 0]);
  }
  return outcomes;
}

describe("a row whose event could not be told", () => {
  const mended = row("L1", 20, "2", "T2");

  it("is known again in its place: in the file of its name, and in the whole history under another", async () => {
    for (const [name, first, next] of [
      ["w.csv", [good, bad, later], [good, mended, later]],
      ["w.csv", [bad], [mended]],
      ["w-tomorrow.csv", [good, bad, later], [good, mended, later, row("L2", 10, "9", "T9")]],
    ] as const) {
      const office = openOffice(byTicket("=ticket"));
      const outcomes = await importing(office, ["w.csv", [...first]], [name, [...next]]);
      expect(outcomes).toEqual([
        [3, 1, first.length > 1 ? 1 : 0],
        [0, 0, 0],
      ]);
      expect(landed(office)["L1"]).toEqual(first.length > 1 ? ["1", "2", "3"] : ["2"]);
    }
  });

  it("is known again where more of it was mended than what was wrong", async () => {
    const office = openOffice(byTicket("=ticket"));
    const outcomes = await importing(
      office,
      ["w.csv", [good, bad, later]],
      ["w.csv", [good, row("L1", 20, "22", "T2"), later]],
    );
    expect(outcomes[1]).toEqual([0, 0, 0]);
    expect(landed(office)).toEqual({ L1: ["1", "22", "3"] });
  });

  it("is known again without a time in a file of another name only if a row is where it was (night 8421907)", async () => {
    const unreadable = ["L2", "soon", "2", ""];
    const valid = row("L2", 20, "2", "T2");
    for (const [next, isReleased] of [
      [[valid, good], true],
      [[valid, row("L3", 10, "7", "T7"), good], false],
    ] as const) {
      const office = openOffice(byTicket("=ticket"));
      const outcomes = await importing(office, ["w.csv", [unreadable, good]], ["other.csv", [...next]]);
      expect(outcomes[1]).toEqual(isReleased ? [0, 0, 0] : [3, 1, 1]);
      expect(landed(office)["L2"]).toEqual(isReleased ? ["2"] : undefined);
    }
  });

  it("is not known again in a row that is another one's by its key (night 8705950)", async () => {
    const [unreadable, keyed] = [
      ["L2", "soon", "2", ""],
      ["L2", "never", "5", "T5"],
    ];
    for (const name of ["w.csv", "other.csv"]) {
      const office = openOffice(byTicket("=ticket"));
      const next = [good, row("L2", 20, "5", "T5")];
      const outcomes = await importing(office, ["w.csv", [good, unreadable, keyed]], [name, next]);
      expect(outcomes[1]).toEqual([3, 1, 1]);
      expect(landed(office)["L2"]).toBeUndefined();
    }
  });

  it("is not known again in a file that was there before it, and comes again as it was", async () => {
    const office = openOffice(byTicket("=ticket"));
    const other = row("L2", 10, "5", "T5");
    office.writeCsv("w-1.csv", [header, row("L1", 10, "1", "T1"), other]);
    office.writeCsv("w-2.csv", [header, "L1,never,2,", other]);
    expect((await office.import("w-1.csv", "w-2.csv")).open).toMatchObject({ rows: 1, events: { held: 1 } });
    const again = await office.import("w-1.csv");
    expect([again.exitCode, again.open.rows]).toEqual([3, 1]);
    expect(landed(office)).toEqual({ L2: ["5"] });
  });

  it("is known again by its cells, when what was wrong was the mapping", async () => {
    const strict = byTicket("content");
    Object.assign(strict.inputs.weighings.columns, { ticket: { header: "Ticket", oneOf: ["T1", "T3"] } });
    Object.assign(strict.inputs.weighings.events.weighing, {
      attributes: { public: { Gross: "=gross", Of: "=ticket" } },
    });
    const office = openOffice(strict);
    const rows = [header, row("L1", 20, "2", "T2"), later];
    expect(await office.brought("w.csv", rows)).toMatchObject({ exitCode: 3, open: { rows: 1 } });
    const mild = structuredClone(strict);
    Object.assign(mild.inputs.weighings.columns, { ticket: { header: "Ticket", oneOf: ["T1", "T2", "T3"] } });
    office.writeMapping(mild);
    expect(await office.brought("w-2.csv", rows, { end: "\n" })).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    expect(landed(office)).toEqual({ L1: ["2", "3"] });
  });

  it.each([
    ["is gone", "w.csv", [good, later]],
    ["is still wrong", "w.csv", [good, bad, later, row("L2", 10, "9", "T9")]],
    ["has a row of another time in its place", "w.csv", [good, row("L1", 25, "2", "T2"), later]],
    ["has a row of another document in its place", "w.csv", [good, row("L2", 20, "2", "T2"), later]],
    ["was followed by rows that moved up", "w.csv", [good, row("L1", 20, "3", "T1"), later]],
    ["has its like in a file of another night", "w-2.csv", [row("L2", 10, "5", "T5"), row("L1", 20, "2", "T2")]],
  ])("holds on where it %s", async (_title, name, rows) => {
    const office = openOffice(byTicket("=ticket"));
    const [, next] = await importing(office, ["w.csv", [good, bad, later]], [name, rows]);
    expect(next?.[0]).toBe(3);
    expect(next?.[1]).toBe(1);
    expect(landed(office)["L1"]).toEqual(["1"]);
    await office.type("dismiss", "--document", "load/L1");
    await office.run("resume");
    expect(landed(office)["L1"]).toContain("3");
  });
});

describe("two rows of one file that give one event different content", () => {
  const first = row("L1", 20, "2", "T2");
  const second = row("L1", 20, "5", "T2");

  it("are sent once either of them is mended in the source", async () => {
    for (const rows of [
      [good, first, row("L1", 20, "5", "T4"), later],
      [good, row("L1", 20, "2", "T4"), second, later],
    ]) {
      const office = openOffice(byTicket("=ticket"));
      const outcomes = await importing(office, ["w.csv", [good, first, second, later]], ["w.csv", rows]);
      expect(outcomes).toEqual([
        [3, 1, 2],
        [0, 0, 0],
      ]);
      expect(landed(office)["L1"]?.toSorted()).toEqual(["1", "2", "3", "5"]);
    }
  });
});

describe("an event that the newest row about it gives in a way that cannot be read", () => {
  const once = byTicket("once");
  const unread = (minute: number) => row("L1", minute, "x", "T2");

  it("waits, whatever an earlier row said of it", async () => {
    for (const minute of [20, 10, 30]) {
      const office = openOffice(once);
      await importing(office, ["w.csv", [row("L1", 20, "2", "T1"), unread(minute)]]);
      expect([minute, landed(office)]).toEqual([minute, {}]);
    }
  });

  it("waits also where that row comes with a later file", async () => {
    const office = openOffice(once);
    office.writeCsv("w-1.csv", [header, row("L0", 20, "1", "T0"), row("L1", 20, "2", "T1")]);
    await office.import("w-1.csv", "--limit", "1");
    const [next] = await importing(office, ["w-2.csv", [unread(30)]]);
    expect(next).toEqual([3, 1, 1]);
    expect(landed(office)).toEqual({ L0: ["1"] });
  });

  it("is sent as the newest row says, when that one can be read", async () => {
    const office = openOffice(once);
    await importing(office, ["w.csv", [unread(20), row("L1", 20, "2", "T1")]]);
    expect(landed(office)).toEqual({ L1: ["2"] });
  });
});

describe("a group whose rows stood apart", () => {
  const grouped = (key: string) => {
    const given = byTicket(key, { group: "=load" });
    Object.assign(given.inputs.weighings.events.weighing, {
      externalCreatedAt: "=first(at)",
      attributes: { public: { Gross: "=sum(gross)" } },
    });
    return given;
  };
  const [a, b, other] = [row("L1", 10, "1", "T1"), row("L1", 10, "2", "T1"), row("L2", 10, "9", "T9")];

  it.each(["once", "=ticket"])(
    "is sent whole once its rows stand together, without a dismissal (key: %s)",
    async (key) => {
      const office = openOffice(grouped(key));
      const outcomes = await importing(office, ["w.csv", [a, other, b]], ["w.csv", [a, b, other]]);
      expect(outcomes.at(-1)).toEqual([0, 0, 0]);
      expect(landed(office)).toEqual({ L1: ["3"], L2: ["9"] });
    },
  );
});
