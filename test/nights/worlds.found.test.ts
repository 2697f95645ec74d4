/** What drawn worlds found, each at its smallest: by commands, files and timelines. */
import { type Office, openOffice } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loadsWith, weighingsWith } from "../support/weighings.js";

/** Every event has a ticket, and an attribute for each share. */
const shared = (event: object = {}) => ({
  key: "=ticket",
  attributes: { private: { "*": "=measured" } },
  ...event,
});
const columns = { ticket: "Ticket", measured: { headers: "Share *", as: "number" } };
const measuring = (event: object = {}) => weighingsWith({ columns, event: shared(event) });
const rows = (...all: string[]) => loadsWith(["Ticket", "Share A"], ...all);
const byContent = { key: "content", within: "file" };

const sent = (office: Office) => office.documents().flatMap(({ events }) => events);

it.each(sampled([{ key: "=ticket" }, byContent], 2, 1))(
  "a set of columns says nothing new when the file's columns come in another order (%o)",
  async (event) => {
    const office = openOffice(measuring(event));
    const table = loadsWith(["Ticket", "Share A", "Share B"], "L1 10 5 T1 1.5 2");
    const turned = table.map((cells) => cells.toReversed());
    for (const [file, cells] of Object.entries({ "a.csv": table, "b.csv": turned })) await office.lands(file, cells);
    expect(sent(office)).toHaveLength(1);
  },
);

it("an event that waits takes what an edited mapping says, although rows of two earlier files gave it", async () => {
  const office = openOffice(measuring());
  const brought = async (file: string, ...words: string[]) => {
    const { exitCode, problems } = await office.brought(file, rows(...words));
    expect(problems.map(({ code }) => code)).not.toContain("event-key-twice");
    return exitCode;
  };
  const waits = "L1 20 5 T2 2";
  expect(await brought("a.csv", "L1 yesterday 5 T1 1", waits)).toBe(3);
  expect(await brought("b.csv", waits)).toBe(3);
  office.writeMapping(measuring({ attributes: { private: { "*": "=measured" }, public: { Load: "=load" } } }));
  expect(await brought("b.csv", waits)).toBe(3);
  expect(await brought("c.csv", "L1 10 5 T1 1")).toBe(0);
  expect(JSON.stringify(sent(office)).match(/"name":"Load","value":"L1"/g)).toHaveLength(2);
});

it("an event that is known by its content goes on under another name that says what it was", async () => {
  const office = openOffice(measuring(byContent));
  await office.lands("a.csv", rows("L1 10 5 T1 1"));
  const { weighing } = measuring(byContent).inputs.weighings.events;
  office.writeMapping(weighingsWith({ columns, events: { pesagem: { ...weighing, was: "weighing" } } }));
  await office.lands("b.csv", rows("L1 10 5 T1 1", "L1 20 5 T2 2"));
  expect(sent(office)).toHaveLength(2);
});

it.each(sampled(["before", "behind", "beside"], 3))(
  "two rows of one import that differ on an event which has landed are told, wherever the other one stands: %s",
  async (where) => {
    const office = openOffice(measuring());
    const [same, other] = ["L1 10 5 T1 1", "L1 10 5 T1 2"];
    const brought = async (file: string, ...words: string[]) => {
      const { exitCode, warnings } = await office.brought(file, rows(...words));
      expect(warnings.map(({ code }) => code)).not.toContain("row-repeats");
      return exitCode;
    };
    const again = { before: [other, same], behind: [same, other], beside: [other] }[where] ?? [];
    expect(await brought("a.csv", same)).toBe(0);
    expect(await brought("b.csv", ...again)).toBe(3);
    if (where === "beside") expect(await brought("c.csv", same, "L1 10 5 T2 1")).toBe(0);
    expect(await brought("b.csv", ...again)).toBe(3);
  },
);
