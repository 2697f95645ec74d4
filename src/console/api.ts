/** What the page and its server say to each other. Types only: the page is bundled without a line of the program. */
import type { Cause, CauseName, OpenRecord } from "../ledger/views/causes.js";
import type { FieldChange } from "../ledger/views/changes.js";
import type { ListedInput } from "../ledger/inputs.js";
import type { Shown, ShownRun } from "../ledger/views/show/shown.js";
import type { Course } from "../report/course.js";

/** Times are ISO 8601, of whatever the ledger keeps in ms. */
export interface TargetOverview {
  name: string;
  /** Why it cannot be shown; null: it can. */
  failure: { message: string; hint: string } | null;
  ledger: string;
  /** The answer, in one sentence. */
  answer: string;
  isWell: boolean;
  /** That sent last; null: none did yet. `said`: how it ended, in a sentence; null while it goes on, or where it was killed. */
  lastRun: (Pick<ShownRun, "name" | "startedAt" | "finishedAt" | "exitCode"> & RunWords) | null;
  /** When an input is due, as the settings say: `every 24h, by 06:30`; null: they do not. */
  expected: string | null;
  /** Of local times in its newest file; null: as this machine has it. */
  zone: string | null;
  /** Counted in rows where `correct` is, in records where `decide` is. */
  correct: CauseLine[];
  decide: CauseLine[];
  /** Events that wait for something else, by what they wait for. */
  waiting: { what: string; code: string; count: number; example: string }[];
  /** Rows with a correction that is not imported yet; null: none. */
  draft: { rows: number; at: string } | null;
  job: JobLine | null;
  /** How far the run at work has come, whoever began it; null: none is at work, or it tells nothing. */
  live: Course | null;
}

export interface RunWords {
  said: string | null;
  /** `5,204 = 4,604 landed + 388 waiting`, as it ended; null: it read none. */
  rows: string | null;
}

export interface CauseLine extends Omit<Cause, "since"> {
  since: string | null;
  /** What the code means, in a few words. */
  meaning: string;
  hint: string;
}

/** A command that this console started. */
export interface JobLine {
  /** As it would be typed. */
  command: string;
  /** Null while it runs. */
  exitCode: number | null;
  /** What came of it, in sentences; empty while it runs. */
  said: string[];
}

/** One text of the column at fault, and its rows. */
export interface ValueLine {
  value: string;
  rows: number;
  /** What the draft has instead, where that is one text for all of them; null: no draft, or several. */
  draft: string | null;
  /** Of the rows that have a draft. */
  drafted: number;
}

export interface CausePage {
  cause: CauseLine;
  values: ValueLine[];
  /** More than these were found. */
  moreValues: number;
  tables: GridTable[];
  tally: Tally;
}

/** Rows of one file: they share a header. */
export interface GridTable {
  input: number;
  file: string;
  sheet: string | null;
  header: string[];
  rows: GridRow[];
  /** How many there are in all; `rows` holds the first ones. */
  total: number;
  /** What the file is called that all of them are downloaded as. */
  download: string;
}

export interface GridRow {
  ref: string;
  row: number;
  cells: string[];
  /** By header position: the corrected text. */
  draft: { [position: number]: string };
  problems: { column: string | null; message: string; hint: string | null }[];
  /** Whether the mapping takes it as it stands now. */
  ready: boolean;
  /** The documents that it joins by its corrections; null: the same as in its file. */
  joins: string | null;
}

/** `rows` = `ready` + `left`, of everything that is to be corrected. */
export interface Tally {
  rows: number;
  ready: number;
  left: number;
  undo: string | null;
}

export interface EditAnswer {
  /** Texts that someone else has changed meanwhile; nothing was saved then. */
  conflicts: { ref: string; column: string; value: string }[];
}

/** Rows as they would be. */
export interface TryAnswer {
  rows: GridRow[];
}

/** One correction for every row that has a text under a cause. */
export interface ValueEdit extends CauseName {
  column: string;
  from: string;
  to: string;
}

export type FileLine = Omit<ListedInput, "stagedAt"> & { stagedAt: string };

/** A command and its words; what is absent is not said. */
export interface DecisionRequest {
  action: "resume" | "retry" | "dismiss" | "withdraw" | "replace" | "resolve" | "verify";
  /** The document of `replace`; the document, row or event of `resolve`. */
  what?: string;
  flags?: { [name in "code" | "document" | "input" | "row" | "reason" | "document-id"]?: string };
  /** Of `resolve`: what is true of what is in doubt. Of `dismiss`: it is taken back. */
  word?: "landed" | "not-landed" | "undo";
}

/** What it would do, or did; of a command that takes its time it is told by its job. */
export interface Said {
  said: string[];
}

export interface DecisionPage {
  cause: CauseLine;
  records: DecisionRecord[];
}

/** `row`: `march.csv:17`, as `--row` takes it; `place`: `march.csv, row 17`. */
export interface DecisionRecord extends Pick<OpenRecord, "kind" | "key" | "event" | "row"> {
  at: string | null;
  /** What was said of it last. */
  message: string;
  /** What landed, and what its row says now; empty unless it changed. */
  changes: FieldChange[];
  place: string | null;
}

export type RunLine = ShownRun & RunWords & { hasReport: boolean };

export interface RunPage {
  run: RunLine | null;
  /** Newest first; what was found in the run so far. */
  problems: { code: string; text: string }[];
}

export interface Overview {
  /** The working folder. */
  folder: string;
  /** Whether this console may change anything. */
  allowChanges: boolean;
  targets: TargetOverview[];
}

/** What can be asked for, by the last part of its address. */
export interface Answers {
  overview: Overview;
  cause: CausePage;
  decisions: DecisionPage;
  find: Shown;
  run: RunPage;
  runs: RunLine[];
  files: FileLine[];
}

export interface Failure {
  code: string;
  message: string;
  hint: string;
}
