/** Workbooks as programs other than Excel write them: parts elsewhere, other namespaces and encodings, odd zips. */
import { readCells, readWorkbook, readWorkbookBytes } from "../support/read/read-workbook.js";
import { MAIN, type MadeWorkbook, OFFICE, relationships, writeWorkbook } from "../support/read/write-workbook.js";
import { entryText } from "../support/read/write-zip.js";
import { workedMs } from "../support/cpu.js";

const rows =
  '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2"><v>7</v></c><c r="B2" s="1"><v>46082</v></c></row>';
const made: MadeWorkbook = {
  sheets: [{ name: "S", rows }],
  strings: ["<si><t>Número</t></si>", "<si><t>Data 😀</t></si>"],
  formats: ["dd/mm/yyyy"],
};

async function expectRead(workbook: MadeWorkbook) {
  const table = await readWorkbook(workbook);
  expect(table.header).toEqual(["Número", "Data 😀"]);
  expect(table.rows).toMatchObject([
    { number: 2, cells: ["7", "2026-03-01"], kinds: ["number", "date"], problems: null },
  ]);
}

function edited(change: (name: string, data: string) => string): MadeWorkbook {
  return {
    ...made,
    change: (entry) => {
      return { ...entry, data: change(entry.name, entryText(entry)) };
    },
  };
}

const prefixed = (data: string) =>
  data.includes(MAIN)
    ? data.replace(/<(\/?)(?=[a-zA-Z])/g, "<$1x:").replace(`xmlns="${MAIN}"`, `xmlns:x="${MAIN}"`)
    : data;

describe("a workbook is read for what it is, however it is made:", () => {
  test.each<[string, MadeWorkbook]>([
    [
      "absolute targets",
      edited((name, data) => (name.endsWith("workbook.xml.rels") ? data.replaceAll('Target="', 'Target="/xl/') : data)),
    ],
    [
      "no package relationships, no relationships to strings and styles",
      {
        ...made,
        parts: {
          "_rels/.rels": null,
          "xl/_rels/workbook.xml.rels": relationships([["rId1", "worksheet", "worksheets/sheet1.xml"]]),
        },
      },
    ],
    [
      "an external relationship of the same id is none",
      edited((name, data) =>
        name.endsWith("workbook.xml.rels")
          ? data.replace(
              "<Relationship ",
              `<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="http://x/y.xml" TargetMode="External"/><Relationship `,
            )
          : data,
      ),
    ],
    ["namespace prefixes", edited((_, data) => prefixed(data))],
    [
      "a second prefix for the same namespace, from the root on",
      edited((_, data) =>
        data.replace(`xmlns="${MAIN}"`, `$& xmlns:x="${MAIN}"`).replace(/<(\/?)(row|si)\b/g, "<$1x:$2"),
      ),
    ],
    [
      "comments, instructions and white space between elements",
      edited((name, data) =>
        /sheet1|Strings/.test(name)
          ? data.replace(/>(?=<(row|c |si|t>|v>|\/c|\/row))/g, "><!-- <c/> --><?x <c?>\n  ")
          : data,
      ),
    ],
    [
      "a part that says UTF-16 in one-byte letters",
      edited((_, data) => data.replace('encoding="UTF-8"', 'encoding="utf-16"')),
    ],
    ...Object.entries({
      stored: { stored: true },
      "with data descriptors": { descriptor: true },
      zip64: { zip64: true },
    }).map(([title, flags]): [string, MadeWorkbook] => [
      title,
      { ...made, change: (entry) => ({ ...entry, ...flags }) },
    ]),
  ])("%s", (_, workbook) => expectRead(workbook));

  it("letters that were misread before a spreadsheet saved it are told", async () => {
    const strings = ["<si><t>NÃºmero</t></si>", "<si><t>Data 😀</t></si>"];
    const { notes } = await readWorkbook({ ...made, strings });
    expect(notes).toEqual([expect.stringContaining("Row 1 has letters like Ã¼: UTF-8 that some program read")]);
    expect((await readWorkbook(made)).notes).toEqual([]);
  });
});

describe("parts are found where the relationships say", () => {
  test("backslashes in names and targets", () => {
    const targets = edited((name, data) =>
      name.endsWith(".rels") ? data.replace(/Target="[^"]*"/g, (target) => target.replaceAll("/", "\\")) : data,
    );
    return expectRead({
      ...made,
      change: (entry) => {
        const changed = targets.change?.(entry) ?? entry;
        return { ...changed, name: entry.name.replaceAll("/", "\\") };
      },
    });
  });
  test("neither strings nor styles", async () => {
    const parts = { "xl/sharedStrings.xml": null, "xl/styles.xml": null };
    expect(await readCells('<row r="1"><c r="A1" s="3"><v>46082</v></c></row>', { parts })).toEqual([["number 46082"]]);
  });
});

describe("XML of all kinds", () => {
  test.each(["utf16le", "utf-16be", "latin1"])("%s", async (encoding) => {
    const workbook = edited((_, data) => data.replace("😀", encoding === "latin1" ? "ção" : "😀"));
    const bytes = await writeWorkbook({
      ...workbook,
      change: (entry) => {
        const changed = workbook.change?.(entry) ?? entry;
        if (entry.name.startsWith("[")) return changed;
        const text = entryText(changed).replace(
          'encoding="UTF-8"',
          `encoding="${encoding === "latin1" ? "ISO-8859-1" : "UTF-16"}"`,
        );
        if (encoding === "latin1") return { ...changed, data: Buffer.from(text, "latin1") };
        const little = Buffer.from(`\ufeff${text}`, "utf16le");
        return { ...changed, data: encoding === "utf16le" ? little : little.swap16() };
      },
    });
    const table = await readWorkbookBytes(bytes);
    expect(table.header[0]).toBe("Número");
    expect(table.rows[0]?.cells).toEqual(["7", "2026-03-01"]);
  });
  test("characters of several bytes at every place of a chunk's border", long, async () => {
    const texts = Array.from({ length: 3000 }, (_, index) => `${"x".repeat(index % 97)}ção😀東`);
    const table = await readWorkbook(
      {
        sheets: [{ name: "S", rows: texts.map((_, index) => `<row><c t="s"><v>${index}</v></c></row>`).join("") }],
        strings: texts.map((text) => `<si><t>${text}</t></si>`),
        change: (entry) => ({ ...entry, stored: true }),
      },
      { header: "none" },
    );
    expect(table.rows.map(({ cells }) => cells[0])).toEqual(texts);
  });
});

describe("rows and cells as carelessly as they come", () => {
  test("without references, cells and rows count from where they are", async () => {
    const sheet = "<row><c><v>1</v></c><c><v>2</v></c></row><row/><row><c/><c><v>4</v></c></row>";
    const table = await readWorkbook({ sheets: [{ name: "S", rows: sheet }] }, { header: "none" });
    expect(table.rows.map(({ number, cells }) => [number, ...cells])).toEqual([
      [1, "1", "2"],
      [3, "", "4"],
    ]);
  });
  test("a row without a number takes that of its cells", async () => {
    const table = await readWorkbook(
      { sheets: [{ name: "S", rows: '<row><c r="B5"><v>1</v></c></row><row><c><v>2</v></c></row>' }] },
      { header: "none" },
    );
    expect(table.rows.map(({ number, cells }) => [number, ...cells])).toEqual([
      [5, "", "1"],
      [6, "2", ""],
    ]);
  });
  test("cells out of order, lower-case references, spans that lie", async () => {
    const rowsXml =
      '<row r="1" spans="1:9999"><c r="c1"><v>3</v></c><c r="A1"><v>1</v></c><c r="B1" t="b"><v>1</v></c></row>';
    expect(await readCells(rowsXml)).toEqual([["number 1", "boolean true", "number 3"]]);
  });
  test("rows out of order hide no header", async () => {
    const row = (number: number, text: string) =>
      `<row r="${number}"><c t="str"><v>${text}</v></c><c t="str"><v>${text}</v></c></row>`;
    const table = await readWorkbook({ sheets: [{ name: "S", rows: row(3, "b") + row(1, "H") + row(2, "a") }] }, {});
    expect([table.headerRow, ...table.rows.map(({ number }) => number)]).toEqual([1, 3, 2]);
  });
  test.each([
    ["a row twice", '<row r="1"><c><v>1</v></c></row><row r="1"><c><v>1</v></c></row>'],
    ["a cell twice", '<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>1</v></c></row>'],
    ["a column beyond XFD", '<row r="1"><c r="XFE1"><v>1</v></c></row>'],
    ["a row beyond the last", '<row r="1048577"><c><v>1</v></c></row>'],
    ["a row numbered zero", '<row r="0"><c><v>1</v></c></row>'],
    ["a reference that is none", '<row r="1"><c r="1A"><v>1</v></c></row>'],
  ])("%s is damage", async (_, sheet) => {
    await expect(readCells(sheet)).rejects.toMatchObject({ code: "file-corrupt" });
  });
  test.each(["A1:XFD1048576", "nonsense"])("a dimension of %s changes nothing", async (ref) => {
    const sheet = { name: "S", rows, before: `<dimension ref="${ref}"/>` };
    const start = workedMs();
    await expectRead({ ...made, sheets: [sheet] });
    expect(workedMs() - start).toBeLessThan(2000);
  });
  test("cells without a value, styled up to the last column, are no columns", long, async () => {
    const styled = Array.from({ length: 16_384 }, () => '<c s="1"/>').join("");
    const table = await readWorkbook({
      ...made,
      sheets: [{ name: "S", rows: `${rows}<row r="3">${styled}</row><row r="4"><c><v>1</v></c></row>` }],
    });
    expect(table.header).toHaveLength(2);
    expect(table.rows.map(({ number }) => number)).toEqual([2, 4]);
  });
  test("a cell at the last place of a sheet is read at no cost", async () => {
    const sheet =
      '<row r="1"><c r="A1" t="str"><v>a</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>';
    const table = await readWorkbook({ sheets: [{ name: "S", rows: sheet }] }, { header: 1 });
    expect(table.header).toHaveLength(16_384);
    expect(table.rows[0]?.number).toBe(1_048_576);
    expect(table.rows[0]?.cells[16_383]).toBe("1");
  });
  test("without a header the table is as wide as its widest row, however far down that is", async () => {
    const many = Array.from({ length: 700 }, (_, at) => `<row r="${at + 1}"><c><v>${at}</v></c></row>`);
    many[650] = '<row r="651"><c><v>650</v></c><c r="C651" t="str"><v>late</v></c></row>';
    const table = await readWorkbook({ ...made, sheets: [{ name: "S", rows: many.join("") }] }, { header: "none" });
    expect(table.header).toEqual(["A", "B", "C"]);
    expect(table.rows[650]).toMatchObject({ cells: ["650", "", "late"], problems: null });
  });

  test("a cell right of the table, beyond what was seen of it at first, is said", long, async () => {
    const many = Array.from(
      { length: 2000 },
      (_, index) => `<row r="${index + 2}"><c><v>${index}</v></c><c><v>1</v></c></row>`,
    ).join("");
    const table = await readWorkbook({
      ...made,
      sheets: [
        {
          name: "S",
          rows: `${rows.slice(0, rows.indexOf("</row>") + 6)}${many}<row r="5000"><c><v>1</v></c><c r="D5000"><v>2</v></c></row>`,
        },
      ],
    });
    expect(table.header).toHaveLength(2);
    expect(table.rows.at(-1)?.problems).toMatchObject([
      { code: "row-long", column: "D", message: expect.stringContaining("D5000") },
    ]);
    expect(table.rows.at(-1)?.cells).toEqual(["1", "", "", "2"]);
  });
});
