/** Parts of the schemas of `--json` lines. Only tests and documents load them: commands need the types alone. */
import { z } from "zod";
import { type Code, codes } from "../codes.js";
import { ExitCode } from "../exit-code.js";
import type { JsonObject, JsonValue } from "../json.js";

export const text = z.string();
export const flag = z.boolean();
export const number = z.number();
export const count = z.int().nonnegative();
/** By state or kind; zero counts are absent. */
export const counts = z.record(text, count);
export const time = z.iso.datetime();
export const json = z.custom<JsonValue>((value) => value !== undefined).describe("any JSON");
export const jsonObject = z.custom<JsonObject>((value) => typeof value === "object").describe("any JSON object");
export const code = z.enum(Object.keys(codes) as [Code, ...Code[]]).describe("a code of [codes.md](codes.md)");
export const exitCode = z.enum(ExitCode).describe("an exit code of [exit-codes.md](exit-codes.md)");

export function line<Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, says: string, shape: Shape) {
  return z.strictObject({ type: z.literal(type), ...shape }).describe(says);
}

export const place = z.strictObject({
  file: text.optional(),
  sheet: text.optional(),
  row: count.optional(),
  column: text.optional(),
  line: count.optional(),
  character: count.optional(),
});

export const rowCounts = z.strictObject({ read: count, skipped: count, invalid: count, known: count, staged: count });

export const rowOutcomes = z
  .strictObject({
    landed: count.describe("all that the row says is at the service"),
    later: count.describe("its time has not come, or that of what it follows"),
    waiting: count.describe("waiting for something that a person must correct or decide"),
    toCorrect: count.describe("a person must change the row"),
    toDecide: count.describe("no change of the row helps; a person must decide"),
    toSend: count.describe("the next run sends it; of a plan: the import"),
    eventless: count.describe("its documents are created with their first event, which no row has brought yet"),
    dismissed: count,
    superseded: count.describe("another row has come in its place"),
  })
  .describe("what became of the staged and invalid rows, each counted once, by the worst");

export const toldProblem = z.strictObject({
  code,
  count: count.describe("rows, or records, that have it"),
  place: text.nullable().describe("of the example"),
  column: text.nullable(),
  example: text.describe("what is wrong with one of them; cells are hidden"),
});

export const waiting = toldProblem.extend({ row: text.nullable().describe("of the example, as `--row` takes it") });

export const openWork = z
  .strictObject({ participants: counts, addresses: counts, documents: counts, events: counts, rows: count })
  .describe("open work of the whole ledger; events `waiting` are held by nothing but the future; `rows` to correct");

export const problem = z.strictObject({ code, message: text, hint: text.nullable(), column: text.nullable() });

export const document = z.strictObject({
  id: count.describe("in the ledger"),
  namespace: text,
  kind: text,
  key: text,
  generation: count,
  state: text,
  serviceId: text.nullable(),
  externalId: text.nullable(),
  settings: count.nullable(),
});

export const findings = z.array(z.strictObject({ member: text.nullable(), agrees: flag, text }));
