/** A saved plan is sent exactly, or nothing is: whatever changed in between is named. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { Summary } from "../../src/model/summary.js";
import { type Office, openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const HEADER = ["Load", "At", "Gross"];

async function saved(): Promise<Office & { go: (...more: string[]) => ReturnType<Office["type"]> }> {
  const office = openOffice(weighings);
  office.world.env = { USER: "ana" };
  office.writeCsv("loads.csv", [HEADER, "A,2026-01-01 10:00,5", "B,2026-01-01 10:00,6"]);
  const { code, out } = await office.type("plan", "m.yaml", "loads.csv", "--save", "plan.json");
  expect(code).toBe(0);
  expect(out).toContain("rowferry import --plan");
  office.world.env = { USER: "bo" };
  return { ...office, go: (...more) => office.type("import", "--plan", "plan.json", ...more) };
}

const documents = (office: Office) => {
  try {
    return office.documents().length;
  } catch {
    return 0;
  }
};

describe("import --plan", () => {
  it("sends what was planned, and says who saved and who ran it; no cell is in the file", async () => {
    const office = await saved();
    expect(readFileSync(office.path("plan.json"), "utf8")).not.toMatch(/2026-01-01|Alfa|11222333/);
    const { code, out } = await office.go("--json");
    expect([code, documents(office)]).toEqual([0, 2]);
    const summary = JSON.parse(out.trim().split("\n").at(-1) ?? "") as Summary;
    expect(summary.approval).toMatchObject({ savedBy: "ana", ranBy: "bo" });
    const report = summary.files.find(({ kind }) => kind === "report")?.path ?? "";
    expect(readFileSync(report, "utf8")).toMatch(/saved by ana .*, run by bo/s);
  });

  it.each<[string, RegExp, (office: Office) => unknown]>([
    [
      "a cell of the file",
      /Changed since: loads\.csv/,
      (office) => appendFileSync(office.path("loads.csv"), "C,2026-01-01 10:00,7\n"),
    ],
    ["the mapping", /Changed since: the mapping/, (office) => appendFileSync(office.path("m.yaml"), "# looked at\n")],
    [
      "what the ledger knows",
      /what the ledger knows/,
      async (office) => {
        await office.brought("other.csv", [HEADER, "A,2026-01-01 10:00,5", "C,2026-01-01 11:00,much"]);
      },
    ],
    [
      "the plan itself, by hand",
      /was edited after it was saved/,
      (office) =>
        writeFileSync(
          office.path("plan.json"),
          readFileSync(office.path("plan.json"), "utf8").replace('"documents": 2', '"documents": 3'),
        ),
    ],
    ["the plan, to something else", /not a plan that/, (office) => writeFileSync(office.path("plan.json"), "[]")],
  ])("changed in between: %s. Nothing is staged or sent, exit 2", async (_, message, change) => {
    const office = await saved();
    await change(office);
    const before = documents(office);
    const { code, err } = await office.go();
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(documents(office)).toBe(before);
    const { out } = await office.type("status", "--json");
    expect(out).not.toMatch(/"planned":[1-9]/);
  });

  it("another target refuses it, before any request", async () => {
    const office = await saved();
    office.world.env = {
      ROWFERRY_BASE_URL: "http://127.0.0.1:1",
      ROWFERRY_TOKEN_URL: "http://127.0.0.1:1/token",
      ROWFERRY_CLIENT_ID: "x",
      ROWFERRY_CLIENT_SECRET: "y",
    };
    const { code, err } = await office.go("--target", "env");
    expect(code).toBe(2);
    expect(err).toMatch(/Changed since: the target's settings/);
  });

  it("the same plan twice: the second finds that it has landed", async () => {
    const office = await saved();
    expect((await office.go()).code).toBe(0);
    const { code, err } = await office.go();
    expect(code).toBe(2);
    expect(err).toContain("what the ledger knows");
    expect(documents(office)).toBe(2);
  });

  it.each([
    [["import", "--plan", "p.json", "m.yaml"], /names mapping and files already/],
    [["import", "m.yaml"], /the files are missing/],
    [["import"], /the mapping and the files are missing/],
    [["import", "a.csv", "m.yaml"], /Type: rowferry import \S*m\.yaml a\.csv/],
    [["import", "a.csv"], /rowferry guess a\.csv -o mapping\.yaml/],
    [["check", "a.csv"], /rowferry guess a\.csv -o mapping\.yaml/],
    [["import", "--plan", "gone.json"], /gone\.json: The saved plan cannot be read/],
    [["plan", "m.yaml", "-", "--save", "p.json"], /standard input cannot be read again/],
  ])("%s is a mistake, exit 2", async (argv, message) => {
    const office = openOffice(weighings);
    const { code, err } = await office.type(...argv);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });
});
