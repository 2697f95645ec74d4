/** Disks that are too small: told before files are staged, and where a run cannot write its own files. */
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

test("a disk with less room than the files may need is told before anything is read", async () => {
  const office = openOffice(weighings);
  // Takes no room itself, and is refused once it is opened.
  writeFileSync(office.path("huge.csv"), "%PDF-1.4\n");
  truncateSync(office.path("huge.csv"), 2 ** 43);
  const { code, err } = await office.type("import", "m.yaml", "huge.csv");
  expect(err).toMatch(/warning: The disk with the ledger has [\d,]+ MiB free, but these files may need 41,943,040 MiB/);
  expect(err.indexOf("The disk with the ledger")).toBeLessThan(err.indexOf("the file is"));
  expect(code).toBe(3);
});

describe("a run whose folder takes no more files", () => {
  const openSpoilt = () => {
    const office = openOffice(weighings);
    const { pipeline } = office.world;
    const runImport: typeof pipeline.runImport = (options) =>
      pipeline.runImport({
        ...options,
        observe(event) {
          options.observe(event);
          const runs = office.path("state/sandbox/runs");
          if (event.type === "forecast") mkdirSync(`${runs}/${readdirSync(runs).at(-1)}/report.html`);
        },
      });
    office.world.pipeline = { ...pipeline, runImport };
    return office;
  };

  test("says what it sent all the same, and is no success", long, async () => {
    const office = openSpoilt();
    office.writeCsv("loads.csv", ["Load,At,Gross", "L1,2026-01-01 10:10,1"]);
    const { code, out } = await office.type("import", "m.yaml", "loads.csv", "--quiet");
    expect(out).toMatch(/^Not all files of this run could be written/);
    expect(out).toMatch(/Rows +1 = 1 landed/);
    expect(code).toBe(1);
    expect((await office.type("runs")).out).toMatch(/1 +1 +\d+ +failed/);
  });

  test("says what a person must correct, and how to get the rows", long, async () => {
    const office = openSpoilt();
    office.writeCsv("loads.csv", ["Load,At,Gross", "L1,2026-01-01 10:10,one", "L2,2026-01-01 10:10,1"]);
    const summary = await office.import("loads.csv");
    expect(summary).toMatchObject({ exitCode: 3, rows: { read: 2 }, outcomes: { landed: 1, toCorrect: 1 } });
    expect(summary.warnings).toContainEqual(expect.objectContaining({ code: "output-unwritable" }));
    expect(summary.files.map(({ kind }) => kind)).not.toContain("report");
    await office.ends(3, "rejects", "rowferry import m.yaml");
  });
});
