/** Every readable fixture gets a mapping that loads; those with a known outcome give it, with no line edited. */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { pipeline } from "../../src/cli/pipeline.js";
import { checkMapping, loadMapping } from "../../src/map/load-mapping.js";
import type { MappedRow } from "../../src/model/records.js";
import { openInput } from "../../src/read/open-input.js";
import { type TestWorld, testWorld, type } from "../support/cli.world.js";
import { sampled } from "../support/sample.js";
import { excelFixtureBytes, excelFixtures } from "../support/read/read-excel-fixture.js";

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));

/** A world with these files in it, and a mapping drafted from them. */
async function drafted(...files: string[]) {
  const world = testWorld({ pipeline });
  for (const file of files) copyFileSync(join(fixtures, file), join(world.cwd, basename(file)));
  const code = await type(world, "guess", ...files.map((file) => basename(file)), "-o", "m.yaml");
  return { world, path: join(world.cwd, "m.yaml"), code };
}

async function stage(file: string) {
  const { path } = await drafted(file);
  const mapping = await loadMapping(path);
  const input = await openInput(join(fixtures, file));
  const mapped: MappedRow[] = [];
  for (const { read, bind } of mapping.inputsFor(input.name)) {
    const opened = await input.open(read);
    const mapper = bind(opened.header, { file: input.name, sheet: opened.sheet });
    for await (const rows of opened.rows()) mapped.push(...mapper.map(rows));
    mapped.push(...mapper.end());
  }
  await input.close();
  const expected = JSON.parse(readFileSync(join(fixtures, file, "../expected.json"), "utf8")) as {
    rows: { [name: string]: number };
    documents: number;
    eventsByName: { [name: string]: number };
    participants: number;
    addresses: number;
    invalid: { row: number; codes: string[] }[];
  };
  const fates = (fate: MappedRow["outcome"]["fate"]) => mapped.filter(({ outcome }) => outcome.fate === fate);
  return { mapped, expected, fates, yaml: readFileSync(path, "utf8") };
}

describe("fixtures with a known outcome, with no line edited and no decision open", () => {
  it(
    "one row an event: every valid row is staged, drafts are skipped, and the events are those of the file",
    long,
    async () => {
      const { fates, expected, yaml } = await stage("manifests/manifests-2025-09.csv");
      expect(yaml).not.toContain("draft: true");
      expect(fates("invalid")).toEqual([]);
      expect(fates("valid")).toHaveLength(expected.rows["staged"] ?? 0);
      expect(fates("skipped")).toHaveLength(expected.rows["skipped"] ?? 0);
      const records = fates("valid").flatMap(({ outcome }) => (outcome.fate === "valid" ? [outcome.records] : []));
      const counted: { [name: string]: number } = {};
      for (const { name } of records.flatMap(({ events }) => events)) counted[name] = (counted[name] ?? 0) + 1;
      expect(counted).toEqual(expected.eventsByName);
      const distinct = (values: unknown[]) => new Set(values.map((value) => JSON.stringify(value))).size;
      expect(distinct(records.flatMap(({ documents }) => documents.map(({ key }) => key)))).toBe(expected.documents);
      expect(distinct(records.flatMap(({ participants }) => participants.map(({ natural }) => natural)))).toBe(
        expected.participants,
      );
      expect(
        distinct(records.flatMap((one) => one.addresses.map(({ participant, identity }) => [participant, identity]))),
      ).toBe(expected.addresses);
    },
  );

  it("a file with mistakes: they are mistakes of their rows, and every other row is staged", long, async () => {
    const { fates, expected } = await stage("manifests-faulty/manifests-2025-10.csv");
    const wrong = new Set(expected.invalid.map(({ row }) => row));
    expect(fates("invalid").filter(({ row }) => !wrong.has(row))).toEqual([]);
    expect(fates("valid").length).toBeGreaterThanOrEqual(expected.rows["staged"] ?? 0);
    expect(fates("invalid").length).toBeGreaterThanOrEqual(wrong.size - 1);
  });

  it("a workbook of three sheets: organisations and places are found, and referred to by code", long, async () => {
    const { mapped, fates, expected, yaml } = await stage("organisations/organisations-2025.xlsx");
    expect(yaml).not.toContain("draft: true");
    expect(fates("invalid")).toEqual([]);
    expect(mapped).toHaveLength(Object.values(expected.rows).reduce((sum, count) => sum + count, 0));
    const { inputs } = parse(yaml);
    expect(inputs.coletas.documents.no_coleta).toMatchObject({
      participant: { ref: "organisation", key: "=gerador" },
      address: { ref: "place", key: "=local_de_coleta" },
    });
  });
});

const csv = readdirSync(join(fixtures, "read-csv")).flatMap((folder) =>
  readdirSync(join(fixtures, "read-csv", folder))
    .filter((file) => file !== "expected.json")
    .map((file) => join("read-csv", folder, file)),
);
/** What a reader refuses, at least without the options that the case gives it. */
const unreadable = new Set(
  [
    "biff5/input.xls",
    "binary/input.csv",
    "csv-named-xlsx/input.xlsx",
    "empty-file/input.csv",
    "encrypted-xlsx/input.xlsx",
    "gzip-cut-off/input.csv.gz",
    "header-given-below-an-open-quote/input.csv",
    "html/input.xls",
    "json/input.csv",
    "office-lock-file/~$input.xlsx",
    "only-a-byte-order-mark/input.csv",
    "only-blank-lines/input.csv",
    "pdf/input.csv",
    "quotes-off/input.csv",
    "unclosed-quote-behind-a-line-break/input.csv",
    "unclosed-quote-closed-by-a-later-one/input.csv",
    "unclosed-quote-in-header/input.csv",
    "unclosed-quote/input.csv",
    "xls/input.xls",
    "xml-spreadsheet/input.xls",
    "zip-cut-off/input.zip",
    "zip-of-gzip/input.zip",
    "zip-of-none/input.zip",
    "zip-of-ods/input.ods",
    "zip-of-word/input.docx",
    "zip-of-xlsb/input.xlsb",
    "zip-wrong-checksum/input.zip",
  ].map((name) => join("read-csv", name)),
);
const more = ["replacement/substituicoes-2025-10.csv", "updates/analises-2025-10.csv", "relations/lotes-2025-10.csv"];

/** What came of a draft: it loads, or nothing can be read in the file, as `check` finds too. */
async function cameOf(world: TestWorld, code: number) {
  if (code !== 0) {
    expect([2, 3]).toContain(code);
    const manifests = join(fixtures, "../mappings/manifests.yaml");
    expect(await type(world, "check", manifests, ...readdirSync(world.cwd))).not.toBe(0);
    return "unreadable";
  }
  const path = join(world.cwd, "m.yaml");
  expect((await checkMapping(path)).problems).toEqual([]);
  const text = readFileSync(path, "utf8");
  const mapping = parse(text);
  expect(Object.keys(mapping.inputs).length).toBeGreaterThan(0);
  expect(mapping.draft === true).toBe(text.includes("# decide: "));
  return "loads";
}

describe("every file that can be read is drafted, and the draft loads", () => {
  it.each([...sampled(csv, 8), ...more])("%s", async (file) => {
    const { world, code } = await drafted(file);
    expect(await cameOf(world, code)).toBe(unreadable.has(file) ? "unreadable" : "loads");
  });

  it.each(sampled(excelFixtures(), 6).map(({ name }) => name))("%s", async (name) => {
    const world = testWorld({ pipeline });
    writeFileSync(join(world.cwd, "book.xlsx"), await excelFixtureBytes(name));
    expect(await cameOf(world, await type(world, "guess", "book.xlsx", "-o", "m.yaml"))).toBe("loads");
  });
});
