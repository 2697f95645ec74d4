/** Rewrites zod's complaints as sentences at their place, with the nearest known name. */
import type { z } from "zod";
import { defaultsSchema } from "./mapping-schema.js";
import { type ConversionName, conversionNames, conversions } from "../convert/conversion.js";
import { quoteCell } from "../convert/conversion-kind.js";
import { foldName, shorten } from "../../model/fold.js";
import { didYouMean, nearestName } from "../nearest.js";
import type { MappingSource, Path } from "./source.js";

type Issue = z.core.$ZodIssue;

/** Undefined: there were mistakes, all reported. */
export function parseWithSchema<T>(schema: z.ZodType<T>, data: unknown, source: MappingSource): T | undefined {
  const result = schema.safeParse(data, { error: wantedBy });
  if (result.success) return result.data;

  const { issues } = result.error;
  const paths = issues.map(({ path }) => path as Path);
  /** A neighbouring part is empty: these belong to it. */
  const hasEmptyBeside = (path: Path) =>
    paths.some((one) => one.length === path.length + 1 && isWithin(one, path) && valueAt(data, one) === null);
  const isMisspelt = (path: Path) =>
    issues.some(({ code, path: parent, ...more }) => {
      const keys = code === "unrecognized_keys" ? (more as { keys: string[] }).keys : [];
      return isWithin(path, parent as Path) && keys.some((key) => nearestName(key, [String(path.at(-1))]) !== null);
    });

  /** `within`: where the issue's own path begins, for an alternative of a union. */
  const report = (issue: Issue, within: Path) => {
    const path = [...within, ...(issue.path as (string | number)[])];
    const value = valueAt(data, path);
    const refuse = (wanted: string, known: readonly string[] = []) => {
      const message = `${place(path)} is ${describe(value)}; expected ${wanted}.`;
      source.report("mapping-value", path, message, { hint: remedyFor(value, wanted, known, path) });
    };
    if (value === undefined && path.length > 0) {
      if (!isMisspelt(path)) reportMissing(source, path);
    } else if (issue.code === "invalid_union" && path.at(-1) === "as") {
      refuse(listed(conversionNames), conversionNames);
    } else if (issue.code === "invalid_union") {
      const branch = closest(issue.errors, value);
      const all = leaves(issue.errors.flat());
      const ill = all.find(({ code }) => code === "invalid_format");
      if (branch === null && ill !== undefined) report(ill, path);
      else if (branch === null) refuse(expectations(all), all.flatMap(valuesOf));
      for (const nested of branch ?? []) report(nested, path);
    } else if (issue.code === "unrecognized_keys") {
      if (hasEmptyBeside(path)) return;
      const known = issue.message.split(" ");
      const optionsOf = (type: ConversionName) =>
        known.includes("as") ? Object.keys(conversions[type].options.shape) : [];
      const all = [...known, ...conversionNames.flatMap(optionsOf)];
      for (const key of issue.keys) {
        const [first = "", ...rest] = key.split(" ");
        const isEmpty = valueAt(value, [key]) === null;
        const near =
          isEmpty && all.includes(first)
            ? `A colon is missing: \`${first}: ${rest.join(" ")}\`.`
            : (didYouMeanOurs(key, all) ?? (isEmpty ? COMMA : `Known here: ${known.join(", ")}.`));
        const types = conversionNames.filter((type) => optionsOf(type).includes(key));
        const hint = all.includes(key)
          ? `It belongs next to \`as: ${types.join("` or `as: ")}\`.`
          : (ofFile(key) ?? near);
        const message = `There is no setting "${key}" in ${place(path)}.`;
        source.report("mapping-unknown-key", [...path, key], message, { at: "key", hint });
      }
    } else if (issue.code === "invalid_key") {
      const holder = path.slice(0, -1);
      const hint = `Give each entry of ${place(holder)} a name.`;
      source.report("mapping-value", path, `A name in ${place(holder)} is empty.`, { hint });
    } else {
      refuse(issue.message, valuesOf(issue));
    }
  };
  for (const issue of issues) report(issue, []);
  return undefined;
}

/** What is in another place, or nowhere. */
function ofFile(key: string): string | null {
  if (key === "<<")
    return "Merge keys are not supported: write the entries out, or put them under `defaults:` of the events.";
  if (key === "blank")
    return 'It belongs under `defaults:`; for one column write `map: { "n/a": "" }, otherwise: { keep: true }`.';
  return key in defaultsSchema.shape ? "It belongs under `defaults:`, or next to `as:` in a column." : null;
}

/** What types and settings are called elsewhere. */
const ELSEWHERE: readonly [ours: string, theirs: string][] = [
  ["number", "currency money decimal float double int amount percent percentage moeda valor"],
  ["timestamp", "datetime time data hora"],
  ["text", "string str char varchar"],
  ["boolean", "bool yesno"],
  ["taxId", "cnpj cpf nif cuit vat"],
  ["header", "column name field title"],
  ["when", "if condition filter where"],
  ["externalCreatedAt", "date time timestamp at datetime"],
  ["places", "decimals digits precision"],
  ["as", "type format"],
];

function didYouMeanOurs(word: string, known: readonly string[]): string | null {
  const ours = ELSEWHERE.find(([name, theirs]) => known.includes(name) && theirs.split(" ").includes(foldName(word)));
  return ours === undefined ? didYouMean(word, known).trim() || null : `Did you mean "${ours[0]}"?`;
}

const isWithin = (path: Path, parent: Path) => parent.every((step, at) => step === path[at]);

function remedyFor(value: unknown, wanted: string, known: readonly string[], path: Path): string | null {
  if (Array.isArray(value) && path.at(-1) === "map") return "Write what each word becomes: `map: { Open: aberto }`.";
  if (Array.isArray(value) && value.length > 1 && path.at(-2) === "columns")
    return `For several headers that it may have, write \`${path.at(-1)}: { header: […] }\`.`;
  if (Array.isArray(value) && !wanted.includes("a list")) return "Leave out the dashes or brackets.";
  if (value === null && isNumeric(`${path.at(-1)}`)) return COMMA;
  if (value === null && wanted.includes("settings with names"))
    return "Indent more what belongs to it; put a text that begins with # in quotes.";
  if (/\btext\b/.test(wanted) && (typeof value === "number" || typeof value === "boolean"))
    return `Put it in quotes: "${value}".`;
  if (typeof value !== "string") return null;
  const isNumber = wanted.includes("number") && isNumeric(value);
  const isBoolean = /^(?:true|false)$/.test(value) && wanted.includes("true or false");
  if (known.includes(value) || isNumber || isBoolean) return "Leave out the quotes.";
  return wanted.startsWith("a list") ? `Put it in brackets: [${quoteCell(value)}].` : didYouMeanOurs(value, known);
}

const COMMA = "A comma separates settings: write numbers with a point, as in 1.5, and texts with a comma in quotes.";

const isNumeric = (text: string) => /^-?\d+(\.\d+)?$/.test(text);

/** Instead of zod's own words: what was expected. Undefined: the schema has words of its own. */
function wantedBy(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_value") return listed(issue.values.map(String));
  if (issue.code === "invalid_type") return TYPES[issue.expected] ?? `a ${issue.expected}`;
  if (issue.code !== "too_small" && issue.code !== "too_big") return undefined;
  const limit = issue.code === "too_small" ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  if (issue.code === "too_small" && issue.inclusive === false) return `a number greater than ${issue.minimum}`;
  if (issue.origin === "number" || issue.origin === "int") return `a number of ${limit}`;
  const [what, unit] = issue.origin === "string" ? ["text", "character"] : ["a list", "entry"];
  return `${what} of ${limit} ${unit}${limit.endsWith(" 1") ? "" : "s"}`;
}

const TYPES: { [type: string]: string } = {
  string: "text",
  object: "settings with names",
  record: "settings with names",
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
};

const TOP: { [name: string]: string } = {
  version: "Write `version: 2`.",
  namespace: "Write `namespace: acme-waste`, say: a name of your own, which is part of every key.",
};

function reportMissing(source: MappingSource, path: Path) {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const message = `"${name}" is missing in ${place(parent)}.`;
  const hint = parent.length === 0 ? (TOP[name] ?? null) : null;
  source.report("mapping-value", parent, message, { at: "key", hint });
}

/** The alternative that was meant: of the right type, with the fewest complaints. */
function closest(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] | null {
  if (value === null || typeof value !== "object") return null;
  return branches.filter(fits).toSorted((a, b) => weight(a) - weight(b))[0] ?? null;
}

function fits(issues: readonly Issue[]) {
  return issues.every((issue) => {
    if (issue.path.length > 0 || issue.code === "unrecognized_keys") return true;
    return issue.code === "invalid_union" && issue.errors.some(fits);
  });
}

function weight(issues: readonly Issue[]) {
  return issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);
}

/** The issues of all alternatives, including nested ones. */
function leaves(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => (issue.code === "invalid_union" ? leaves(issue.errors.flat()) : [issue]));
}

const valuesOf = (issue: Issue): string[] => (issue.code === "invalid_value" ? issue.values.map(String) : []);

function expectations(issues: readonly Issue[]) {
  const own = issues.filter(({ path }) => path.length === 0);
  const words = own.flatMap((issue) => (issue.code === "invalid_type" ? issue.message : valuesOf(issue)));
  const unique = new Set(words.flatMap((word) => word.split(" or ")));
  return [...unique].join(" or ") || "something else";
}

function listed(values: readonly string[]) {
  const shown = values.map((value) => (/^\w+$/u.test(value) ? value : JSON.stringify(value)));
  return shown.length > 1 ? `one of ${shown.join(", ")}` : (shown[0] ?? "something else");
}

function describe(value: unknown) {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : shorten(JSON.stringify(value));
}

function place(path: Path) {
  const names = path.map(String);
  return names.length === 0 ? "the mapping" : names.slice(-3).join(".");
}

function valueAt(data: unknown, steps: Path): unknown {
  return steps.reduce(
    (value, step) => (value as { [step: string | number]: unknown } | null | undefined)?.[step],
    data,
  );
}
