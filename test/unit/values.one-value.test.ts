/**
 * The same value as text and as a typed cell is one value everywhere (HARD-CASES H42): random tables, written once as CSV in
 * the mapping's formats and once as a workbook, give the same bodies, keys and hashes. Files in, bodies at the service out.
 * `ROWFERRY_VALUE_ROWS=5000` draws more rows.
 */
import { writeFileSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import exceljs from "exceljs";
import * as fc from "fast-check";
import { openOffice } from "../support/office.js";
import { startRecorder } from "../support/recorder.js";
import { parties } from "../support/weighings.js";
import { drawn } from "../support/sample.js";

const ROWS = Number(process.env["ROWFERRY_VALUE_ROWS"] ?? drawn(25, 200));

/** What a workbook holds in a cell, and what a CSV file holds in its place. */
interface Value {
  csv: string;
  excel: exceljs.CellValue;
  format?: string;
}

const header = [
  "Id",
  "Code",
  "At",
  "Day",
  "Gross",
  "Tare",
  "Plain",
  "Share",
  "Flag",
  "Kind",
  "Noise",
  "Teor A",
  "Obs 1",
];

const mapping = {
  namespace: "test",
  defaults: {
    timezone: "America/Sao_Paulo",
    decimal: ",",
    grouping: true,
    dates: ["dd/MM/yyyy HH:mm", "dd/MM/yyyy"],
    booleans: { true: ["Sim"], false: ["Não"] },
    country: "BR",
    blank: ["", "-"],
  },
  tables: { kinds: { file: "kinds.csv", key: "Kind", columns: { name: "Name" } } },
  inputs: {
    rows: {
      files: "rows.*",
      columns: {
        id: "Id",
        code: "Code",
        at: { header: "At", as: "timestamp" },
        at_text: "At",
        day: { header: "Day", as: "date" },
        day_text: "Day",
        gross: { header: "Gross", as: "number" },
        tare: { header: "Tare", as: "number", default: 0 },
        plain: "Plain",
        plain_number: { header: "Plain", as: "number" },
        share: { header: "Share", as: "number", units: { "%": 0.01 } },
        percent: { header: "Share", as: "number", units: ["%"] },
        flag: { header: "Flag", as: "boolean" },
        flag_text: "Flag",
        kind: { header: "Kind", map: { "1": "One", "2": "Two", "3": "Three" } },
        kind_code: "Kind",
        limited: { header: "Kind", oneOf: ["1", "2", "3"] },
        kept: { header: "Kind", map: { "1": "One" }, otherwise: { keep: true } },
        shaped: { header: "Plain", pattern: "-?[0-9]+(,[0-9]+)?" },
        day_slug: { header: "Day", as: "slug" },
        noise: { header: "Noise", as: "number" },
        measured: { headers: "Teor *", as: "number" },
        notes: { headers: "Obs *" },
        net: "=gross - tare",
      },
      ...parties,
      documents: {
        load: {
          key: ["=id", "=kind_code"],
          participant: "owner",
          address: "site",
          fields: { kind: "=kind_code", words: "=kind" },
        },
      },
      events: {
        defaults: { externalCreatedAt: "=at", isPublic: "=flag" },
        weighing: {
          name: "Weighing",
          key: ["=code", "=gross", "=day", "=kind_code", "=flag_text"],
          attributes: {
            public: {
              Net: "=net",
              Double: "=gross * 2",
              Third: "=round(gross / 3, 4)",
              Share: "=share",
              Percent: "=percent",
              Noise: "=noise",
              Plain: "=plain",
              Joined: '=plain + " / " + code',
              Day: "=day_text",
              At: "=at_text",
              Flag: "=flag_text",
              Kind: "=kind",
              Limited: "=limited + kept + shaped + day_slug",
              Table: "=tables.kinds[kind_code].name",
              "*": "=measured",
            },
            private: { "*": "=notes", Words: '=upper(day_text) + "|" + flag_text' },
          },
          value: "=gross",
          extra: { net: "=net", plain: "=plain_number", share: "=share", flag: "=flag", day: "=day", noise: "=noise" },
        },
        heavy: {
          name: "Heavy",
          key: ["=gross", "=noise"],
          when: "=gross > 500",
          attributes: { public: { Gross: "=gross" } },
        },
        flagged: {
          name: "Flagged",
          key: "content",
          within: "file",
          when: "=flag",
          attributes: { public: { Code: "=code" } },
        },
        first: { name: "First", key: ["=plain"], when: '=kind == "One"', attributes: { private: { Id: "=id" } } },
      },
    },
    groups: {
      files: "groups.*",
      group: "=kind_code",
      columns: {
        kind_code: "Kind",
        gross: { header: "Gross", as: "number" },
        noise: { header: "Noise", as: "number" },
        share: { header: "Share", as: "number", units: { "%": 0.01 } },
        plain: "Plain",
        at: { header: "At", as: "timestamp" },
      },
      ...parties,
      documents: { batch: { key: "=kind_code", participant: "owner", address: "site" } },
      events: {
        sums: {
          name: "Sums",
          key: "once",
          externalCreatedAt: "01/01/2025",
          isPublic: true,
          attributes: {
            public: {
              Gross: "=sum(gross)",
              Least: "=min(noise)",
              Most: "=max(gross)",
              Shares: "=sum(share)",
              Rows: "=count(plain)",
              All: '=join(plain, ", ")',
              First: "=first(plain)",
              Last: "=last(plain)",
            },
          },
        },
      },
    },
  },
};

const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, ".");
const two = (value: number) => String(value).padStart(2, "0");

/** At most fifteen digits, which a spreadsheet keeps. */
const decimal = fc
  .tuple(fc.nat({ max: 9_999_999 }), fc.nat({ max: 9999 }), fc.boolean(), fc.boolean())
  .map(([whole, fraction, negative, group]) => {
    const places = String(fraction).padStart(4, "0").replace(/0+$/, "");
    const sign = negative && (whole > 0 || places !== "") ? "-" : "";
    const text = `${sign}${group ? grouped(String(whole)) : whole}${places === "" ? "" : `,${places}`}`;
    return { csv: text, excel: Number(`${sign}${whole}.${places}`) };
  });

/** As the mapping's files write a number where nothing but its text is wanted: no grouping. */
const plainDecimal = decimal.map(({ csv, excel }) => ({ csv: csv.replaceAll(".", ""), excel }));

const noisy = fc.tuple(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 1, max: 7 })).map(([cents, ulps]) => {
  const value = cents / 100;
  const noise = value + ulps * 2 ** (Math.floor(Math.log2(value)) - 52);
  // Fifteen digits are what the spreadsheet shows, and writes into its own CSV.
  const exact = Number(noise.toPrecision(15));
  return { csv: String(exact).replace(".", ","), excel: { formula: "1+1", result: noise } };
});

const moment = fc
  .tuple(fc.integer({ min: 2020, max: 2025 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .chain(([year, month, day]) =>
    fc.tuple(fc.integer({ min: 4, max: 22 }), fc.nat({ max: 59 })).map(([hour, minute]) => ({
      day: {
        csv: `${two(day)}/${two(month)}/${year}`,
        excel: new Date(Date.UTC(year, month - 1, day)),
        format: "dd/mm/yyyy",
      },
      at: {
        csv: `${two(day)}/${two(month)}/${year} ${two(hour)}:${two(minute)}`,
        excel: new Date(Date.UTC(year, month - 1, day, hour, minute)),
        format: "dd/mm/yyyy hh:mm",
      },
    })),
  );

const share = fc.nat({ max: 1000 }).map((permille) => ({
  csv: `${String(permille / 10).replace(".", ",")}%`,
  excel: permille / 1000,
  format: "0.0%",
}));

const flag = fc.boolean().map((value) => ({ csv: value ? "Sim" : "Não", excel: value }));

/** Ids: text of fifteen to twenty digits, and numbers of up to fifteen; few, so that documents have many rows. */
const id = fc.constantFrom<Value>(
  ...["123456789012345", "12345678901234567890", "00000000000000042", "7"].map((text) => ({ csv: text, excel: text })),
  ...[999_999_999_999_999, 100_000_000_000_007, 42].map((number) => ({ csv: String(number), excel: number })),
);

/** Text that looks like something else, in a text cell. */
const lookalike = fc
  .constantFrom("007", "1.234", "1,50", "2025-01-02", "01/02/2025", "TRUE", "1E3", "+5", "0x1F", "12%", " 5 ", "Sim")
  .map((text) => ({ csv: text, excel: text }));

const row = fc
  .tuple(
    id,
    lookalike,
    moment,
    decimal,
    decimal,
    plainDecimal,
    share,
    flag,
    fc.integer({ min: 1, max: 3 }),
    noisy,
    decimal,
  )
  .map(([key, code, { at, day }, gross, tare, plain, part, truth, kind, noise, measured]) => [
    key,
    code,
    at,
    day,
    gross,
    tare,
    plain,
    part,
    truth,
    { csv: String(kind), excel: kind },
    noise,
    measured,
    code,
  ]);

async function workbook(path: string, rows: readonly Value[][]) {
  const book = new exceljs.Workbook();
  const sheet = book.addWorksheet("Sheet1");
  sheet.addRow(header);
  for (const values of rows) {
    const added = sheet.addRow(values.map(({ excel }) => excel));
    for (const [position, { format }] of values.entries()) {
      if (format !== undefined) added.getCell(position + 1).numFmt = format;
    }
  }
  await book.xlsx.writeFile(path);
}

const csv = (rows: readonly Value[][]) =>
  stringify([header, ...rows.map((values) => values.map((value) => value.csv))], { delimiter: ";" });

/** An office whose requests are recorded; files of both kinds lie in it. */
async function office(rows: readonly Value[][]) {
  const recorder = await startRecorder();
  const place = openOffice(mapping);
  place.world.env = recorder.envFor(place.path("ledger.db"));
  writeFileSync(place.path("kinds.csv"), "Kind,Name\n1,Um\n2,Dois\n3,Três\n");
  const byKind = rows.toSorted((one, other) => String(one[9]?.csv).localeCompare(String(other[9]?.csv)));
  writeFileSync(place.path("rows.csv"), csv(rows));
  writeFileSync(place.path("groups.csv"), csv(byKind));
  await workbook(place.path("rows.xlsx"), rows);
  await workbook(place.path("groups.xlsx"), byKind);
  return { ...place, recorder };
}

describe("a table written as CSV and as a workbook", () => {
  const rows = fc.sample(row, { numRuns: ROWS, seed: 17 });

  test("gives the same bodies and keys, through every way that a value can take", async () => {
    const texts = await office(rows);
    const typed = await office(rows);
    expect(await texts.import("rows.csv", "groups.csv")).toMatchObject({ exitCode: 0, rows: { invalid: 0 } });
    expect(await typed.import("rows.xlsx", "groups.xlsx")).toMatchObject({ exitCode: 0, rows: { invalid: 0 } });
    expect(texts.recorder.bodies.length).toBeGreaterThan(15);
    const sent = (bodies: readonly string[]) =>
      bodies.map((body) => body.replace(/"(?:participantId|addressId)":"[^"]*"/g, "")).toSorted();
    const [wanted, given] = [sent(texts.recorder.bodies), sent(typed.recorder.bodies)];
    expect(given.filter((body) => !wanted.includes(body)).slice(0, 3)).toEqual([]);
    expect(given).toHaveLength(wanted.length);
  });
});
