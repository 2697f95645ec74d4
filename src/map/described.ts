/** Schemas of what a mapping may say: with the reference's words, which editors show too. */
import { z } from "zod";

/** Text that is not empty. */
export const filled = z.string().min(1);
export const filledList = z.array(filled).min(1);

/** What may be left out. */
export function maybe<T extends z.ZodType>(schema: T, description: string, examples?: unknown[]) {
  return schema.optional().meta(examples === undefined ? { description } : { description, examples });
}
