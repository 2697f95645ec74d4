/** Schema helpers whose descriptions appear in the reference and in editors. */
import { z } from "zod";

export const filled = z.string().min(1);
export const filledList = z.array(filled).min(1);

export function maybe<T extends z.ZodType>(schema: T, description: string, examples?: unknown[]) {
  return schema.optional().meta(examples === undefined ? { description } : { description, examples });
}
