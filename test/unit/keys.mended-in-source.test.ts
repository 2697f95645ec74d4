/**
 * Rows that are mended where they came from, and not in the rejected file (docs/decisions/mended-in-the-source.md): what they
 * held goes out once the mended file is imported, and nothing goes out because of a row that only looks like it.
 */
import { type Office, openOffice } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loadsWith, weighingsWith, weights } from "../support/weighings.js";

const tickets = (...rows: readonly string[]) => loadsWith(["Ticket"], ...rows);
/** Each weighing by its ticket: without one, nobody knows which it is. */
const byTicket = (event: object = {}, more: object = {}) =>
  weighingsWith({ columns: { ticket: "Ticket" }, event: { key: "=ticket", ...event }, ...more });

const good = "L1 10 1 T1";
const bad = "L1 20 2";
const later = "L1 30 3 T3";

/** Imports files one after the other; gives the exit codes and how many rows and events wait. */
async function importing(office: Office, ...files: readonly (readonly [name: string, ...rows: string[]])[]) {
  const outcomes: [code: number, rows: number, held: number][] = [];
  for (const [name, ...rows] of files) {
    const { exitCode, open } = await office.brought(name, tickets(...rows));
    outcomes.push([exitCode, open.rows, open.events["held"] ?? 0]);
  }
  return outcomes;
}
/** Imports two files; how the second ended, and what has landed then. */
async function after(...files: Parameters<typeof importing>[1][]) {
  const office = openOffice(byTicket());
  const ends = await importing(office, ...files);
  return { end: ends.at(-1), landed: weights(office) };
}
const settled = [0, 0, 0];

describe("a row whose event could not be told", () => {
  const mended = "L1 20 2 T2";
  const night = ["w.csv", good, bad, later] as const;

  const again: [where: string, first: readonly string[], next: string[], wanted: string[]][] = [
    ["in its place in the file of its name", night, ["w.csv", good, mended, later], [good, mended, later]],
    ["alone in its file", ["w.csv", bad], ["w.csv", mended], [mended]],
    [
      "in the whole history under another name",
      night,
      ["w-tomorrow.csv", good, mended, later, "L2 10 9 T9"],
      [good, mended, later, "L2 10 9 T9"],
    ],
    [
      "without a time in a file of another name, where a row is where it was (night 8421907)",
      ["w.csv", "L2 soon 2", good],
      ["other.csv", "L2 20 2 T2", good],
      [good, "L2 20 2"],
    ],
  ];
  it.each(sampled(again, 3))("is known again %s", async (_, first, next, wanted) => {
    const { end, landed } = await after(first as [string], next as [string]);
    expect([end, landed]).toEqual([settled, wanted.map((row) => row.replace(/ T\d$/, ""))]);
  });

  const notAgain: [where: string, first: string[], next: string[], load: string][] = [
    [
      "where no row is where it was (night 8421907)",
      ["w.csv", "L2 soon 2", good],
      ["other.csv", "L2 20 2 T2", "L3 10 7 T7", good],
      "L2",
    ],
    [
      "in a row that is another one's by its key (night 8705950)",
      ["w.csv", good, "L2 soon 2", "L2 never 5 T5"],
      ["w.csv", good, "L2 20 5 T5"],
      "L2",
    ],
  ];
  it.each(notAgain)("is not known again %s", long, async (_, first, next, load) => {
    const { end, landed } = await after(first as [string], next as [string]);
    expect([end, landed.filter((row) => row.startsWith(load))]).toEqual([[3, 1, 1], []]);
  });

  it("is not known again in a file that was there before it, and comes again as it was", long, async () => {
    const office = openOffice(byTicket());
    office.writeCsv("w-1.csv", tickets("L1 10 1 T1", "L2 10 5 T5"));
    office.writeCsv("w-2.csv", tickets("L1 never 2", "L2 10 5 T5"));
    expect((await office.import("w-1.csv", "w-2.csv")).open).toMatchObject({ rows: 1, events: { held: 1 } });
    expect(await office.import("w-1.csv")).toMatchObject({ exitCode: 3, open: { rows: 1 } });
    expect(weights(office)).toEqual(["L2 10 5"]);
  });

  it("is known again by its cells, when what was wrong was the mapping", long, async () => {
    const knowing = (...oneOf: string[]) =>
      weighingsWith({
        columns: { ticket: { header: "Ticket", oneOf } },
        event: { key: "content", within: "file", attributes: { public: { Gross: "=gross", Of: "=ticket" } } },
      });
    const office = openOffice(knowing("T1", "T3"));
    const rows = tickets(mended, later);
    expect(await office.brought("w.csv", rows)).toMatchObject({ exitCode: 3, open: { rows: 1 } });
    office.writeMapping(knowing("T1", "T2", "T3"));
    expect(await office.brought("w-2.csv", rows, { end: "\n" })).toMatchObject({ exitCode: 0, open: { rows: 0 } });
    expect(weights(office)).toEqual(["L1 20 2", "L1 30 3"]);
  });

  const holding: [what: string, next: string[]][] = [
    ["is still wrong", ["w.csv", good, bad, later, "L2 10 9 T9"]],
    ["has a row of another time in its place", ["w.csv", good, "L1 25 2 T2", later]],
    ["has a row of another document in its place", ["w.csv", good, "L2 20 2 T2", later]],
    ["was followed by rows that moved up", ["w.csv", good, "L1 20 3 T1", later]],
    ["has its like in a file of another night", ["w-2.csv", "L2 10 5 T5", mended]],
  ];
  it.each(sampled(holding, 3))("holds on where it %s", async (_title, next) => {
    const { end, landed } = await after(night, next as [string]);
    expect(end?.slice(0, 2)).toEqual([3, 1]);
    expect(landed.filter((row) => row.startsWith("L1"))).toEqual(["L1 10 1"]);
  });
});

it(
  "two rows of one file that give one event different content are sent once one is mended in the source",
  long,
  async () => {
    const office = openOffice(byTicket());
    const twice = ["w.csv", good, "L1 20 2 T2", "L1 20 5 T2", later] as const;
    const mended = ["w.csv", good, "L1 20 2 T4", "L1 20 5 T2", later] as const;
    expect(await importing(office, twice, mended)).toEqual([[3, 1, 2], settled]);
    expect(weights(office).toSorted()).toEqual(["L1 10 1", "L1 20 2", "L1 20 5", "L1 30 3"]);
  },
);

describe("an event that the newest row about it gives in a way that cannot be read", () => {
  it.each(sampled([20, 10, 30], 2))("waits, whatever an earlier row said of it (minute %i)", async (minute) => {
    const office = openOffice(byTicket({ key: "once" }));
    await importing(office, ["w.csv", "L1 20 2 T1", `L1 ${minute} x T2`]);
    expect(weights(office)).toEqual([]);
  });

  it("is sent as the newest row says, when that one can be read", async () => {
    const office = openOffice(byTicket({ key: "once" }));
    await importing(office, ["w.csv", "L1 20 x T2", "L1 20 2 T1"]);
    expect(weights(office)).toEqual(["L1 20 2"]);
  });
});

it("a group whose rows stood apart is sent whole once they stand together, without a dismissal", long, async () => {
  const attributes = { public: { Gross: "=sum(gross)" } };
  const office = openOffice(byTicket({ key: "once", externalCreatedAt: "=first(at)", attributes }, { group: "=load" }));
  const [a, b, other] = ["L1 10 1 T1", "L1 10 2 T1", "L2 10 9 T9"];
  const ends = await importing(office, ["w.csv", a, other, b], ["w.csv", a, b, other]);
  expect(ends.at(-1)).toEqual(settled);
  expect(weights(office).toSorted()).toEqual(["L1 10 3", "L2 10 9"]);
});
