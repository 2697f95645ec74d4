/** Members of a journal's entries, read without trust: a journal may be of an earlier program. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../model/json.js";

export const text = (value: JsonValue | undefined): string | null => (typeof value === "string" ? value : null);
export const objects = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? (value as JsonObject[]) : [];
export const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
export const object = (value: JsonValue | undefined): JsonObject | null => (isJsonObject(value) ? value : null);
