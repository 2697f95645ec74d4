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
  rowCounts,
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
  failure: textOrNull.describe("why there was no answer; null if there was one"),
  codes: textOrNull.describe("the service's codes, separated by spaces"),
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
  result: textOrNull.describe("null: no outcome was recorded, so its events are in doubt"),
  events: count.describe("how many events it carried"),
  attempts: list(attempt),
});

const decision = object({ at: time, by: text, said: z.enum(["landed", "not-landed", "document-id"]) }).describe(
  "what a person said about something in doubt",
);

const messages = list(text).describe("what the service or the plan said about it, oldest first");

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
    "of an event that is `changed`; empty: the ledger does not have what landed",
  ),
  deduplicationId: text,
  eventId: textOrNull,
  targetDocumentId: textOrNull,
  rows: list(text).describe("the rows that yielded it; of several files with one name, only the rows of the newest"),
  messages,
  decisions: list(decision),
  sentAt: timeOrNull.describe("last; null: never"),
  decidedAt: timeOrNull.describe("when it got its state; null: unchanged since it was staged"),
  body: jsonObject
    .nullable()
    .describe(
      "without the service's ids; null: the ledger does not have it, because the ledger was rebuilt, or because the row was edited while the event was in doubt",
    ),
});

const document = object({
  kind: text,
  key: text,
  namespace: text,
  generation: count,
  replaced: flag.describe("whether a later generation has replaced it"),
  state: text,
  reason: textOrNull,
  documentId: textOrNull,
  deduplicationId: text,
  lastAt: timeOrNull.describe("the time of the newest event known to be on its timeline"),
  declaredBy: textOrNull.describe("the row"),
  messages,
  decisions: list(decision),
  eventCounts: counts.describe("how many of all its events are in each state"),
  events: list(event).describe("in order of time, the newest 50; with `--all`, all"),
  holds: list(text).describe("invalid rows that belong to it and are not settled"),
  requests: list(request).describe("the last 50, newest at the end"),
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
  reference: text.describe("in the form that `--row` takes; it means only this row"),
  mapping: text,
  mappingText: textOrNull.describe(
    "the mapping as it was used, with the files that it extends or takes functions from; null without `--mapping`",
  ),
  isCurrent: flag.describe("whether no later import brought another file of this name"),
  stagedAt: time,
  fate: text.describe("`skipped`, `invalid`, `known`, `staged`"),
  reason: textOrNull,
  settled: textOrNull.describe("`corrected`, `superseded`, `dismissed`"),
  settledBy: textOrNull.describe("the row that replaced it"),
  groupOf: countOrNull.describe("the first row of its group"),
  problems: list(object({ severity: text, code: text, column: textOrNull, message: text, hint: textOrNull })),
  cells: z.record(text, text).nullable().describe("by header; null: no longer kept, because everything has landed"),
  events: list(event).describe("of all generations"),
  records: list(registration),
});

const run = object({
  name: text,
  command: text,
  mapping: textOrNull,
  startedBy: text.describe("the user of the machine"),
  did: textOrNull.describe(
    "what a person decided with `dismiss`, `withdraw`, `replace` or `resolve`; null for other commands",
  ),
  startedAt: time,
  finishedAt: timeOrNull.describe("null while it runs, or if it was killed"),
  exitCode: countOrNull,
  inputs: list(rowCounts.extend({ name: text, sheet: textOrNull })),
  requests: counts.describe("by kind"),
  events: counts.describe("the events that it sent, by the state they are in now"),
});

export const runs = line("runs", "Printed by `runs`, newest first.", { runs: list(run) });

export const show = line(
  "show",
  "Printed by `show`: what was found under the name given, with everything that the ledger knows about it.",
  {
    documents: list(document),
    rows: list(row),
    registrations: list(registration).describe("participants and addresses"),
    runs: list(run),
    requests: list(request),
    event: event.nullable().describe("the event, if its own id or key was given"),
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
