/**
 * A file that was corrected in part, and comes again under an edited mapping (finding F11): what is told to be open is what the
 * rejected file holds, and the timelines have the corrected values and, of other rows, what the edited mapping makes of them.
 */
import type { Summary } from "../../src/model/summary.js";
import { type Office, openOffice } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loads, weighings, weighingsWith } from "../support/weighings.js";

const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `L${from + index}`);
/** L1 and L2 are right, L3 to L10 are not. */
const source = loads(
  "L1 11 1",
  "L2 12 2",
  ...names(3, 7).map((load) => `${load} 20 many`),
  ...names(8, 10).map((load) => `${load} 20 much`),
);

const edited = (gross: object, attributes: object = {}) =>
  weighingsWith({
    columns: { gross: { ...weighings.inputs.weighings.columns.gross, ...gross } },
    event: { attributes: { public: { Gross: "=gross", ...attributes } } },
  });

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

/** Imports the rejected file with these weights in its rows; of the others it keeps what was there, or drops them. */
function correct(office: Office, summary: Summary, weights: Record<string, string>, rest: "kept" | "dropped") {
  const [header = [], ...rows] = office.rejectedRows(summary);
  const own = rows.filter(([load = ""]) => rest === "kept" || load in weights);
  const mended = own.map(([load = "", at = "", gross = "", ...more]) => [load, at, weights[load] ?? gross, ...more]);
  return office.brought("corrected.csv", [header, ...mended]);
}

/** Whether all that is said of open rows is one number. */
async function expectOpen(office: Office, summary: Summary, open: readonly string[], changed: readonly string[] = []) {
  expect(summary.rows.read).toBe(
    summary.rows.skipped + summary.rows.invalid + summary.rows.known + summary.rows.staged,
  );
  const told = [...open, ...changed].toSorted();
  const isWritten = summary.files.some(({ kind }) => kind === "rejected");
  const [, ...rows] = isWritten ? office.rejectedRows(summary) : [];
  expect(rows.map(([load = ""]) => load).toSorted()).toEqual(told);
  const { out } = await office.type("status", "--json");
  const status = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as { open: { rows: number } };
  expect([summary.open.rows, status.open.rows]).toEqual([open.length, open.length]);
}

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

const cases: [name: string, edit: Case][] = [
  ["no edit, and the other rows left out of the correction", { rest: "dropped", open: names(5, 10) }],
  ["an edit that changes nothing here", { gross: { units: { kg: 1, t: 1000 } }, open: names(5, 10) }],
  [
    "a map that makes three rows valid",
    { gross: { map: { many: "7" }, otherwise: { keep: true } }, open: names(8, 10), there: seven },
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
      open: names(5, 10),
      changed: ["L1", "L2"],
      there: Object.fromEntries(names(5, 10).map((load) => [load, [`Gross=${load.slice(1)}`, `Load=${load}`]])),
    },
  ],
];

test.each(sampled(cases, 5, 1))(
  "%s",
  async (_name, { gross = {}, attributes, rest = "kept", open, changed = [], there: other = {} }) => {
    const office = openOffice(edited({}));
    const first = await office.brought("w.csv", source);
    await expectOpen(office, first, names(3, 10));
    const second = await correct(office, first, { L3: "3", L4: "4" }, rest);
    await expectOpen(office, second, names(5, 10));
    office.writeMapping(edited(gross, attributes));
    const third = await office.import("w.csv");
    await expectOpen(office, third, open, changed);
    const given = Object.fromEntries(open.map((load) => [load, load.slice(1)]));
    const last = open.length === 0 ? third : await correct(office, third, given, "kept");
    await expectOpen(office, last, [], changed);
    expect(last.open.events).toEqual(changed.length === 0 ? {} : { changed: changed.length });
    const expected = Object.fromEntries(names(1, 10).map((load) => [load, other[load] ?? [`Gross=${load.slice(1)}`]]));
    expect(there(office)).toEqual(expected);
  },
);
