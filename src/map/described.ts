/** Schema helpers whose descriptions appear in the reference and in editors. */
import { z } from "zod";

export const filled = z.string().min(1);
export const writtenOut = filled.regex(/^(?!=)/, "a literal text: no formula is computed here");
export const filledList = z.array(filled).min(1);

export function maybe<T extends z.ZodType>(schema: T, description: string, examples?: unknown[]) {
  return schema.optional().meta(examples === undefined ? { description } : { description, examples });
}

export function usually<T extends z.ZodType>(standard: z.input<T>, schema: T, description: string) {
  return (schema as z.ZodType<z.output<T>, z.input<T>>).prefault(standard).meta({ description });
}
