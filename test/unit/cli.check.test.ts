import { existsSync } from "node:fs";
import { join } from "node:path";
import { jsonOf, testWorld, type } from "../support/cli.world.js";

const mapping = `version: 2
namespace: t
defaults: { timezone: UTC, dates: ["dd.MM.yyyy"], decimal: "," }
inputs:
  rows:
    files: ["rows*.csv"]
    skip: =art == "Entwurf"
    columns: { job: Job, art: Art, day: { header: Tag, as: timestamp }, kg: { header: Kg, as: number }, city: { header: [Ort, Stadt] }, note: { header: Notiz, optional: true } }
    documents:
      job: { key: =job, participant: { id: p1 }, address: { id: a1 }, fields: { place: =city, note: =note } }
    events:
      step:
        when: =filled(day)
        name: Step
        key: once
        externalCreatedAt: =day
        isPublic: true
        attributes: { public: { Kg: =kg } }
    rowsWithoutEvents: allow
`;
const rows = `Bericht;;;;;
Job;Art;Tag;Kg;Stadt;Fahrer
1;Fracht;01.02.2026;1,5;Ulm;A
2;Fracht;02.02.2026;zwei;Ulm;A
3;Entwurf;;;Ulm;A
4;Fracht;;1;Ulm;A
5;Fracht;31.02.2026;drei;Ulm;A
`;

const good = rows.split("\n").slice(0, 3).join("\n");

/** Types `check` in a world with this mapping and these files. */
async function checked(files: { [name: string]: string }, ...argv: string[]) {
  const world = testWorld({ files: { "m.yaml": mapping, ...files } });
  const code = await type(world, "check", "m.yaml", ...argv);
  return { world, code, out: world.out };
}

describe("rowferry check of a mapping alone", () => {
  it("tells every mistake at once, each with its place, a caret line and the nearest name: exit 2", async () => {
    const text = mapping.replace("skip:", "skipp:").replace("public: { Kg", "publik: { Kg");
    const { code, out } = await checked({ "m.yaml": text });
    expect(code).toBe(2);
    expect(out).toMatch(/m\.yaml:7:5: There is no setting "skipp"[^]*Did you mean "skip"\?/);
    expect(out).toMatch(/\n +attributes: \{ publik: .*\n +\^\n[^]*Did you mean "public"\?/);
    expect(out).toMatch(/m\.yaml: \d+ mistakes\n$/);
  });

  it("shows warnings with their place, and is then well: exit 0", async () => {
    const text = mapping.replace("key: once", "key: content\n        within: file");
    const { code, out } = await checked({ "m.yaml": text });
    expect(code).toBe(0);
    expect(out).toContain("m.yaml: no mistakes; input rows; 1 warning");
    expect(out).toMatch(/m\.yaml:15:\d+: event "step": `key: content`/);
  });
});

describe("rowferry check of files", () => {
  it("shows how the file was read, its columns, and what comes of its rows; opens no ledger (P7)", async () => {
    const { code, out, world } = await checked({ "rows-1.csv": rows }, "rows-1.csv");
    expect(code).toBe(3);
    for (const line of [
      'format    utf-8, delimiter ";", quote \'"\', lines end in LF',
      "header    row 2",
      "columns   5 found, 1 not read\n",
      "  sends     event: step\n              document: 1\n",
      "absent    1 optional: Notiz\n",
      "rows      5 read = 1 skipped + 2 invalid + 2 valid; 1 event\n",
      "1 valid row yields no event, for example row 6.",
    ])
      expect(out).toContain(line);
    expect(
      out
        .match(/^ {5}\S.*$/gm)
        ?.slice(0, 7)
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ["column", "read as", "filled", "distinct"],
      ["Job", "text", "100%", "5"],
      ["Art", "text", "100%", "2"],
      ["Tag", "timestamp", "60%", "3", 'row 7: "31.02.2026" is not a date and…'],
      ["Kg", "number", "80%", "4", 'row 4: "zwei" is not a number'],
      ["Stadt", "text", "100%", "1"],
      ["Fahrer", "not read", "100%", "1"],
    ]);
    expect(out).toMatch(/2 +row 4, column "Kg"[^]*?number-unreadable/);
    expect(out).toMatch(/1 +row 7, column "Tag"[^]*?date-impossible/);
    expect(existsSync(join(world.cwd, "state"))).toBe(false);
  });

  it("shows values of every kind as they are sent: numbers with all their digits, null, lists, objects", async () => {
    const text = mapping
      .replace("as: number }", "as: number, places: 2 }")
      .replace("note: =note }", "note: null, long: 12345678901234567891, list: [=kg, true], in: { kg: =kg } }")
      .replace("Kg: =kg } }", "Kg: =kg } }\n        value: =kg\n        extra: { kg: =kg }")
      .replace("when: =filled(day)", 'when: =job == "1"');
    const files = { "m.yaml": text, "rows-1.csv": `${good}\n2;Fracht;01.02.2026;2,5;Ulm;A\n` };
    const { code, out } = await checked(files, "rows-1.csv");
    expect(code, out).toBe(0);
    expect(out).toMatch(/value: 1\.5\n[^]*extra: \{ kg: 1\.5 \}/);
    expect(out.replace(/\n +/g, " ")).toContain(
      "fields: { place: Ulm, note: null, long: 12345678901234567891, list: [2.5, true], in: { kg: 2.5 } }",
    );
  });

  it("of many files says one line each where all is well, and a total that adds up", long, async () => {
    const many = Array.from({ length: 36 }, (_, at) => `rows-${at + 10}.csv`);
    const files = Object.fromEntries(many.map((name) => [name, good]));
    const { code, out } = await checked({ ...files, "rows-9.csv": rows }, ...many, "rows-9.csv");
    expect(code).toBe(3);
    const lines = out.trimEnd().split("\n");
    expect(lines).toContain("rows-10.csv: 1 read = 0 skipped + 0 invalid + 1 valid; 1 event");
    expect(lines.at(-1)).toBe("37 files: 41 read = 1 skipped + 2 invalid + 38 valid; 37 events");
    expect(lines.length).toBeLessThan(75);
  });

  it("a file that cannot be read to its end, or lacks a column, keeps nothing from the others: exit 2", async () => {
    const files = {
      "rows-1.csv": rows.replace(";Tag;", ";Datum;"),
      "rows-2.csv": `${rows}6;"Fracht;01.02.2026;1;Ulm;A\n`,
      "other.csv": rows,
      "rows-3.csv": rows,
    };
    const world = testWorld({ files: { "m.yaml": mapping, ...files } });
    const [, ...found] = await jsonOf(world, "check", "m.yaml", ...Object.keys(files));
    expect(found.pop()).toMatchObject({ exitCode: 2 });
    expect(found).toMatchObject([
      { path: "rows-1.csv", error: null, tables: [{ error: { code: "column-missing" }, rows: { read: 0 } }] },
      { path: "rows-2.csv", error: null, tables: [{ error: { place: { row: 8 } } }] },
      { path: "other.csv", error: { code: "mapping-files" }, tables: [] },
      { path: "rows-3.csv", error: null, tables: [{ error: null, rows: { read: 5 } }] },
    ]);
  });

  it("a file whose header is in another row, or has one other name, is told what the mapping should say", async () => {
    const files = {
      "rows-1.csv": `EXTF;700;21;"x";13;1\n${rows}`,
      "rows-2.csv": rows.replace(";Tag;", ";Datum;"),
    };
    const world = testWorld({ files: { "m.yaml": mapping, ...files } });
    const [, ...found] = await jsonOf(world, "check", "m.yaml", ...Object.keys(files));
    expect(found).toMatchObject([
      { tables: [{ error: { hint: expect.stringMatching(/`header: 2`.*`csv: \{ delimiter \}`/) as string } }] },
      { tables: [{ error: { hint: expect.stringContaining("after the old one") as string } }] },
      {},
    ]);
  });

  it("a file that lacks columns is shown with the headers that it has instead", async () => {
    const months = mapping.replace("kg: { header: Kg", "jan: { header: jan-25").replace("Kg: =kg", "Kg: =jan");
    const { out } = await checked(
      { "m.yaml": months, "rows-1.csv": rows.replace(";Kg;", ";2025-01-01;") },
      "rows-1.csv",
    );
    expect(out).toContain("  not read  2025-01-01, Fahrer\n");
    // A column is no formula over itself.
    expect(out).not.toContain("=jan-25");
  });

  it("a title above a header that the mapping names by its row is no header of one column", async () => {
    const first = mapping.replace("    skip:", "    header: 1\n    skip:");
    const { world } = await checked({ "m.yaml": first, "rows-1.csv": `Liste;;;;;\n${rows}` }, "rows-1.csv");
    expect(world.out + world.err).toContain("`header: 2`");
  });

  it("says how to mend a problem that has no advice of its own: two rows of a group that differ", async () => {
    const grouped = mapping.replace("    skip:", "    group: =job\n    skip:");
    const text = `${good}\n1;Fracht;01.02.2026;2,5;Ulm;A\n`;
    const { out } = await checked({ "m.yaml": grouped, "rows-1.csv": text }, "rows-1.csv");
    expect(out.replace(/\s+/g, " ")).toContain("combine their values with `first(x)`");
  });

  it("counts every row of a group (P7)", async () => {
    const grouped = mapping.replace("    skip:", "    group: =job\n    skip:");
    const text = `${good}\n1;Fracht;01.02.2026;1,5;Ulm;A\n`;
    const { out } = await checked({ "m.yaml": grouped, "rows-1.csv": text }, "rows-1.csv");
    expect(out).toContain("rows      2 read = 0 skipped + 0 invalid + 2 valid");
  });

  it("says what import says of two rows of one file with one rowId: a second one that differs is invalid", async () => {
    const named = mapping.replace("    skip:", "    rowId: =art\n    skip:");
    const again = [good, "1;Fracht;01.02.2026;1,5;Ulm;A", "2;Fracht;02.02.2026;2,5;Ulm;A", ""].join("\n");
    const { code, out } = await checked({ "m.yaml": named, "rows-1.csv": again }, "rows-1.csv");
    expect(out).toContain("rows      3 read = 0 skipped + 1 invalid + 2 valid");
    expect(out).toMatch(
      /row 5: It has the same rowId as row 3, which differs\.\s+\(Correct one id[^)]*\)\s+row-id-twice/,
    );
    expect(code).toBe(3);
  });

  it("takes events for equal, as import does, if only the owner of their document differs", async () => {
    const owned = mapping.replace("{ id: p1 }", "{ id: =art }");
    const text = `${good}\n1;Post;01.02.2026;1,5;Ulm;A\n`;
    const { code, out } = await checked({ "m.yaml": owned, "rows-1.csv": text }, "rows-1.csv");
    expect(out).toContain("rows      2 read = 0 skipped + 0 invalid + 2 valid");
    expect(code).toBe(0);
  });

  it("ends at Ctrl-C with exit 130", async () => {
    const world = testWorld({ files: { "m.yaml": mapping, "rows-1.csv": rows } });
    const ended = type(world, "check", "m.yaml", "rows-1.csv");
    world.send("SIGINT");
    expect(await ended).toBe(130);
    expect(world.err).toContain("Run the same command again.");
    expect(world.err).not.toContain("resume");
  });
});
