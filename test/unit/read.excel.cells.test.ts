/** What single cells become; the rules are told in docs/reference/workbooks.md. */
import { compileNumberFormat } from "../../src/read/excel/number-format.js";
import { readCells } from "../support/read/read-workbook.js";
import { gives } from "../support/gives.js";

/** What stands in B1, and what is wrong with it. */
async function cell(xml: string, more: Parameters<typeof readCells>[1] = {}) {
  const rows = await readCells(`<row r="1"><c r="A1" t="str"><v>x</v></c>${xml}</row>`, more);
  return rows[0]?.slice(1).filter((text) => text !== "");
}

describe("texts", () => {
  const strings = [
    "<si><t>plain</t></si>",
    "<si/>",
    '<si><t xml:space="preserve"> kept </t></si>',
    "<si><t> \n cut\t</t></si>",
    '<si><r><rPr><b/></rPr><t>rich</t></r><r><t xml:space="preserve"> text</t></r></si>',
    '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/></si>',
    "<si><t>a_x000D_b_x005F_x000D_c</t></si>",
    "<si><t>&lt;&amp;&#233;&#x1F600;</t></si>",
    "<si><t><![CDATA[<raw>]]> more</t></si>",
    "<si><t>_xD83D__xDE00_ _xZZZZ_ _x41_</t></si>",
    '<si><t xml:space="preserve">one\r\ntwo</t></si>',
  ];
  test.each([
    [0, "text plain"],
    [1, undefined],
    [2, "text  kept "],
    [3, "text cut"],
    [4, "text rich text"],
    [5, "text 東京"],
    [6, "text a\rb_x000D_c"],
    [7, "text <&é😀"],
    [8, "text <raw> more"],
    [9, "text 😀 _xZZZZ_ _x41_"],
    [10, "text one\ntwo"],
  ])("shared text %i", async (index, expected) => {
    const found = await cell(`<c r="B1" t="s"><v>${index}</v></c>`, { strings });
    expect(found?.[0]).toBe(expected);
  });

  gives("%s", async (xml) => (await cell(xml))?.[0], {
    '<c r="B1" t="inlineStr"><is><t>in line</t></is></c>': "text in line",
    '<c r="B1" t="inlineStr"><is><t>漢</t><rPh sb="0" eb="1"><t>カン</t></rPh></is></c>': "text 漢",
    '<c r="B1"><is><t>without a type</t></is></c>': "text without a type",
    '<c r="B1" t="str"><f>A1</f><v>x_x000A_y</v></c>': "text x\ny",
    '<c r="B1" t="s"/>': undefined,
    '<c r="B1" s="0"/>': undefined,
  });
});

describe("numbers are read with the fifteen digits that a spreadsheet shows, or as their stored text where it is plain", () => {
  test.each([
    ["0", "0"],
    ["-0", "0"],
    [" 12\n", "12"],
    ["1.1000000000000001", "1.1"],
    [".5", "0.5"],
    ["1.5E-7", "0.00000015"],
    ["3.5190600000000003E+43", "35190600000000000000000000000000000000000000"],
    ["123456789012345678", "123456789012345678"],
    ["9007199254740993", "9007199254740993"],
  ])("%s", async (stored, expected) => {
    expect(await cell(`<c r="B1"><v>${stored}</v></c>`)).toEqual([`number ${expected}`]);
    expect(await cell(`<c r="B1" t="n"><v>${stored}</v></c>`)).toEqual([`number ${expected}`]);
  });

  test.each(["NaN", "0x10", "1e999"])("%s is no number, and said so", async (stored) => {
    expect(await cell(`<c r="B1"><v>${stored}</v></c>`)).toEqual(["! cell-unreadable B"]);
  });

  test("percent and currency are the number, not the picture", async () => {
    const formats = [
      9,
      "0.00%",
      '"R$" #,##0.00',
      "[$R$-416] #,##0.00;[Red]-[$R$-416] #,##0.00",
      "# ?/?",
      "0.00E+00",
      "@",
    ];
    const cells = formats.map((_, index) => `<c s="${index + 1}"><v>0.125</v></c>`).join("");
    const shown = formats.map((_, index) => `${index < 2 ? "percent" : "number"} 0.125`);
    expect(await readCells(`<row r="1">${cells}</row>`, { formats })).toEqual([shown]);
  });

  test.each([
    ["R$ #,##0.00;[Red]-R$ #,##0.00", "R$"],
    ["_-[$R$-416] * #,##0.00_-", "R$"],
    ["#,##0.00 [$€-407]", "€"],
    ['0.0" kg";-0.0" kg";"none"', "kg"],
    ['"full";"less";"none"', ""],
  ])("the unit that %s shows is %s, and words in the place of a number are none", (format, unit) => {
    expect([1, -1, 0].map((value) => compileNumberFormat(format)(value))).toEqual(
      [unit, unit, format.includes("none") ? "" : unit].map((one) => expect.objectContaining({ unit: one })),
    );
  });

  test.each([
    ["00000000000000", "1234567000195", "text 01234567000195"],
    ["00\\.000\\.000\\/0000\\-00", "1234567000195", "text 01.234.567/0001-95"],
    ["00000\\-000;@", "1310100", "text 01310-100"],
    ["(00) 0000-0000", "1133334444", "text (11) 3333-4444"],
    ["[<=99999999]0000-0000;00000-0000", "33334444", "text 3333-4444"],
    ['"OS-"0000', "7", "text OS-0007"],
    ['0000"/2025"', "7", "text 0007/2025"],
    ["000", "-5", "number -5"],
    ["000", "1.5", "number 1.5"],
    ["#,##0", "1234567", "number 1234567"],
    ["00%", "5", "percent 5"],
    ['0.0"%"', "5", "number 5"],
  ])("under %s, %s is %s", async (format, stored, expected) => {
    expect(await cell(`<c r="B1" s="1"><v>${stored}</v></c>`, { formats: [format] })).toEqual([expected]);
  });
});

test.each([
  ['<c r="B1" t="b"><v>1</v></c>', "boolean true"],
  ['<c r="B1" t="b"><v>0</v></c>', "boolean false"],
  ['<c r="B1" t="b"><v>2</v></c>', "! cell-unreadable B"],
  ['<c r="B1" t="e"><v>#N/A</v></c>', "error #N/A"],
  ['<c r="B1" t="zz"><v>1</v></c>', "! cell-unreadable B"],
  ['<c r="B1" t="s"><v>99</v></c>', "! cell-unreadable B"],
  ['<c r="B1" t="s"><v>-1</v></c>', "! cell-unreadable B"],
])("truth values and errors: %s", async (xml, expected) => {
  expect(await cell(xml)).toEqual([expected]);
});

describe("formulas are not calculated: the stored result counts", () => {
  gives("%s", async (xml) => (await cell(xml))?.[0], {
    '<c r="B1"><f>1+1</f><v>2</v></c>': "number 2",
    '<c r="B1"><f t="shared" si="0"/><v>8</v></c>': "number 8",
    '<c r="B1" t="b"><f>TRUE</f><v>1</v></c>': "boolean true",
    '<c r="B1" t="str"><f>""</f><v></v></c>': undefined,
    '<c r="B1"><f>1+1</f></c>': "! formula-without-value B",
    '<c r="B1" t="str"><f>A1</f></c>': "! formula-without-value B",
  });

  test("a fault names the cell and its column", async () => {
    const rows = await readCells('<row r="3"><c r="B3"><f>1+1</f></c></row>');
    expect(rows).toEqual([["", "", "! formula-without-value B"]]);
  });
});

test("a NUL character is a problem of its row, as in CSV files", async () => {
  expect(await cell('<c r="B1" t="str"><v>a_x0000_b</v></c>')).toEqual(["text a\0b", "! nul-character B"]);
});

describe("a formula's result of 0 in a workbook that is to be calculated when it is opened", () => {
  const results = (values: readonly string[], calcPr: string) =>
    readCells(
      values.map((value, at) => `<row r="${at + 1}"><c r="A${at + 1}"><f>1+1</f><v>${value}</v></c></row>`).join(""),
      {
        change: (entry) =>
          entry.name === "xl/workbook.xml"
            ? { ...entry, data: String(entry.data).replace("</workbook>", `${calcPr}</workbook>`) }
            : entry,
      },
    );
  const toCalculate = '<calcPr calcId="124519" fullCalcOnLoad="1"/>';

  test("stands in for one that was never calculated, and is no value", async () => {
    expect(await results(["0", "0"], toCalculate)).toEqual([
      ["", "! formula-without-value A"],
      ["", "! formula-without-value A"],
    ]);
  });

  test("is one where other formulas of the sheet have results", async () => {
    expect(await results(["0", "7"], toCalculate)).toEqual([["number 0"], ["number 7"]]);
  });

  test("is one in any other workbook", async () => {
    expect(await results(["0"], '<calcPr calcId="191029"/>')).toEqual([["number 0"]]);
    expect(await results(["0"], "")).toEqual([["number 0"]]);
  });
});
