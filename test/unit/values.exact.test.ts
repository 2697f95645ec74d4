/**
 * No digit of a number is lost or made up between a cell and the body that is sent (F2, F77): random numbers of up to 28
 * digits, through columns, formulas, sums and JSON, against rationals of the test's own. Files in, texts of bodies out.
 */
import { writeFileSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import * as fc from "fast-check";
import { mapping } from "../support/mapping.js";
import { openOffice } from "../support/office.js";
import { startRecorder } from "../support/recorder.js";
import { parties } from "../support/weighings.js";
import { drawn } from "../support/sample.js";

const ROWS = Number(process.env["ROWFERRY_VALUE_ROWS"] ?? drawn(20, 100));

/** A rational number, its bottom positive. */
interface Ratio {
  top: bigint;
  bottom: bigint;
}

const of = (text: string) => {
  const [whole = "", fraction = ""] = text.replace(",", ".").split(".");
  return { top: BigInt(whole + fraction), bottom: 10n ** BigInt(fraction.length) };
};
const plus = (a: Ratio, b: Ratio) => ({ top: a.top * b.bottom + b.top * a.bottom, bottom: a.bottom * b.bottom });
const times = (a: Ratio, b: Ratio) => ({ top: a.top * b.top, bottom: a.bottom * b.bottom });
const minus = (a: Ratio, b: Ratio) => plus(a, { top: -b.top, bottom: b.bottom });
const over = (a: Ratio, b: Ratio) => {
  const bottom = a.bottom * b.top;
  return bottom < 0n ? { top: -a.top * b.bottom, bottom: -bottom } : { top: a.top * b.bottom, bottom };
};
/** With so many places, halves away from zero, without superfluous zeros. */
const written = ({ top, bottom }: Ratio, places: number) => {
  const scaled = (top < 0n ? -top : top) * 10n ** BigInt(places);
  const digits = String((2n * scaled + bottom) / (2n * bottom)).padStart(places + 1, "0");
  const text = `${digits.slice(0, digits.length - places)}.${digits.slice(digits.length - places)}`.replace(
    /\.?0+$/,
    "",
  );
  return `${top < 0n && text !== "0" ? "-" : ""}${text}`;
};
/** All of its digits; it has an end. */
const plain = (ratio: Ratio) => written(ratio, 60);

const number = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 10n ** 18n }),
    fc.bigInt({ min: 0n, max: 10n ** 10n - 1n }),
    fc.nat(10),
    fc.boolean(),
  )
  .map(([whole, fraction, places, negative]) => {
    const digits = String(fraction).padStart(10, "0").slice(0, places);
    return `${negative && (whole > 0n || /[1-9]/.test(digits)) ? "-" : ""}${whole}${digits === "" ? "" : `,${digits}`}`;
  });
const row = fc.record({ a: number, b: number.filter((text) => /[1-9]/.test(text)), c: number });

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
              Difference: "=a - b",
              Product: "=a * b",
              Triple: "=a * 3",
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
          attributes: { public: { Sum: "=sum(a)", Least: "=min(a)", Most: "=max(a)" } },
          value: "=sum(a)",
        },
      },
    },
  },
};

/** The texts that stand behind a member's name, numbers as they are written and texts without their quotes. */
const members = (body: string, name: string) =>
  [...body.matchAll(new RegExp(`"${name}":"?(-?[0-9.eE+]+)"?[,}]`, "g"))].map(([, text]) => text);
const attribute = (body: string, name: string) =>
  [...body.matchAll(new RegExp(`\\{"name":"${name}","value":"([^"]*)"`, "g"))].map(([, text]) => text);

test("every digit of every number arrives, and none that nobody wrote", async () => {
  const rows = fc.sample(row, { numRuns: ROWS, seed: 77 });
  const recorder = await startRecorder();
  const office = openOffice(source);
  office.world.env = recorder.envFor(office.path("ledger.db"));
  // A literal of the mapping with more digits than the double that YAML would make of it.
  writeFileSync(office.path("m.yaml"), mapping(source).replaceAll('"@big"', BIG));
  const at = (position: number) =>
    `2025-01-01 ${String(Math.floor(position / 60)).padStart(2, "0")}:${String(position % 60).padStart(2, "0")}`;
  const header = ["Id", "At", "A", "B", "C"];
  const lines = rows.map(({ a, b, c }, position) => [`L${Math.floor(position / 20)}`, at(position % 1200), a, b, c]);
  for (const name of ["rows.csv", "groups.csv"])
    writeFileSync(office.path(name), stringify([header, ...lines], { delimiter: ";" }));
  expect(await office.import("rows.csv", "groups.csv")).toMatchObject({ exitCode: 0, rows: { invalid: 0 } });

  const all = recorder.bodies.join("\n");
  const sorted = (texts: readonly (string | undefined)[]) =>
    texts.map(String).toSorted((one, other) => (one < other ? -1 : 1));
  const each = (value: (a: Ratio, b: Ratio, c: Ratio) => string) =>
    rows.map(({ a, b, c }) => value(of(a), of(b), of(c)));
  expect(sorted(attribute(all, "A"))).toEqual(sorted(each((a) => plain(a))));
  const ofRows = recorder.bodies.filter((body) => body.includes('"Numbers"')).join("\n");
  const ofGroups = recorder.bodies.filter((body) => body.includes('"Sums"')).join("\n");
  const expected: { [name: string]: string[] } = {
    Sum: each((a, b) => plain(plus(a, b))),
    Difference: each((a, b) => plain(minus(a, b))),
    Product: each((a, b) => plain(times(a, b))),
    Triple: each((a) => plain(times(a, of("3")))),
    Tenth: each((_a, _b, c) => plain(times(c, of("0.1")))),
    Quotient: each((a, b) => written(over(a, b), 6)),
    Mixed: each((a, b, c) => written(minus(times(over(a, b), c), of("1.005")), 3)),
    Least: each((a, b) => plain(minus(a, b).top < 0n ? a : b)),
  };
  for (const [name, texts] of Object.entries(expected))
    expect([name, sorted(attribute(ofRows, name))]).toEqual([name, sorted(texts)]);
  expect(sorted(members(ofRows, "difference"))).toEqual(sorted(expected["Difference"] ?? []));
  expect(sorted(members(ofRows.replaceAll(/\{"name":"[^"]*","value":/g, ""), "value"))).toEqual(
    sorted(each((a) => plain(a))),
  );
  expect(new Set(members(all, "big"))).toEqual(new Set([BIG]));

  const groups = Map.groupBy(
    rows.map(({ a }, position) => [Math.floor(position / 20), of(a)] as const),
    ([group]) => group,
  );
  const sums = [...groups.values()].map((group) => plain(group.reduce((sum, [, a]) => plus(sum, a), of("0"))));
  expect(sorted(attribute(ofGroups, "Sum"))).toEqual(sorted(sums));
});
