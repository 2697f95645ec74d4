/** Parses a body safely: bounded first, without prototype keys or broken Unicode. */
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
  bound(text);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw invalid("The body is not well-formed JSON");
  }
  inspect(value);
  return value;
}

/** Counts nesting and values without building them. */
function bound(text: string): void {
  let [depth, values, quoted] = [0, 1, false];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') {
      quoted = true;
    } else if (character === "{" || character === "[") {
      depth += 1;
      if (depth > DEEPEST) throw invalid(`The body is nested deeper than ${DEEPEST} levels`);
    } else if (character === "}" || character === "]") {
      depth -= 1;
    } else if (character === ",") {
      values += 1;
      if (values > MOST_VALUES) throw tooLarge(`${MOST_VALUES} values`);
    }
  }
}

function inspect(value: unknown): void {
  if (typeof value === "string") {
    if (SURROGATE.test(value)) throw invalid("The body holds text that is not well-formed Unicode");
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (name === "__proto__") throw invalid("The body holds a member named __proto__");
      inspect(name);
      inspect(inner);
    }
  }
}
