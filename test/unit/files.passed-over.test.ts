/** What a folder or a pattern finds and no input reads stops no other file; named by itself it is a mistake (finding F96). */
import { mkdirSync, writeFileSync } from "node:fs";
import { openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const source = { ...weighings, inputs: { weighings: { ...weighings.inputs.weighings, files: "w-*.csv" } } };
const others: Record<string, string | Buffer> = {
  "README.txt": "hello\n",
  "x.csv": "a,b\n1,2\n",
  "empty.csv": "",
  "broken.xlsx": Buffer.from([0x50, 0x4b, 3, 4, 0]),
};

test.each(["inbox", "inbox/*"])(
  "%s holds what no input reads: the others are imported, and it is told",
  async (argument) => {
    const office = openOffice(source);
    mkdirSync(office.path("inbox"));
    office.writeCsv("inbox/w-1.csv", ["Load,At,Gross", "L1,2026-01-01 10:10,1"]);
    for (const [name, content] of Object.entries(others)) writeFileSync(office.path(`inbox/${name}`), content);
    const { code, out, err } = await office.type("import", office.path("m.yaml"), office.path(argument));
    expect([code, office.documents().length], out + err).toEqual([0, 1]);
    const passed = "4 files passed over, which no input of the mapping reads:";
    expect((out + err).replaceAll(/\s+/g, " ")).toContain(passed);
    const check = await office.type("check", office.path("m.yaml"), office.path(argument));
    expect([check.code, (check.out + check.err).replaceAll(/\s+/g, " ")]).toEqual([0, expect.stringContaining(passed)]);
  },
);

test.each(["README.txt", "x.csv", "empty.csv"])(
  "%s, named by itself or alone in its folder, is refused",
  async (name) => {
    const office = openOffice(source);
    mkdirSync(office.path("inbox"));
    writeFileSync(office.path(`inbox/${name}`), others[name] ?? "");
    for (const argument of [`inbox/${name}`, "inbox"]) {
      for (const command of ["import", "check"]) {
        const { code, out, err } = await office.type(command, office.path("m.yaml"), office.path(argument));
        expect([code, out + err], `${command} ${argument}`).toEqual([2, expect.stringContaining(name)]);
      }
    }
  },
);
