/** What a file holds is read, refused or told: nothing of it is lost or changed in silence. With the real commands. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { pipeline } from "../../src/cli/pipeline.js";
import { systemClock } from "../../src/model/clock.js";
import type { Summary } from "../../src/model/summary.js";
import { expandFiles } from "../../src/read/files.js";
import { openInput } from "../../src/read/open-input.js";
import { jsonOf, testWorld, type, typed } from "../support/cli.world.js";
import { mapping } from "../support/mapping.js";
import { readFile, temporaryFile } from "../support/read/read-file.js";
import { writeWorkbook } from "../support/read/write-workbook.js";
import { writeZip } from "../support/read/write-zip.js";
import { parties } from "../support/weighings.js";
import { sampled } from "../support/sample.js";

/** An input of jobs with other members; `names`: its columns, where they are called otherwise. */
const jobs = (options: object = {}, [id, day, note] = ["id", "day", "note"]) => ({
  files: ["rows*"],
  ...options,
  columns: { job: id, day: { header: day, as: "timestamp" }, note },
  ...parties,
  documents: { job: { key: "=job", participant: "owner", address: "site" } },
  events: {
    step: {
      name: "Step",
      key: "once",
      externalCreatedAt: "=day",
      isPublic: false,
      attributes: { private: { Note: "=note" } },
    },
  },
});
const defaults = { timezone: "UTC", dates: ["dd/MM/yyyy"], decimal: ",", country: "BR" };
const mapped = (inputs: object) => mapping({ namespace: "told", defaults, inputs });

/** A world with files in it, and the mapping. */
function worldOf(files: { [name: string]: Buffer | string } = {}, inputs: object = { rows: jobs() }) {
  const world = testWorld({ files: { "m.yaml": mapped(inputs) }, pipeline });
  world.clock = { ...systemClock, now: () => world.now };
  for (const [name, content] of Object.entries(files)) writeFileSync(`${world.cwd}/${name}`, content);
  return world;
}

/** Imports one file on the sandbox. */
async function imported(name: string, content: Buffer | string, ...options: Parameters<typeof jobs>) {
  const world = worldOf({ [name]: content }, { rows: jobs(...options) });
  const { code, out, said } = await typed(world, "import", "m.yaml", name, "--json");
  const { rows } = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "{}") as Summary;
  return { exit: code, rows, told: said };
}
/** How such an import ends, and what it says. */
const ends = (exit: number, rows: object, told = ""): object =>
  expect.objectContaining({ exit, rows: expect.objectContaining(rows), told: expect.stringContaining(told) });

test(
  "a sheet for each month is one input, for guess and import; what is odd is told of each by its name, and one that the mapping does not read",
  long,
  async () => {
    const dated = (day: string, ids: string) =>
      ids
        .split("")
        .map((id, at) => line(at + 2, [id, day, "10,5"], at === 1 ? ' hidden="1"' : ""))
        .join("");
    const sheet = (name: string, day: string, ids: string) => ({
      name,
      rows: line(1, ["id", "day", "note"]) + dated(day, ids),
    });
    const sheets = [
      { name: "Leia-me", rows: line(1, ["read me"]) },
      sheet("Coletas jan", "10/01/2025", "ABC"),
      sheet("Coletas fev", "11/02/2025", "DE"),
    ];
    const world = worldOf(
      { "rows.xlsx": await writeWorkbook({ sheets }) },
      { rows: jobs({ excel: { sheet: "Coletas *" } }) },
    );
    expect(await typed(world, "guess", "rows.xlsx", "-o", "drafted.yaml")).toMatchObject({ code: 0 });
    expect(readFileSync(`${world.cwd}/drafted.yaml`, "utf8")).toContain("sheet: [ Coletas jan, Coletas fev ]");
    const { code, out, said } = await typed(world, "import", "m.yaml", "rows.xlsx", "--json");
    expect(said).toContain('rows.xlsx, sheet \\"Coletas fev\\": Row 3 is hidden: read');
    expect(JSON.parse(out.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      events: { landed: 5 },
      inputs: [
        { sheet: "Coletas jan", staged: 3 },
        { sheet: "Coletas fev", staged: 2 },
      ],
    });
    expect([code, said]).toEqual([0, expect.stringContaining('does not read the sheet \\"Leia-me\\".')]);
  },
);

const cell = (text: string) => `<c t="str"><v>${text}</v></c>`;
const line = (number: number, cells: readonly string[], more = "") =>
  `<row r="${number}"${more}>${cells.map(cell).join("")}</row>`;
const book = (rows: string[], before = "") => writeWorkbook({ sheets: [{ name: "S", rows: rows.join(""), before }] });
const header = line(1, ["id", "day", "note"]);

test("`hidden: skip` counts rows of a workbook as skipped, and says so (F72, P7)", long, async () => {
  const hidden = [3, 4].map((row) => line(row, ["b", "01/10/2025", "x"], ' hidden="1"'));
  const content = await book([header, line(2, ["a", "01/10/2025", "x"]), ...hidden, line(5, ["d", "01/10/2025", "x"])]);
  expect(await imported("rows.xlsx", content, { excel: { hidden: "skip" } })).toEqual(
    ends(
      0,
      { read: 4, skipped: 2, invalid: 0, known: 0, staged: 2 },
      "2 rows are hidden, the first of them row 3: skipped",
    ),
  );
});

test("dates that a spreadsheet of another country may have swapped are told by an import too", long, async () => {
  /** `01/10/2025` came out as 10 January. */
  const dated = (number: number, day: string) =>
    line(number, [`j${number}`, day, "x"]).replace(`t="str"><v>${day}`, `t="d"><v>${day}`);
  const texts = [line(3, ["b", "13/10/2025", "x"]), line(4, ["c", "25/10/2025", "x"])];
  const said = "may have swapped day and month";
  const swapped = await imported("rows.xlsx", await book([header, dated(2, "2025-01-10"), ...texts]));
  expect(swapped).toEqual(ends(0, { staged: 3 }, said));
  const others = [dated(5, "2025-10-14"), line(5, ["d", "02/10/2025", "x"])];
  for (const sound of others) {
    const answer = await imported("rows.xlsx", await book([header, dated(2, "2025-01-10"), ...texts, sound]));
    expect(answer.told).not.toContain(said);
  }
});

test("so are those that pandas wrote into a CSV file after a spreadsheet swapped them", long, async () => {
  const said = "may have swapped day and month";
  const told = async (...days: string[]) =>
    (await imported("rows.csv", ["id,day,note", ...days.map((day, at) => `j${at},${day},x`)].join("\n"))).told;
  const swapped = ["2025-01-10 00:00:00", "13/10/2025", "25/10/2025"];
  expect(await told(...swapped)).toContain(said);
  for (const sound of ["2025-10-14 00:00:00", "02/10/2025"]) expect(await told(...swapped, sound)).not.toContain(said);
  expect(await told("2025-01-10", "x", "y", "z", "13/10/2025")).not.toContain("holds dates");
});

test("dates among codes are told by an import: a spreadsheet has made them of 1-2", long, async () => {
  const told = async (...notes: string[]) => {
    const rows = notes.map((note, at) => line(at + 2, [`j${at}`, "13/10/2025", note]));
    const dated = rows.map((row) => row.replace(/t="str"><v>(2025-)/, 't="d"><v>$1'));
    return (await imported("rows.xlsx", await book([header, ...dated]))).told;
  };
  const said = "holds dates among other values, the first in row 3: a spreadsheet may have made them of codes";
  expect(await told("1-A", "2025-02-01", "1-3", "1-14")).toContain(said);
  expect(await told("2025-02-01", "2025-02-02", "", "2025-02-03", "open")).not.toContain("among other values");
});

test("numbers that only their formats show in different units are told by an import", long, async () => {
  const formats = ['#,##0.0\\ "KG"', '#,##0.0\\ "TO"', "[$R$-416] 0.00", "[$US$-409] 0.00"];
  const told = async (...shown: number[]) => {
    const rows = shown.map((format, at) =>
      line(at + 2, [`j${at}`, "13/10/2025"]).replace("</row>", `<c s="${format}"><v>12.5</v></c></row>`),
    );
    const sheets = [{ name: "S", rows: header + rows.join("") }];
    const content = await writeWorkbook({ formats, sheets });
    const read = jobs();
    const note = { header: "note", as: "number", units: { KG: 1, TO: 1000 } };
    const world = worldOf({ "rows.xlsx": content }, { rows: { ...read, columns: { ...read.columns, note } } });
    expect((await typed(world, "import", "m.yaml", "rows.xlsx")).said).not.toContain("different units");
    return (await imported("rows.xlsx", content)).told;
  };
  expect(await told(1, 2, 1)).toContain("show its numbers with different units (KG, TO)");
  expect(await told(3, 4)).toContain("different units (R$, US$)");
  expect(await told(1, 1, 0)).not.toContain("different units");
  const named = async (name: string) => {
    const rows =
      line(1, ["id", "day", name]) + line(2, ["a", "01/10/2025"]).replace("</row>", '<c s="2"><v>1.2</v></c></row>');
    const content = await writeWorkbook({ formats, sheets: [{ name: "S", rows }] });
    return (await imported("rows.xlsx", content, {}, ["id", "day", name])).told;
  };
  expect(await named("Peso (kg)")).toContain("show its numbers with different units (kg, TO)");
  for (const name of ["Peso (to)", "Peso", "Peso (BRL)"]) expect(await named(name)).not.toContain("different units");
});

test(
  "a formula without a result needs a person where its column is read, and nobody where it is not",
  long,
  async () => {
    const row = line(2, ["a", "01/10/2025", "x"]).replace("</row>", '<c t="str"><f>A2</f></c></row>');
    const sums = (name: string) => book([line(1, ["id", "day", "note", name]), row]);
    expect(await imported("rows.xlsx", await sums("sum"))).toEqual(ends(0, { staged: 1, invalid: 0 }));
    const read = await imported("rows.xlsx", await sums("sum"), {}, ["id", "day", "sum"]);
    expect(read).toEqual(ends(3, { staged: 0, invalid: 1 }, "formula-without-value"));
  },
);

const csv = (...lines: string[]) => `${lines.join("\n")}\n`;

test.each(
  sampled(
    [
      ["a total", ["Total", "01/10/2025", "7"], '=job == "Total"', "looks like a total"],
      ["a header", ["job", "day", "word"], '=note == "word"', "reads like a header"],
      ["a title", ["May", "", ""], "=blank(day)", "has only one filled cell"],
    ],
    3,
  ),
)("what is odd about a row is told, but not where the mapping skips it: %s", async (_, odd, skip, note) => {
  const rows = [["id", "day", "note"], ["a", "01/10/2025", "1"], ["b", "02/10/2025", "2"], odd];
  expect((await imported("rows.csv", csv(...rows.map((cells) => cells.join(";"))))).told).toContain(note);
  const workbook = await book(rows.map((cells, index) => line(index + 1, cells)));
  expect((await imported("rows.xlsx", workbook)).told).toContain(note);
  const skipped = await imported("rows.xlsx", workbook, { skip });
  expect(skipped).toMatchObject({ exit: 0, rows: { read: 3, skipped: 1 } });
  expect(skipped.told).not.toContain("Row 4");
});

describe("a CSV file", () => {
  const priced = (...rows: string[]) => csv("id,day,note,price", ...rows);

  test(
    "quotes behind a blank are never sent as data: the blank is seen, or the row is invalid (F3)",
    long,
    async () => {
      const rows = csv("id, day, note", 'M1, "01/10/2025", "Coleta, parcial"', 'M2, "02/10/2025", "Pesagem"');
      expect(await imported("rows.csv", rows)).toEqual(
        ends(0, {}, "Blanks between delimiters and quotes are not part"),
      );
      const strict = { csv: { trim: false, delimiter: "," } };
      expect(await imported("rows.csv", rows, strict)).toEqual(ends(3, { invalid: 2, staged: 0 }));
    },
  );

  test.each(
    sampled(
      [
        ["a delimiter too many, its surplus blank (F41)", "2,10,01/10/2025,Bob,", "row-long"],
        ["a delimiter too few", "2,01/10/2025,Bob", "row-short"],
        ["the same within the width (F42)", '2,01/10/2025,Bob",z', "quote-stray"],
        ["text behind a closing quote", '2,01/10/2025,"Bob" x,z', "quote-stray"],
      ],
      2,
    ),
  )("one row is invalid, the others go on: %s", async (_, bad, code) => {
    const rows = priced("1,01/10/2025,Ann,5", bad, "3,03/10/2025,Eve,6");
    const counts = { read: 3, skipped: 0, invalid: 1, known: 0, staged: 2 };
    expect(await imported("rows.csv", rows)).toEqual(ends(3, counts, code));
  });

  test("a blank surplus that every row has is none (F41), though some have more of it; those are told truly", async () => {
    const rows = csv(
      "id,day,note",
      "1,01/10/2025,Ann,",
      "2,02/10/2025,Bob,",
      "3,03/10/2025,Eve,,",
      "4,04/10/2025,Kai,",
    );
    expect(await imported("rows.csv", rows)).toEqual(ends(3, { staged: 3, invalid: 1 }, "row-long"));
  });

  test(
    "rows that may end early do, by the mapping's word; what stands beyond the header is still told",
    long,
    async () => {
      const rows = priced("1,01/10/2025,Ann", "2,02/10/2025,Bob,7", "3,03/10/2025,Eve,8,lost");
      const answer = await imported("rows.csv", rows, { csv: { shortRows: "blank" } });
      expect(answer).toEqual(ends(3, { staged: 2, invalid: 1 }, "row-long"));
      expect(answer.told).not.toContain("row-short");
      expect((await imported("rows.csv", rows)).rows.invalid).toBe(2);
    },
  );

  test.each(
    sampled(
      [
        ['Tubo 5" aço', "Row 2 has quotes inside a cell that is not quoted"],
        [Buffer.from("Comércio").toString("latin1"), "Row 2 has letters like Ã¼"],
        ['"\'007"', "Row 2 has a cell like"],
        ["'T-5495", "Row 2 has a cell like"],
        ["Concei??o", "Row 2 has a question mark within a word"],
        ["linha 1\\", "Row 2 has a backslash before a letter or a quote"],
        ["Concei‡Æo", "Row 2 has signs like ‡ within words"],
        ["Rua A\\nSala 2", "Row 2 has a backslash before a letter or a quote"],
        ['"Rua A\\\nSala 2"', "Row 2 has a backslash before a letter or a quote"],
        ['Tubo \\"5\\"', "Row 2 has a backslash before a letter or a quote"],
      ],
      2,
    ),
  )("what another program did to a text is said: %s", async (text, said) => {
    const answer = await imported("rows.csv", csv("id,day,note", `1,01/10/2025,${text}`, "2,02/10/2025,O'Neill"));
    expect(answer).toEqual(ends(0, {}, said));
    expect(answer.told).not.toContain("2 rows have");
  });

  test(
    "text that is written as a formula for spreadsheets is that text, in keys and values, and nothing to say",
    long,
    async () => {
      const file = csv("id,day,note", '="007","=""01/10/2025""",="5\'"', '="008",02/10/2025,=""');
      const world = worldOf({ "rows.csv": file });
      const { code, said } = await typed(world, "import", "m.yaml", "rows.csv");
      expect([code, said]).toEqual([0, expect.not.stringMatching(/Row 2|rows have/)]);
      const { out } = await typed(world, "sandbox", "dump");
      expect(out).toMatch(/"007"/);
      expect(out).toMatch(/"5'"/);
      expect(out).not.toContain('=\\"');
    },
  );

  test("one column where there may be many is said, with the delimiter that is frequent (F43)", long, async () => {
    const rows = csv("id^day^note", "1^01/10/2025^Ann", "2^02/10/2025^Bob", "3^03/10/2025^Eve");
    expect((await imported("rows.csv", rows)).exit).toBe(2);
    expect(await imported("rows.csv", rows, { csv: { delimiter: "^" } })).toEqual(ends(0, { staged: 3 }));
    const table = await readFile(await temporaryFile(rows));
    expect(table.notes.join()).toContain('4 of the first 4 lines have "^"');
  });

  test("a path, and a sign at the end of a word, are nothing to say", long, async () => {
    const answer = await imported(
      "rows.csv",
      csv("id,day,note", "1,01/10/2025,C:\\new\\temp", "2,02/10/2025,Bob‡ http://a?b=c"),
    );
    expect(answer).toEqual(ends(0, { staged: 2 }));
    expect(answer.told).not.toContain("Row");
  });

  test("lines that are quoted as a whole are said to be one column each, since no delimiter would cut them", async () => {
    const { notes } = await readFile(await temporaryFile(csv('"id,day,note"', '"1,01/10/2025,Ann"')));
    expect(notes.join()).toContain("each line is quoted as a whole");
    expect(notes.join()).not.toContain("csv: {");
  });

  test.each(sampled([["ID   NAME      WEIGHT", "0001 SAO JOAO    1250", "0002 ANA          300"]], 2))(
    "columns aligned with blanks are said to be no columns: %s",
    async (...rows) => {
      expect((await readFile(await temporaryFile(csv(...rows)))).notes.join()).toContain(
        "seem to be aligned with spaces",
      );
    },
  );

  test("a first row of data that is taken for the header is said; `header: none` reads it (F44)", long, async () => {
    const rows = csv("1,01/10/2025,Ann", "2,02/10/2025,Bob", "3,03/10/2025,Ann");
    expect((await readFile(await temporaryFile(rows))).notes.join()).toContain("looks like a row");
    expect(await imported("rows.csv", rows, { header: "none" }, ["A", "B", "C"])).toEqual(ends(0, { staged: 3 }));
  });

  test("a last line without its end is said, and held where the mapping requires it (F95)", long, async () => {
    const rows = csv("id,day,note", "1,01/10/2025,1234", "2,02/10/2025,12").trimEnd();
    const told = "Row 3: the file's last line has no line end";
    expect(await imported("rows.csv", rows)).toEqual(ends(0, { staged: 2 }, told));
    const strict = { csv: { endsWithNewline: "required" } };
    expect(await imported("rows.csv", rows, strict)).toEqual(ends(3, { staged: 1, invalid: 1 }));
    expect((await imported("rows.csv", `${rows}\n`)).told).not.toContain("line end");
  });

  test.each(
    sampled(
      [
        [
          "a list",
          "------------------",
          "------------------\n|id |day       |note|\n",
          "|1  |01/10/2025|Ann |\n|2  |02/10/2025|Bob |\n",
        ],
      ],
      2,
    ),
  )("lines that only rule %s are no rows, and that is said", async (_, rule, above, below) => {
    const answer = await imported("rows.csv", `${above}${rule}\n${below}${rule}\n`);
    expect(answer).toEqual(ends(0, { skipped: 2, staged: 2 }, "2 rows are ruled lines"));
  });

  test("cells under no heading are said (F82)", long, async () => {
    const { told } = await imported("rows.csv", csv("id,day,note,", "1,01/10/2025,Ann,", "2,02/10/2025,Bob,lost"));
    expect(told).toContain("Row 3 fills column D, which has no heading");
  });
});

describe("a packed file", () => {
  const rows = (key: string) => csv("id,day,note", `${key},01/10/2025,x`);

  test("a zip file that holds several is read through, each named by archive and file", long, async () => {
    const content = await writeZip([
      { name: "rows-1.csv", data: rows("a") },
      { name: "in/rows-2.csv", data: csv("id,day,note", "b,01/10/2025,x", "c,some day,x") },
      { name: "__MACOSX/._rows-1.csv", data: "x" },
      { name: "notes.md", data: "x" },
    ]);
    const answer = await imported("rows.zip", content);
    for (const told of [
      "rows.zip/in/rows-2.csv, row 3",
      "rows.zip_in_rows-2.rejected.csv",
      "rows.zip also holds files that are not read: notes.md",
    ])
      expect(answer).toEqual(ends(3, { staged: 2, invalid: 1 }, told));
    expect(await openNames(content)).toEqual(["rows.zip/in/rows-2.csv", "rows.zip/rows-1.csv"]);
  });

  test("is read from a folder whose own name ends in .zip", async () => {
    const content = await writeZip(["a", "b"].map((name) => ({ name: `rows-${name}.csv`, data: rows(name) })));
    const world = worldOf();
    mkdirSync(`${world.cwd}/unpacked.zip`);
    writeFileSync(`${world.cwd}/unpacked.zip/rows.zip`, content);
    const { code, said } = await typed(world, "import", "m.yaml", "unpacked.zip/rows.zip");
    expect([code, said]).toEqual([0, expect.stringContaining("2 events landed")]);
  });

  test.each(
    sampled(
      [
        ["two files of one name", "rows.csv"],
        ["two names that differ by case only", "Rows.csv"],
      ],
      2,
    ),
  )("a zip file with %s is refused; the second was left out in silence", async (_, other) => {
    const content = await writeZip([
      { name: "rows.csv", data: rows("a") },
      { name: other, data: rows("b") },
    ]);
    expect(await imported("rows.zip", content)).toMatchObject({
      exit: 3,
      told: expect.stringContaining(`the archive holds ${other} twice`),
    });
  });

  test("a name that leads out of the archive is read within it, by check as by import", long, async () => {
    const content = await writeZip([
      { name: "../../rows-1.csv", data: rows("a") },
      { name: "/abs//./rows-2.csv", data: rows("b") },
    ]);
    expect(await imported("rows.zip", content)).toEqual(ends(0, { staged: 2 }));
    expect(await openNames(content)).toEqual(["rows.zip/abs/rows-2.csv", "rows.zip/rows-1.csv"]);
    expect(await type(worldOf({ "rows.zip": content }), "check", "m.yaml", "rows.zip")).toBe(0);
  });

  test.each(
    sampled(
      [
        ["rows", { rows: jobs({ files: ["*.csv"] }) }],
        ["packed", { rows: jobs({ files: ["*.csv"] }), packed: jobs({ files: ["*.csv.gz"] }) }],
      ],
      2,
    ),
  )("`*.csv` fits a packed file too, unless a pattern tells them apart (F29): %s", async (input, inputs) => {
    const world = worldOf({ "nightly.csv.gz": gzipSync(rows("a")) }, inputs);
    expect(await type(world, "check", "m.yaml", "nightly.csv.gz")).toBe(0);
    expect(world.out).toContain(input);
  });

  test("a workbook within a zip file is read like any other", long, async () => {
    const workbook = await book([header, line(2, ["a", "01/10/2025", "x"])]);
    const archive = await writeZip([
      { name: "rows-1.xlsx", data: workbook },
      { name: "rows-2.csv", data: rows("b") },
    ]);
    expect(await imported("rows.zip", archive)).toEqual(ends(0, { staged: 2 }));
  });

  test.each(
    sampled(
      [
        ["a zip file of one file", [{ name: "in/rows-1.csv", data: rows("a") }], {}, 0, "1 valid"],
        ["an empty file", [], {}, 3, "the file is empty"],
        ["an empty file, which the mapping allows", [], { allowEmpty: true }, 0, "the file is empty"],
      ],
      2,
    ),
  )("standard input may be %s", async (_, members, options, exit, said) => {
    const world = worldOf({}, { rows: jobs(options) });
    for (const command of ["check", "import"]) {
      const bytes = members.length === 0 ? [] : [await writeZip(members)];
      vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from(bytes) as typeof process.stdin);
      expect(await type(world, command, "m.yaml", "-")).toBe(exit);
      if (command === "check" && exit + members.length > 0) expect(world.out).toContain(said);
    }
  });

  test.each([
    ["a bank statement (MT940)", ":20:STARTUMSE\r\n:25:10010010/111\r\n:61:2601020102DR10,00N033\r\n"],
    ["a YAML document, such as a mapping", "# Drafted\n\nversion: 2\nnamespace: x\n"],
    ["a YAML document, such as a mapping", "---\na: 1\nb: 2\n"],
  ])("%s is refused by name, whatever its file is called", async (named, content) => {
    await expect(readFile(await temporaryFile(content, "rows.csv"))).rejects.toMatchObject({
      code: "file-refused",
      message: `the file is ${named}`,
    });
  });

  test.each(["--- ;-----\na;b\n", "#;a\n1;2\n", ":20;a\n1;2\n"])("a table may begin with %j", async (content) => {
    await expect(readFile(await temporaryFile(content, "rows.csv"))).resolves.toBeDefined();
  });

  const saveAs = "Open it and save it as .xlsx or CSV (UTF-8).";
  test.each(
    sampled(
      [
        ["a SYLK table", "rows.csv", "ID;PWXL;N;E\r\nB;Y2;X2\r\n", saveAs],
        ["a RAR archive", "rows.csv", "Rar!\x1a\x07\0", "Unpack it first."],
        ["plain text that is named like an Excel workbook", "rows.xlsx", "a;b\n1;2\n", "Name it .csv if it is one."],
      ],
      2,
    ),
  )("%s is refused by name, with one thing to do", async (named, name, content, hint) => {
    const path = await temporaryFile(content, name);
    await expect(readFile(path)).rejects.toMatchObject({ code: "file-refused", message: `the file is ${named}`, hint });
  });
});

describe("several files of one command", () => {
  async function importedAll(options: object, length: number) {
    const many = {
      "rows-1.csv": csv("id,day,note", "a,01/10/2025,x"),
      "rows-2.csv": "",
      "rows-3.csv": "\n\n\n",
      "rows-4.csv": "id,day,note\n",
      "rows-5.csv": csv("id,day,note", ...Array.from({ length }, (_, row) => `k${row},01/10/2025,x`)),
    };
    const world = worldOf(many, { rows: jobs(options) });
    const lines = await jsonOf(world, "import", "m.yaml", ...Object.keys(many), "--limit", "3");
    return { summary: lines.at(-1) as unknown as Summary, lines, world };
  }

  test("an empty one does not stop the others, and needs a person (F25)", long, async () => {
    const { summary } = await importedAll({}, 5);
    const told = { place: expect.stringMatching(/rows-2\.csv$/), column: null, example: "the file holds no rows" };
    expect(summary).toMatchObject({
      exitCode: 3,
      rows: { staged: 6 },
      problems: [{ code: "file-empty", count: 2, ...told }],
      inputs: [
        { input: "rows-1.csv", read: 1 },
        { input: "rows-4.csv", read: 0 },
        { input: "rows-5.csv", read: 5 },
      ],
    });
  });

  test(
    "`allowEmpty` makes it a file of no rows; a header alone is one anyway; one share and one count over all of them, never going back (F25)",
    long,
    async () => {
      const { summary, lines, world } = await importedAll({ allowEmpty: true }, 2000);
      expect(summary).toMatchObject({ exitCode: 0, rows: { staged: 2001 }, problems: [] });
      const reading = lines.filter((one) => one.type === "progress" && one["stage"] === "reading");
      for (const name of ["share", "done"] as const) {
        const told = reading.map((one) => (one[name] ?? -1) as number);
        expect(told).toEqual(told.toSorted((one, other) => one - other));
        expect(told[0]).toBeLessThan(told.at(-1) ?? 0);
        expect(told.at(-1)).toBe(name === "share" ? 1 : 2001);
      }
      expect(reading.length).toBeGreaterThan(5);
      expect(await type(world, "check", "m.yaml", "rows-2.csv")).toBe(0);
      expect(await type(world, "guess", "rows-2.csv", "rows-1.csv", "--output", "g.yaml")).not.toBe(1);
    },
  );
});

async function openNames(content: Buffer) {
  const path = await temporaryFile(content, "rows.zip");
  const names: string[] = [];
  for (const one of await expandFiles([path])) {
    const input = await openInput(one);
    names.push(input.name);
    await input.close();
  }
  return names;
}
