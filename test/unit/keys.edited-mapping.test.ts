/**
 * A file that was corrected in part, and comes again under an edited mapping (finding F11): what is told to be open is what the
 * rejected file holds, and the timelines have the corrected values and, of other rows, what the edited mapping makes of them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import type { Summary } from "../../src/model/summary.js";
import { type Office, openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const minute = (load: number) => `2026-01-01 10:${10 + load}`;
/** L1 and L2 are right, L3 to L10 are not. */
const source = [
  ["Load", "At", "Gross"],
  ...Array.from({ length: 10 }, (_, index) => [
    `L${index + 1}`,
    minute(index + 1),
    index < 2 ? `${index + 1}` : index < 7 ? "many" : "much",
  ]),
];

const edited = (gross: object, attributes: object = {}) => {
  const { events, columns, ...input } = weighings.inputs.weighings;
  const weighing = { ...events.weighing, attributes: { public: { Gross: "=gross", ...attributes } } };
  return {
    ...weighings,
    inputs: {
      weighings: { ...input, columns: { ...columns, gross: { ...columns.gross, ...gross } }, events: { weighing } },
    },
  };
};

/** Names and values of what stands on each load. */
const there = (office: Office) =>
  Object.fromEntries(
    office
      .documents()
      .map(({ events, externalId }) => [
        externalId,
        events.flatMap(({ body }) =>
          (body["metadata"] as { attributes: { name: string; value: string | number }[] }).attributes.map(
            ({ name, value }) => `${name}=${value}`,
          ),
        ),
      ]),
  );

const rejectedOf = ({ files }: Summary) => files.filter(({ kind }) => kind === "rejected").map(({ path }) => path);
const rowsOf = (path: string) => parse(readFileSync(path));

/** Writes these weights into the rows of the rejected file; of the others it keeps what was there, or drops them. */
function correct(office: Office, summary: Summary, weights: Record<string, string>, rest: "kept" | "dropped") {
  const [path = ""] = rejectedOf(summary);
  const [header = [], ...rows] = rowsOf(path);
  const own = rows.filter(([load = ""]) => rest === "kept" || load in weights);
  const mended = own.map(([load = "", at = "", gross = "", ...more]) => [load, at, weights[load] ?? gross, ...more]);
  writeFileSync(office.path("corrected.csv"), stringify([header, ...mended]));
  return "corrected.csv";
}

/** Whether all that is said of open rows is one number. */
async function expectOpen(office: Office, summary: Summary, open: readonly string[], changed: readonly string[] = []) {
  expect(summary.rows.read).toBe(
    summary.rows.skipped + summary.rows.invalid + summary.rows.known + summary.rows.staged,
  );
  const paths = rejectedOf(summary);
  const told = [...open, ...changed].toSorted();
  expect(paths).toHaveLength(told.length === 0 ? 0 : 1);
  expect(
    paths
      .flatMap((path) => rowsOf(path).slice(1))
      .map(([load = ""]) => load)
      .toSorted(),
  ).toEqual(told);
  const { out } = await office.type("status", "--json");
  const status = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as { open: { rows: number } };
  expect([summary.open.rows, status.open.rows]).toEqual([open.length, open.length]);
}

const loads = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `L${from + index}`);

interface Case {
  gross?: object;
  attributes?: object;
  rest?: "kept" | "dropped";
  /** Which are invalid after the edit. */
  open: string[];
  /** Which have landed with other content than the edited mapping gives: the rejected file has them as well. */
  changed?: string[];
  /** What stands on a load in the end, where it is not its number. */
  there?: Record<string, string[]>;
}

const seven = { L5: ["Gross=7"], L6: ["Gross=7"], L7: ["Gross=7"] };

test.each<[string, Case]>([
  ["no edit", { open: loads(5, 10) }],
  ["no edit, and the other rows left out of the correction", { rest: "dropped", open: loads(5, 10) }],
  ["an edit that changes nothing here", { gross: { units: { kg: 1, t: 1000 } }, open: loads(5, 10) }],
  [
    "a map that makes three rows valid",
    { gross: { map: { many: "7" }, otherwise: { keep: true } }, open: loads(8, 10), there: seven },
  ],
  [
    "the same, the others left out",
    { gross: { map: { many: "7" }, otherwise: { keep: true } }, rest: "dropped", open: loads(8, 10), there: seven },
  ],
  [
    "a map that makes all valid",
    {
      gross: { map: { many: "7", much: "8" }, otherwise: { keep: true } },
      open: [],
      there: { ...seven, L9: ["Gross=8"], L10: ["Gross=8"] },
    },
  ],
  [
    "one more attribute",
    {
      attributes: { Load: "=load" },
      open: loads(5, 10),
      changed: ["L1", "L2"],
      there: Object.fromEntries(loads(5, 10).map((load) => [load, [`Gross=${load.slice(1)}`, `Load=${load}`]])),
    },
  ],
])("%s", async (_name, { gross = {}, attributes, rest = "kept", open, changed = [], there: other = {} }) => {
  const office = openOffice(edited({}));
  const first = await office.brought("w.csv", source);
  await expectOpen(office, first, loads(3, 10));
  const second = await office.import(correct(office, first, { L3: "3", L4: "4" }, rest));
  await expectOpen(office, second, loads(5, 10));
  office.writeMapping(edited(gross, attributes));
  const third = await office.import("w.csv");
  await expectOpen(office, third, open, changed);
  const given = Object.fromEntries(open.map((load) => [load, load.slice(1)]));
  const last = open.length === 0 ? third : await office.import(correct(office, third, given, "kept"));
  await expectOpen(office, last, [], changed);
  expect(last.open.events).toEqual(changed.length === 0 ? {} : { changed: changed.length });
  const expected = Object.fromEntries(loads(1, 10).map((load) => [load, other[load] ?? [`Gross=${load.slice(1)}`]]));
  expect(there(office)).toEqual(expected);
});
