import { compileConversion, type ConversionSpec } from "../../src/map/convert/conversion.js";
import { Refused, type ConvertDefaults } from "../../src/map/convert/conversion-kind.js";
import type { CellKind } from "../../src/model/row.js";
import { gives } from "../support/gives.js";

const brazil: ConvertDefaults = { timezone: "America/Sao_Paulo", dates: ["dd/MM/yyyy HH:mm", "dd/MM/yyyy"] };

const instant = (
  cell: string,
  defaults: ConvertDefaults = brazil,
  kind: CellKind = "text",
  spec: ConversionSpec = "timestamp",
) => {
  const result = compileConversion(spec, defaults)(cell, kind);
  if (result instanceof Refused) return result.code;
  return typeof result === "number" ? new Date(result).toISOString() : result;
};

const dayOf = (cell: string, defaults: ConvertDefaults, kind: CellKind = "text") =>
  instant(cell, defaults, kind, "date");

it.each([
  ["UNIX", "1735693200"],
  ["ISO", "2025-01-01T01:00:00Z"],
  ["yyyy-MM-dd HH:mm ZZ", "2025-01-01 01:00 Z"],
])("an instant of %s, read as a day, is the day that it is in the mapping's zone", (format, cell) => {
  expect(dayOf(cell, { ...brazil, dates: [format] })).toBe("2024-12-31");
});

it.each(["yyyy-MM-dd'T'HH:mm:ss'Z'", "yyyy-MM-dd HH:mm 'UTC'", "dd/MM/yyyy HH:mm' GMT'"])(
  "the format %j, which would drop the zone that cells name, is refused",
  (format) => {
    expect(() => compileConversion("timestamp", { ...brazil, dates: [format] })).toThrow(/zone/);
  },
);

it.each(["dd/MM/yyyy HH:mm a", "ccc dd/MM/yyyy H:mm a", "dd/MM/yyyy hh:mm", "ccc dd/MM/yyyy h:mm"])(
  "the format %j, in which half days are said in one place only, is refused",
  (format) => {
    expect(() => compileConversion("timestamp", { ...brazil, dates: [format] })).toThrow(/AM and PM/);
  },
);

it.each([
  ["d de MMMM de yyyy", "d 'de' MMMM 'de' yyyy"],
  ["dd/MM/yyyy às HHhmm", "dd/MM/yyyy 'às' HH'h'mm"],
  ["MM/dd/yyyy hh:mm tt", "MM/dd/yyyy hh:mm a"],
  ["DD/MM/YYYY", "dd/MM/yyyy HH:mm"],
])("the format %j is refused, with how it is written", (format, written) => {
  expect(() => compileConversion({ name: "date", formats: [format] }, brazil)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining(written) as string }),
  );
});

it.each(["2025-12-31", "2025-12-31 22:30:05.5"])(
  "%s without an offset is no ISO, which is said with what reads local times",
  (cell) => {
    const refused = compileConversion("timestamp", { ...brazil, dates: ["ISO"] })(cell, "text");
    const hint = "add its format to `dates`, such as yyyy-MM-dd'T'HH:mm:ss.u for local times";
    expect(refused).toMatchObject({ hint: expect.stringContaining(hint) as string });
  },
);

it("z reads the name of a zone that a row gives, and nothing else of the mapping's zone applies", () => {
  const convert = compileConversion("timestamp", { ...brazil, dates: ["yyyy-MM-dd HH:mm z"] });
  const read = ["2025-07-01 09:05 America/New_York", "2025-07-01 09:05 UTC"].map((cell) => convert(cell, "text"));
  expect(read).toEqual([Date.parse("2025-07-01T13:05:00Z"), Date.parse("2025-07-01T09:05:00Z")]);
});

it("the format so told reads as many digits of a second as Python and databases write", () => {
  const convert = compileConversion("timestamp", { ...brazil, dates: ["yyyy-MM-dd'T'HH:mm:ss.u"] });
  const read = ["2025-12-31T22:30:05.5", "2025-12-31T22:30:05.500000"].map((cell) => convert(cell, "text"));
  expect(read).toEqual(Array(2).fill(Date.parse("2026-01-01T01:30:05.500Z")));
});

it("a day without its leading zeros is told the format that reads both", () => {
  const refused = compileConversion("date", brazil)("1/2/2025", "text");
  expect(refused).toMatchObject({ hint: expect.stringContaining("d/M/yyyy") as string });
  const both = compileConversion("date", { ...brazil, dates: ["d/M/yyyy"] });
  expect(["1/2/2025", "01/02/2025"].map((cell) => both(cell, "text"))).toEqual(["2025-02-01", "2025-02-01"]);
});

describe("timestamp", () => {
  gives("%j is a local time of the mapping's zone: %s", (cell) => instant(cell), {
    "09/03/2025 14:05": "2025-03-09T17:05:00.000Z",
    " 31/12/2024 23:59 ": "2025-01-01T02:59:00.000Z",
    "29/02/2024 00:00": "2024-02-29T03:00:00.000Z",
  });

  gives("%j is refused as %s, never guessed", (cell) => instant(cell), {
    "31/02/2025 10:00": "date-impossible",
    "09/03/2025 24:00": "date-impossible",
    "01/02/0025": "date-impossible",
    "09/03/25": "date-unreadable",
    "2025-03-09": "date-unreadable",
    "2025-03-09T10:00:00Z": "date-unreadable",
  });

  it.each([
    [["d/M/yyyy H:mm"], "9/3/2025 7:05", "2025-03-09T10:05:00.000Z"],
    [["yyyy-MM-ddTHH:mm:ss"], "2025-03-09T07:05:09", "2025-03-09T10:05:09.000Z"],
    [["dd/MM/yyyy HH'h'mm"], "09/03/2025 07h05", "2025-03-09T10:05:00.000Z"],
    [["dd/MM/yyyy hh:mm a"], "09/03/2025 12:05 AM", "2025-03-09T03:05:00.000Z"],
    [["dd/MM/yyyy hh:mm a"], "09/03/2025 01:05 p.m.", "2025-03-09T16:05:00.000Z"],
    [["dd/MM/yyyy HH:mm:ss.SSS"], "09/03/2025 07:05:09.042", "2025-03-09T10:05:09.042Z"],
    [["yyyy-MM-dd HH:mm ZZ"], "2025-03-09 07:05 +02:00", "2025-03-09T05:05:00.000Z"],
    [["yyyy/MM/dd h:mm:ss a Z"], "2025/03/09 1:05:33 PM GMT-3", "2025-03-09T16:05:33.000Z"],
    [["yyyy/MM/dd h:mm:ss a Z"], "2025/03/09 1:05:33 PM GMT+5:30", "2025-03-09T07:35:33.000Z"],
    [["yyyy/MM/dd HH:mm Z"], "2025/03/09 13:05 -10", "2025-03-09T23:05:00.000Z"],
    [["yyyy年M月d日"], "2025年3月9日", "2025-03-09T03:00:00.000Z"],
  ])("%j reads %j", (dates, cell, expected) => {
    expect(instant(cell, { ...brazil, dates })).toBe(expected);
  });

  it("month names follow the mapping's language", () => {
    const dates = ["d 'de' LLLL 'de' yyyy"];
    expect(instant("9 de março de 2025", { ...brazil, dates, language: "pt" })).toBe("2025-03-09T03:00:00.000Z");
    expect(instant("31 de fevereiro de 2025", { ...brazil, dates, language: "pt" })).toBe("date-impossible");
    expect(instant("9 de march de 2025", { ...brazil, dates, language: "pt" })).toBe("date-unreadable");
  });

  it("a text that two formats read as different days is refused; one that both read alike is not", () => {
    const dates = ["dd/MM/yyyy", "MM/dd/yyyy"];
    expect(instant("03/04/2025", { ...brazil, dates })).toBe("date-ambiguous");
    expect(instant("25/04/2025", { ...brazil, dates })).toBe("2025-04-25T03:00:00.000Z");
    expect(instant("04/04/2025", { ...brazil, dates })).toBe("2025-04-04T03:00:00.000Z");
  });

  it("years of two digits are refused unless the mapping says what they mean", () => {
    const dates = ["dd/MM/yy"];
    expect(instant("09/03/25", { ...brazil, dates })).toBe("date-two-digit-year");
    expect(instant("09/03/25", { ...brazil, dates, twoDigitYears: false })).toBe("date-two-digit-year");
    expect(instant("09/03/25", { ...brazil, dates, twoDigitYears: true })).toBe("2025-03-09T03:00:00.000Z");
    expect(instant("09/03/25", { ...brazil, dates, twoDigitYears: 2049 })).toBe("2025-03-09T03:00:00.000Z");
    expect(instant("09/03/50", { ...brazil, dates, twoDigitYears: 2049 })).toBe("1950-03-09T02:00:00.000Z");
    expect(instant("09 Mar 50", { ...brazil, dates: ["dd LLL yy"], twoDigitYears: 2049 })).toBe(
      "1950-03-09T02:00:00.000Z",
    );
    expect(instant("09 Mar 50", { ...brazil, dates: ["dd LLL yy"] })).toBe("date-two-digit-year");
  });

  it("a date without a time means midnight, or the time of day that the field names", () => {
    expect(instant("09/03/2025", brazil, "text", { name: "timestamp", timeOfDay: "12:30" })).toBe(
      "2025-03-09T15:30:00.000Z",
    );
    expect(instant("09/03/2025 08:00", brazil, "text", { name: "timestamp", timeOfDay: "12:30" })).toBe(
      "2025-03-09T11:00:00.000Z",
    );
  });
});

describe("ISO", () => {
  const iso = { ...brazil, dates: ["ISO"] };
  gives("%j gives %s: an offset is needed", (cell) => instant(cell, iso), {
    "2025-03-09T10:00:00Z": "2025-03-09T10:00:00.000Z",
    "2025-03-09T10:00:00.1239999-03:00": "2025-03-09T13:00:00.123Z",
    "2025-03-09 10:00+0530": "2025-03-09T04:30:00.000Z",
    "2025-03-09T10:00:00": "date-unreadable",
    "2025-03-09": "date-unreadable",
    "2025-02-30T10:00:00Z": "date-impossible",
    "2025-03-09T10:00:00+25:00": "date-impossible",
    "2025-03-09T10:00:00-1201": "date-impossible",
  });
});

describe("dates of a workbook", () => {
  gives("%j is local time in the zone, whatever the formats: %s", (cell) => instant(cell, brazil, "date"), {
    "2025-03-09": "2025-03-09T03:00:00.000Z",
    "2025-03-09T14:05:00": "2025-03-09T17:05:00.000Z",
    "2025-03-09T14:05:00.5": "2025-03-09T17:05:00.500Z",
    "2018-11-04T00:30:00": "time-skipped",
  });

  it("a bare number is no date unless the mapping reads Excel serials", () => {
    const excel = { ...brazil, dates: ["EXCEL"] };
    expect(instant("45725.5868055556", brazil, "number")).toBe("cell-kind");
    expect(instant("45725.5868055556", excel, "number")).toBe("2025-03-09T17:05:00.000Z");
    expect(instant("45725,5868055556", excel)).toBe("2025-03-09T17:05:00.000Z");
    expect(instant("60", excel, "number")).toBe("date-impossible");
    const noon = { name: "timestamp", timeOfDay: "12:30" };
    expect(instant("45725", excel, "number", noon)).toBe("2025-03-09T15:30:00.000Z");
    expect(instant("45725.25", excel, "number", noon)).toBe("2025-03-09T09:00:00.000Z");
    expect(instant("43408", excel, "number")).toBe(instant("2018-11-04", excel, "date"));
  });
});

describe("date", () => {
  it.each([
    ["09/03/2025", brazil, "text", "2025-03-09"],
    ["09/03/2025 23:59", brazil, "text", "2025-03-09"],
    ["2025-03-09T23:59:00", brazil, "date", "2025-03-09"],
    ["2025-03-09T01:00:00Z", { ...brazil, dates: ["ISO"] }, "text", "2025-03-08"],
    ["31/04/2025", brazil, "text", "date-impossible"],
    ["x", brazil, "text", "date-unreadable"],
  ] as const)("%j under %j (%s) is the day %s", (cell, defaults, kind, expected) => {
    expect(dayOf(cell, defaults as ConvertDefaults, kind)).toBe(expected);
  });
  it("needs no zone while no format carries an offset", () => {
    expect(dayOf("09/03/2025", { dates: ["dd/MM/yyyy"] })).toBe("2025-03-09");
  });
});
