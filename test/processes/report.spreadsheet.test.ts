/**
 * A rejected workbook through a spreadsheet program and back (7/11): LibreOffice opens it, computes its formulas, saves it, and
 * what lands is what the source would have landed had it been right.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { openOffice } from "../support/office.js";
import { bodiesOf, correctTyped, twoRows, typedMapping, type TypedSheet, writeTyped } from "../support/typed-sheet.js";

const required = (process.env["ROWFERRY_TEST_REQUIRE"] ?? "").split(",").includes("libreoffice");
const isHere = spawnSync("soffice", ["--version"]).status === 0;

const told = isHere ? "there is a LibreOffice to open it with" : "did not run: there is no LibreOffice here (soffice)";

it.each([told])("%s", () => {
  expect(isHere || !required, "ROWFERRY_TEST_REQUIRE asks for libreoffice").toBe(true);
});

const typed: TypedSheet = {
  rows: [
    ...twoRows,
    {
      load: "L3",
      code: 99_999,
      gross: 1234.56,
      tare: 12.3,
      share: 0.0725,
      day: 60,
      at: 90_000,
      clock: 1439,
      note: "1,5",
    },
    { load: "L4", code: 0, gross: 0.01, tare: 0.01, share: 1, day: 200, at: 200_000, clock: 720, note: "=x" },
    { load: "L5", code: 5, gross: 88.8, tare: 8, share: 0.3, day: 299, at: 400_000, clock: 1, note: "word" },
  ],
  mistakes: new Map([
    [1, "gross"],
    [2, "code"],
    [3, "day"],
    [4, "share"],
  ]),
  above: 3,
  shared: true,
};

it.runIf(isHere)("opened and saved by LibreOffice it comes back right", long, async () => {
  const right = openOffice(typedMapping);
  await writeTyped(right.path("loads.xlsx"), typed, false);
  expect((await right.import("loads.xlsx")).exitCode).toBe(0);

  const office = openOffice(typedMapping);
  await writeTyped(office.path("loads.xlsx"), typed, true);
  const summary = await office.import("loads.xlsx");
  const [file] = summary.files.filter(({ kind }) => kind === "rejected");
  const rejected = file?.path ?? expect.fail("nothing was rejected");
  const opened = office.path(basename(rejected));
  copyFileSync(rejected, opened);
  await correctTyped(opened, typed, { computed: false });

  mkdirSync(office.path("saved"));
  const profile = `-env:UserInstallation=${pathToFileURL(office.path("profile")).href}`;
  execFileSync(
    "soffice",
    [profile, "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML", "--outdir", office.path("saved"), opened],
    { stdio: "pipe", timeout: 100_000 },
  );
  const { code, out, err } = await office.type("import", "m.yaml", office.path(`saved/${basename(opened)}`));
  expect(code, out + err).toBe(0);
  expect(bodiesOf(office)).toEqual(bodiesOf(right));
});
