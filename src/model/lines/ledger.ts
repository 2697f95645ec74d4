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
  inputCounts,
  jsonObject,
  line,
  list,
  number,
  object,
  openWork,
  problem,
  rowOutcomes,
  text,
  textOrNull,
  time,
  timeOrNull,
  toldProblem,
  waiting,
} from "./words.js";

const left = { held: count, deferred: count, refused: count };

export const plan = line("plan", "Printed by `plan` and `import --dry-run`.", {
  inputs: inputCounts,
  outcomes: rowOutcomes,
  requests: counts.describe("by kind; for those about participants and addresses, the highest possible number"),
  secondsAtLimit: number,
  documents: count,
  events: object({ ready: count, ...left }),
  cheaper: object({
    setting: text.describe("as written under `settings`"),
    mapping: text.describe("the file it belongs in"),
    saves: count.describe("requests"),
    secondsAtLimit: number.describe("with it"),
  })
    .nullable()
    .describe("a setting that would save more than a tenth of the requests; null: none is known"),
  doubted: list(toldProblem).describe("ready events that the service may refuse"),
  problems: list(toldProblem).describe("problems that would be open"),
  waiting: list(waiting).describe("what would be held, by what it waits for"),
  warnings: list(toldProblem).describe("nothing is held back because of these"),
  exitCode: exitCode.describe("with which the import would end, as far as the ledger can know"),
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

export const foreseen = line("foreseen", "Printed by `--dry-run`, except that of `import`: nothing was changed.", {
  done: list(jsonObject).describe("the lines that the command would have printed; empty if it decides nothing"),
  requests: counts.describe(
    "requests that could then be sent, by kind; for those about participants and addresses, the highest possible number",
  ),
  secondsAtLimit: number,
  documents: count,
  events: object({ ready: count, ...left })
    .nullable()
    .describe("null: the command sends no events"),
  released: count.describe("events that wait now, but would no longer"),
  waiting: list(waiting).describe("what would still be held, by what it waits for"),
});

export const status = line("status", "Printed by `status`.", {
  open: openWork,
  problems: list(toldProblem),
  waiting: list(waiting).describe("what is held, by what it waits for"),
  unstaged: object({
    name: text,
    exitCode: countOrNull.describe("null: it is still reading, or was killed; see `isAtWork`"),
  })
    .nullable()
    .describe("the newest import, if none of its rows are in the ledger"),
  isAtWork: z
    .boolean()
    .nullable()
    .describe("another process is staging or sending; null: this system does not show it"),
  restored: object({
    lastRun: textOrNull.describe("the last run in the backup"),
    lastAt: timeOrNull,
    byJournal: flag.describe(
      "true: a journal supplied what was sent; rows that were not sent are unknown until files are imported again",
    ),
  })
    .nullable()
    .describe(
      "a backup was restored, or the ledger rebuilt; without a journal, what was sent since is unknown until files are imported again and a `verify` then finds no difference",
    ),
  differed: object({ name: text, at: time })
    .nullable()
    .describe(
      "the last `verify` that found a difference or could not read everything, and when it ended, until a whole one finds none",
    ),
  refused: object({ message: text, hint: text })
    .nullable()
    .describe("why the next run would be refused: its journal is missing, or is not this ledger's"),
  withdrawn: list(object({ input: text, rows: count })).describe(
    "rows that were taken back, until their file is imported again",
  ),
  lastRun: object({
    name: text,
    startedAt: time,
    finishedAt: timeOrNull.describe("null: it is still running, or was killed; see `isAtWork`"),
    exitCode: countOrNull,
  }).nullable(),
});

export const rejects = line("rejects", "Printed by `rejects`.", {
  files: list(object({ path: text, mapping: text, rows: count, correctable: count, note: textOrNull })).describe(
    "the files written; `rows`: how many rows in it need a person; `correctable`: how many a correction would help",
  ),
  rows: list(object({ file: text, sheet: textOrNull, row: count, problems: list(problem) })),
  forgotten: count.describe(
    "how many of `rows` are in none of the files, because the ledger keeps no cells of rows that have landed",
  ),
  stranded: object({ path: text, documents: count }).nullable().describe("the list for `resolve --from`"),
  kept: list(text).describe("copies of files with these names whose content had changed, for example by corrections"),
});

export const report = line("report", "Printed by `report`.", { run: text, path: text.describe("of the HTML page") });

const difference = object({
  subject: z.enum(["participant", "address", "document", "event"]),
  name: text,
  id: text,
  text,
  document: text.optional().describe("`kind/key`, of a document or an event"),
  lost: z.literal(true).optional().describe("the service does not have it, as far as the read shows"),
});

export const verify = line("verify", "Printed by `verify`.", {
  checked: object({ participants: count, addresses: count, documents: count, events: count }).describe(
    "how many of each kind were compared",
  ),
  differences: list(difference).describe("differences between ledger and service"),
  unread: list(difference).describe("what could not be read"),
  unverifiable: list(object({ text, count })).describe("what was not compared"),
  stopped: textOrNull.describe("why it ended early"),
});

const records = { rows: count, events: count, participants: count, addresses: count };

export const withdrawn = line("withdrawn", "Printed by `withdraw`: what was taken back.", {
  ...records,
  replacements: count.describe("documents that were to be replaced; then nothing else is taken back"),
});

export const dismissed = line("dismissed", "Printed by `dismiss`: what was given up or accepted.", {
  ...records,
  documents: count,
  left: count.describe("events left as they are, because they may have landed"),
  stranded: count.describe("documents left as they are, because they may exist"),
  undo: flag.describe("true: a dismissal was undone, and these are open again"),
});

export const resolved = line("resolved", "Printed by `resolve --document-id`.", {
  document,
  documentId: text,
  findings,
});

export const settled = line("settled", "Printed by `resolve --landed` and `--not-landed`.", {
  said: z.enum(["landed", "not-landed"]),
  documents: list(
    object({
      document,
      events: list(
        object({ id: count, deduplicationId: text, name: text, at: number.describe("ms since 1970") }),
      ).describe("the events that were settled"),
      landed: count,
      changed: count.describe("how many of them landed with content that differs from their rows now"),
      notLanded: count,
    }),
  ),
});

const lookedUp = list(object({ row: count, document, documentId: text, findings }));

export const resolvedFrom = line("resolved-from", "Printed by `resolve --from`.", {
  file: text,
  resolved: lookedUp,
  left: lookedUp.describe("left as they are, because the service shows something else"),
  known: count.describe("how many already had this id"),
  blank: count.describe("how many had no id in the file"),
});

export const rowsRefused = line(
  "rows-refused",
  "Printed by `resolve --from`, before an `error`: nothing was looked up, and nothing written.",
  { file: text, rows: list(object({ row: count, code, message: text })) },
);

export const replaced = line("replaced", "Printed by `replace`.", {
  document: document.describe("the document as it was"),
  next: count.describe("the next generation's id in the ledger"),
  generation: count,
  events: count.describe("in the next generation"),
  cancels: flag.describe("whether the old generation gets a CANCEL"),
  missing: list(object({ event: text, keyParts: list(text) })).describe("rows to import again"),
  relations: count.describe("relations of other documents to the old generation"),
  linkedFrom: list(text).describe("up to five of these documents, as `kind/key`"),
  staysStranded: flag,
  shutOut: count.describe(
    "events after the document's own CLOSE or CANCEL, which cannot be sent in this generation either",
  ),
  earlyMirrors: count.describe(
    "links whose mirrors the service may refuse because they are earlier than the related document's last event",
  ),
  otherData: text
    .nullable()
    .describe("the newest row that gives other fields or parties of the document, which keeps those it had; or null"),
});

export const notReplaced = line(
  "not-replaced",
  "Printed by `replace` with selectors, for each document that it leaves as it is.",
  {
    code,
    message: text,
    hint: text,
  },
);

export const backup = line("backup", "Printed by `ledger backup`.", {
  path: text,
  bytes: count,
  removed: list(text).describe("older backups, with `--keep`"),
});

export const ledgerCheck = line("ledger-check", "Printed by `ledger check`.", {
  checks: list(
    object({ name: text, remedy: text, broken: list(text).describe("where it is broken, at most ten places") }),
  ),
});

export const pruned = line("pruned", "Printed by `ledger prune`: what was removed.", {
  dryRun: flag.describe("true: nothing was removed; this is what would be"),
  runFolders: list(text).describe("names of runs whose folders were removed"),
  bytes: count.describe("the size of these folders"),
  oldestKept: textOrNull.describe("the oldest run whose folder is kept"),
});

const known = {
  entries: count.describe("read from the journal"),
  unreadable: list(count).describe("the journal's damaged lines, which were left out; a torn last line does not count"),
  until: timeOrNull.describe("when the journal's last entry was written"),
  isPart: flag.describe(
    "true: the backup's ledger had written into its journal what this one lacks; a rebuild needs both",
  ),
  participants: count,
  addresses: count,
  documents: count,
  landed: count.describe("events"),
  inDoubt: count,
};

export const rebuilt = line("rebuilt", "Printed by `ledger rebuild`: what is known again.", known);

export const restored = line("restored", "Printed by `ledger restore`.", {
  kept: textOrNull.describe("where the former ledger is kept"),
  journal: textOrNull.describe("the journal that was replayed over the backup"),
  dropped: flag.describe("true: the journal's last decision never reached the former ledger, and was removed from it"),
  forgotten: textOrNull.describe("the journal that the ledger remembered, if that is missing; the next run needs none"),
  known: object(known).nullable().describe("null: without a journal, what came after the backup is unknown"),
  unsent: count.describe("events that the next run may send, even if they were withdrawn after the backup was made"),
});

export const rebound = line("rebound", "Printed by `ledger rebind`.", {
  before: textOrNull.describe("the owner"),
  lookedUp: count.describe("participants"),
  journal: textOrNull.describe("the journal that belongs to the old address"),
});
