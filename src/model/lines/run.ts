/** The lines of commands that send, and of every command on a target. */
import { z } from "zod";
import {
  code,
  count,
  countOrNull,
  counts,
  exitCode,
  flag,
  inputCounts,
  line,
  list,
  number,
  object,
  openWork,
  place,
  rowCounts,
  rowOutcomes,
  text,
  textOrNull,
  time,
  toldProblem,
  waiting,
} from "./words.js";

export const target = line("target", "Printed first by every command on a target.", {
  target: text.describe("its name"),
  baseUrl: text.describe("empty if the embedded sandbox does not listen"),
  ledger: text.describe("its path"),
});

const total = countOrNull.describe("null if it is not known");

export const stage = line("stage", "A stage of a run begins.", {
  stage: z
    .enum(["reading", "planning", "participants", "addresses", "documents", "events"])
    .describe("`events` counts requests; `documents` if the plan was not made beforehand"),
  total,
});

export const progress = line("progress", "How far a stage has come.", {
  stage: text,
  done: count.describe("while files are read: rows"),
  total,
  share: number.optional().describe("while files are read: which share of all files has been read, 0 to 1"),
  sent: count.describe("requests so far"),
  problems: count,
  held: count,
  retries: count,
});

const atLimit = { secondsAtLimit: number.describe("how long they take at the limit"), held: count, deferred: count };

export const forecast = line("forecast", "Printed by `import`, before anything is sent.", {
  requests: counts.describe("by kind"),
  ...atLimit,
});

export const backlog = line(
  "backlog",
  "Printed by `resume` and `retry`: the work that is left, one request for each record.",
  {
    documents: count,
    participants: count,
    addresses: count,
    ...atLimit,
  },
);

export const notice = line("notice", "What a person should know.", {
  level: z.enum(["info", "warning"]),
  code: code.nullable(),
  message: text.describe("a sentence"),
});

export const summary = line("summary", "The last line of `import`, `resume` and `retry`, and all of `summary.json`.", {
  run: text.describe("`2026-11-20T0200-import`"),
  command: text,
  target: object({ name: text, baseUrl: text }),
  ledger: text,
  journal: textOrNull.describe("the file that `--journal` named, if the settings name none or a different one"),
  mapping: textOrNull.describe("null without files"),
  startedAt: time,
  finishedAt: time,
  exitCode,
  stopped: object({ code, message: text }).nullable().describe("why the run ended before its work was done"),
  inputs: inputCounts.describe("per file and sheet"),
  rows: rowCounts.describe("`read` = `skipped` + `invalid` + `known` + `staged`"),
  outcomes: rowOutcomes,
  participants: counts.describe("those that this run sent, by state"),
  addresses: counts.describe("likewise"),
  documents: counts.describe("likewise"),
  events: counts.describe("likewise"),
  open: openWork,
  requests: object({
    sent: count,
    byKind: counts,
    retries: count,
    rateLimited: count.describe("answered with 429"),
    secondsAtLimit: number,
    limit: object({ rate: number, burst: number }),
  }),
  problems: list(toldProblem),
  waiting: list(waiting).optional().describe("what is held, by what it waits for"),
  warnings: list(toldProblem),
  files: list(
    object({
      kind: z.enum(["rejected", "stranded", "receipts", "report", "log"]),
      path: text,
      mapping: text.optional().describe("of a rejected file: the mapping to import it with"),
      correctable: flag.optional().describe("of a rejected file: whether correcting any of its rows would help"),
    }),
  ),
});

export const error = line("error", "Printed last by every command that ends with an error.", {
  code,
  message: text,
  place,
  hint: text,
  exitCode,
});

export const finding = line("finding", "Printed by `doctor`, for each thing that it checks.", {
  check: z.enum(["settings", "disk", "ledger", "journal", "rights", "credential", "reach", "throttle", "clock"]),
  result: z.enum(["ok", "warning", "failed"]).describe("`warning`: imports work, but somebody should look"),
  message: text,
});

export const doctor = line("doctor", "The end of `doctor`.", { failed: count, warnings: count });

export const trial = line("trial", "Printed by `notify --test`.", {
  channels: list(object({ channel: text, failure: textOrNull.describe("null: it was sent") })),
});

export const due = line("due", "Printed by `notify --due`.", {
  missing: textOrNull.describe("a sentence; null where no input is overdue"),
});

export const consoleLine = line("console", "Printed by `console`.", {
  url: text.describe("with the token that gives access"),
});

export const sandbox = line("sandbox", "Printed by `sandbox`.", {
  baseUrl: text,
  tokenUrl: text,
  controlUrl: text,
  docsUrl: text,
  clientId: text,
  clientSecret: text,
  store: textOrNull.describe("null: in memory"),
});
