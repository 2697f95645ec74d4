/** What a folder or a pattern finds and no input reads stops no other file; named by itself it is a mistake (finding F96). */
import { mkdirSync, writeFileSync } from "node:fs";
import { openOffice } from "../support/office.js";
import { loads, weighingsWith } from "../support/weighings.js";

const source = weighingsWith({ files: "w-*.csv" });
const others: Record<string, string | Buffer> = {
  "README.txt": "hello\n",
  "x.csv": "a,b\n1,2\n",
  "empty.csv": "",
  "broken.xlsx": Buffer.from([0x50, 0x4b, 3, 4, 0]),
};

test.each(["inbox", "inbox/*"])(
  "%s holds what no input reads: the others are imported, and it is told",
  long,
  async (argument) => {
    const office = openOffice(source);
    mkdirSync(office.path("inbox"));
    office.writeCsv("inbox/w-1.csv", loads("L1 10 1"));
    for (const [name, content] of Object.entries(others)) writeFileSync(office.path(`inbox/${name}`), content);
    for (const command of ["import", "check"])
      expect(await office.type(command, "m.yaml", office.path(argument))).toMatchObject({
        code: 0,
        said: expect.stringContaining("4 files passed over, because no input of the mapping reads them:"),
      });
    expect(office.documents()).toHaveLength(1);
  },
);

test.each([
  ["README.txt", "check"],
  ["x.csv", "import"],
])("%s, named by itself or alone in its folder, is refused by %s", async (name, command) => {
  const office = openOffice(source);
  mkdirSync(office.path("inbox"));
  writeFileSync(office.path(`inbox/${name}`), others[name] ?? "");
  for (const argument of [`inbox/${name}`, "inbox"]) {
    const { code, said } = await office.type(command, "m.yaml", argument);
    expect([code, said], argument).toEqual([2, expect.stringContaining(name)]);
  }
});

test.each([
  ["w-1.csv", ""],
  ["w-1.csv", 'load;what\nL1;"open\n'],
  ["x.csv", "a,b\n1,2\n"],
])("of two files named %s the bad one is named with its folder", long, async (name, bad) => {
  const office = openOffice(weighingsWith({ files: "w-*" }));
  for (const folder of ["good", "bad"]) mkdirSync(office.path(folder));
  office.writeCsv(`good/w-1.csv`, loads("L1 10 1"));
  writeFileSync(office.path(`bad/${name}`), bad);
  for (const command of ["import", "plan", "check"])
    for (const argument of ["bad", `bad/${name}`, "bad/*"]) {
      const { code, said } = await office.type(command, "m.yaml", office.path("good"), office.path(argument));
      const before = said.split(name).slice(0, -1);
      expect([code > 0 || name === "x.csv", before.length > 0], said).toEqual([true, true]);
      for (const text of before) expect(text).toMatch(/(?:bad|good)\/$/);
    }
});
