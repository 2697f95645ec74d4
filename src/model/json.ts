/** JSON data. Numbers that a double would change carry their own text. */
export type JsonValue = string | number | ExactNumber | boolean | null | JsonValue[] | JsonObject;
export type JsonObject = { [name: string]: JsonValue };

/** Made by `JSON.rawJSON`: `JSON.stringify` writes its text unchanged. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Missing in TypeScript's library; Node has them from version 21. */
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

/** `plain`: such as `-12.5`. A double if it writes the same digits. */
export function exactNumber(plain: string): number | ExactNumber {
  const value = Number(plain);
  return String(value) === plain ? value : json.rawJSON(plain);
}

/** A double keeps shorter numbers. */
const LONG_NUMBER = /[\d.]{16}|\d[eE]/;

/** Loses no digit of a number; for text from `JSON.stringify`. */
export function parseJson(text: string): JsonValue {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text) as JsonValue;
  return json.parse(text, (_, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? json.rawJSON(source) : value,
  ) as JsonValue;
}

/** Sorted names, no white space: equal values give equal texts. */
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
