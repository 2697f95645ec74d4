/**
 * Mutates the CSV fixtures and reads what comes out: rows, or a `RowferryError`; never another error, a hang or
 * unbounded memory. `tsx scripts/fuzz-csv.ts [--seconds 60] [--seed 1]`; what fails is kept and named.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../src/model/clock.js";
import type { ReadOptions } from "../src/model/dialect.js";
import { type FuzzCase, fuzzFromCommandLine, pick } from "./fuzz-reading.js";

const SPICES = [
  '"',
  "'",
  ",",
  ";",
  "\t",
  "\n",
  "\r",
  "\r\n",
  '""',
  "\\",
  "\0",
  "\x1a",
  "\ufeff",
  "é",
  "😀",
  "sep=;\n",
  "__proto__",
].map((text) => Buffer.from(text));
const BYTES = [
  Buffer.from([0xff]),
  Buffer.from([0xe3]),
  Buffer.from([0xc3]),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0x1f, 0x8b, 8]),
];

/** The fixtures' inputs, to be mutated; but for Office files, which could become workbooks. */
export function csvSeeds(folder: string): FuzzCase[] {
  const cases = readdirSync(folder).map((name) => {
    const file = readdirSync(join(folder, name)).find((entry) => entry !== "expected.json") ?? "";
    return { name: file, bytes: readFileSync(join(folder, name, file)), options: {} };
  });
  return cases.filter(({ name }) => !/\.(docx|xlsb|ods)$/.test(name));
}

/** A case made from one or two seeds by one to four changes, with options that may not fit it. */
export function mutated(seeds: readonly FuzzCase[], random: Random): FuzzCase {
  const seed = pick(seeds, random);
  let bytes = seed.bytes;
  for (let change = 0; change <= random() * 4; change++) bytes = changed(bytes, seeds, random);
  const options: ReadOptions = {};
  if (random() < 0.2) options.header = pick(["none", 1, 2, [1, 2], 9], random);
  if (random() < 0.2)
    options.csv = pick(
      [{ quote: null }, { delimiter: "||" }, { escape: "\\" }, { encoding: "utf-16le" }, { encoding: "windows-1252" }],
      random,
    );
  return { name: seed.name, bytes, options };
}

function changed(bytes: Buffer, seeds: readonly FuzzCase[], random: Random): Buffer {
  const at = Math.floor(random() * (bytes.length + 1));
  const to = Math.min(bytes.length, at + Math.floor(random() * 20));
  const before = bytes.subarray(0, at);
  switch (Math.floor(random() * 7)) {
    case 0:
      return Buffer.concat([before, pick(SPICES, random), bytes.subarray(at)]);
    case 1:
      return Buffer.concat([before, pick(BYTES, random), bytes.subarray(to)]);
    case 2:
      return before;
    case 3:
      return Buffer.concat([before, bytes.subarray(to)]);
    case 4:
      return Buffer.concat([before, pick(seeds, random).bytes.subarray(0, 4096)]);
    case 5: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = Math.floor(random() * 256);
      return flipped;
    }
    default: {
      const piece = bytes.subarray(at, to);
      return Buffer.concat([
        before,
        ...Array.from({ length: Math.floor(random() * 200) }, () => piece),
        bytes.subarray(at),
      ]);
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const seeds = csvSeeds(join(import.meta.dirname, "../fixtures/read-csv"));
  await fuzzFromCommandLine("csv", (random) => mutated(seeds, random));
}
