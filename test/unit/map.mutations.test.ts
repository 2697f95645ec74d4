/** Mappings with random slips of the pen: accepted, or refused with a place, and nothing else. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { compileMapping } from "../../src/map/compile-mapping.js";
import { mappingSchema } from "../../src/map/language/mapping-schema.js";
import { MappingSource } from "../../src/map/language/source.js";
import { parseWithSchema } from "../../src/map/language/schema-problems.js";
import { drawn } from "../support/sample.js";
import { workedMs } from "../support/cpu.js";

const mappings = fileURLToPath(new URL("../../mappings", import.meta.url));
const names = (await readdir(mappings)).filter((name) => name.endsWith(".yaml") && !name.endsWith(".cases.yaml"));
const texts = await Promise.all(names.map((name) => readFile(join(mappings, name), "utf8")));

const piece = fc.constantFrom(
  "",
  " ",
  ":",
  "{",
  "}",
  "[",
  "]",
  '"',
  "'",
  "- ",
  "\n",
  "\t",
  "&a ",
  "*a",
  "#",
  "null",
  "1",
  "true",
  "=",
  "header",
  "as",
  "when",
  "key",
  "ref",
  "value",
  "CANCEL",
  "__proto__",
  "é",
  "\u0000",
);
const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(12), piece });

it("a mapping with slips of the pen is accepted, or refused with the place of every mistake", () => {
  let tried = 0;
  let refused = 0;
  fc.assert(
    fc.property(fc.nat(texts.length - 1), fc.array(edit, { minLength: 1, maxLength: 3 }), (which, edits) => {
      let text = texts[which] ?? "";
      for (const { at, length, piece: inserted } of edits) {
        const position = Math.floor(at * text.length);
        text = text.slice(0, position) + inserted + text.slice(position + length);
      }
      const started = workedMs();
      const source = new MappingSource("m.yaml", text);
      const spec = source.problems.length > 0 ? undefined : parseWithSchema(mappingSchema, source.data, source);
      if (spec !== undefined) {
        compileMapping(spec, source, {
          tables: new Map(),
          functions: new Map(),
          functionsText: "",
          dependencies: [],
          tablePaths: [],
        });
      }
      expect(spec !== undefined || source.problems.length > 0).toBe(true);
      expect(workedMs() - started).toBeLessThan(1000);
      const lines = text.split("\n").length;
      for (const { place, message, excerpt } of source.problems) {
        expect(place.line).toBeLessThanOrEqual(lines);
        expect(place.line).toBeGreaterThanOrEqual(1);
        expect(message).not.toBe("");
        expect(excerpt).toMatch(/\n +\^$/u);
      }
      tried++;
      if (source.problems.length > 0) refused++;
    }),
    { numRuns: drawn(60, 250), seed: 11, interruptAfterTimeLimit: 8000, markInterruptAsFailure: false },
  );
  expect(refused).toBeGreaterThan((tried * 5) / 6);
});
