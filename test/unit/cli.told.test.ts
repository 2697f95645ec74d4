/** What waits, what a name finds, and what a command would do are said where a person looks. */
import { readFileSync } from "node:fs";
import { codes } from "../../src/model/codes.js";
import { ownCells } from "../../src/report/rejected-row.js";
import { openOffice } from "../support/office.js";

const source = readFileSync(new URL("./cli.told.yaml", import.meta.url), "utf8");
const header = "id,kind,date,ref";
const typo = [header, "C,Step,2025-01-01 10:00,", "C,RELATED,2025-01-02 10:00,TYPO", "C,Step2,2025-01-03 10:00,"];

describe("a wait that no row to correct explains", () => {
  it("is told by import, resume and plan, with its place and what to type", long, async () => {
    const { type, writeCsv } = openOffice(source);
    writeCsv("c.csv", typo);
    const plan = await type("plan", "m.yaml", "c.csv");
    expect(plan.out).toMatch(/lot TYPO[^]*c\.csv, row 3[^]*correct\s+the\s+references/);
    expect(plan.out).not.toContain("dismiss");
    for (const said of [await type("import", "m.yaml", "c.csv"), await type("resume")]) {
      expect(said.code).toBe(3);
      expect(said.out).toMatch(/1 {2}related of lot C waits for lot TYPO[^]*c\.csv, row 3 · reference-unknown/);
      expect(said.out).toContain("rowferry dismiss --code reference-unknown --sandbox");
    }
    expect((await type("status")).out).toContain("only you can settle");
    expect((await type("dismiss", "--code", "reference-unknown")).code).toBe(0);
    expect((await type("resume")).code).toBe(0);
  });
});

it("every row in a rejected file has a hint; that of a late row says what can send it", () => {
  const hintOf = (code: "late" | "after-close" | "value-required") =>
    ownCells({
      ref: "x:1",
      cells: [],
      kinds: null,
      problems: [{ code, message: "m", hint: null, column: null }],
    }).at(-1);
  expect(hintOf("value-required")).toBe(codes["value-required"].remedy);
  for (const code of ["late", "after-close"] as const)
    expect(hintOf(code)).toMatch(/no correction can send it\..*replace.*dismiss/);
});

it("that the journal lies beside the ledger is said when it begins, and not every night", long, async () => {
  const { type, writeCsv, path } = openOffice(source);
  writeCsv("c.csv", [header, "C,Step,2025-01-01 10:00,"]);
  const night = () => type("import", "m.yaml", "c.csv", "--journal", path("sent.ndjson"));
  expect((await night()).said).toContain("on the same disk as the ledger");
  expect((await night()).said).not.toContain("on the same disk");
});
