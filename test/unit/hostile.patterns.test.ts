/** No regular expression of src takes super-linear time, whatever text it meets (P10, F60). */
import { globSync, readFileSync } from "node:fs";
import { parseAst } from "vitest/node";
import { check } from "recheck";
import { conversionNames, conversions } from "../../src/map/convert/conversion.js";
import { sampled } from "../support/sample.js";
import { testWorld, type } from "../support/cli.world.js";

/** Composed when a mapping loads, from a date format's own pieces; it meets texts of at most 100 characters. */
const composed = ["src/map/convert/dates.ts: new RegExp"];

interface Pattern {
  place: string;
  /** Null: composed at run time, so that nobody can judge it here. */
  source: string | null;
  flags: string;
}

interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === "string";

function nodesIn(value: unknown): Node[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(isNode(value) ? [value] : []), ...Object.values(value).flatMap(nodesIn)];
}

/** What a call compiles: `new RegExp(…)`, `RegExp(…)`, and `text.match("…")`, which does so silently. */
function compiledBy(node: Node): Node | null {
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return null;
  const callee = node["callee"] as Node;
  const [first] = node["arguments"] as Node[];
  if (callee["name"] === "RegExp") return first ?? null;
  const method = (callee["property"] as Node | undefined)?.["name"];
  const compiles = ["match", "matchAll", "search"].includes(String(method));
  return compiles && ["Literal", "TemplateLiteral"].includes(first?.type ?? "") ? (first ?? null) : null;
}

function patternsOf(path: string, code: string): Pattern[] {
  return nodesIn(parseAst(code, { lang: "ts" })).flatMap((node): Pattern[] => {
    const line = code.slice(0, node.start).split("\n").length;
    const regex = node["regex"] as { pattern: string; flags: string } | undefined;
    if (regex !== undefined) return [{ place: `${path}:${line}`, source: regex.pattern, flags: regex.flags }];
    const given = compiledBy(node);
    if (given === null || given["regex"] !== undefined) return [];
    if (typeof given["value"] === "string") return [{ place: `${path}:${line}`, source: given["value"], flags: "" }];
    // `other.source` is a pattern that is judged where it stands.
    if ((given["property"] as Node | undefined)?.["name"] === "source") return [];
    return [{ place: `${path}: new RegExp`, source: null, flags: "" }];
  });
}

/** Attacks that were found by trying are timed, and on a busy machine a harmless one takes long: then it is tried again. */
async function soundly(judged: () => ReturnType<typeof check>) {
  let verdict = await judged();
  for (let more = 0; more < 5 && verdict.status === "vulnerable" && verdict.checker === "fuzz"; more += 1)
    verdict = await judged();
  return verdict;
}

/** A sentence for each pattern that is not linear. */
async function judge({ place, source, flags }: Pattern) {
  if (source === null) return composed.includes(place) ? [] : [`${place} is composed at run time`];
  const verdict = await soundly(() => check(source, flags, { timeout: 60_000 }));
  if (verdict.status === "safe") return [];
  const why = verdict.status === "vulnerable" ? verdict.complexity.summary : verdict.error.kind;
  return [`${place} /${source}/${flags} is ${why}`];
}

describe("no pattern that backtracks super-linearly meets text from outside", () => {
  it("every regular expression of src takes time proportional to the text", {
    timeout: 300_000,
    tags: ["long"],
  }, async () => {
    const patterns = globSync("src/**/*.ts").flatMap((path) => patternsOf(path, readFileSync(path, "utf8")));
    expect(patterns.length).toBeGreaterThan(200);
    const each = new Map(patterns.map((pattern) => [`${pattern.source}/${pattern.flags}`, pattern]));
    const found: string[] = [];
    for (const pattern of each.values()) found.push(...(await judge(pattern)));
    expect(found).toEqual([]);
  });

  it.each([
    ["exponential", "const x = /^(a+)+$/;"],
    ["a polynomial of two quantifiers", "const x = /a+.*a+b/;"],
    ["a polynomial of many starts", 'const x: string = "".replace(/0+$/, "");'],
    ["given to new RegExp as a text", 'const x = new RegExp("^(a|a)*$");'],
    ["given to match() as a text", 'const x = "".match("^(a+)+$");'],
    ["composed", "const x = (part: string) => new RegExp(`^${part}$`);"],
  ])("the check finds a pattern that is %s", long, async (_, code) => {
    expect((await Promise.all(patternsOf("x.ts", code).map(judge))).flat()).toHaveLength(1);
  });
});

/** Long runs of what patterns repeat, with an end that makes them fail. */
const runs = [
  "\t",
  " ",
  "0",
  "1 ",
  "1.",
  "1,",
  "'",
  "(",
  "A (",
  "a-",
  '"',
  "\\\\",
  "é",
  "e1",
  "/",
  "01/",
  "a@",
  "+",
  "IV",
  "<a ",
];
const longest = 20_000;
/** In a sample each run once, in one of three surroundings. */
const cells = runs.flatMap((run, at) => {
  const text = run.repeat(longest / run.length);
  return sampled([text, `x${text}y`, `1${text}\u0001`], 3, at);
});
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

describe("cells of any length", () => {
  const options: Record<string, string> = { hash: "hash, salt: pepper" };
  // Each conversion as it comes, as its own examples set it, and in a formula.
  const columns = conversionNames.flatMap((name) => [
    `c_${name.toLowerCase()}: { header: X, as: ${options[name] ?? name} }`,
    ...conversions[name].examples.map(({ spec }, at) => {
      const { name: as, ...more } = typeof spec === "string" ? { name: spec } : spec;
      return `c_${name.toLowerCase()}_${at}: ${JSON.stringify({ header: "X", as, ...more })}`;
    }),
  ]);
  const attributes = columns.map((column, at) => `a${at}: =${column.split(":")[0]}`);
  const formulas = ["text(number(x))", "text(timestamp(x))", "upper(x)", "fold(x)", "digits(x)", "text(taxId(x))"].map(
    (formula, at) => `f${at}: =${formula}`,
  );
  const mapping = `version: 2
namespace: t
defaults: { timezone: UTC, country: BR, decimal: ",", language: pt, dates: ["dd/MM/yyyy HH:mm", "d MMM yyyy", "dd  '  '  MM yyyy"] }
inputs:
  rows:
    columns:
      job: Job
      x: X
      ${columns.join("\n      ")}
    documents:
      job: { key: =job, participant: { id: p1 }, address: { id: a1 }, fields: {} }
    events:
      step:
        name: Step
        key: once
        externalCreatedAt: "01/01/2026 00:00"
        isPublic: true
        attributes:
          public:
            ${[...attributes, ...formulas].join("\n            ")}
`;

  it("are told or read by every conversion in the time of a long text", long, async () => {
    const rows = cells.map((cell, row) => `${row},${quoted(cell)}\n`).join("");
    const world = testWorld({ files: { "m.yaml": mapping, "rows.csv": `Job,X\n${rows}` } });
    expect(await type(world, "check", "m.yaml", "rows.csv"), world.err + world.out).toBe(3);
    expect(world.out).toMatch(/row 3, column/);
  });

  it("are guessed from in the time of a long text, as headers too", long, async () => {
    const rows = cells.map((cell, row) => `${row};0${(row % 9) + 1}/02/2026;${quoted(cell)}\n`).join("");
    const world = testWorld({ files: { "rows.csv": `Job;Data;Peso\n${rows}` } });
    expect([0, 2, 3]).toContain(await type(world, "guess", "rows.csv"));
    for (let at = 0; at < cells.length; at += 15) {
      const headers = cells.slice(at, at + 15).map(quoted);
      const file = `Job;Data;${headers.join(";")}\n1;01/02/2026;${headers.join(";")}\n`;
      expect([0, 2, 3]).toContain(await type(testWorld({ files: { "rows.csv": file } }), "guess", "rows.csv"));
    }
  });
});
