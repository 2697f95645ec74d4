/** The functions that expressions may call beside CEL's own; conversions in them follow the mapping's defaults. */
import { taxIdTypeOf } from "../convert/tax-id.js";
import type { CellKind } from "../../model/row.js";
import { Exact } from "../convert/exact.js";
import { foldName, shorten } from "../fold.js";
import type { ConversionName } from "../convert/conversion.js";
import { asText, typedConversions } from "./conversion-chain.js";
import type { ConversionShelf } from "./conversion-shelf.js";
import { type Cell, exact, ExpressionFailure } from "./expression-numbers.js";
import { compileRegularExpression, type RegularExpression } from "./regular-expression.js";

/** For the reference: signature and meaning of every function. */
export const expressionFunctions: readonly { signature: string; meaning: string }[] = [
  {
    signature: "number(text): decimal",
    meaning:
      "A number as the mapping's `decimal` writes it, or a number cell of a workbook; an error when it is none. Exact, as is all that is reckoned with it. `number(text, fallback)` takes the fallback for blank text.",
  },
  { signature: "date(text): timestamp", meaning: "A date or time in one of the mapping's `dates`, in its `timezone`." },
  { signature: "iso(timestamp): text", meaning: "ISO 8601 with milliseconds and Z." },
  {
    signature: "convert(text, name): text",
    meaning: 'Any conversion without options, as text: `convert(row["Doc"], "taxId")`.',
  },
  {
    signature: "taxIdType(text): text",
    meaning:
      'Which tax id of the mapping\'s `country` it is: `taxIdType(row["CNPJ/CPF"]) == "CPF" ? "PERSON" : "COMPANY"`; "" for blank text, an error when it is none or could be several.',
  },
  {
    signature: "round(decimal, places): decimal",
    meaning: "Rounded, halves away from zero. A division stands inside it, for a quotient may have no end.",
  },
  { signature: "plain(decimal): text", meaning: "In plain decimal notation, without exponent." },
  {
    signature: "upper(text), lower(text), fold(text): text",
    meaning: "Letters; `fold` also drops accents and doubled white space.",
  },
  { signature: "digits(text): text", meaning: "Only its digits 0–9." },
  { signature: "text.padLeft(length, text): text", meaning: 'Filled up from the left: `row["Nr"].padLeft(6, "0")`.' },
  {
    signature: "text.matches(pattern): bool",
    meaning: "Whether some part matches the RE2 pattern, which must be written out.",
  },
  {
    signature: "text.extract(pattern): text",
    meaning: 'The first match of the pattern, or its first group; "" when nothing matches.',
  },
  { signature: "text.replace(pattern, text): text", meaning: "Every match replaced; `$1` stands for a group." },
];

/** Methods that stand in for CEL's own, whose work is not bounded. Renamed in the parsed expression. */
export const renamedMethods: ReadonlyMap<string, string> = new Map([
  ["matches", "matchesRe2"],
  ["split", "splitBounded"],
  ["join", "joinBounded"],
]);

/** Methods whose first argument is a pattern, to be written out so that it is checked when the mapping loads. */
export const patternMethods: ReadonlySet<string> = new Set(["matches", "extract", "replace"]);

const MAX_PARTS = 1000;
const MAX_TEXT = 65_536;
const MAX_PLACES = 20;

/** By signature as CEL writes it: `number(string): double`, `string.extract(string): string`. */
// oxlint-disable-next-line typescript/no-explicit-any -- the library checks argument types by the signature
export type FunctionTable = ReadonlyMap<string, (...values: any[]) => unknown>;

const TIME = "google.protobuf.Timestamp";

/** The functions of one mapping. They throw `ExpressionFailure` for what a row can be blamed for. */
export function expressionFunctionTable(conversions: ConversionShelf): FunctionTable {
  const convert = (text: string, name: string, kind: CellKind = "text"): string => {
    const result = conversions.get(name)(text, kind);
    if ("value" in result) return asText(result.value, name === "timestamp" ? "timestamp" : null);
    throw new ExpressionFailure(result.problem.code, result.problem.message, result.problem.hint);
  };
  const patterns = new Map<string, RegularExpression>();
  const pattern = (source: string): RegularExpression => {
    let known = patterns.get(source);
    if (known === undefined) {
      known = compileRegularExpression(source);
      patterns.set(source, known);
    }
    return known;
  };
  const number = (text: string, kind?: CellKind): Exact => Exact.of(convert(text, "decimal", kind));
  const date = (text: string, kind?: CellKind): Date => new Date(convert(text, "timestamp", kind));
  const converted = (cell: Cell, name: string): string =>
    typedConversions.has(name as ConversionName) ? convert(cell.raw, name, cell.kind) : convert(cell.text, name);
  return new Map<string, (...values: never[]) => unknown>([
    ["number(string): decimal", (text: string) => number(text)],
    ["number(cell): decimal", ({ raw, kind }: Cell) => number(raw, kind)],
    ...["decimal", "int"].flatMap((type): [string, (...values: never[]) => unknown][] => [
      [
        `number(string, ${type}): decimal`,
        (text: string, fallback: Exact | bigint) => (text === "" ? exact(fallback) : number(text)),
      ],
      [
        `number(cell, ${type}): decimal`,
        ({ raw, kind }: Cell, fallback: Exact | bigint) => (raw === "" ? exact(fallback) : number(raw, kind)),
      ],
    ]),
    [`date(string): ${TIME}`, (text: string) => date(text)],
    [`date(cell): ${TIME}`, ({ raw, kind }: Cell) => date(raw, kind)],
    [`iso(${TIME}): string`, (at: Date) => at.toISOString()],
    ["convert(string, string): string", (text: string, name: string) => convert(text, name)],
    ["convert(cell, string): string", converted],
    ["taxIdType(string): string", (text: string) => (text.trim() === "" ? "" : taxIdType(text, conversions.country))],
    ["round(decimal, int): decimal", round],
    ["round(int, int): decimal", round],
    ["plain(decimal): string", (value: Exact) => value.text],
    ["plain(int): string", (value: bigint) => String(value)],
    ["string(decimal): string", (value: Exact) => value.text],
    ["upper(string): string", (text: string) => text.toUpperCase()],
    ["lower(string): string", (text: string) => text.toLowerCase()],
    ["fold(string): string", (text: string) => foldName(text)],
    ["digits(string): string", (text: string) => text.replace(/[^0-9]/gu, "")],
    [
      "string.padLeft(int, string): string",
      (text: string, length: bigint, fill: string) => text.padStart(Math.min(Number(length), 1000), fill),
    ],
    ["string.matchesRe2(string): bool", (text: string, source: string) => pattern(source).matchesPart(text)],
    ["string.extract(string): string", (text: string, source: string) => pattern(source).extract(text)],
    [
      "string.replace(string, string): string",
      (text: string, source: string, by: string) => pattern(source).replace(text, by),
    ],
    ["string.splitBounded(string): list<string>", split],
    ["list<string>.joinBounded(): string", (parts: unknown[]) => joined(parts, "")],
    ["list<string>.joinBounded(string): string", joined],
  ]);
}

/** service.md, Participant: taxIdType is the type of the taxId's document. */
function taxIdType(text: string, country: string | undefined): string {
  if (country === undefined) {
    const hint = "Set `country: BR` under `defaults:`.";
    throw new ExpressionFailure("conversion-options", "taxIdType(): the country of tax ids is not known", hint);
  }
  const type = taxIdTypeOf(text, country);
  if (type !== null) return type;
  const message = `taxIdType(): ${JSON.stringify(shorten(text))} is no tax id of ${country} whose type can be told`;
  const hint = "Check the number; leading zeros that a spreadsheet has dropped cannot be told without its type.";
  throw new ExpressionFailure("tax-id-invalid", message, hint);
}

function split(text: string, separator: string): string[] {
  const parts = text.split(separator, MAX_PARTS + 1);
  if (parts.length <= MAX_PARTS) return parts;
  const message = `split() gives more than ${MAX_PARTS} parts of ${JSON.stringify(shorten(text))}`;
  throw new ExpressionFailure("expression-failed", message);
}

/** Texts, as far as the type checker could tell. */
function joined(parts: readonly unknown[], separator: string): string {
  let length = 0;
  for (const part of parts) length += String(part).length + separator.length;
  if (length > MAX_TEXT)
    throw new ExpressionFailure("expression-failed", `join() gives more than ${MAX_TEXT} characters`);
  return parts.join(separator);
}

function round(value: Exact | bigint, places: bigint): Exact {
  return exact(value).round(Math.min(MAX_PLACES, Math.max(0, Number(places))));
}
