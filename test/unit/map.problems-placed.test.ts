/** A problem of a formula keeps the code of what failed, and names the columns that it reads, one or several (finding F27). */
import { readFileSync } from "node:fs";
import { openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const row = { Load: "L1", At: "2026-01-01 10:00", Net: "5", Boxes: "2", Day: "2026-01-01", Hour: "10:00" };
const { events, columns, ...input } = weighings.inputs.weighings;
const mappingOf = (formula: string) => ({
  ...weighings,
  inputs: {
    weighings: {
      ...input,
      columns: {
        load: "Load",
        at: columns.at,
        net: { header: "Net", as: "number" },
        boxes: { header: "Boxes", as: "number" },
        day: "Day",
        hour: "Hour",
      },
      events: { weighing: { ...events.weighing, attributes: { public: { Value: formula } } } },
    },
  },
});

test.each<[formula: string, cells: Partial<typeof row>, code: string, named: string[]]>([
  ["=round(1 / boxes, 2)", { Boxes: "0" }, "expression-failed", ["Boxes"]],
  ["=round(net / boxes, 2)", { Boxes: "0" }, "expression-failed", ["Net", "Boxes"]],
  ["=fixed(net * boxes, 0)", { Net: "0.5", Boxes: "0.5" }, "number-range", ["Net", "Boxes"]],
  ['=timestamp(day + " " + hour)', { Hour: "25:99" }, "date-impossible", ["Day", "Hour"]],
  ["=number(day + hour)", {}, "number-unreadable", ["Day", "Hour"]],
  ["=taxId(day + hour + load)", {}, "tax-id-invalid", ["Day", "Hour", "Load"]],
])("%s of %o is %s of its columns", async (formula, cells, code, named) => {
  const office = openOffice(mappingOf(formula));
  const given = { ...row, ...cells };
  const summary = await office.brought("w.csv", [Object.keys(row), Object.values(given)]);
  expect(summary.problems).toMatchObject([{ code, count: 1 }]);
  const [file] = summary.files.filter(({ kind }) => kind === "rejected");
  const rejected = readFileSync(file?.path ?? "", "utf8");
  expect(rejected).toContain(code);
  expect(rejected).toContain(named.length === 1 ? `${named[0]}: ` : `(columns ${named.join(" · ")})`);
});
