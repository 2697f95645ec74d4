/** Parts of the schemas of `--json` lines. Only tests and documents load them: commands need the types alone. */
import { z } from "zod";
import { type Code, codes } from "../codes.js";
import { ExitCode } from "../exit-code.js";
import type { JsonObject, JsonValue } from "../json.js";

export const object = z.strictObject;
export const list = z.array;
export const text = z.string();
export const textOrNull = text.nullable();
export const flag = z.boolean();
export const number = z.number();
export const count = z.int().nonnegative();
export const countOrNull = count.nullable();
/** By state or kind; zero counts are absent. */
export const counts = z.record(text, count);
export const time = z.iso.datetime();
export const timeOrNull = time.nullable();
export const json = z.custom<JsonValue>((value) => value !== undefined).describe("any JSON");
export const jsonObject = z.custom<JsonObject>((value) => typeof value === "object").describe("any JSON object");
export const code = z.enum(Object.keys(codes) as [Code, ...Code[]]).describe("a code of [codes.md](codes.md)");
export const exitCode = z.enum(ExitCode).describe("an exit code of [exit-codes.md](exit-codes.md)");

export function line<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, says: string, shape: Shape) {
  return object({ type: z.literal(type), ...shape }).describe(says);
}

export const place = object({
  file: text.optional(),
  sheet: text.optional(),
  row: count.optional(),
  column: text.optional(),
  line: count.optional(),
  character: count.optional(),
});

export const rowCounts = object({ read: count, skipped: count, invalid: count, known: count, staged: count });

export const inputCounts = list(rowCounts.extend({ input: text, sheet: textOrNull }));

export const rowOutcomes = object({
  landed: count.describe("everything that the row yields is at the service"),
  later: count.describe("its time, or that of an event before it, has not come yet"),
  waiting: count.describe("waiting for something that a person must correct or decide"),
  toSettle: count.describe("waiting for something other than a row to correct or decide; see `waiting`"),
  toCorrect: count.describe("a person must change the row"),
  toDecide: count.describe("changing the row does not help; a person must decide"),
  toSend: count.describe("the next run sends it; in a plan: the import sends it"),
  eventless: count.describe("its documents are created with their first event, which no row has brought yet"),
  dismissed: count,
  superseded: count.describe("another row has replaced it"),
}).describe("what became of the staged and invalid rows, each row counted once, by the worst outcome");

export const toldProblem = object({
  code,
  count: count.describe("how many rows or records"),
  earlier: count.optional().describe("how many of them are in no file of this command; absent: none"),
  place: textOrNull.describe("where the example is"),
  column: textOrNull,
  example: text.describe("what is wrong with one of them; cells are hidden"),
  remedy: text.optional().describe("how to settle that one, with the command"),
  replaceable: z
    .literal(false)
    .optional()
    .describe("`replace` helps none of them: their documents have created others, or they would come too late again"),
  document: text.optional().describe("the document, as `kind/key`; absent: none or several"),
});

export const waiting = toldProblem.extend({
  row: textOrNull.describe("the row of the example, in the form that `--row` takes"),
  file: object({ path: text, mapping: text }).optional().describe("the file that it waits for, to be imported again"),
  input: text.optional().describe("the name of that file, if its rows can be taken back"),
});

export const openWork = object({
  participants: counts,
  addresses: counts,
  documents: counts,
  events: counts,
  rows: count,
}).describe(
  "open work of the whole ledger; `events.waiting`: events that only wait for an earlier event's time; `rows`: rows to correct",
);

export const problem = object({ code, message: text, hint: textOrNull, column: textOrNull });

export const document = object({
  id: count.describe("its id in the ledger"),
  namespace: text,
  kind: text,
  key: text,
  generation: count,
  state: text,
  serviceId: textOrNull,
  externalId: textOrNull,
  settings: countOrNull,
});

export const findings = list(object({ member: textOrNull, agrees: flag, text }));
