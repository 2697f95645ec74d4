/** Whatever stands in headers and cells, the draft loads, and nothing of it is taken for YAML or a formula (H35). */
import * as fc from "fast-check";
import { parse } from "yaml";
import { draftMapping, type GuessTable } from "../../src/guess/draft.js";
import { checkMapping } from "../../src/map/load-mapping.js";
import type { Row } from "../../src/model/row.js";
import { folder } from "../support/cli.world.js";
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { anyText, drawn } from "../support/sample.js";

function table(header: string[], cells: string[][], more: Partial<GuessTable> = {}): GuessTable {
  const sample = cells.map((row, index): Row => ({ number: index + 2, cells: row, kinds: null, problems: null }));
  const csv = {
    format: "csv",
    encoding: "utf-8",
    bom: false,
    delimiter: ";",
    quote: '"',
    escape: '"',
    lineEnding: "\n",
    compression: "none",
  } as const;
  return { file: "data.csv", sheet: null, header, headerRows: 1, dialect: csv, sample, endsEarly: false, ...more };
}

/** The mistakes of the drafted mapping; its text. */
async function loaded(...tables: GuessTable[]) {
  const { yaml } = draftMapping(tables);
  const path = join(folder(), "m.yaml");
  writeFileSync(path, yaml);
  const { problems } = await checkMapping(path);
  return { problems: problems.map(({ message, place }) => `${place.line}: ${message}`), yaml };
}

/** Orders that are told by their first column, in which the given headers and cells stand too. */
const orders = (headers: string[], cell: (row: number, column: number) => string) =>
  table(
    ["Pedido", "Data", "CNPJ", ...headers],
    Array.from({ length: 6 }, (_none, row) => [
      `P-${row}`,
      `${13 + row}/01/2026`,
      "11.222.333/0001-81",
      ...headers.map((_, column) => cell(row, column)),
    ]),
  );

describe("headers of all kinds", () => {
  const specials = [
    "a: b",
    "# x",
    "- y",
    "?",
    "[kg]",
    "{x}",
    "*a",
    "&a",
    "!b",
    "|",
    ">",
    "%",
    "@x",
    "`x`",
    "'",
    '"',
    "=1+1",
    "=HYPERLINK(1)",
    "＝x",
    "+1",
    "true",
    "null",
    "~",
    "1.10",
    "007",
    "no",
    "on",
    "\\",
    "\u0000",
    "\u001b[31m",
    "עברית",
    "\u202ereversed",
    "数量",
    "😀",
    "Peso (%)",
    "a,b",
    "<<",
    "__proto__",
    "constructor",
    "toString",
    "row",
    "file",
    "version",
    "in",
    "decide:",
    "x".repeat(300),
  ];

  it("are read as headers, whether their columns are used or not, and as words of an event", long, async () => {
    for (const cell of [(row: number, column: number) => `${column} ${row}`, () => ""]) {
      const { problems, yaml } = await loaded(orders(specials, cell));
      expect(problems).toEqual([]);
      const { inputs } = parse(yaml);
      const columns = Object.values<string | { header: string }>(inputs.data.columns);
      const headers = columns.map((one) => (typeof one === "string" ? one : one.header));
      expect(headers).toEqual(expect.arrayContaining(specials));
    }
    const words = table(
      ["Pedido", "Evento", "Data", "CNPJ"],
      specials.flatMap((word, at) =>
        ["x", word, "CLOSE"].map((event) => [`P-${at}`, event, `1${at % 9}/01/2026`, "11.222.333/0001-81"]),
      ),
    );
    expect((await loaded(words)).problems).toEqual([]);
  });

  it("hundreds of columns, and columns of one name", long, async () => {
    const wide = orders(
      Array.from({ length: 200 }, (_, at) => `Col ${at}`),
      (row, column) => String(row * column),
    );
    const { problems, yaml } = await loaded(wide);
    expect(problems).toEqual([]);
    expect(Object.keys(parse(yaml).inputs.data.columns)).toHaveLength(203);
    const twins = await loaded(
      orders(["Obs", "Obs", "OBS", "Obs ", "Obs 2", "obs_2"], (row, column) => `${row}${column}`),
    );
    expect(twins.problems).toEqual([]);
    expect(parse(twins.yaml).inputs.data.columns.obs).toEqual({ header: "Obs", nth: "1 of 3" });
  });

  it("blank headers and endless ones are said, column by column", async () => {
    const { problems, yaml } = await loaded(orders(["", "  ", "x".repeat(2000)], (row) => String(row)));
    expect(problems).toEqual([]);
    expect(yaml.match(/# column \d+ .*: it cannot be read/g)).toHaveLength(3);
  });
});

const word = fc.oneof(
  fc.constantFrom(
    "",
    "-",
    "CNPJ",
    "Data",
    "Evento",
    "Hora",
    "Nascimento",
    "CLOSE",
    "CANCEL",
    "RELATED",
    "Total",
    "__proto__",
    "=a",
    "# decide: x",
    "a: b",
    '"',
    "\u001b[31m",
  ),
  fc.constantFrom(
    "11.222.333/0001-81",
    "05/01/2025",
    "13/01/25",
    "08:30",
    "20250131",
    "1.200,5 kg",
    "1,234",
    "R$ 4,50",
    "true",
    "Sim",
    "2026-W03",
    "1e5",
  ),
  anyText(12),
);
const anyTable = fc
  .array(word, { minLength: 1, maxLength: 6 })
  .chain((header) =>
    fc
      .array(fc.array(word, { minLength: header.length, maxLength: header.length }), { maxLength: 12 })
      .map((cells) => table(header, cells, { file: "any.csv" })),
  );

it("whatever stands in a table, alone or beside others, its draft loads", long, async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, fc.boolean(), async (one, beside) => {
      const { problems, yaml } = await loaded(one, ...(beside ? [orders([], () => "")] : []));
      expect(problems).toEqual([]);
      expect(parse(yaml).draft === true).toBe(/^ *# decide: /m.test(yaml));
    }),
    { numRuns: drawn(20, 150) },
  );
});

it("whatever is answered, the draft loads, and what was answered is open no more", long, async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, fc.infiniteStream(fc.nat(9)), async (one, choices) => {
      const answers = new Map<string, number>();
      for (let asked = 0; asked < 20; asked++) {
        const { open } = draftMapping([one], { answers });
        const next = open.find(({ candidates }) => candidates.length > 1);
        if (next === undefined) break;
        answers.set(next.id, (choices.next().value ?? 0) % next.candidates.length);
        const { yaml, open: left } = draftMapping([one], { answers });
        expect(left.map(({ id }) => id)).not.toContain(next.id);
        const path = join(folder(), "m.yaml");
        writeFileSync(path, yaml);
        expect((await checkMapping(path)).problems.map(({ message }) => message)).toEqual([]);
      }
    }),
    { numRuns: drawn(5, 40) },
  );
});
