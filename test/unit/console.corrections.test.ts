/** What the console's corrections do to a ledger, without a server. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createCorrections } from "../../src/console/corrections.js";
import { resolveTarget } from "../../src/settings/target.js";
import { type Office, openOffice } from "../support/office.js";
import { weighings, weighingsWith } from "../support/weighings.js";

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

it("a row that waits for a document which no row brings can be corrected: what it refers to may be mistyped", async () => {
  const office = openOffice(
    weighingsWith({
      columns: { other: { header: "Other", optional: true } },
      event: {
        name: "RELATED",
        attributes: {},
        relatedDocument: { document: { ref: "load", key: "=other" }, bidirectional: false },
      },
    }),
  );
  await office.brought("w.csv", ["Load,At,Gross,Other", "A,2026-01-01 10:00,5,B", "B,2026-01-01 10:00,6,O"]);
  const corrections = correctionsOf(office);
  const [table] = await corrections.grid({ code: "reference-unknown", column: null, mistake: null });
  const [row] = table?.rows ?? [];
  expect(row?.cells).toEqual(["B", "2026-01-01 10:00", "6", "O"]);
  await corrections.edit({
    label: "Other",
    edits: [{ ref: row?.ref ?? "", column: "Other", replaces: "O", value: "A" }],
  });
  const { rows, ready, drafts } = await corrections.tally();
  expect([rows, ready]).toEqual([1, 1]);
  const given: string[] = [];
  await corrections.send(office.path("corrections"), drafts, (_, files) => given.push(...files));
  await office.import(...given);
  expect((await office.type("status")).out).toContain("all is well");
});

it("of a mapping that cannot be read, a row says the mistake in one line, and the mapping's files are watched", async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", ["Load,At,Gross", "A,2026-01-01 10:00,much"]);
  const corrections = correctionsOf(office);
  const cause = { code: "number-unreadable", column: "Gross", mistake: null };
  await corrections.editValue({ ...cause, from: "much", to: "5", shown: "much" });
  writeFileSync(office.path("m.yaml"), readFileSync(office.path("m.yaml"), "utf8").replace("inputs:", "inputs: ["));
  const [table] = await corrections.grid(cause);
  expect(table?.rows[0]?.problems[0]?.message).toMatch(/^m\.yaml: [^\n]+$/);
  expect(corrections.mappings()).toEqual([office.path("m.yaml")]);
});
