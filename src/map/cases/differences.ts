/** How what came differs from what was expected, one line for each place. */
import { isJsonObject, type JsonValue } from "../../model/json.js";

export interface Difference {
  /** `events[0].attributes.Gross Weight`. */
  place: string;
  /** Null: nothing was expected there. */
  expected: string | null;
  /** Null: nothing came there. */
  actual: string | null;
}

/** Members that `expected` leaves out are not compared; lists must agree in length. Scalars compare as text. */
export function findDifferences(expected: unknown, actual: JsonValue | undefined, place: string): Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [{ place, expected: say(expected), actual: say(actual) }];
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, position) => {
      const at = `${place}[${position}]`;
      if (position >= expected.length) return [{ place: at, expected: null, actual: say(actual[position]) }];
      if (position >= actual.length) return [{ place: at, expected: say(expected[position]), actual: null }];
      return findDifferences(expected[position], actual[position], at);
    }).flat();
  }
  if (isJsonObject(expected)) {
    if (!isJsonObject(actual)) return [{ place, expected: say(expected), actual: say(actual) }];
    return Object.entries(expected).flatMap(([name, value]) =>
      findDifferences(value, Object.hasOwn(actual, name) ? actual[name] : undefined, `${place}.${name}`),
    );
  }
  const wanted = say(expected);
  const came = say(actual);
  return wanted === came ? [] : [{ place, expected: wanted, actual: came }];
}

/** A scalar as the text that cases write; anything else as JSON. */
function say(value: unknown): string {
  if (value === undefined) return "null";
  return typeof value === "string" ? value : JSON.stringify(value);
}
