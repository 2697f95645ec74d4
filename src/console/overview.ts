/** What a person sees first: whether all is well, and what there is to do; what was run and read; and what is to be decided. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { glob } from "tinyglobby";
import { parse } from "yaml";
import { shownPath } from "../cli/output.js";
import { reading } from "../desk/access.js";
import { isHeld } from "../ledger/care/lock.js";
import { listInputs } from "../ledger/inputs.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { describeRow } from "../ledger/rows.js";
import { createRunStore, type Decided } from "../ledger/runs.js";
import { type Cause, type CauseName, openCauses, recordsOfCause } from "../ledger/views/causes.js";
import { changesOf } from "../ledger/views/changes.js";
import { newestProblems, tallyHeld } from "../ledger/views/problems.js";
import { findRuns, listRuns } from "../ledger/views/show/show.js";
import type { ShownRun } from "../model/lines/show.js";
import { countOpenEvents, tallyOpen } from "../ledger/views/tally.js";
import { codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import type { Line } from "../model/lines.js";
import type { Target } from "../model/target.js";
import { readCourse } from "../report/course.js";
import { counted } from "../report/figures.js";
import { rowSum } from "../report/outcome.js";
import { said } from "../report/said.js";
import { readConfig, stateRoot } from "../settings/config-file.js";
import { resolveTarget } from "../settings/target.js";
import type {
  CauseLine,
  DecisionPage,
  FileLine,
  JobLine,
  RunLine,
  RunPage,
  RunWords,
  Startable,
  TargetOverview,
} from "./api.js";

/** Those with a ledger in the working folder, or the named one. */
export function createTargets(from: { cwd: string; env: NodeJS.ProcessEnv; target?: string; ledger?: string }) {
  const { cwd, env } = from;
  const flagsOf = (name: string) => ({ target: name, ...(from.ledger === undefined ? {} : { ledger: from.ledger }) });
  const names = (): string[] => {
    if (from.target !== undefined) return [from.target];
    const root = stateRoot(readConfig(cwd), cwd);
    if (!existsSync(root)) return [];
    return readdirSync(root)
      .filter((name) => existsSync(join(root, name, "ledger.db")))
      .toSorted((a, b) => Number(a === "sandbox") - Number(b === "sandbox") || (a < b ? -1 : 1));
  };
  const known = (name: string): string => {
    if (names().includes(name)) return name;
    throw new RowferryError("target-unknown", `There is no ledger of a target "${name}" here.`);
  };
  const get = (name: string): Target => {
    const { target: _, ...chosen } = flagsOf(name);
    const isFirst = name === "" && names().length === 0;
    return resolveTarget({ flags: isFirst ? chosen : flagsOf(known(name)), env, cwd });
  };
  return {
    names,
    /** "", while there is no ledger: what the settings say. @throws RowferryError `target-unknown`, and those of its settings */
    get,
    /** The flags with which a command uses this ledger. @throws RowferryError `target-unknown` */
    flags: (name: string): string[] => [
      `--target=${get(name).name}`,
      ...(from.ledger === undefined ? [] : [`--ledger=${from.ledger}`]),
    ],
  };
}

export type Targets = ReturnType<typeof createTargets>;

export function overviewOf(
  name: string,
  targets: Targets,
  from: { cwd: string; now: () => number; job: JobLine | null; draft: (target: Target) => TargetOverview["draft"] },
): TargetOverview {
  const { cwd, now, job } = from;
  try {
    const target = targets.get(name);
    const found = reading(target, (database) => {
      const { correct, decide } = openCauses(database);
      const lastRun = createRunStore(database).last();
      const isAtWork = isHeld(database);
      return {
        correct,
        decide,
        lastRun,
        isAtWork,
        waiting: tallyHeld(database),
        newest: listInputs(database, 1)[0],
        answer: answerOf(sum(correct), sum(decide), lastRun, isAtWork, () => tallyOpen(database).events),
      };
    });
    const { correct, decide } = found;
    const live = found.isAtWork ? readCourse(target.stateFolder, now()) : null;
    return {
      name,
      failure: null,
      ledger: shownPath(target.ledgerPath, cwd),
      ...found.answer,
      lastRun: found.lastRun === null ? null : { ...timesOf(found.lastRun), ...wordsOf(found.lastRun.summary) },
      expected: expectedOf(name, cwd),
      zone: found.newest === undefined ? null : zoneOf(found.newest.mapping),
      correct: correct.map(causeLine),
      decide: decide.map(causeLine),
      waiting: found.waiting.map(({ code, count, example }) => ({ code, what: codes[code].meaning, count, example })),
      draft: from.draft(target),
      job,
      live,
    };
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    const nothing = {
      lastRun: null,
      expected: null,
      zone: null,
      correct: [],
      decide: [],
      waiting: [],
      draft: null,
      live: null,
    };
    const failure = { message: error.description, hint: error.hint };
    return { ...nothing, name, job, failure, ledger: "", answer: "This ledger cannot be read.", isWell: false };
  }
}

function expectedOf(name: string, cwd: string): string | null {
  const config = readConfig(cwd);
  const expect = config.targets?.[name]?.expect ?? config.expect;
  if (expect === undefined) return null;
  return `every ${expect.every}${expect.by === undefined ? "" : `, by ${expect.by}`}`;
}

/** What the mapping names for the times of its files; null: nothing, or the mapping cannot be read. */
function zoneOf(mapping: string): string | null {
  try {
    const { defaults } = parse(readFileSync(mapping, "utf8")) as { defaults?: { timezone?: unknown } };
    return new Intl.DateTimeFormat("en", { timeZone: String(defaults?.timezone) }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

const sum = (causes: readonly Cause[]) => causes.reduce((total, { count }) => total + count, 0);

/** `open`: events by state, asked only if nothing else is to be said, because that reads every event. */
function answerOf(
  toCorrect: number,
  toDecide: number,
  lastRun: { exitCode: number | null } | null,
  isAtWork: boolean,
  open: () => { [state: string]: number },
): { answer: string; isWell: boolean } {
  const no = (answer: string) => ({ answer, isWell: false });
  const decisions = (more: string) =>
    `${counted(toDecide, `${more}thing`)} ${toDecide === 1 ? "needs" : "need"} a decision.`;
  if (toCorrect > 0) {
    const rows = `${counted(toCorrect, "row")} ${toCorrect === 1 ? "needs" : "need"} a correction.`;
    return no(`${rows}${toDecide === 0 ? "" : ` ${decisions("more ")}`} Nothing is lost.`);
  }
  if (toDecide > 0) return no(`${decisions("")} Nothing is lost.`);
  if (isAtWork) return no("An import is at work. Nothing needs you.");
  const { planned = 0, sending = 0, stalled = 0 } = open();
  const left = planned + sending + stalled;
  if (left > 0) return no(`${counted(left, "event")} ${left === 1 ? "is" : "are"} still to be sent. Resume continues.`);
  const isEnded = lastRun === null || lastRun.exitCode === 0;
  return isEnded ? { answer: "All is well.", isWell: true } : no("Nothing is open, but the last run did not end well.");
}

export function causeLine({ since, ...cause }: Cause): CauseLine {
  const { meaning, remedy } = (codes as { [code: string]: { meaning: string; remedy: string } })[cause.code] ?? {
    meaning: cause.code,
    remedy: "",
  };
  return { ...cause, since: since === null ? null : iso(since), meaning, hint: remedy };
}

/** Of which nothing is left, or which is not known by these words. */
export const noCause = (name: CauseName): Cause => ({
  ...name,
  code: name.code as Cause["code"],
  count: 0,
  values: null,
  since: null,
  what: "",
  place: "",
});

const iso = (ms: number) => new Date(ms).toISOString();

function timesOf(run: { name: string; startedAt: number; finishedAt: number | null; exitCode: number | null }) {
  const { name, startedAt, finishedAt, exitCode } = run;
  return { name, startedAt: iso(startedAt), finishedAt: finishedAt === null ? null : iso(finishedAt), exitCode };
}

/** How a run ended, from its summary. */
function wordsOf(json: string | null): RunWords {
  const line = json === null ? null : (JSON.parse(json) as Line | Decided);
  if (line === null) return { said: null, rows: null };
  if (line.type === "decision") return { said: line.did, rows: null };
  const rows = line.type === "summary" && line.rows.read > 0 ? rowSum(line.rows, line.outcomes) : null;
  return { said: said(line).join(" "), rows };
}

/** Events that wait for something else. */
export const heldNow = (target: Target): number => reading(target, (database) => countOpenEvents(database).held);

/** Newest first. */
export function filesOf(target: Target, cwd: string): FileLine[] {
  return reading(target, (database) => listInputs(database, 10_000)).map(({ stagedAt, path, mapping, ...input }) => ({
    ...input,
    path: shownPath(path, cwd),
    mapping: shownPath(mapping, cwd),
    stagedAt: iso(stagedAt),
  }));
}

export async function startable(cwd: string): Promise<Startable> {
  const found = (kinds: string) => glob([`*.{${kinds}}`, `*/*.{${kinds}}`], { cwd, expandDirectories: false });
  const yaml = await found("yaml,yml");
  const isMapping = (path: string) => /^version:\s*\d/m.test(readFileSync(join(cwd, path), "utf8"));
  return { mappings: yaml.filter(isMapping).toSorted(), files: (await found("csv,tsv,txt,xlsx,xlsm")).toSorted() };
}

const reportOf = (target: Target, run: string): string => join(target.stateFolder, "runs", run, "report.html");

/** Newest first. */
export const runsOf = (target: Target): RunLine[] =>
  reading(target, (database) => listRuns(database, 200).map((run) => runLine(target, database, run)));

/** With what went wrong in it so far, the newest first. */
export const runOf = (target: Target, name: string): RunPage =>
  reading(target, (database) => {
    const [run] = findRuns(database, name);
    return {
      run: run === undefined ? null : runLine(target, database, run),
      problems: newestProblems(database, name, 30),
    };
  });

const runLine = (target: Target, database: LedgerDatabase, run: ShownRun): RunLine => ({
  ...run,
  ...wordsOf(createRunStore(database).summaryOf(run.name)),
  hasReport: existsSync(reportOf(target, run.name)),
});

/** @throws RowferryError `usage` if there is none */
export function readReport(target: Target, run: string): Buffer {
  const path = reportOf(target, run);
  if (existsSync(path)) return readFileSync(path);
  throw new RowferryError("usage", `${run} has no report.`, { hint: "Look at its rows and documents here." });
}

export function decisionsOf(target: Target, code: string): DecisionPage {
  return reading(target, (database) => {
    const cause = openCauses(database).decide.find((one) => one.code === code);
    const records = recordsOfCause(database, code, 500).map(({ eventId, firstRow, at, message, ...record }) => ({
      ...record,
      changes: eventId === null || code !== "changed" ? [] : changesOf(database, eventId),
      at: at === null ? null : iso(at),
      message: message ?? "",
      place: firstRow === null ? null : describeRow(database, firstRow),
    }));
    return { cause: causeLine(cause ?? noCause({ code, column: null, mistake: null })), records };
  });
}
