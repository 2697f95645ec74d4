/** Holds what a command printed with --json to the schemas of its lines. */
import { z } from "zod";
import { lines } from "../../src/model/lines.js";

const schema = z.discriminatedUnion("type", Object.values(lines).flat() as unknown as [z.ZodObject, ...z.ZodObject[]]);

/** The types of all lines, in order. @throws where one is no JSON, or not as its schema says */
export function checkedLines(printed: string): string[] {
  return printed
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => {
      const parsed = schema.safeParse(JSON.parse(text));
      if (parsed.success) return String(parsed.data["type"]);
      throw new Error(`${z.prettifyError(parsed.error)}\nof ${text.slice(0, 500)}`);
    });
}
