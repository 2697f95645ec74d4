/**
 * No digit of a number is lost or made up between a cell and the body that is sent (F2, F77): through columns, formulas, sums and
 * JSON. Numbers drawn at random, beside exact decimals of their own: test/nights/worlds.
 */
import { writeFileSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import { mapping } from "../support/mapping.js";
import { openOffice } from "../support/office.js";
import { startRecorder } from "../support/recorder.js";
import { parties } from "../support/weighings.js";

const BIG = "12345678901234567890123.4567";

const source = {
  namespace: "test",
  defaults: { timezone: "UTC", decimal: ",", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
  inputs: {
    rows: {
      files: "rows.csv",
      columns: {
        id: "Id",
        at: { header: "At", as: "timestamp" },
        a: { header: "A", as: "number" },
        b: { header: "B", as: "number" },
        c: { header: "C", as: "number" },
      },
      ...parties,
      documents: { load: { key: "=id", participant: "owner", address: "site", fields: { a: "=a", big: "@big" } } },
      events: {
        numbers: {
          name: "Numbers",
          key: ["=a", "=b"],
          externalCreatedAt: "=at",
          isPublic: true,
          attributes: {
            public: {
              A: "=a",
              Sum: "=a + b",
              Product: "=a * b",
              Tenth: "=c * 0.1",
              Quotient: "=round(a / b, 6)",
              Mixed: "=round(a / b * c - 1.005, 3)",
              Least: "=a < b ? a : b",
            },
          },
          value: "=a",
          extra: { difference: "=a - b", big: "@big" },
        },
      },
    },
    groups: {
      files: "groups.csv",
      group: "=id",
      columns: { id: "Id", at: { header: "At", as: "timestamp" }, a: { header: "A", as: "number" } },
      ...parties,
      documents: { batch: { key: "=id", participant: "owner", address: "site" } },
      events: {
        sums: {
          name: "Sums",
          key: "once",
          externalCreatedAt: "=first(at)",
          isPublic: true,
          attributes: { public: { Sum: "=sum(a)" } },
          value: "=sum(a)",
        },
      },
    },
  },
};

const header = ["Id", "At", "A", "B", "C"];
const [a, c] = ["123456789012345678.0123456789", "987654321.05"];

test("every digit of every number arrives, and none that nobody wrote", async () => {
  const recorder = await startRecorder();
  const office = openOffice(source);
  office.world.env = recorder.envFor(office.path("ledger.db"));
  // A literal of the mapping with more digits than the double that YAML would make of it.
  writeFileSync(office.path("m.yaml"), mapping(source).replaceAll('"@big"', BIG));
  const rows = [
    ["L1", "2025-01-01 00:00", a, "-0.7", c],
    ["L1", "2025-01-01 00:01", "0.0000000001", "1", "0"],
  ].map((row) => row.map((cell) => cell.replace(".", ",")));
  for (const name of ["rows.csv", "groups.csv"])
    writeFileSync(office.path(name), stringify([header, ...rows], { delimiter: ";" }));
  expect(await office.import("rows.csv", "groups.csv")).toMatchObject({ exitCode: 0, rows: { invalid: 0 } });

  const all = recorder.bodies.join("\n");
  const expected = {
    A: a,
    Sum: "123456789012345677.3123456789",
    Product: "-86419752308641974.60864197523",
    Tenth: "98765432.105",
    Quotient: "-176366841446208111.446208",
    Mixed: "-174189473044287672407407408.165",
    Least: "-0.7",
  };
  for (const [name, value] of Object.entries(expected)) expect(all).toContain(`{"name":"${name}","value":"${value}"`);
  // As a number of JSON: of a row, of a document and of a group.
  for (const member of [
    `"value":${a}`,
    '"difference":123456789012345678.7123456789',
    `"a":${a},`,
    `"big":${BIG}`,
    '"value":123456789012345678.012345679',
  ])
    expect(all).toContain(member);
});
