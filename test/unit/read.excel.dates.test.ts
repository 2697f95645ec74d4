/** Dates, times and durations: told by number formats, in both calendars. */
import * as fc from "fast-check";
import { compileNumberFormat } from "../../src/read/excel/number-format.js";
import { readCells } from "../support/read/read-workbook.js";
import { gives } from "../support/gives.js";

async function formatted(format: string | number, stored: string, date1904 = false) {
  const rows = await readCells(`<row r="1"><c r="A1" s="1"><v>${stored}</v></c></row>`, {
    formats: [format],
    date1904,
  });
  return rows[0]?.[0];
}

describe("a number under a date format is a date", () => {
  test.each<[string | number, string, string]>([
    [14, "46082", "date 2026-03-01"],
    [22, "46082.586805555555", "date 2026-03-01T14:05:00"],
    [32, "0.5", "time 12:00:00"],
    ["[$-416]dd/mm/yyyy;@", "46082", "date 2026-03-01"],
    ['[$-416]d\\ "de"\\ mmmm\\ "de"\\ yyyy;@', "46082", "date 2026-03-01"],
    ["yyyy\\-mm\\-dd\\Thh:mm:ss.000", "46082.586805555555", "date 2026-03-01T14:05:00"],
    ['yyyy"年"m"月"d"日"', "46082", "date 2026-03-01"],
    ["[>0]dd/mm/yyyy;0", "46082", "date 2026-03-01"],
    ["General;dd/mm/yyyy", "46082", "number 46082"],
  ])("under %s, %s is %s", async (format, stored, expected) => {
    expect(await formatted(format, stored)).toBe(expected);
  });

  test.each<[string | number, string, string]>([
    [20, "0.586805555555556", "time 14:05:00"],
    ["h:mm", "0", "time 00:00:00"],
    ["hh:mm:ss", "0.999999999", "time 00:00:00"],
    ["h:mm", "46082.5", "date 2026-03-01T12:00:00"],
    [46, "1.50347222222222", "duration PT36H5M"],
    ["[mm]:ss", "0.0208333333333333", "duration PT30M"],
    ["[h]:mm", "-0.0625", "duration -PT1H30M"],
  ])("under %s, %s is %s", async (format, stored, expected) => {
    expect(await formatted(format, stored)).toBe(expected);
  });

  gives("under %s it is not", (format) => formatted(format, "46082"), {
    General: "number 46082",
    'General" dias"': "number 46082",
    '#,##0.00 "m³/h"': "number 46082",
    '_-* #,##0.00_-;\\-* #,##0.00_-;_-* "-"??_-;_-@_-': "number 46082",
    "\\d\\a\\y 0": "number 46082",
    '"unclosed': "number 46082",
    ";;;": "number 46082",
    "": "number 46082",
  });

  test("negative serials and years beyond 9999 are no dates in Excel either: the number stays", async () => {
    expect(await formatted(14, "-1")).toBe("number -1");
    expect(await formatted(14, "2958465")).toBe("date 9999-12-31");
    expect(await formatted(14, "2958466")).toBe("number 2958466");
  });
});

describe("both calendars", () => {
  test.each([
    [0, "1900-01-00"],
    [1, "1900-01-01"],
    [60, "1900-02-29"],
    [61, "1900-03-01"],
    [25_569, "1970-01-01"],
  ])("serial %i of 1900 is the %s that Excel shows", async (serial, expected) => {
    expect(await formatted(14, String(serial))).toBe(`date ${expected}`);
  });

  test.each([
    [0, "1904-01-01"],
    [59, "1904-02-29"],
    [60, "1904-03-01"],
  ])("serial %i of 1904 is %s", async (serial, expected) => {
    expect(await formatted(14, String(serial), true)).toBe(`date ${expected}`);
  });
});

test.each([
  ["2026-03-01", "date 2026-03-01"],
  ["2026-03-01T14:05:00.250", "date 2026-03-01T14:05:00.250"],
  ["2026-03-01T14:05:00.000Z", "date 2026-03-01T14:05:00"],
  ["T14:05:00", "time 14:05:00"],
  ["14:05:00", "time 14:05:00"],
  ...["2026-13-01", "2026-03-01T25:00:00", "2026-03-01T14:05:00+03:00", "Z", "T", "46082", "soon"].map((text) => [
    text,
  ]),
])("ISO cells are read without any format: %s", async (text, expected = "! cell-unreadable A") => {
  const [row = []] = await readCells(`<row r="1"><c r="A1" t="d"><v>${text}</v></c></row>`);
  expect(row.filter((cell) => cell !== "")).toEqual([expected]);
});

test("no format code is too odd to be compiled, or slow (HARD-CASES H35)", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...'ymdhsgeb0#?.,;[]"\\_*$-<>=@%/ 5E+ainl'.split(""), "General", "[h]", "AM/PM"), {
        maxLength: 60,
      }),
      fc.double(),
      (parts, value) => {
        expect(compileNumberFormat(parts.join(""))(value)).toHaveProperty("kind");
      },
    ),
  );
  expect(compileNumberFormat("[".repeat(2000))(1).kind).toBe("number");
});
