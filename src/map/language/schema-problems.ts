/** Rewrites zod's complaints as sentences at their place, with the nearest known name. */
import { z } from "zod";
import { conversionNames, conversions } from "../convert/conversion.js";
import { quoteCell } from "../convert/conversion-kind.js";
import { shorten } from "../../model/fold.js";
import { didYouMean } from "../nearest.js";
import type { MappingSource, Path } from "./source.js";

type Issue = z.core.$ZodIssue;

/** Undefined: there were mistakes, all reported. */
export function parseWithSchema<T>(schema: z.ZodType<T>, data: unknown, source: MappingSource): T | undefined {
  const result = schema.safeParse(data);
  if (result.success) return result.data;

  /** `within`: where the issue's own path begins, for an alternative of a union. */
  const report = (issue: Issue, within: Path) => {
    const path = [...within, ...(issue.path as (string | number)[])];
    const value = valueAt(data, path);
    const refuse = (wanted: string, known: readonly string[] = []) => {
      const message = `${place(path)} is ${describe(value)}; expected ${wanted}.`;
      source.report("mapping-value", path, message, { hint: remedyFor(value, wanted, known) });
    };
    if (value === undefined && path.length > 0) {
      reportMissing(source, path);
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
      const known = membersAt(schema, path);
      for (const key of issue.keys) {
        const types = conversionNames.filter((name) => key in conversions[name].options.shape);
        const near = didYouMean(key, known).trim() || `Known here: ${known.join(", ")}.`;
        const hint = known.includes(key) ? `It belongs beside \`as: ${types.join("` or `as: ")}\`.` : near;
        const message = `There is no setting "${key}" in ${place(path)}.`;
        source.report("mapping-unknown-key", [...path, key], message, { at: "key", hint });
      }
    } else if (issue.code === "invalid_value") {
      refuse(listed(valuesOf(issue)), valuesOf(issue));
    } else if (issue.code === "invalid_type") {
      refuse(expected(issue.expected));
    } else if (/^Too (small|big)/.test(issue.message)) {
      refuse(bounds(issue));
    } else {
      source.report("mapping-value", path, `${place(path)} does not fit: ${issue.message}.`);
    }
  };
  for (const issue of result.error.issues) report(issue, []);
  return undefined;
}

function remedyFor(value: unknown, wanted: string, known: readonly string[]): string | null {
  if (Array.isArray(value) && wanted.includes("members with names")) return "Leave out the dashes or brackets.";
  if (/\btext\b/.test(wanted) && (typeof value === "number" || typeof value === "boolean"))
    return `Put it in quotes: "${value}".`;
  if (typeof value !== "string") return null;
  if (known.includes(value)) return "Leave out the quotes.";
  return wanted === "a list" ? `Put it in brackets: [${quoteCell(value)}].` : didYouMean(value, known).trim() || null;
}

/** Instead of zod's own words: a length or an amount out of its bounds. */
function bounds(issue: Issue) {
  if (issue.code !== "too_small" && issue.code !== "too_big") return "";
  const limit = issue.code === "too_small" ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
  if (issue.origin === "number" || issue.origin === "int") return `a number of ${limit}`;
  const [what, unit] = issue.origin === "string" ? ["text", "character"] : ["a list", "entry"];
  return `${what} of ${limit} ${unit}${limit.endsWith(" 1") ? "" : "s"}`;
}

function reportMissing(source: MappingSource, path: Path) {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1);
  const message = `"${name}" is missing in ${place(parent)}.`;
  const hint = name === "version" && parent.length === 0 ? "Write `version: 2`." : null;
  source.report("mapping-value", parent, message, { at: "key", hint });
}

/** Over all alternatives of unions. */
function membersAt(schema: z.ZodType, steps: Path): string[] {
  let reached = unfold(schema);
  for (const step of steps) {
    reached = reached.flatMap((type) => {
      if (type instanceof z.ZodObject) return unfold(type.shape[String(step)] as z.ZodType | undefined);
      if (type instanceof z.ZodRecord) return unfold(type.valueType as z.ZodType);
      return type instanceof z.ZodArray ? unfold(type.element as z.ZodType) : [];
    });
  }
  return [...new Set(reached.flatMap((type) => (type instanceof z.ZodObject ? Object.keys(type.shape) : [])))];
}

function unfold(schema: z.ZodType | undefined): z.ZodType[] {
  if (schema === undefined) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) return unfold(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodPipe) return unfold(schema.in as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unfold(option as z.ZodType));
  return [schema];
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

/** Of all alternatives, also nested ones. */
function leaves(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => (issue.code === "invalid_union" ? leaves(issue.errors.flat()) : [issue]));
}

const valuesOf = (issue: Issue): string[] => (issue.code === "invalid_value" ? issue.values.map(String) : []);

function expectations(issues: readonly Issue[]) {
  const own = issues.filter(({ path }) => path.length === 0);
  const words = own.flatMap((issue) => (issue.code === "invalid_type" ? expected(issue.expected) : valuesOf(issue)));
  const unique = new Set(words.flatMap((word) => word.split(" or ")));
  return [...unique].join(" or ") || "something else";
}

function expected(type: string) {
  const names: { [type: string]: string } = {
    string: "text",
    object: "members with names",
    record: "members with names",
    array: "a list",
    boolean: "true or false",
    int: "a whole number",
  };
  return names[type] ?? `a ${type}`;
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
