/** What `show` finds: ids and reasons as the ledger has them. */
import { z } from "zod";
import { count, counts, flag, jsonObject, line, number, text, time } from "./words.js";

const attempt = z.strictObject({
  number: count,
  startedAt: time,
  durationMs: number,
  status: count.nullable(),
  failure: text.nullable().describe("why no answer came; null when one did"),
  codes: text.nullable().describe("the service's, separated by blanks"),
  message: text.nullable(),
  raw: text.nullable().describe("the body of a refusal, up to 4 KiB"),
  requestIds: z.array(text),
  inDoubt: flag,
});

const request = z.strictObject({
  id: count,
  run: text,
  kind: text,
  subject: text.describe("`manifest 123`, `participant CNPJ 11222333000181`"),
  intendedAt: time,
  finishedAt: time.nullable(),
  result: text.nullable().describe("null: no outcome was written; what it carried is in doubt"),
  events: count.describe("how many it carried"),
  attempts: z.array(attempt).describe("empty where they were pruned"),
});

const decision = z
  .strictObject({ at: time, by: text, said: z.enum(["landed", "not-landed", "document-id"]) })
  .describe("a person's word about something that was in doubt");

const messages = z.array(text).describe("what the service or the plan said of it, oldest first");

const event = z.strictObject({
  document: z.strictObject({ kind: text, key: text, generation: count, documentId: text.nullable() }),
  event: text.describe("its name in the mapping"),
  keyParts: z.array(text),
  name: text.describe("its name at the service"),
  at: time.describe("when it took place"),
  state: text,
  reason: text.nullable(),
  waitsFor: text.nullable().describe("in words"),
  dismissed: flag,
  changes: z
    .array(z.strictObject({ field: text, landed: text.nullable(), now: text.nullable() }))
    .describe("of one that is `changed`; empty: the ledger does not have what landed"),
  deduplicationId: text,
  eventId: text.nullable(),
  targetDocumentId: text.nullable(),
  rows: z.array(text).describe("of every input that held it"),
  messages,
  decisions: z.array(decision),
  sentAt: time.nullable().describe("last; null: never, or its requests are in the archive"),
  decidedAt: time.nullable().describe("of its state; null: it is as staged"),
  hasPayload: flag.describe("the ledger still has the body"),
});

const document = z.strictObject({
  kind: text,
  key: text,
  namespace: text,
  generation: count,
  replaced: flag.describe("a later generation has taken its place"),
  state: text,
  reason: text.nullable(),
  documentId: text.nullable(),
  deduplicationId: text,
  lastAt: time.nullable().describe("the newest event known to be on its timeline"),
  declaredBy: text.nullable().describe("the row"),
  messages,
  decisions: z.array(decision),
  eventCounts: counts.describe("of all its events, by state"),
  events: z.array(event).describe("in time order, the newest 50; with `--all` all"),
  holds: z.array(text).describe("invalid rows that belong to it and were not settled"),
  requests: z.array(request).describe("the last 50, newest last"),
});

const registration = z.strictObject({
  record: z.enum(["participant", "address"]),
  name: text.describe("its natural key, in words"),
  state: text,
  reason: text.nullable(),
  id: text.nullable(),
  snapshotId: text.nullable(),
  origin: text.nullable().describe("`created`, `found`, `given`; null: not registered"),
  data: jsonObject,
  geography: jsonObject.nullable(),
  declaredBy: text.nullable(),
  changedAt: time.nullable(),
  messages,
  requests: z.array(request),
});

const row = z.strictObject({
  file: text,
  sheet: text.nullable(),
  row: count,
  path: text,
  contentHash: text,
  reference: text.describe("as `--row` takes it; means this row only"),
  mapping: text,
  mappingText: text
    .nullable()
    .describe("as used, with the files that it extends or takes functions from; null without `--mapping`"),
  stagedAt: time,
  fate: text.describe("`skipped`, `invalid`, `known`, `staged`"),
  reason: text.nullable(),
  settled: text.nullable().describe("`corrected`, `superseded`, `dismissed`"),
  settledBy: text.nullable().describe("the row that has come instead"),
  groupOf: count.nullable().describe("the first row of its group"),
  problems: z.array(
    z.strictObject({ severity: text, code: text, column: text.nullable(), message: text, hint: text.nullable() }),
  ),
  cells: z.record(text, text).nullable().describe("by header; null where they are nowhere: all has landed"),
  events: z.array(event).describe("of all generations"),
  records: z.array(registration),
});

const run = z.strictObject({
  name: text,
  command: text,
  mapping: text.nullable(),
  startedBy: text.describe("the user of the machine"),
  did: text
    .nullable()
    .describe("what a person decided, of `dismiss`, `withdraw`, `replace` and `resolve`; null of all others"),
  startedAt: time,
  finishedAt: time.nullable().describe("null while it runs, or when it was killed"),
  exitCode: count.nullable(),
  inputs: z.array(
    z.strictObject({
      name: text,
      sheet: text.nullable(),
      read: count,
      skipped: count,
      invalid: count,
      known: count,
      staged: count,
    }),
  ),
  requests: counts.describe("by kind"),
  events: counts.describe("that it sent, by the state they are in now"),
});

export const runs = line("runs", "Of `runs`, newest first.", { runs: z.array(run) });

export const show = line(
  "show",
  "Of `show`: what was found by the words given, with all that the ledger knows of it.",
  {
    documents: z.array(document),
    rows: z.array(row),
    registrations: z.array(registration).describe("participants and addresses"),
    runs: z.array(run),
    requests: z.array(request),
    event: event.nullable().describe("that was asked for by an id of its own"),
    archived: z.array(jsonObject).describe("bodies that `ledger prune` has moved away"),
  },
);

export type Shown = Omit<z.infer<typeof show>, "type">;
export type ShownAttempt = z.infer<typeof attempt>;
export type ShownRequest = z.infer<typeof request>;
export type ShownDecision = z.infer<typeof decision>;
export type ShownEvent = z.infer<typeof event>;
export type ShownDocument = z.infer<typeof document>;
export type ShownRegistration = z.infer<typeof registration>;
export type ShownRow = z.infer<typeof row>;
export type ShownRun = z.infer<typeof run>;
