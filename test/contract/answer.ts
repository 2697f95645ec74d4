/**
 * An HTTP answer as the cases see it, and tolerant access to its body.
 * Judges nothing; the judgements are in `expect.ts`.
 */

/** One answer. `json` is undefined when the body is not JSON. Header names are in lower case. */
export interface Answer {
  /** Method and path of the request, for messages. */
  asked: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  json: unknown;
}

/** The member at a path inside a JSON value; undefined when any step is missing. */
export function member(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (current === null || typeof current !== "object" || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string | number, unknown>)[step];
  }
  return current;
}

/** The array at a path, or an empty one. */
export function items(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = member(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Parses a body; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The answer in one line, cut short, for failure messages. */
export function describeAnswer(answer: Answer): string {
  const body = answer.text.length > 300 ? `${answer.text.slice(0, 300)}…` : answer.text;
  return `${answer.asked} answered ${answer.status} ${body}`;
}
