/**
 * Checks a value against a schema and says what is wrong in the words of the envelope. A field of the wrong type is a
 * structure that cannot be processed (422); anything else is a validation error (400).
 */
import type { z } from "zod";
import { isObject } from "./json.js";
import { Refusal } from "./refusal.js";
import type { RuleGuard, RuleName } from "./rules.js";

const MOST_MESSAGES = 20;

type Issue = z.core.$ZodIssue;

/** Which rule of the specification an issue belongs to, when it can be switched off on its own. */
function ruleOf(issue: Issue): RuleName | null {
  const last = issue.path.at(-1);
  if (issue.path.length === 1 && last === "isPublic") return "events.is-public-required";
  if (issue.path.length === 1 && last === "name") return "events.name-required";
  if (issue.path.at(-3) === "attributes" && last === "isPublic") return "events.attribute-is-public";
  return null;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (value === null || typeof value !== "object") return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function describe(issue: Issue, at: string): string {
  const path = issue.path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  const where = `${at}${path}`.replace(/^\./, "");
  return where === "" ? issue.message : `${where}: ${issue.message}`;
}

/**
 * `at` is what the value is called in messages, empty for the body itself; `rule` switches single checks off.
 * @throws Refusal 400 or 422.
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at = "",
  rule: RuleGuard | null = null,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.filter((issue) => {
    const name = rule === null ? null : ruleOf(issue);
    return name === null || rule?.(name) !== false;
  });
  if (issues.length === 0 && isObject(input)) return input as z.output<Schema>;
  const structural = issues.some((issue) => issue.code === "invalid_type" && valueAt(input, issue.path) !== undefined);
  const messages = issues.slice(0, MOST_MESSAGES).map((issue) => describe(issue, at));
  throw new Refusal(structural ? 422 : 400, messages);
}
