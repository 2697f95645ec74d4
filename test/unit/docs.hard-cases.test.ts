/**
 * docs/reference/tests.md names a test for every promise and every hard case, and a test named there cites it in a title or
 * at its top. Whatever else the page names is there: files, families of tests, and titles behind `›`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { safeguards } from "../nights/simulation/without.js";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/reference/tests.md"), "utf8");
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const short: Record<string, string> = Object.fromEntries(
  [...page.matchAll(/`([A-Z])` is `(test\/[^`]+)`/g)].map(([, letter = "", file = ""]) => [letter, file]),
);
/** Of a cell: each file that it names, by path or by letter, with what stands behind `›` there. */
const named = (cell: string) =>
  [...cell.matchAll(/(?:`(test\/[^`]+\.ts)`|(?:^|[ ;])([A-Z])(?= ›))(?: › ([^;|…(]+))?/g)].map(
    ([, path, letter = "", title = ""]) => ({ file: path ?? short[letter] ?? letter, title: title.trim() }),
  );

const rows = [...page.matchAll(/^\| ((?:P\d+|H\d+)(?:, H\d+)*) \| (.+) \|$/gm)].flatMap(([, cases = "", shown = ""]) =>
  cases.split(", ").map((one) => [one, named(shown).map(({ file }) => file)] as const),
);

/** `H2, H3`, `H29–H32`, `P1–P5` and `H14` one by one, of every title and of the first lines of a file. */
function cited(file: string) {
  const titles = /\b(describe|test|it)(\.each)?\(|^\s*\]\)?\)?\("/;
  // A long title stands on the line below its `it(`.
  const lines = textOf(file)
    .replaceAll(/\(\n +"/g, '("')
    .split("\n")
    .filter((line, index) => index < 4 || titles.test(line));
  const found = new Set<string>();
  for (const [, kind, from = "", to] of lines.join("\n").matchAll(/\b([PH])(\d{1,2})(?:–\1(\d{1,2}))?/g)) {
    for (let number = Number(from); number <= Number(to ?? from); number += 1) found.add(`${kind}${number}`);
  }
  return found;
}

const upTo = (last: number, letter: string) => Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);

describe("the promises and the hard cases", () => {
  it("have a row each, and no other", () => {
    expect(rows.map(([one]) => one)).toEqual([...upTo(11, "P"), ...upTo(45, "H")]);
  });

  it.each(rows)("%s is cited by a test that the row names", (one, files) => {
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(
      files.some((file) => cited(file).has(one)),
      files.join(", "),
    ).toBe(true);
  });
});

describe("what the page names is there", () => {
  it("files", () => {
    const files = [...page.matchAll(/`(test\/[^`\s]+)`/g)].map(([, file = ""]) => file);
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("titles", () => {
    const titles = page
      .split("\n")
      .flatMap((line) => named(line))
      .flatMap(({ file, title }) => title.split(" › ").map((part) => ({ file, title: part })))
      .filter(({ title }) => title !== "");
    expect(titles.length).toBeGreaterThan(25);
    expect(titles.filter(({ file, title }) => !textOf(file).replaceAll("\\", "").includes(title))).toEqual([]);
  });

  it("families of test/unit, each in the row that says what it tries, and no other", () => {
    const table = /## Where to look(.+?)\n## /s.exec(page)?.[1] ?? "";
    const rowsOf = table.split("\n").filter((line) => line.startsWith("| `"));
    const families = rowsOf.flatMap((line) => line.split(" | ")[0]?.match(/[a-z-]+(?=`)/g) ?? []);
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".ts"));
    const there = new Set(files.map((name) => name.replace(/\..*/, "")));
    expect(families.toSorted()).toEqual([...there].toSorted());
  });

  it("safeguards, each with its row", () => {
    const table = /## Safeguards(.+?)\n## /s.exec(page)?.[1] ?? "";
    const names = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name = ""]) => name);
    expect(names.toSorted()).toEqual(Object.keys(safeguards).toSorted());
  });
});
