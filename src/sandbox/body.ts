/** Parses a body safely: bounded, without prototype keys or broken Unicode. */
import { parseJson } from "./json.js";
import { invalid, Refusal } from "./refusal.js";

const DEEPEST = 64;
/** Bounds the time for checking a body. */
const MOST_VALUES = 250_000;
const SURROGATE = /\p{Surrogate}/u;

export const tooLarge = (limit: string): Refusal => new Refusal(413, `The body is longer than ${limit}`);

/** Null: not UTF-8. */
export function textOf(body: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}

/** @throws Refusal 400 malformed, 413 too many values, 415 not announced as JSON. `text`: null if not UTF-8. */
export function parseBody(text: string | null, headers: Record<string, string>): unknown {
  const encoding = headers["content-encoding"] ?? "identity";
  if (!/^\s*application\/json\s*(;|$)/i.test(headers["content-type"] ?? "") || encoding !== "identity") {
    throw new Refusal(415, "The body must be application/json, not compressed");
  }
  if (text === null) throw invalid("The body is not UTF-8");
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw invalid("The body is not well-formed JSON");
  }
  inspect(value, { values: 0 });
  return value;
}

function inspect(value: unknown, seen: { values: number }, depth = 1): void {
  seen.values += 1;
  if (seen.values > MOST_VALUES) throw tooLarge(`${MOST_VALUES} values`);
  if (typeof value === "string" && SURROGATE.test(value)) {
    throw invalid("The body holds text that is not well-formed Unicode");
  }
  if (typeof value !== "object" || value === null) return;
  if (depth > DEEPEST) throw invalid(`The body is nested deeper than ${DEEPEST} levels`);
  for (const [name, inner] of Object.entries(value)) {
    if (name === "__proto__" || SURROGATE.test(name)) throw invalid("The body holds an impossible member name");
    inspect(inner, seen, depth + 1);
  }
}
