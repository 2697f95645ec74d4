/**
 * The judgements of the cases: what counts as done, refused, absent and duplicate, by service.md Errors and the
 * open points on statuses and bodies (14, 16, 23). All throw with the answer in the message.
 */
import type { Answer } from "./answer.js";
import { describeAnswer, items, member } from "./answer.js";
import type { Reading } from "./case.js";

/** Statuses by which a payload may be refused (rows 400 and 422). */
export const PAYLOAD: readonly number[] = [400, 422];
/** Statuses by which the state of a timeline may refuse an event: the specification names none. */
export const STATE: readonly number[] = [400, 409, 422];
/** Statuses by which a reference to something unknown may be refused. */
export const REFERENCE: readonly number[] = [400, 404, 409, 422];
/** Statuses of rows "401 / 403". */
export const AUTHORITY: readonly number[] = [401, 403];

/** @throws Error with `message` unless `truth`. */
export function check(truth: boolean, message: string): asserts truth {
  if (!truth) throw new Error(message);
}

/** Any 2xx with a JSON body (open point 16). */
export function done(answer: Answer): Answer {
  check(answer.status >= 200 && answer.status < 300, `should have been accepted: ${describeAnswer(answer)}`);
  check(answer.json !== undefined, `should carry JSON: ${describeAnswer(answer)}`);
  return answer;
}

/** A non-empty string at a path of the answer's body. */
export function stringAt(answer: Answer, ...path: readonly (string | number)[]): string {
  const found = member(answer.json, ...path);
  check(typeof found === "string" && found !== "", `${path.join(".")} should be a string: ${describeAnswer(answer)}`);
  return found;
}

/** Refused with one of the statuses, in the service's error envelope. @returns the status as a reading. */
export function refused(answer: Answer, among: readonly number[] = PAYLOAD): Reading {
  const wanted = among.join(" or ");
  check(among.includes(answer.status), `should have been refused with ${wanted}: ${describeAnswer(answer)}`);
  envelope(answer);
  return { reading: `refused with ${answer.status}${wordsOf(answer)}` };
}

/** Taken, or refused with one of the statuses. */
export function doneOrRefused(answer: Answer, among?: readonly number[]): void {
  if (answer.status >= 300) refused(answer, among);
}

/** The codes and messages of a refusal, without the words that hold a digit: ids, keys and times of this run. */
function wordsOf(answer: Answer) {
  const told = items(answer.json, "errors").map(
    (error) => `${String(member(error, "code"))} ${String(member(error, "message") ?? "")}`,
  );
  return `: ${told.join("; ")}`.replaceAll(/[^\s()]*\d[^\s()]*/g, "…");
}

/** The error envelope: an `errors` array whose items carry code, id and timestamp (service.md Errors). */
export function envelope(answer: Answer): void {
  const errors = items(answer.json, "errors");
  check(errors.length > 0, `should carry a non-empty errors array: ${describeAnswer(answer)}`);
  for (const error of errors) {
    for (const name of ["code", "id"]) {
      const value = member(error, name);
      check(typeof value === "string" && value !== "", `errors[].${name} is missing: ${describeAnswer(answer)}`);
    }
    const timestamp = member(error, "timestamp");
    const instant = typeof timestamp === "number" ? timestamp : Date.parse(String(timestamp));
    check(Number.isFinite(instant), `errors[].timestamp is no time: ${describeAnswer(answer)}`);
  }
}

/** The codes in the envelope. */
export function codes(answer: Answer): string[] {
  return items(answer.json, "errors").map((error) => String(member(error, "code")));
}

function saysNothing(answer: Answer) {
  const texts = items(answer.json, "errors").map((error) => member(error, "message"));
  return [...texts, member(answer.json, "message")].every((text) => text === undefined || text === null || text === "");
}

/** The answer carries this message, or none at all (open point 23). */
export function saying(answer: Answer, message: string | RegExp): Reading | void {
  const found = typeof message === "string" ? answer.text.includes(message) : message.test(answer.text);
  if (found) return undefined;
  check(saysNothing(answer), `should say "${String(message)}": ${describeAnswer(answer)}`);
  return { reading: "the envelope carries no message" };
}

/** 409 CONFLICT_ERROR for a key that is taken, naming no id of the first writing (service.md Errors, Events 8). */
export function duplicate(answer: Answer, key: string, idsOfTheFirst: readonly string[] = []): Reading | void {
  check(answer.status === 409, `a repeated deduplicationId should be refused with 409: ${describeAnswer(answer)}`);
  envelope(answer);
  check(codes(answer).includes("CONFLICT_ERROR"), `the code should be CONFLICT_ERROR: ${describeAnswer(answer)}`);
  for (const id of idsOfTheFirst) {
    check(!answer.text.includes(id), `carries an id of the first writing (${id}): ${describeAnswer(answer)}`);
  }
  const told = saying(answer, /Document deduplicationId: .*already exists/);
  check(told !== undefined || answer.text.includes(key), `should name the key ${key}: ${describeAnswer(answer)}`);
  return told;
}

/** Nothing was found: 404, or 2xx with an empty body (open point 3). @returns which of them, or null when found. */
export function absence(answer: Answer): Reading | null {
  if (answer.status === 404) return { reading: "404" };
  check(answer.status < 300, `should have been a read: ${describeAnswer(answer)}`);
  const body = answer.json;
  const empty = body === undefined || body === null || (typeof body === "object" && Object.keys(body).length === 0);
  return empty ? { reading: `${answer.status} with an empty body` } : null;
}
