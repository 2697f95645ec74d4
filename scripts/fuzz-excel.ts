/**
 * Mutates the Excel fixtures (their XML, their zips, single bytes) and reads what comes out: rows, or a
 * `RowferryError`; never another error, a hang or unbounded memory.
 * `tsx scripts/fuzz-excel.ts [--seconds 60] [--seed 1]`; what fails is kept and named.
 */
import type { Random } from "../src/model/clock.js";
import type { ReadOptions } from "../src/model/dialect.js";
import { excelFixtureEntries, excelFixtures } from "../test/support/read/read-excel-fixture.js";
import { entryText, writeZip, type ZipEntry } from "../test/support/read/write-zip.js";
import { type FuzzCase, fuzzFromCommandLine, pick } from "./fuzz-reading.js";

/** One a line, as far as they hold no line break; `\0` and `\ufeff` stand for the characters. */
const SPICES = String.raw`
<c r="ZZZ9"><v>1</v></c>
<row r="1048576"/>
<c r="A1" t="s"><v>99</v></c>
<c t="e"><v/></c>
<v>1e308</v>
<is><t> x</t></is>
<mergeCell ref="A1:XFD1048576"/>
<col min="1" max="16384" hidden="1"/>
<!-- -->
<![CDATA[<c>]]>
&amp;
&#xFFFF;
&x;
]]>
<!DOCTYPE a [<!ENTITY x "y">]>
_x0000_
😀
\ufeff
\0
<
>
"
/
9
-
E+999
NaN
 r="0"
 t="d"
 s="9999"
 hidden="1"
 xmlns="urn:x"
x:
../
\
%2e%2e/
General;
[h]
`
  .trim()
  .split("\n")
  .map((spice) => spice.replace("\\ufeff", "\ufeff").replace("\\0", "\0"));

/** The fixtures' parts, to be mutated. */
export function excelSeeds(): ZipEntry[][] {
  return excelFixtures().map(({ name }) => excelFixtureEntries(name));
}

/** A case made from one seed by changes to its parts, to its zip, or to both, with options that may not fit it. */
export async function mutated(seeds: readonly ZipEntry[][], random: Random): Promise<FuzzCase> {
  let entries = pick(seeds, random);
  const changes = random() < 0.2 ? 0 : 1 + Math.floor(random() * 2);
  for (let change = 0; change < changes; change++) entries = changedParts(entries, random);
  let bytes = await writeZip(entries);
  if (changes === 0 || random() < 0.2) bytes = changedBytes(bytes, random);
  const options: ReadOptions = {};
  if (random() < 0.3) options.header = pick(["none", 1, 2, [1, 2], 9], random);
  if (random() < 0.3)
    options.excel = pick([{ hidden: "read" }, { fillMerged: true }, { sheet: 1 }, { sheet: "S*" }], random);
  return { name: "input.xlsx", bytes, options };
}

function changedParts(entries: readonly ZipEntry[], random: Random): ZipEntry[] {
  const at = Math.floor(random() * entries.length);
  const entry = entries[at] as ZipEntry;
  switch (Math.floor(random() * 8)) {
    case 0:
      return entries.filter((_, index) => index !== at);
    case 1:
      return [...entries, pick(entries, random)];
    case 2:
      return entries.with(at, { ...entry, ...pick([{ stored: true }, { descriptor: true }, { zip64: true }], random) });
    case 3:
      return entries.with(at, {
        ...entry,
        claims: { [pick(["crc", "size", "packed", "flags", "method"], random)]: Math.floor(random() * 65_536) },
      });
    default:
      return entries.with(at, { ...entry, data: changedText(entryText(entry), random) });
  }
}

function changedText(text: string, random: Random): string {
  const at = Math.floor(random() * (text.length + 1));
  const to = Math.min(text.length, at + Math.floor(random() * 30));
  switch (Math.floor(random() * 5)) {
    case 0:
      return text.slice(0, at) + pick(SPICES, random) + text.slice(at);
    case 1:
      return text.slice(0, at) + pick(SPICES, random) + text.slice(to);
    case 2:
      return text.slice(0, at) + text.slice(to);
    case 3: {
      const numbers = [...text.matchAll(/\d+/g)];
      if (numbers.length === 0) return text;
      const found = pick(numbers, random);
      return (
        text.slice(0, found.index) +
        pick(["0", "-1", "16384", "1048577", "99999999999", ""], random) +
        text.slice(found.index + found[0].length)
      );
    }
    default: {
      // Between tags, so that much of what comes out is well-formed.
      const start = text.indexOf("<", at);
      const end = text.indexOf("<", start + 1 + Math.floor(random() * 60));
      return start === -1 || end === -1
        ? text
        : text.slice(0, end) + text.slice(start, end).repeat(Math.floor(random() * 50)) + text.slice(end);
    }
  }
}

function changedBytes(bytes: Buffer, random: Random): Buffer {
  const at = Math.floor(random() * bytes.length);
  switch (Math.floor(random() * 4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + Math.floor(random() * 20))]);
    case 2:
      return Buffer.concat([bytes, Buffer.alloc(Math.floor(random() * 50), 1)]);
    default: {
      const flipped = Buffer.from(bytes);
      flipped[at] = Math.floor(random() * 256);
      return flipped;
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const seeds = excelSeeds();
  await fuzzFromCommandLine("excel", (random) => mutated(seeds, random));
}
