/** docs/explanation/reliability.md names a test for every hard case, and a test named there cites the case in a title. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/explanation/reliability.md"), "utf8");
const short: Record<string, string> = Object.fromEntries(
  [...page.matchAll(/`([A-Z])` is `(test\/[^`]+)`/g)].map(([, letter = "", file = ""]) => [letter, file]),
);

/** By number: the files that the table names. */
const table = new Map(
  [...page.matchAll(/^\| (H[\d, H]+) \| (.+) \|$/gm)].flatMap(([, cases = "", shown = ""]) => {
    const files = [...shown.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file);
    const letters = [...shown.matchAll(/(?:^|[ ;])([A-Z]) ›/g)].map(([, letter = ""]) => short[letter] ?? letter);
    return [...cases.matchAll(/\d+/g)].map(([number]) => [Number(number), [...letters, ...files]] as const);
  }),
);

/** `H2, H3`, `H29–H32` and `H14` as numbers, of every title and first line of a file. */
function cited(file: string): Set<number> {
  const text = readFileSync(join(root, file), "utf8");
  const titles = /\b(describe|test|it)(\.each)?\(|^\s*\]\)?\)?\("/;
  const lines = text.split("\n").filter((line, index) => index < 4 || titles.test(line));
  const numbers = new Set<number>();
  for (const [, from = "", to] of lines.join("\n").matchAll(/\bH(\d{1,2})(?:–H(\d{1,2}))?/g)) {
    for (let number = Number(from); number <= Number(to ?? from); number += 1) numbers.add(number);
  }
  return numbers;
}

describe("the hard cases", () => {
  it("have a row each, and no other", () => {
    expect([...table.keys()].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
  });

  it.each([...table])("H%i is cited by a test that the row names", (number, files) => {
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    expect(
      files.some((file) => cited(file).has(number)),
      files.join(", "),
    ).toBe(true);
  });
});
