/** Staging and planning take time in proportion to the rows, however they are spread and whatever they share (P8, P10). */
import { openOffice } from "../support/office.js";
import { weighings, weighingsWith } from "../support/weighings.js";
import { workedMs } from "../support/cpu.js";

const timeOf = (second: number) =>
  new Date(Date.UTC(2025, 0, 1) + second * 60_000).toISOString().slice(0, 16).replace("T", " ");
const row = (load: string, at: number, gross: number | string) => `${load},${timeOf(at)},${gross}`;
const opened = {
  opened: { name: "Opened", key: "once", externalCreatedAt: '=timestamp("2024-01-01 00:00")', isPublic: true },
};
const { weighing } = weighings.inputs.weighings.events;

const shapes: { [what: string]: { mapping: object; rows: (count: number) => string[] } } = {
  "documents that were not sent": {
    mapping: weighings,
    rows: (count) => Array.from({ length: count }, (_, at) => row(`L${at}`, at, 1)),
  },
  "rows of one document that share an event, half of them invalid": {
    mapping: weighingsWith({ events: { ...opened, weighing } }),
    rows: (count) => Array.from({ length: count }, (_, at) => row("L1", count - at, at % 2 === 0 ? "x" : at)),
  },
  "equal invalid rows": {
    mapping: weighings,
    rows: (count) => Array.from({ length: count }, () => row("L1", 1, "x")),
  },
  "rows that may be of any document, and hold all later ones": {
    mapping: { ...weighings, settings: { unplacedRows: "hold" } },
    rows: (count) => Array.from({ length: count }, (_, at) => row(at % 2 === 0 ? "" : `L${at}`, at, 1)),
  },
};

it.each(Object.keys(shapes))(
  "%s: twice as many take twice the time, also on the next night",
  { tags: "long" },
  async (what) => {
    const { mapping, rows } = shapes[what] as (typeof shapes)[string];
    /** By the plan of the next night's file, which has one more row. */
    const spent = async (count: number) => {
      const office = openOffice(mapping);
      const write = (rowsThen: number) => office.writeCsv("w.csv", ["Load,At,Gross", ...rows(rowsThen)]);
      write(count);
      await office.type("import", "m.yaml", "w.csv", "--limit", "1");
      write(count + 1);
      const begun = workedMs();
      await office.type("plan", "m.yaml", "w.csv");
      return workedMs() - begun;
    };
    const few = await spent(400);
    expect(await spent(4000)).toBeLessThan(15 * few);
  },
);
