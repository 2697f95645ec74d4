/** JSON without loss of digits. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

type Reviver = (this: unknown, name: string, value: unknown, context: { source?: string }) => unknown;

/** Missing in TypeScript's types. */
const exact = JSON as unknown as {
  parse(text: string, reviver?: Reviver): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** A double may not keep such numbers. */
const LONG_NUMBER = /\d[\d.]{15}|\de[+-]?\d{3}/i;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !exact.isRawJSON(value);
}

/** Keeps the text of numbers that a double would change, except coordinates. @throws SyntaxError */
export function parseJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return exact.parse(text);
  return exact.parse(text, (name, value, { source }) => {
    if (typeof value !== "number" || source === undefined || !LONG_NUMBER.test(source)) return value;
    return name === "latitude" || name === "longitude" ? value : exact.rawJSON(source);
  });
}
