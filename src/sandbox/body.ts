/** Turns the text of a body into JSON that is safe to keep: no prototype keys, no bottomless nesting, no broken Unicode. */
import { invalid, Refusal } from "./refusal.js";

const DEEPEST = 64;
const SURROGATE = /\p{Surrogate}/u;

/** @throws Refusal 400 malformed, 413 too long, 415 not announced as JSON. `maxBytes` counts UTF-8. */
export function parseBody(text: string | undefined, contentType: string | undefined, maxBytes: number): unknown {
  if (text !== undefined && tooLong(text, maxBytes))
    throw new Refusal(413, `The body is longer than ${maxBytes} bytes`);
  if (contentType === undefined || !/^application\/json\s*(;|$)/i.test(contentType.trim())) {
    throw new Refusal(415, "The body must be application/json");
  }
  let value: unknown;
  try {
    value = JSON.parse(text ?? "");
  } catch {
    throw invalid("The body is not well-formed JSON");
  }
  inspect(value);
  return value;
}

function tooLong(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/** Without recursion: the nesting of a hostile body is not ours to trust. */
function inspect(root: unknown): void {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw invalid(`The body is nested deeper than ${DEEPEST} levels`);
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === "string") {
        if (SURROGATE.test(value)) throw invalid("The body holds text that is not well-formed Unicode");
      } else if (Array.isArray(value)) {
        for (const item of value) next.push(item);
      } else if (typeof value === "object" && value !== null) {
        for (const key of Object.keys(value)) {
          if (key === "__proto__") throw invalid("The body holds a member named __proto__");
          if (SURROGATE.test(key)) throw invalid("The body holds text that is not well-formed Unicode");
          next.push((value as Record<string, unknown>)[key]);
        }
      }
    }
    level = next;
  }
}
