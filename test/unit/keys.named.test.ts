/** What a person names is what is meant, and what a run reported stays (findings F11, F12, F68, F87; HARD-CASES H45). */
import { createServiceClock } from "../../src/submit/service-clock.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { openOffice, openOfficeAt } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const header = ["Load", "At", "Gross"];
const bad = ["L1", "2026-01-01 10:10", "x"];

it("a participant that is refused is named by its row in collected output, not by its tax id (P9)", async () => {
  const sandbox = createSandbox({ rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  const refuse = { kind: "status", status: 422, when: "before" } as const;
  sandbox.setFaults([{ match: { method: "POST", path: "/participants" }, action: refuse }]);
  const summary = await office.brought("w.csv", [header, ["L1", "2026-01-01 10:10", "1"]]);
  expect(summary).toMatchObject({ exitCode: 3, problems: [{ place: "w.csv, row 2" }] });
  const { out } = await office.type("status");
  expect(out).toContain('participant "…"');
  expect(out).toContain('waits for participant "…" (rejected)');
  expect(JSON.stringify(summary) + out).not.toContain("11222333000181");
});

it("a row whose time is still to come is open until then, and dismissed once it is given up", async () => {
  const office = openOffice(weighings);
  const summary = await office.brought("w.csv", [header, ["L1", "2040-01-01 10:10", "1"]]);
  expect(summary).toMatchObject({ exitCode: 0, outcomes: { later: 1 } });
  expect((await office.type("import", office.path("m.yaml"), office.path("w.csv"))).out).toContain(
    "All is well. 1 row in the future; a later run sends it.",
  );
  expect((await office.type("status")).out).toContain("all is well. 1 event waits for its time; a later run sends it.");
  await office.type("dismiss", "--row", "w.csv:2");
  expect((await office.type("show", "w.csv:2")).out).toContain("w.csv, row 2: dismissed");
  expect((await office.type("status")).out).toContain("all is well. Nothing is open.");
});

it("rows are given up all or none: each fits something open, in the input that is named with it", async () => {
  const office = openOffice(weighings);
  await office.brought("w-1.csv", ["Load,At,Gross", "L1,2026-01-01 10:10,x", "L2,2026-01-01 10:10,y"]);
  await office.brought("w-2.csv", ["Load,At,Gross", "L3,2026-01-01 10:10,x"]);
  for (const [more, missed] of [
    [["--row", "w-1.csv:9"], "--row w-1.csv:9 fits no open record."],
    [["--input", "w-2.csv"], "No open record fits these selectors."],
  ] as const) {
    const refused = await office.type("dismiss", "--row", "w-1.csv:2", ...more);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(missed)]);
  }
  expect((await office.type("dismiss", "--row", "w-1.csv:2", "--row", "w-1.csv:3")).out).toContain(
    "Dismissed: 2 rows.",
  );
});

describe("a row number that several open rows have (F87)", () => {
  it("is refused with the choices, and gives up nothing", async () => {
    const office = openOffice(weighings);
    for (const name of ["w-1.csv", "w-2.csv"]) {
      office.writeCsv(name, [header, [name, ...bad.slice(1)]]);
      await office.import(name);
    }
    const refused = await office.type("dismiss", "--row", "2");
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("w-1.csv:2")]);
    expect(refused.err).toContain("w-2.csv:2");
    const named = await office.type("dismiss", "--row", "w-1.csv:2");
    expect([named.code, named.out]).toEqual([0, expect.stringContaining("Dismissed: 1 row.")]);
  });

  it("is told apart by the run where one file has come twice", async () => {
    const office = openOffice(weighings);
    for (const load of ["L1", "L2"]) {
      await office.brought("w.csv", [header, [load, ...bad.slice(1)]]);
    }
    const refused = await office.type("dismiss", "--row", "w.csv:2");
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--run")]);
    const [run = ""] = /\d{4}-\d\d-\d\dT\d{4}-import/.exec(refused.err) ?? [];
    const named = await office.type("dismiss", "--row", "w.csv:2", "--run", run);
    expect([named.code, named.out]).toEqual([0, expect.stringContaining("Dismissed: 1 row.")]);
  });
});

it("a run counts the rows of a group, not the group (F11, H45)", async () => {
  const { events, ...input } = weighings.inputs.weighings;
  const grouped = {
    ...weighings,
    inputs: {
      weighings: {
        ...input,
        group: "=load",
        events: {
          weighing: {
            ...events.weighing,
            key: "once",
            externalCreatedAt: "=first(at)",
            attributes: { public: { Gross: "=sum(gross)" } },
          },
        },
      },
    },
  };
  const office = openOffice(grouped);
  const later = "2100-01-01 10:10";
  expect(
    await office.brought("w.csv", [
      header,
      ["L1", later, "1"],
      ["L1", later, "2"],
      ["L1", later, "3"],
      "L2,2026-01-01 10:10,1",
    ]),
  ).toMatchObject({ rows: { read: 4, staged: 4 } });
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
