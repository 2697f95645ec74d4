/** The interface between page and server. Types only, so that the page's bundle contains nothing of the program. */
import type { Cause, CauseName, OpenRecord } from "../ledger/views/causes.js";
import type { FieldChange } from "../ledger/views/changes.js";
import type { ListedInput } from "../ledger/inputs.js";
import type { Shown, ShownRun } from "../model/lines/show.js";
import type { Course } from "../report/course.js";

/** Times are ISO 8601, of whatever the ledger keeps in ms. */
export interface TargetOverview {
  name: string;
  /** Null: it can be shown. */
  failure: { message: string; hint: string } | null;
  ledger: string;
  /** One sentence. */
  answer: string;
  isWell: boolean;
  /** The last run that sent; null: none. `said`: its outcome; null: running, or killed. */
  lastRun: (Pick<ShownRun, "name" | "startedAt" | "finishedAt" | "exitCode"> & RunWords) | null;
  /** From the settings, `every 24h, by 06:30`; null: not set. */
  expected: string | null;
  /** Of local times in its newest file; null: as this machine has it. */
  zone: string | null;
  /** `correct` counts rows, `decide` records. */
  correct: CauseLine[];
  decide: CauseLine[];
  /** By what they wait for. */
  waiting: { what: string; code: string; count: number; example: string }[];
  /** Not imported yet; null: none. */
  draft: { rows: number; at: string } | null;
  job: JobLine | null;
  /** Whoever started it; null: no run is active, or it is silent. */
  live: Course | null;
}

export interface RunWords {
  said: string | null;
  /** `5,204 = 4,604 landed + 388 waiting`, as it ended; null: it read none. */
  rows: string | null;
}

export interface CauseLine extends Omit<Cause, "since"> {
  since: string | null;
  meaning: string;
  hint: string;
}

export interface JobLine {
  /** As typed. */
  command: string;
  /** Null: running. */
  exitCode: number | null;
  /** What came of it, in sentences; empty while it runs. */
  said: string[];
}

/** A text of the faulty column, with its rows. */
export interface ValueLine {
  value: string;
  rows: number;
  /** The draft's text for all of them; null: none, or several. */
  draft: string | null;
  /** Rows with a draft. */
  drafted: number;
}

export interface CausePage {
  cause: CauseLine;
  values: ValueLine[];
  moreValues: number;
}

/** With one header. */
export interface GridTable {
  input: number;
  file: string;
  sheet: string | null;
  header: string[];
  /** By column: where its local times are from, `America/Manaus`; null: it holds no times. */
  zones: (string | null)[];
  rows: GridRow[];
  /** `rows` holds only the first. */
  total: number;
  /** Name of the downloaded file. */
  download: string;
}

export interface GridRow {
  ref: string;
  /** The first row of its group; without one, itself. */
  lead: string;
  row: number;
  cells: string[];
  /** By header position. */
  draft: { [position: number]: string };
  problems: { column: string | null; message: string; hint: string | null }[];
  /** The mapping accepts it now. */
  ready: boolean;
  /** Documents that the corrections move it to; null: unchanged. */
  joins: string | null;
}

/** `rows` = `ready` + `left`. */
export interface Tally {
  rows: number;
  ready: number;
  left: number;
  undo: string | null;
}

export interface EditAnswer {
  /** Texts changed by someone else meanwhile; then nothing was saved. */
  conflicts: { ref: string; column: string; value: string }[];
}

export interface TryAnswer {
  rows: GridRow[];
}

/** For every row with a text under a cause. */
export interface ValueEdit extends CauseName {
  column: string;
  from: string;
  to: string;
}

export type FileLine = Omit<ListedInput, "stagedAt"> & { stagedAt: string };

/** What an import can begin with, in the folder and in those right in it. */
export interface Startable {
  mappings: string[];
  files: string[];
}

/** A command and its words; what is absent is not said. */
export interface DecisionRequest {
  action: "import" | "resume" | "retry" | "dismiss" | "withdraw" | "replace" | "resolve" | "verify";
  /** The mapping of `import`; the document of `replace`; the documents of `resolve`. */
  what?: string[];
  /** Of `import`. */
  file?: string;
  flags?: { [name in "code" | "document" | "input" | "reason" | "document-id"]?: string };
  /** Of `resolve`, one stranded document on each line, with its id. */
  ids?: string;
  /** As `--row` takes them. */
  rows?: string[];
  /** Of `resolve`: what is true of what is in doubt. Of `dismiss`: it is taken back. */
  word?: "landed" | "not-landed" | "undo";
}

/** What it would do, or did; a long command reports through its job. */
export interface Said {
  said: string[];
}

export interface DecisionPage {
  cause: CauseLine;
  records: DecisionRecord[];
}

/** `row`: as `--row` takes it; `place`: `march.csv, row 17`. */
export interface DecisionRecord extends Pick<OpenRecord, "kind" | "key" | "event" | "row"> {
  at: string | null;
  /** The last one. */
  message: string;
  /** Empty unless it changed. */
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
  folder: string;
  allowChanges: boolean;
  targets: TargetOverview[];
}

/** By the last part of the address. */
export interface Answers {
  overview: Overview;
  cause: CausePage;
  grid: GridTable[];
  tally: Tally;
  decisions: DecisionPage;
  find: Shown;
  run: RunPage;
  runs: RunLine[];
  files: FileLine[];
  startable: Startable;
}

export interface Failure {
  code: string;
  message: string;
  hint: string;
}
