/** Parses a body safely: bounded first, without prototype keys or broken Unicode. */
import { parseJson } from "./json.js";
import { invalid, Refusal } from "./refusal.js";

const DEEPEST = 64;
/** Bounds the time for checking a body. */
const MOST_VALUES = 250_000;

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
  const value = jsonIn(text);
  inspect(value);
  return value;
}

/** @throws Refusal 400 */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw invalid("The body is not well-formed JSON");
  }
}

function wellFormed(text: string): void {
  if (!text.isWellFormed()) throw invalid("The body holds text that is not well-formed Unicode");
}

/** Nesting, number of values, and what they hold. */
function inspect(body: unknown): void {
  let values = 1;
  const look = (value: unknown, depth: number): void => {
    if (typeof value === "string") wellFormed(value);
    if (typeof value !== "object" || value === null) return;
    if (depth === DEEPEST) throw invalid(`The body is nested deeper than ${DEEPEST} levels`);
    const members = Object.entries(value);
    values += Math.max(0, members.length - 1);
    if (values > MOST_VALUES) throw tooLarge(`${MOST_VALUES} values`);
    for (const [name, inner] of members) {
      if (name === "__proto__") throw invalid("The body holds a member named __proto__");
      wellFormed(name);
      look(inner, depth + 1);
    }
  };
  look(body, 0);
}
