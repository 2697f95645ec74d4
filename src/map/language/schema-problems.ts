/** Rewrites zod's complaints as sentences at their place, with the nearest known name. */
import { z } from "zod";
import { conversionNames } from "../convert/conversion.js";
import { shorten } from "../../model/fold.js";
import { didYouMean } from "../nearest.js";
import type { MappingSource, Path } from "./source.js";

type Issue = z.core.$ZodIssue;

/** `base`: the place of `data` in the file. Undefined: there were mistakes, all reported. */
export function parseWithSchema<T>(
  schema: z.ZodType<T>,
  data: unknown,
  source: MappingSource,
  base: Path,
): T | undefined {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  for (const issue of result.error.issues) reportIssue({ source, schema, data, base }, issue, []);
  return undefined;
}

interface Checked {
  source: MappingSource;
  schema: z.ZodType;
  data: unknown;
  base: Path;
}

/** `within`: where the issue's own path begins, for an alternative of a union. */
function reportIssue(checked: Checked, issue: Issue, within: Path): void {
  const { source, base } = checked;
  const steps = [...within, ...(issue.path as (string | number)[])];
  const path = [...base, ...steps];
  const value = valueAt(checked.data, steps);
  const refuse = (wanted: string, known: readonly string[] = []) => {
    const message = `${place(path)} is ${describe(value)}; expected ${wanted}.`;
    source.report("mapping-value", path, message, { hint: remedyFor(value, wanted, known) });
  };
  if (value === undefined && steps.length > 0) {
    reportMissing(source, path);
  } else if (issue.code === "invalid_union" && path.at(-1) === "as") {
    refuse(listed(conversionNames), conversionNames);
  } else if (issue.code === "invalid_union") {
    const branch = closest(issue.errors, value);
    if (branch === null) refuse(expectations(issue.errors), namedValues(issue.errors));
    for (const nested of branch ?? []) reportIssue(checked, nested, steps);
  } else if (issue.code === "unrecognized_keys") {
    const known = membersAt(checked.schema, steps);
    for (const key of issue.keys) {
      const hint = didYouMean(key, known).trim() || `Known here: ${known.join(", ")}.`;
      const message = `There is no setting "${key}" in ${place(path)}.`;
      source.report("mapping-unknown-key", [...path, key], message, { at: "key", hint });
    }
  } else if (issue.code === "invalid_value") {
    const values = issue.values.map(String);
    refuse(listed(values), values);
  } else if (issue.code === "invalid_type") {
    refuse(expected(issue.expected));
  } else if (/^Too (small|big)/.test(issue.message)) {
    refuse(bounds(issue));
  } else {
    source.report("mapping-value", path, `${place(path)} does not fit: ${issue.message}.`);
  }
}

function remedyFor(value: unknown, wanted: string, known: readonly string[]): string | null {
  if (typeof value === "string" && known.includes(value)) return "Leave out the quotes.";
  if (typeof value === "string" && wanted === "a list")
    return `Put it in brackets: [${JSON.stringify(shorten(value))}].`;
  if (Array.isArray(value) && wanted.includes("members with names")) return "Leave out the dashes or brackets.";
  if (/\btext\b/.test(wanted) && (typeof value === "number" || typeof value === "boolean"))
    return `Put it in quotes: "${value}".`;
  return typeof value === "string" ? didYouMean(value, known).trim() || null : null;
}

/** Instead of zod's own words: a length or an amount out of its bounds. */
function bounds(issue: Issue): string {
  const [origin, limit, word] =
    issue.code === "too_small"
      ? [issue.origin, issue.minimum, "at least"]
      : issue.code === "too_big"
        ? [issue.origin, issue.maximum, "at most"]
        : ["", "", ""];
  if (origin === "number" || origin === "int") return `a number of ${word} ${limit}`;
  const [what, unit] = origin === "string" ? ["text", "character"] : ["a list", "entry"];
  return `${what} of ${word} ${limit} ${unit}${limit === 1 ? "" : "s"}`;
}

function reportMissing(source: MappingSource, path: Path): void {
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
  if (schema instanceof z.ZodOptional) return unfold(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unfold(option as z.ZodType));
  return [schema];
}

/** The alternative that was meant: of the right type, with the fewest complaints. */
function closest(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] | null {
  if (value === null || typeof value !== "object") return null;
  return branches.filter(fits).toSorted((a, b) => weight(a) - weight(b))[0] ?? null;
}

function fits(issues: readonly Issue[]): boolean {
  return issues.every((issue) => {
    if (issue.path.length > 0 || issue.code === "unrecognized_keys") return true;
    return issue.code === "invalid_union" && issue.errors.some(fits);
  });
}

function weight(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);
}

function namedValues(branches: readonly (readonly Issue[])[]): string[] {
  return branches.flat().flatMap((issue) => {
    if (issue.code === "invalid_union") return namedValues(issue.errors);
    return issue.code === "invalid_value" ? issue.values.map(String) : [];
  });
}

function expectations(branches: readonly (readonly Issue[])[]): string {
  const words: string[] = [];
  for (const issues of branches) {
    for (const issue of issues) {
      if (issue.path.length > 0) continue;
      if (issue.code === "invalid_union") words.push(expectations(issue.errors));
      else if (issue.code === "invalid_type") words.push(expected(issue.expected));
      else if (issue.code === "invalid_value") words.push(...issue.values.map(String));
    }
  }
  const unique = [...new Set(words.flatMap((word) => word.split(" or ")))];
  return unique.length === 0 ? "something else" : unique.join(" or ");
}

function expected(type: string): string {
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

function listed(values: readonly string[]): string {
  const shown = values.map((value) => (/^\w+$/u.test(value) ? value : JSON.stringify(value)));
  return shown.length > 1 ? `one of ${shown.join(", ")}` : (shown[0] ?? "something else");
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : shorten(JSON.stringify(value));
}

function place(path: Path): string {
  const names = path.map(String);
  return names.length === 0 ? "the mapping" : names.slice(-3).join(".");
}

function valueAt(data: unknown, steps: Path): unknown {
  let value = data;
  for (const step of steps) {
    if (value === null || typeof value !== "object") return undefined;
    value = (value as { [step: string | number]: unknown })[step];
  }
  return value;
}
