/** What the page and its server say to each other. Types only: the page is bundled without a line of the program. */

import type { FieldChange } from "../ledger/views/changes.js";
import type { Course } from "../report/course.js";
import type { Shown, ShownRun } from "../ledger/views/show/shown.js";

export interface TargetOverview {
  name: string;
  /** Why it cannot be shown; null: it can. */
  failure: { message: string; hint: string } | null;
  ledger: string;
  /** The answer, in one sentence. */
  answer: string;
  isWell: boolean;
  lastRun: RunLine | null;
  /** When an input is due, as the settings say: `every 24h, by 06:30`; null: they do not. */
  expected: string | null;
  /** Counted in rows where `correct` is, in records where `decide` is. */
  correct: CauseLine[];
  decide: CauseLine[];
  /** Events that wait for something else, by what they wait for. */
  waiting: { what: string; code: string; count: number; example: string }[];
  events: { [state: string]: number };
  /** Rows with a correction that is not imported yet; null: none. */
  draft: { rows: number; at: string } | null;
  job: JobLine | null;
  /** How far the run at work has come, whoever began it; null: none is at work. */
  live: Course | null;
}

export interface CauseLine {
  code: string;
  column: string | null;
  count: number;
  /** What the code means, in a few words. */
  meaning: string;
  hint: string;
  example: string;
}

export interface RunLine {
  name: string;
  command: string;
  mapping: string | null;
  startedAt: string;
  /** Null while it goes on, or where it was killed. */
  finishedAt: string | null;
  exitCode: number | null;
}

/** A command that this console started. */
export interface JobLine {
  id: number;
  /** As it would be typed. */
  command: string;
  startedAt: string;
  stage: string | null;
  done: number;
  total: number | null;
  sent: number;
  problems: number;
  /** Sentences to read; the newest last. */
  notices: string[];
  /** Null while it runs. */
  exitCode: number | null;
  /** What came of it, in a sentence; null while it runs. */
  outcome: string | null;
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
export interface ValueEdit {
  code: string;
  column: string;
  from: string;
  to: string;
}

export interface CheckAnswer {
  sentences: string[];
}

export interface FileLine {
  name: string;
  sheet: string | null;
  path: string;
  mapping: string;
  stagedAt: string;
  read: number;
  skipped: number;
  invalid: number;
  known: number;
  staged: number;
}

export interface DecisionRequest {
  action: "resume" | "retry" | "dismiss" | "replace" | "resolve" | "verify";
  code?: string;
  document?: string;
  documentId?: string;
  reason?: string;
  row?: string;
}

export interface DecisionPage {
  cause: CauseLine;
  records: DecisionRecord[];
}

export interface DecisionRecord {
  kind: string;
  key: string;
  /** Name in the mapping; null: the document as a whole. */
  event: string | null;
  /** When it took place. */
  at: string | null;
  /** What was said of it last. */
  message: string;
  /** What landed, and what its row says now; empty unless it changed. */
  changes: FieldChange[];
  /** `march.csv, row 17`; null: no row is known. */
  row: string | null;
  /** The same as `--row` takes it. */
  rowSelector: string | null;
}

export interface Overview {
  /** The working folder. */
  folder: string;
  /** Whether this console may change anything. */
  allowChanges: boolean;
  targets: TargetOverview[];
}

export type RunPage = (ShownRun & { hasReport: boolean })[];

/** What can be asked for, by the last part of its address. */
export interface Answers {
  overview: Overview;
  cause: CausePage;
  decisions: DecisionPage;
  find: Shown;
  runs: RunPage;
  files: FileLine[];
}

export interface Failure {
  code: string;
  message: string;
  hint: string;
}
