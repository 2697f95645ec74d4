/**
 * Reads what the service said, whatever its shape: envelope, `message`, plain text, HTML, JSON under another content
 * type (open point 14). Never throws and assumes no field.
 */
import { shorten } from "../model/fold.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.js";
import type { ServiceError } from "../model/attempt.js";
import type { TransportReply } from "./transport.js";

const rawBytes = 4096;
const messageLength = 500;

/** The body as JSON. Null: it was empty, or `null`. Undefined: it was not JSON. */
export function readJson(text: string): JsonValue | undefined {
  const trimmed = text.replace(/^\ufeff/, "").trim();
  if (trimmed === "") return null;
  try {
    return JSON.parse(trimmed) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What the service said besides its status; `words` is the whole message, before it is shortened. */
export interface ServiceWords {
  error: ServiceError;
  words: string | null;
}

/** `secrets` are struck out of the raw body and of the message, should the service echo them. */
export function readError(reply: TransportReply, secrets: readonly string[]): ServiceWords {
  const text = strike(reply.body, secrets);
  const json = readJson(text);
  const words = json === undefined ? unstructuredWords(text) : wordsOf(json);
  const given = json === undefined ? [] : codesOf(json);
  const codes = given.length > 0 || words === null ? given : codesAmong(words);
  const message = words === null ? null : plainLine(words, messageLength) || null;
  return { error: { status: reply.status, codes, message, raw: firstBytes(text, rawBytes) }, words };
}

export function strike(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, "[secret]");
  return clean;
}

function unstructuredWords(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  return /^<|<html|<body/i.test(trimmed) ? htmlWords(trimmed) : trimmed;
}

/** The envelope's items (service.md, Errors), with the body itself in front: some gateways put `code` there. */
function itemsOf(json: JsonValue): JsonObject[] {
  if (Array.isArray(json)) return json.filter(isJsonObject);
  if (!isJsonObject(json)) return [];
  const errors = json["errors"];
  const nested = json["error"];
  return [
    json,
    ...(isJsonObject(nested) ? [nested] : []),
    ...(Array.isArray(errors) ? errors.filter(isJsonObject) : isJsonObject(errors) ? [errors] : []),
  ];
}

function codesOf(json: JsonValue): string[] {
  const items = itemsOf(json);
  const codes = items
    .map((item) => item["code"])
    .filter((code) => typeof code === "string" || typeof code === "number")
    .map((code) => plainLine(String(code), 100))
    .filter((code) => code !== "");
  // Not everybody calls it `code`: problem details have a `title`, others say `error` or `errorCode`.
  const elsewhere = () => items.flatMap((item) => Object.values(item)).filter((value) => isSpecified(value));
  return (codes.some((code) => /\D/.test(code)) ? codes : [...codes, ...elsewhere()]).slice(0, 20);
}

/** A code that service.md names. */
const isSpecified = (value: JsonValue): value is string =>
  value === "CONFLICT_ERROR" || value === "PENDING_PROCESS_CONFLICT_ERROR";

/** When the service made the error, by its clock (service.md, Errors). Undefined: the envelope names no moment. */
export function momentOf(text: string): string | undefined {
  return itemsOf(readJson(text) ?? null)
    .filter((item) => "code" in item)
    .map((item) => item["timestamp"])
    .filter((moment) => typeof moment === "string")
    .find((moment) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(moment));
}

/** The longest Retry-After that is obeyed. */
const longestRetryAfterMs = 120_000;

/** Retry-After, seconds or a date, in ms; 0: none. `now`: for a date in an answer without a time of its own. */
export function retryAfterOf({ headers }: TransportReply, now = Number.NaN): number {
  const text = (headers["retry-after"] ?? "").trim();
  // Whoever names a date means it by its own clock, which may be neither ours nor the service's.
  const saidAt = Date.parse(headers["date"] ?? "");
  const until = () => Date.parse(text) - (Number.isNaN(saidAt) ? now : saidAt);
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : until();
  return ms > 0 ? Math.min(longestRetryAfterMs, ms) : 0;
}

/** Without an envelope the code is among the words, as in `CONFLICT_ERROR: Document …`. */
function codesAmong(words: string): string[] {
  return [...new Set(words.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g))].slice(0, 20);
}

const wordFields = ["message", "Message", "detail", "description", "error_description", "title", "reason"];

/** A text, or a list of texts as validators give it; null for anything else. */
function sentence(value: JsonValue | undefined): string | null {
  const texts = (Array.isArray(value) ? value : [value]).filter((text) => typeof text === "string");
  return texts.join("; ").trim() === "" ? null : texts.join("; ");
}

/** Words under a name of the service's own, such as `errorMessage`. */
function otherWords(item: JsonObject): string | undefined {
  return Object.entries(item)
    .filter(([name]) => !["code", "id", "timestamp"].includes(name))
    .map(([, value]) => sentence(value) ?? "")
    .find((words) => /\p{L}\s\p{L}/u.test(words));
}

function wordsOf(json: JsonValue): string | null {
  if (typeof json === "string") return json.trim() === "" ? null : json;
  const words: string[] = [];
  for (const item of itemsOf(json)) {
    const named = wordFields.map((field) => sentence(item[field])).find((text) => text !== null);
    const found = named ?? otherWords(item);
    if (found !== undefined) words.push(found);
    else if (typeof item["error"] === "string") words.push(item["error"]);
  }
  if (isJsonObject(json) && Array.isArray(json["errors"]))
    words.push(...json["errors"].filter((entry) => typeof entry === "string"));
  return words.length === 0 ? null : [...new Set(words)].join("; ");
}

// CSI and OSC sequences whole, then any control character that is left.
// oxlint-disable-next-line no-control-regex
const escapes = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b./gs;
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** One line: escapes and controls gone, white space folded, at most `length` characters (… marks a cut). */
export function plainLine(text: string, length: number): string {
  const line = text.replace(escapes, "").replace(controls, " ").replace(/\s+/g, " ").trim();
  return shorten(line, length);
}

/** At most `bytes` bytes of UTF-8, whole characters only. */
function firstBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text.slice(0, bytes), "utf8").subarray(0, bytes);
  // A stream keeps back the character that is not whole yet.
  return new TextDecoder().decode(encoded, { stream: true });
}

/** The words of an HTML page, its title first as a rule. Each pattern reads a hostile page once. */
function htmlWords(html: string): string {
  const text = html
    .slice(0, 20_000)
    .replace(/<(script|style)\b[^]*?(?:<\/\1|$)/gi, " <")
    .replace(/<[^<>]*>?/g, " ");
  return plainWords(text);
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", "#39": "'" };

function plainWords(html: string): string {
  return html
    .replace(/&(#39|[a-z]+);/gi, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
    .replace(/\s+/g, " ")
    .trim();
}
