/** What the console says first of a ledger, without a server. */
import { writeFileSync } from "node:fs";
import { forPage } from "../../src/console/jobs.js";
import { createTargets, explained, overviewOf } from "../../src/console/overview.js";
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

it("what names a command to type is left out, because the page has a button for it", () => {
  expect(explained({ code: "document-rejected" }).remedy).toBe(
    "Correct the document's fields in its row and import it again.",
  );
  expect(forPage("Not finished. Nothing is lost; `rowferry resume` continues.")).toBe("Not finished. Nothing is lost.");
  expect(forPage("Write `decimal` under `defaults:`; nothing else is needed.")).toBe(
    "Write `decimal` under `defaults:`; nothing else is needed.",
  );
});
