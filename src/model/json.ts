/** Plain JSON data: what the service takes and gives. Numbers that a double would change carry their own text. */
export type JsonValue = string | number | ExactNumber | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [name: string]: JsonValue };

/** What `JSON.rawJSON` makes: `JSON.stringify` writes its text, every digit of it. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** TypeScript's own library does not know these yet; Node has them from version 21 on. */
const json = JSON as unknown as {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
  parse(text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

export function isExactNumber(value: unknown): value is ExactNumber {
  return json.isRawJSON(value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !isExactNumber(value);
}

/** A number in plain notation (`-12.5`): as a double where that writes the same digits, else with its own text. */
export function exactNumber(plain: string): number | ExactNumber {
  const value = Number(plain);
  return String(value) === plain ? value : json.rawJSON(plain);
}

/** Sixteen characters of a number, or an exponent: fewer digits a double keeps. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/;

/** As `JSON.parse`, but no digit of a number is lost; for text that `JSON.stringify` wrote. */
export function parseJson(text: string): JsonValue {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonValue;
  return json.parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  ) as JsonValue;
}

/**
 * One text for one value: object members sorted by name, no white space. Equal values give equal texts whatever
 * the order in which a mapping or a service wrote their members.
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .toSorted()
      .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}

/** Nothing that JSON writes in another way; lone surrogates are among what it does. */
const PLAIN = /^[ !#-[\]-\uD7FF\uE000-\uFFFF]*$/;

/** As `JSON.stringify` does it, in half its time for the short texts that rows are made of. */
export function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
