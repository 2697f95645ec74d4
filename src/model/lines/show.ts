/** What `show` finds: ids and reasons as the ledger has them. */
import { z } from "zod";
import {
  count,
  countOrNull,
  counts,
  flag,
  jsonObject,
  line,
  list,
  number,
  object,
  text,
  textOrNull,
  time,
  timeOrNull,
} from "./words.js";

const attempt = object({
  number: count,
  startedAt: time,
  durationMs: number,
  status: countOrNull,
  failure: textOrNull.describe("why no answer came; null when one did"),
  codes: textOrNull.describe("the service's, separated by blanks"),
  message: textOrNull,
  raw: textOrNull.describe("the body of a refusal, up to 4 KiB"),
  requestIds: list(text),
  inDoubt: flag,
});

const request = object({
  id: count,
  run: text,
  kind: text,
  subject: text.describe("`manifest 123`, `participant CNPJ 11222333000181`"),
  intendedAt: time,
  finishedAt: timeOrNull,
  result: textOrNull.describe("null: no outcome was written; what it carried is in doubt"),
  events: count.describe("how many it carried"),
  attempts: list(attempt),
});

const decision = object({ at: time, by: text, said: z.enum(["landed", "not-landed", "document-id"]) }).describe(
  "a person's word about something that was in doubt",
);

const messages = list(text).describe("what the service or the plan said of it, oldest first");

const event = object({
  document: object({ kind: text, key: text, generation: count, documentId: textOrNull }),
  event: text.describe("its name in the mapping"),
  keyParts: list(text),
  name: text.describe("its name at the service"),
  at: time.describe("when it took place"),
  state: text,
  reason: textOrNull,
  waitsFor: textOrNull.describe("in words"),
  dismissed: flag,
  changes: list(object({ field: text, landed: textOrNull, now: textOrNull })).describe(
    "of one that is `changed`; empty: the ledger does not have what landed",
  ),
  deduplicationId: text,
  eventId: textOrNull,
  targetDocumentId: textOrNull,
  rows: list(text).describe("that brought it; of files of one name those of the newest"),
  messages,
  decisions: list(decision),
  sentAt: timeOrNull.describe("last; null: never"),
  decidedAt: timeOrNull.describe("of its state; null: it is as staged"),
  body: jsonObject
    .nullable()
    .describe(
      "an object, without the ids of the service; null: the ledger does not have it, because it was rebuilt, or because the row was edited while the event was in doubt",
    ),
});

const document = object({
  kind: text,
  key: text,
  namespace: text,
  generation: count,
  replaced: flag.describe("a later generation has taken its place"),
  state: text,
  reason: textOrNull,
  documentId: textOrNull,
  deduplicationId: text,
  lastAt: timeOrNull.describe("the newest event known to be on its timeline"),
  declaredBy: textOrNull.describe("the row"),
  messages,
  decisions: list(decision),
  eventCounts: counts.describe("of all its events, by state"),
  events: list(event).describe("in time order, the newest 50; with `--all` all"),
  holds: list(text).describe("invalid rows that belong to it and were not settled"),
  requests: list(request).describe("the last 50, newest last"),
});

const registration = object({
  record: z.enum(["participant", "address"]),
  name: text.describe("its natural key, in words"),
  state: text,
  reason: textOrNull,
  id: textOrNull,
  snapshotId: textOrNull,
  origin: textOrNull.describe("`created`, `found`, `given`; null: not registered"),
  data: jsonObject,
  geography: jsonObject.nullable(),
  declaredBy: textOrNull,
  changedAt: timeOrNull,
  messages,
  requests: list(request),
});

const row = object({
  file: text,
  sheet: textOrNull,
  row: count,
  path: text,
  contentHash: text,
  reference: text.describe("as `--row` takes it; means this row only"),
  mapping: text,
  mappingText: textOrNull.describe(
    "as used, with the files that it extends or takes functions from; null without `--mapping`",
  ),
  isCurrent: flag.describe("no later import brought another file of this name"),
  stagedAt: time,
  fate: text.describe("`skipped`, `invalid`, `known`, `staged`"),
  reason: textOrNull,
  settled: textOrNull.describe("`corrected`, `superseded`, `dismissed`"),
  settledBy: textOrNull.describe("the row that has come instead"),
  groupOf: countOrNull.describe("the first row of its group"),
  problems: list(object({ severity: text, code: text, column: textOrNull, message: text, hint: textOrNull })),
  cells: z.record(text, text).nullable().describe("by header; null where they are nowhere: all has landed"),
  events: list(event).describe("of all generations"),
  records: list(registration),
});

const run = object({
  name: text,
  command: text,
  mapping: textOrNull,
  startedBy: text.describe("the user of the machine"),
  did: textOrNull.describe(
    "what a person decided, of `dismiss`, `withdraw`, `replace` and `resolve`; null of all others",
  ),
  startedAt: time,
  finishedAt: timeOrNull.describe("null while it runs, or when it was killed"),
  exitCode: countOrNull,
  inputs: list(
    object({
      name: text,
      sheet: textOrNull,
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

export const runs = line("runs", "Of `runs`, newest first.", { runs: list(run) });

export const show = line(
  "show",
  "Of `show`: what was found by the words given, with all that the ledger knows of it.",
  {
    documents: list(document),
    rows: list(row),
    registrations: list(registration).describe("participants and addresses"),
    runs: list(run),
    requests: list(request),
    event: event.nullable().describe("that was asked for by an id of its own"),
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
