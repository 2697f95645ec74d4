/** The lines of commands that look at a ledger, or do something to it. */
import { z } from "zod";
import {
  code,
  count,
  countOrNull,
  counts,
  document,
  exitCode,
  findings,
  flag,
  jsonObject,
  line,
  list,
  number,
  object,
  openWork,
  problem,
  rowCounts,
  rowOutcomes,
  text,
  textOrNull,
  time,
  timeOrNull,
  toldProblem,
  waiting,
} from "./words.js";

const left = { held: count, deferred: count, refused: count };

export const plan = line("plan", "Of `plan`, and of `import --dry-run`.", {
  inputs: list(rowCounts.extend({ input: text, sheet: textOrNull })),
  outcomes: rowOutcomes,
  requests: counts.describe("by kind; of those that create participants, the most there can be"),
  secondsAtLimit: number,
  documents: count,
  events: object({ ready: count, ...left }),
  cheaper: object({
    setting: text.describe("as it is written under `settings`"),
    mapping: text.describe("the file it belongs in"),
    saves: count.describe("requests"),
    secondsAtLimit: number.describe("with it"),
  })
    .nullable()
    .describe("the setting that saves more than a tenth of the requests; null where none is known to"),
  doubted: list(toldProblem).describe("what of the ready events the service may refuse"),
  problems: list(toldProblem).describe("that would be open"),
  waiting: list(waiting).describe("what would be held, by what it waits for"),
  warnings: list(toldProblem).describe("nothing waits for these"),
  exitCode: exitCode.describe("that the import would end with, as far as the ledger can know"),
  preview: object({
    kind: text,
    key: text,
    generation: count,
    requests: list(object({ kind: text, method: text, path: text, body: jsonObject })),
    ...left,
  })
    .nullable()
    .describe("of `--document`: its requests in full"),
});

export const foreseen = line("foreseen", "Of `--dry-run`, but for that of `import`: nothing was changed.", {
  done: list(jsonObject).describe("the lines that the command would have printed; none of one that decides nothing"),
  requests: counts.describe(
    "that could be sent then, by kind; of those that create participants, the most there can be",
  ),
  secondsAtLimit: number,
  documents: count,
  events: object({ ready: count, ...left })
    .nullable()
    .describe("null: it sends none"),
  released: count.describe("events that wait now, and would no longer"),
  waiting: list(waiting).describe("what would still be held, by what it waits for"),
});

export const status = line("status", "Of `status`.", {
  open: openWork,
  problems: list(toldProblem),
  waiting: list(waiting).describe("what is held, by what it waits for"),
  unstaged: object({ name: text, exitCode: countOrNull.describe("null: it still reads, or was killed") })
    .nullable()
    .describe("the newest import, where none of its rows is in the ledger"),
  restored: object({ lastRun: textOrNull.describe("the last one in the backup"), lastAt: timeOrNull })
    .nullable()
    .describe(
      "a backup put back without a journal: what was sent since is unknown, until files are imported again and a `verify` then finds no difference",
    ),
  withdrawn: list(object({ input: text, rows: count })).describe(
    "rows that were taken back, until their file is imported again",
  ),
  lastRun: object({
    name: text,
    startedAt: time,
    finishedAt: timeOrNull.describe("null: it runs, or was killed"),
    exitCode: countOrNull,
  }).nullable(),
});

export const rejects = line("rejects", "Of `rejects`.", {
  files: list(object({ path: text, mapping: text, rows: count, correctable: count, note: textOrNull })).describe(
    "that were written; `correctable`: rows that a correction would help",
  ),
  rows: list(object({ file: text, sheet: textOrNull, row: count, problems: list(problem) })),
  stranded: object({ path: text, documents: count }).nullable().describe("the list for `resolve --from`"),
});

export const report = line("report", "Of `report`.", { run: text, path: text.describe("of the page") });

const difference = object({
  subject: z.enum(["participant", "address", "document", "event"]),
  name: text,
  id: text,
  text,
  document: text.optional().describe("`kind/key`, of a document or an event"),
});

export const verify = line("verify", "Of `verify`.", {
  checked: object({ participants: count, addresses: count, documents: count, events: count }).describe(
    "how many of each kind were looked at",
  ),
  differences: list(difference).describe("between ledger and service"),
  unread: list(difference).describe("what could not be read, by name"),
  unverifiable: list(object({ text, count })).describe("what the service does not show"),
  stopped: textOrNull.describe("why it ended early"),
});

const records = { rows: count, events: count, participants: count, addresses: count };

export const withdrawn = line("withdrawn", "Of `withdraw`: what was taken back.", records);

export const dismissed = line("dismissed", "Of `dismiss`: what was given up or accepted.", {
  ...records,
  documents: count,
  left: count.describe("events, as they are, because they may have landed"),
  stranded: count.describe("documents, as they are, because they may exist"),
  undo: flag.describe("true: it is open again"),
});

export const resolved = line("resolved", "Of `resolve --document-id`.", { document, documentId: text, findings });

export const settled = line("settled", "Of `resolve --landed` and `--not-landed`.", {
  said: z.enum(["landed", "not-landed"]),
  documents: list(
    object({
      document,
      events: list(
        object({ id: count, deduplicationId: text, name: text, at: number.describe("ms since 1970") }),
      ).describe("of which it was said"),
      landed: count,
      changed: count.describe("of these, with other content than their rows have now"),
      notLanded: count,
    }),
  ),
});

const lookedUp = list(object({ row: count, document, documentId: text, findings }));

export const resolvedFrom = line("resolved-from", "Of `resolve --from`.", {
  file: text,
  resolved: lookedUp,
  left: lookedUp.describe("the read did not agree"),
  known: count.describe("had this id already"),
  blank: count.describe("had none"),
});

export const rowsRefused = line(
  "rows-refused",
  "Of `resolve --from`, before an `error`: nothing was looked up, and nothing written.",
  { file: text, rows: list(object({ row: count, code, message: text })) },
);

export const replaced = line("replaced", "Of `replace`.", {
  document: document.describe("as it was"),
  next: count.describe("the next generation's id in the ledger"),
  generation: count,
  events: count.describe("of the next generation"),
  cancels: flag.describe("the old one gets a CANCEL"),
  missing: list(object({ event: text, keyParts: list(text) })).describe("rows to import again"),
  relations: count.describe("that point to the old one"),
  linkedFrom: list(text).describe("up to five documents that make them, as `kind/key`"),
  staysStranded: flag,
  shutOut: count.describe("events after its own CLOSE or CANCEL, which it cannot take either"),
  earlyMirrors: count.describe(
    "its links whose mirrors the service may refuse as earlier than the related document's last event",
  ),
});

export const notReplaced = line(
  "not-replaced",
  "Of `replace` with selectors, for a document that it leaves as it is.",
  {
    code,
    message: text,
    hint: text,
  },
);

export const backup = line("backup", "Of `ledger backup`.", {
  path: text,
  bytes: count,
  removed: list(text).describe("older backups, with `--keep`"),
});

export const ledgerCheck = line("ledger-check", "Of `ledger check`.", {
  checks: list(object({ name: text, remedy: text, broken: list(text).describe("where, at most ten") })),
});

export const pruned = line("pruned", "Of `ledger prune`: what was removed.", {
  dryRun: flag.describe("nothing was removed; it would be"),
  runFolders: list(text).describe("names of runs whose folders were removed"),
  bytes: count.describe("of these folders"),
  oldestKept: textOrNull.describe("the oldest run whose folder stays"),
});

const known = {
  entries: count.describe("read from the journal"),
  participants: count,
  addresses: count,
  documents: count,
  landed: count.describe("events"),
  inDoubt: count,
};

export const rebuilt = line("rebuilt", "Of `ledger rebuild`: what is known again.", known);

export const restored = line("restored", "Of `ledger restore`.", {
  kept: textOrNull.describe("the path under which what lay there is kept"),
  journal: textOrNull.describe("that brought what came after the backup"),
  forgotten: textOrNull.describe(
    "a journal that the ledger remembered, and that is not there; the next run needs none",
  ),
  known: object(known).nullable().describe("null: without a journal, what came after the backup is unknown"),
});

export const rebound = line("rebound", "Of `ledger rebind`.", {
  before: textOrNull.describe("the owner"),
  lookedUp: count.describe("participants"),
  journal: textOrNull.describe("that stays with the old address"),
});
