/** Before files are staged, a run says when a disk may be too small for them. */
import { truncateSync, writeFileSync } from "node:fs";
import { openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

test("a disk with less room than the files may need is told before anything is read", async () => {
  const office = openOffice(weighings);
  // Takes no room itself, and is refused once it is opened.
  writeFileSync(office.path("huge.csv"), "%PDF-1.4\n");
  truncateSync(office.path("huge.csv"), 2 ** 43);
  const { code, err } = await office.type("import", "m.yaml", "huge.csv");
  expect(err).toMatch(/warning: The disk with the ledger has [\d,]+ MiB free, and these files may need 41,943,040 MiB/);
  expect(err.indexOf("The disk with the ledger")).toBeLessThan(err.indexOf("the file is"));
  expect(code).toBe(3);
});

test("a disk with room for them is not mentioned", async () => {
  const office = openOffice(weighings);
  office.writeCsv("small.csv", ["Load,At,Gross", "L1,2026-01-01 10:10,1"]);
  const { code, err } = await office.type("import", "m.yaml", "small.csv");
  expect(code).toBe(0);
  expect(err).not.toContain("MiB");
});
