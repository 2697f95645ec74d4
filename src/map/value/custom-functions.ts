/** Functions from a module beside the mapping, callable in expressions. */
import type { Environment } from "@marcbachmann/cel-js";
import { exactNumber, isExactNumber } from "../../model/json.js";
import { Exact, plainNumber } from "../convert/exact.js";
import { ExpressionFailure } from "./expression-numbers.js";
import { shorten } from "../fold.js";

/** Exported functions by name. They take text, numbers and booleans, and give text, a number, a boolean or null (blank). */
export type CustomFunctions = ReadonlyMap<string, (...values: unknown[]) => unknown>;

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/** Registers each function with as many parameters as it declares. Returns what cannot be registered, one sentence each. */
export function registerCustomFunctions(environment: Environment, functions: CustomFunctions): string[] {
  const refused: string[] = [];
  for (const [name, call] of functions) {
    if (!IDENTIFIER.test(name)) {
      refused.push(`"${name}" is not a name that an expression can call`);
      continue;
    }
    if (call.length === 0) {
      refused.push(`${name}() declares no parameter; a function that takes none is a constant`);
      continue;
    }
    const parameters = Array.from({ length: call.length }, () => "dyn").join(", ");
    try {
      environment.registerFunction(`${name}(${parameters}): dyn`, (...values: unknown[]) =>
        callCustom(name, call, values),
      );
    } catch {
      refused.push(`${name}() has the name of a built-in function`);
    }
  }
  return refused;
}

function callCustom(name: string, call: (...values: unknown[]) => unknown, values: unknown[]): unknown {
  let result: unknown;
  try {
    result = call(...values.map((value) => passed(name, value)));
  } catch (error) {
    throw new ExpressionFailure(
      "function-failed",
      `the custom function ${name} threw: ${shorten(error instanceof Error ? error.message : error)}`,
    );
  }
  if (result === undefined || result === null) return "";
  if (typeof result === "string" || typeof result === "boolean") return result;
  if (typeof result === "number" && Number.isFinite(result)) return Exact.of(plainNumber(result));
  if (typeof result === "bigint") return Exact.of(String(result));
  const what =
    result instanceof Promise
      ? "a promise; custom functions are synchronous"
      : `${typeof result}, not text, a number, true, false or null`;
  if (result instanceof Promise) result.catch(() => undefined);
  throw new ExpressionFailure("function-failed", `the custom function ${name} gave ${what}`);
}

/** JavaScript's own number of ours, where it has all the digits. */
function passed(name: string, value: unknown): unknown {
  if (typeof value !== "bigint" && !(value instanceof Exact)) return value;
  const number = exactNumber(value instanceof Exact ? value.text : String(value));
  if (!isExactNumber(number)) return number;
  const message = `the custom function ${name} was given ${number.rawJSON}, of which a JavaScript number loses digits`;
  throw new ExpressionFailure("function-failed", message, "Pass it as text: string(…).");
}
