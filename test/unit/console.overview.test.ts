/** What the console says first of a ledger, without a server. */
import { writeFileSync } from "node:fs";
import { createTargets, overviewOf } from "../../src/console/overview.js";
import { mapping } from "../support/mapping.js";
import { openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

it("times are in the zone of the mapping, also where that comes from the one which it extends", async () => {
  const { defaults, ...rest } = weighings;
  const office = openOffice({ ...rest, extends: "base.yaml" });
  writeFileSync(office.path("base.yaml"), mapping({ defaults: { ...defaults, timezone: "America/Sao_Paulo" } }));
  await office.brought("w.csv", ["Load,At,Gross", "A,2026-01-01 10:00,5"]);
  const { cwd, now } = office.world;
  expect(overviewOf("sandbox", createTargets({ cwd, env: {} }), cwd, now)).toMatchObject({
    answer: "All is well.",
    zone: "America/Sao_Paulo",
  });
});
