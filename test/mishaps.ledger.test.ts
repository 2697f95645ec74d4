/** Mishaps of ledgers and journals, played: the wrong one, none at all, one that knows less. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createSandbox } from "../src/sandbox/index.js";
import { openOfficeAt } from "./support/office.js";
import { weighings } from "./support/weighings.js";

const rows = [
  ["Load", "At", "Gross"],
  ["L1", "2026-01-01 10:00", "5"],
  ["L2", "2026-01-01 10:00", "much"],
];

describe("a ledger of another service (F94)", () => {
  const elsewhere = "http://127.0.0.1:9";

  it.each(
    [
      "status",
      "runs",
      "show L1",
      "show requests --since 2026-01-01",
      "rejects",
      "report",
      "verify",
      "resume",
      "retry --code not-a-number",
      "dismiss --document L2",
      "resolve L1 --document-id doc-1 --yes",
      "replace L1 --reason wrong",
      "plan m.yaml loads.csv",
      "import m.yaml loads.csv",
      "doctor",
      "ledger check",
      "ledger backup copy.db",
      "ledger prune --keep 1d",
    ].map((command) => [command]),
  )("is neither read nor written: %s", async (command) => {
    const office = await openOfficeAt(createSandbox({}), weighings);
    office.writeCsv("loads.csv", rows);
    await office.import("loads.csv");
    const home = office.world.env["ROWFERRY_BASE_URL"] ?? "";
    const before = readFileSync(office.path("state/env/ledger.db"));
    office.world.env["ROWFERRY_BASE_URL"] = elsewhere;
    const argv = command.split(" ").map((word) => (/\.(yaml|csv|db)$/.test(word) ? office.path(word) : word));
    const { code, out, err } = await office.type(...argv);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining(`This ledger belongs to ${home} as client sandbox, not to ${elsewhere} as client`),
    });
    for (const help of ["--target", "--ledger", "rowferry ledger rebind", "state/env/ledger.db"])
      expect(err).toContain(help);
    expect(out).not.toMatch(/L1|L2|Dismissed|Next:/);
    expect(readFileSync(office.path("state/env/ledger.db")).equals(before)).toBe(true);
  });
});
