/** Schema helpers whose descriptions appear in the reference and in editors. */
import { z } from "zod";

export const filled = z.string().min(1);
export const writtenOut = filled.regex(/^(?!=)/, "a literal text: no formula is computed here");
export const filledList = z.array(filled).min(1);

/** Settings with names; the message about an unknown one lists the known ones. */
export function block<S extends z.ZodRawShape>(shape: S) {
  const known = Object.keys(shape).join(" ");
  return z.strictObject(shape, { error: ({ code }) => (code === "unrecognized_keys" ? known : undefined) });
}

export function maybe<T extends z.ZodType>(schema: T, description: string, examples?: unknown[]) {
  return schema.optional().meta(examples === undefined ? { description } : { description, examples });
}

export function maybeWord<const W extends readonly string[]>(words: W, description: string) {
  return maybe(z.enum(words), description);
}

/** Absent, it is the first. */
export function usualWord<const W extends readonly string[]>(words: W, description: string) {
  return z
    .enum(words)
    .prefault(words[0] as W[number])
    .meta({ description });
}

export function usually<T extends z.ZodType>(standard: z.input<T>, schema: T, description: string) {
  return (schema as z.ZodType<z.output<T>, z.input<T>>).prefault(standard).meta({ description });
}
