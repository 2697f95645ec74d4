import type { Conversion } from "../../src/map/convert/conversion.js";
import { Exact } from "../../src/map/convert/exact.js";
import { Refused } from "../../src/map/convert/conversion-kind.js";

/** What a conversion makes of a cell, as a value to compare. */
export function converted(result: ReturnType<Conversion>): {
  value?: unknown;
  problem?: Pick<Refused, "code" | "message" | "hint">;
} {
  if (result instanceof Exact) return { value: result.text };
  if (!(result instanceof Refused)) return { value: result };
  const { code, message, hint } = result;
  return { problem: { code, message, hint } };
}
