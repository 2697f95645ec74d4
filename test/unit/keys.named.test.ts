/** What a person names is what is meant, and what a run reported stays (findings F11, F12, F68, F87; HARD-CASES H45). */
import { createServiceClock } from "../../src/submit/service-clock.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { openOffice, openOfficeAt } from "../support/office.js";
import { loads, weighings, weighingsWith } from "../support/weighings.js";

const refused = (err: string) => expect.objectContaining({ code: 2, err: expect.stringContaining(err) });
const done = (out: string) => expect.objectContaining({ code: 0, out: expect.stringContaining(out) });

it("a participant that is refused is named by its row in collected output, not by its tax id (P9)", long, async () => {
  const sandbox = createSandbox({ rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  const refuse = { kind: "status", status: 422, when: "before" } as const;
  sandbox.setFaults([{ match: { method: "POST", path: "/participants" }, action: refuse }]);
  const summary = await office.brought("w.csv", loads("L1 10 1"));
  expect(summary).toMatchObject({ exitCode: 3, problems: [{ place: "w.csv, row 2" }] });
  const { out } = await office.type("status");
  expect(out).toContain('participant "…"');
  expect(out).toContain('waits for participant "…" (rejected)');
  expect(JSON.stringify(summary) + out).not.toContain("11222333000181");
});

it("a row whose time is still to come is open until then, and dismissed once it is given up", long, async () => {
  const office = openOffice(weighings);
  const summary = await office.brought("w.csv", loads("L1 2040-01-01T10:10 1"));
  expect(summary).toMatchObject({ exitCode: 0, outcomes: { later: 1 } });
  const later = "a later run sends it.";
  await office.ends(0, "import m.yaml w.csv", `All is well. 1 row in the future; ${later}`);
  await office.ends(0, "status", `all is well. 1 event waits for its time; ${later}`);
  // It needs no decision, but "nothing is open" would be untrue.
  await office.ends(
    2,
    "dismiss --document L1",
    "Nothing needs a decision; `rowferry withdraw --input <file> --sandbox`",
  );
  await office.type("dismiss", "--row", "w.csv:2");
  await office.ends(0, "show w.csv:2", "w.csv, row 2: dismissed");
  await office.ends(0, "status", "all is well. Nothing is open.");
});

it("where selectors fit nothing, a participant that was refused is among what is open", async () => {
  const sandbox = createSandbox({ rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  const action = { kind: "status", status: 422, when: "before" } as const;
  sandbox.setFaults([{ match: { method: "POST", path: "/participants" }, action }]);
  await office.brought("w.csv", loads("L1 10 1"));
  await office.ends(2, "dismiss --code late", "1 of service-refused");
});

it("rows are given up all or none: each fits something open, in the input that is named with it", long, async () => {
  const office = openOffice(weighings);
  await office.brought("w-1.csv", loads("L1 10 x", "L2 10 y"));
  await office.brought("w-2.csv", loads("L3 10 x"));
  const dismiss = (...more: string[]) => office.type("dismiss", "--row", "w-1.csv:2", ...more);
  expect(await dismiss("--row", "w-1.csv:9")).toEqual(refused("--row w-1.csv:9 fits no open record."));
  expect(await dismiss("--input", "w-2.csv")).toEqual(refused("No open record matches these selectors."));
  expect(await dismiss("--row", "w-1.csv:3")).toEqual(done("Dismissed: 2 rows."));
});

it(
  "a row number that several open rows have (F87) is refused with the choices, and gives up nothing",
  long,
  async () => {
    const office = openOffice(weighings);
    for (const name of ["w-1.csv", "w-2.csv"]) await office.brought(name, loads(`${name} 10 x`));
    const answer = await office.type("dismiss", "--row", "2");
    for (const choice of ["w-1.csv:2", "w-2.csv:2"]) expect(answer).toEqual(refused(choice));
    await office.ends(0, "dismiss --row w-1.csv:2", "Dismissed: 1 row.");
  },
);

it(
  "a row number that several open rows have (F87) is told apart by the run where one file has come twice",
  long,
  async () => {
    const office = openOffice(weighings);
    for (const load of ["L1", "L2"]) await office.brought("w.csv", loads(`${load} 10 x`));
    const answer = await office.type("dismiss", "--row", "w.csv:2");
    expect(answer).toEqual(refused("--run"));
    const [run = ""] = /\d{4}-\d\d-\d\dT\d{4}-import/.exec(answer.err) ?? [];
    expect(await office.type("dismiss", "--row", "w.csv:2", "--run", run)).toEqual(done("Dismissed: 1 row."));
  },
);

it("a run counts the rows of a group, not the group (F11, H45)", long, async () => {
  const attributes = { public: { Gross: "=sum(gross)" } };
  const event = { key: "once", externalCreatedAt: "=first(at)", attributes };
  const office = openOffice(weighingsWith({ group: "=load", event }));
  const later = [1, 2, 3].map((weight) => `L1 2100-01-01T10:10 ${weight}`);
  expect(await office.brought("w.csv", loads(...later, "L2 10 1"))).toMatchObject({ rows: { read: 4, staged: 4 } });
  expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { read: 4, known: 1, staged: 3 } });
});

it("the service's clock (F68) is not believed on the word of one answer that is far off, and is on that of two", () => {
  const clock = createServiceClock({ now: () => Date.UTC(2026, 0, 1), sleep: () => Promise.resolve() });
  const said = (year: number) => clock.seen(new Date(Date.UTC(year, 0, 1, 0, 0, 3)).toUTCString());
  said(9999);
  const aheadMs = () => clock.now() - Date.UTC(2026, 0, 1);
  expect(aheadMs()).toBe(0);
  said(2026);
  expect(aheadMs()).toBe(3000);
  said(2031);
  expect(aheadMs()).toBe(3000);
  said(2031);
  expect(aheadMs()).toBe(Date.UTC(2031, 0, 1, 0, 0, 3) - Date.UTC(2026, 0, 1));
});
