/** What a person sees first: whether all is well, and what there is to do. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig, stateRoot } from "../settings/config-file.js";
import { shownPath } from "../cli/output.js";
import { resolveTarget } from "../settings/target.js";
import { isHeld } from "../ledger/care/holder.js";
import { changesOf } from "../ledger/views/changes.js";
import { type Cause, openCauses, recordsOfCause } from "../ledger/views/causes.js";
import { describeRow } from "../ledger/rows.js";
import { listInputs } from "../ledger/inputs.js";
import { createRunStore } from "../ledger/runs.js";
import { tallyHeld } from "../ledger/views/problems.js";
import { tallyOpen } from "../ledger/views/tally.js";
import { codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { readCourse } from "../report/course.js";
import { reading } from "../desk/access.js";
import { showRuns } from "../desk/status.js";
import type { CauseLine, DecisionPage, FileLine, JobLine, RunPage, TargetOverview } from "./api.js";

/** Targets by name: those that have a ledger in the working folder; or the one whose ledger was named. */
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
  return {
    names,
    /** @throws RowferryError `target-unknown`, and those of its settings */
    get: (name: string): Target => resolveTarget({ flags: flagsOf(known(name)), env, cwd }),
    /** The flags by which a command works on the same ledger. @throws RowferryError `target-unknown` */
    flags: (name: string): string[] => [
      `--target=${known(name)}`,
      ...(from.ledger === undefined ? [] : [`--ledger=${from.ledger}`]),
    ],
  };
}

export type Targets = ReturnType<typeof createTargets>;

export function overviewOf(
  name: string,
  targets: Targets,
  { cwd, job, draft }: { cwd: string; job: JobLine | null; draft: (target: Target) => TargetOverview["draft"] },
): TargetOverview {
  const nothing = {
    name,
    lastRun: null,
    expected: null,
    correct: [],
    decide: [],
    waiting: [],
    events: {},
    draft: null,
    live: null,
    job,
  };
  try {
    const target = targets.get(name);
    const found = reading(target, (database) => ({
      open: tallyOpen(database),
      causes: openCauses(database),
      waiting: tallyHeld(database),
      lastRun: createRunStore(database).last(),
      isHeld: isHeld(database),
    }));
    const { correct, decide } = found.causes;
    const answer = answerOf(sum(correct), sum(decide), found.open.events, found.lastRun?.exitCode ?? null);
    return {
      ...nothing,
      failure: null,
      ledger: shownPath(target.ledgerPath, cwd),
      ...answer,
      expected: expectedOf(name, cwd),
      lastRun: found.lastRun === null ? null : { command: "", mapping: null, ...timesOf(found.lastRun) },
      correct: correct.map(causeLine),
      decide: decide.map(causeLine),
      waiting: found.waiting.map(({ code, count, example }) => ({ code, what: codes[code].meaning, count, example })),
      events: found.open.events,
      draft: draft(target),
      live: found.isHeld ? readCourse(target.stateFolder, Date.now()) : null,
    };
  } catch (error) {
    if (!(error instanceof RowferryError)) throw error;
    const failure = { message: error.description, hint: error.hint };
    return { ...nothing, failure, ledger: "", answer: "This ledger cannot be read.", isWell: false };
  }
}

function expectedOf(name: string, cwd: string): string | null {
  const config = readConfig(cwd);
  const expect = config.targets?.[name]?.expect ?? config.expect;
  if (expect === undefined) return null;
  return `every ${expect.every}${expect.by === undefined ? "" : `, by ${expect.by}`}`;
}

const sum = (causes: readonly Cause[]) => causes.reduce((total, { count }) => total + count, 0);
const rows = (count: number) => (count === 1 ? "1 row" : `${count.toLocaleString("en")} rows`);

function answerOf(
  toCorrect: number,
  toDecide: number,
  events: { [state: string]: number },
  exitCode: number | null,
): { answer: string; isWell: boolean } {
  const left = (events["planned"] ?? 0) + (events["sending"] ?? 0) + (events["stalled"] ?? 0);
  if (toCorrect > 0) {
    const also =
      toDecide === 0 ? "" : ` ${toDecide} more ${toDecide === 1 ? "thing needs" : "things need"} a decision.`;
    return {
      answer: `${rows(toCorrect)} ${toCorrect === 1 ? "needs" : "need"} a correction.${also} Nothing is lost.`,
      isWell: false,
    };
  }
  if (toDecide > 0)
    return {
      answer: `${toDecide} ${toDecide === 1 ? "thing needs" : "things need"} a decision. Nothing is lost.`,
      isWell: false,
    };
  if (left > 0)
    return { answer: `${left.toLocaleString("en")} events are still to be sent. Resume continues.`, isWell: false };
  if (exitCode !== null && exitCode !== 0)
    return { answer: "Nothing is open, but the last run did not end well.", isWell: false };
  return { answer: "All is well.", isWell: true };
}

export function causeLine({ code, column, count, example }: Cause): CauseLine {
  const entry = codes[code] as (typeof codes)[Cause["code"]] | undefined;
  return { code, column, count, example, meaning: entry?.meaning ?? code, hint: entry?.remedy ?? "" };
}

const iso = (ms: number) => new Date(ms).toISOString();

function timesOf(run: { name: string; startedAt: number; finishedAt: number | null; exitCode: number | null }) {
  const { name, startedAt, finishedAt, exitCode } = run;
  return { name, startedAt: iso(startedAt), finishedAt: finishedAt === null ? null : iso(finishedAt), exitCode };
}

/** Newest first. */
export function filesOf(target: Target, cwd: string): FileLine[] {
  return reading(target, (database) => listInputs(database, 1000)).map(({ stagedAt, path, mapping, ...input }) => ({
    ...input,
    path: shownPath(path, cwd),
    mapping: shownPath(mapping, cwd),
    stagedAt: iso(stagedAt),
  }));
}

const reportOf = (target: Target, run: string): string => join(target.stateFolder, "runs", run, "report.html");

/** Newest first. */
export function runsOf(target: Target): RunPage {
  return showRuns(target, 100).map((run) => ({ ...run, hasReport: existsSync(reportOf(target, run.name)) }));
}

/** @throws RowferryError `usage` where it is gone, or never was */
export function readReport(target: Target, run: string): Buffer {
  const path = reportOf(target, run);
  if (existsSync(path)) return readFileSync(path);
  throw new RowferryError("usage", `${run} has no report.`, { hint: "Look at its rows and documents here." });
}

/** What a person decides about, record by record. */
export function decisionsOf(target: Target, code: string): DecisionPage {
  return reading(target, (database) => {
    const cause = openCauses(database).decide.find((one) => one.code === code);
    const records = recordsOfCause(database, code, 500).map(({ eventId, firstRow, row, at, message, ...record }) => ({
      ...record,
      changes: eventId === null || code !== "changed" ? [] : changesOf(database, eventId),
      at: at === null ? null : iso(at),
      message: message ?? "",
      row: firstRow === null ? null : describeRow(database, firstRow),
      rowSelector: row,
    }));
    return { cause: causeLine(cause ?? { code: code as Cause["code"], column: null, count: 0, example: "" }), records };
  });
}
