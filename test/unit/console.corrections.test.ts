/** What the console's corrections do to a ledger, without a server. */
import { readdirSync, readFileSync } from "node:fs";
import { createCorrections } from "../../src/console/corrections.js";
import { resolveTarget } from "../../src/settings/target.js";
import { type Office, openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

function correctionsOf(office: Office) {
  const target = resolveTarget({ flags: {}, env: {}, cwd: office.world.cwd });
  return createCorrections(target, () => office.world.now);
}

it("two imports of one input at the same moment are two files, because the first may not have been read yet", async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", ["Load,At,Gross", "A,2026-01-01 10:00,much", "B,2026-01-01 10:00,more"]);
  const corrections = correctionsOf(office);
  const cause = { code: "number-unreadable", column: "Gross", mistake: null };
  const given: string[] = [];
  for (const from of ["much", "more"]) {
    await corrections.editValue({ ...cause, from, to: "5", shown: from });
    const { drafts } = await corrections.tally();
    await corrections.send(office.path("corrections"), drafts, (_, files, begun) => {
      given.push(...files);
      begun(process.pid);
    });
  }
  expect(new Set(given)).toHaveLength(2);
  expect(given.map((path) => /^[AB](?=,2026-01-01 10:00,5)/m.exec(readFileSync(path, "utf8"))?.[0])).toEqual([
    "A",
    "B",
  ]);
  expect(readdirSync(office.path("corrections"))).toHaveLength(2);
});
