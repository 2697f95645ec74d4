/** What a person sees first: whether all is well, and what there is to do; what was run and read; and what is to be decided. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { READABLE } from "../model/file-endings.js";
import { byNumber } from "../model/fold.js";
import { glob } from "tinyglobby";
import { shownPath } from "../cli/output.js";
import { reading, zoneOfFiles } from "../desk/access.js";
import { refusalOf } from "../desk/status.js";
import { isHeld } from "../ledger/care/lock.js";
import { listInputs } from "../ledger/inputs.js";
import { inputsToWithdraw, tallyWithdrawn } from "../ledger/decide/withdraw.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { correctedHere, describeRow } from "../ledger/rows.js";
import { createRunStore, type LastRun } from "../ledger/runs.js";
import { openCauses, type OpenCauses, recordsOfCause } from "../ledger/views/causes.js";
import { changesOf } from "../ledger/views/changes.js";
import { newestProblems, tallyHeld } from "../ledger/views/problems.js";
import { findRuns } from "../ledger/views/show/show.js";
import { tallyOpen } from "../ledger/views/tally.js";
import { type Code, codes } from "../model/codes.js";
import { readCodes } from "../model/codes/read.js";
import { ExitCode } from "../model/exit-code.js";
import { RowferryError, toldOf } from "../model/error.js";
import type { Line } from "../model/lines.js";
import { missing, unexplainedWaits } from "../model/solution.js";
import type { ToldWaiting } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { courseParts, readCourse } from "../report/course.js";
import { counted, sumOf } from "../report/figures.js";
import {
  onlyYouCanSettle,
  openOfCompared,
  openOfCopy,
  recordKinds,
  saidRestored,
  saidUnstaged,
  saidWithdrawn,
  unsentIn,
} from "../report/outcome.js";
import { said } from "../report/said.js";
import { targetsWithLedger } from "../settings/choose-target.js";
import { readConfig } from "../settings/config-file.js";
import { resolveTarget } from "../settings/target.js";
import { keepOpenDrafts } from "./drafts.js";
import { forPage, rowsOf } from "./jobs.js";
import { confirmable } from "./judge.js";

export interface Where {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Absent: all with a ledger in the working folder. */
  target?: string | undefined;
  ledger?: string | undefined;
}

export function createTargets({ cwd, env, target: only, ledger }: Where) {
  const elsewhere = ledger === undefined ? {} : { ledger };
  const names = () => {
    if (only !== undefined) return [only];
    return targetsWithLedger(cwd, env).toSorted(
      (a, b) => Number(a === "sandbox") - Number(b === "sandbox") || byNumber.compare(a, b),
    );
  };
  const named = (name: string): Target =>
    resolveTarget({ flags: { ...(name === "" ? {} : { target: name }), ...elsewhere }, env, cwd });
  const get = (name: string): Target => {
    const known = names();
    const isFirst = name === "" && known.length === 0;
    if (!isFirst && !known.includes(name))
      throw new RowferryError("target-unknown", `There is no ledger for a target "${name}" here.`);
    return named(name);
  };
  return {
    names,
    /** One of `names`, without another look for its ledger. @throws RowferryError of its settings */
    named,
    /** "", while there is no ledger: what the settings say. @throws RowferryError `target-unknown`, and those of its settings */
    get,
    /** The flags with which a command uses this ledger. @throws RowferryError `target-unknown` */
    flags: (name: string) =>
      Object.entries({ target: get(name).name, ...elsewhere }).map(([flag, value]) => `--${flag}=${value}`),
  };
}

export type Targets = ReturnType<typeof createTargets>;

const unreadable = {
  answer: "This ledger cannot be read.",
  isWell: false,
  canResume: false,
  restored: null,
  lastRun: null,
  expected: null,
  zone: null,
  toCorrect: 0,
  correct: [],
  decide: [],
  waiting: [],
  withdrawn: [],
  draft: null,
  live: null,
  isAtWork: false,
};

/** `correct` counts rows, one of several causes in each; `decide` records, `waiting` events by what they wait for. */
export function overviewOf(name: string, targets: Targets, cwd: string, now: number) {
  try {
    const target = targets.named(name);
    const found = reading(target, (database) => {
      const causes = openCauses(database);
      const runs = createRunStore(database);
      const [lastRun, restored] = [runs.last(), runs.restored()];
      const isAtWork = isHeld(database);
      const waiting = tallyHeld(database);
      const failure = isAtWork ? null : refusalOf(database, target);
      const { answer, canResume } = answerOf(database, { ...causes, waiting }, isAtWork, lastRun, {
        isRestored: restored !== null,
        isRefused: failure !== null,
        isDifferent: runs.differed() !== null,
      });
      return {
        answer,
        /** A run would send something, or find out what is left. */
        canResume,
        /** What a restored ledger cannot know; null: it was not. */
        restored: restored && saidRestored(restored, (time) => new Date(time).toISOString()),
        isWell: answer === allIsWell,
        failure,
        toCorrect: causes.toCorrect,
        correct: causes.correct.map(explained),
        decide: causes.decide.map((cause) => explained({ ...cause, what: forPage(cause.what) })),
        withdrawn: tallyWithdrawn(database).map(saidWithdrawn),
        /** `file`: to be imported again; `isHere`: where the page can. `canBeGivenUp`: the rest is released by what it waits for. */
        waiting: waiting.map((wait) => ({
          ...explained(wait),
          file: wait.file && shownPath(wait.file.path, cwd),
          isHere: wait.file !== undefined && STARTABLE.test(shownPath(wait.file.path, cwd)),
          canBeCorrected: missing.includes(wait.code),
          canBeGivenUp:
            wait.code !== "import-refused" &&
            (unexplainedWaits.includes(wait.code) ||
              // Its document was given up before.
              (wait.code === "document-stranded" && causes.decide.every(({ code }) => !idIsUnknown.includes(code)))),
        })),
        /** The last run that sent; null: none. */
        lastRun: lastRun && { ...lastRun, ...wordsOf(lastRun.summary), summary: null },
        /** The zone of local times in its newest file; null: this machine's. */
        zone: zoneOfFiles(database),
        /** Whoever started it; null: no run is active, or it is silent. */
        live: isAtWork ? liveOf(target, now) : null,
        isAtWork,
      };
    });
    const shown = { name, ...found, expected: expectedOf(name, cwd), draft: null };
    try {
      return { ...shown, draft: keepOpenDrafts(target, found.correct) };
    } catch (error) {
      return { ...shown, failure: toldOf(error) };
    }
  } catch (error) {
    return { name, failure: toldOf(error), ...unreadable };
  }
}

function liveOf({ stateFolder }: Target, now: number) {
  const live = readCourse(stateFolder, now);
  return live && { share: live.share, parts: courseParts(live) };
}

/** By target, of those at which a run is at work, whether or not it reports its progress. */
export function livesOf(targets: Targets, now: number) {
  const isAtWork = (target: Target) => {
    try {
      return existsSync(target.ledgerPath) && reading(target, isHeld);
    } catch {
      return false;
    }
  };
  const lives = targets.names().flatMap((name) => {
    const target = targets.named(name);
    return isAtWork(target) ? [[name, liveOf(target, now)] as const] : [];
  });
  return Object.fromEntries(lives);
}

/** From the settings, `every 24h, by 06:30`; null: not set. */
function expectedOf(name: string, cwd: string): string | null {
  const config = readConfig(cwd);
  const expect = config.targets?.[name]?.expect ?? config.expect;
  if (expect === undefined) return null;
  return `every ${expect.every}${expect.by === undefined ? "" : `, by ${expect.by}`}`;
}

const allIsWell = "All is well.";

/** Of a document that is to be decided. */
const idIsUnknown: readonly Code[] = ["document-stranded", "target-id-unknown", "foreign-collision"];

function answerOf(
  database: LedgerDatabase,
  { toCorrect, decide, waiting }: OpenCauses & { waiting: ToldWaiting[] },
  isAtWork: boolean,
  lastRun: LastRun | null,
  { isRestored, isRefused, isDifferent }: { isRestored: boolean; isRefused: boolean; isDifferent: boolean },
) {
  const says = (answer: string, canResume = false) => ({ answer, canResume });
  const needs = (count: number, one: string, what: string): string[] =>
    count === 0 ? [] : [`${counted(count, one)} ${count === 1 ? "needs" : "need"} a ${what}.`];
  const toDecide = sumOf(decide, "count");
  const needed = [
    ...needs(toCorrect, "row", "correction"),
    ...needs(toDecide, toCorrect === 0 ? "thing" : "more thing", "decision"),
  ];
  if (isAtWork)
    return says(
      needed.length > 0 ? `${needed.join(" ")} Nothing is lost.` : "An import is running. Nothing needs you.",
    );
  const unstaged = createRunStore(database).lastUnstaged();
  if (unstaged !== null) needed.unshift(saidUnstaged(unstaged));
  // Not while a run is under way, because it reads every event.
  const open = tallyOpen(database);
  const [left, held = 0] = [unsentIn(open.events), open.events["held"]];
  const canResume = recordKinds.some((kind) => unsentIn(open[kind]) + (open[kind]["deferred"] ?? 0) > 0);
  if (left > 0) needed.push(`${counted(left, "event")} ${left === 1 ? "waits" : "wait"} for you to press Resume.`);
  const unexplained = waiting.filter(({ code }) => unexplainedWaits.includes(code));
  const toSettle = sumOf(unexplained, "count");
  if (needed.length > 0 && toSettle > 0) needed.push(onlyYouCanSettle(toSettle));
  else if (toCorrect + toDecide > 0) needed.push("Nothing is lost.");
  if (needed.length > 0) return says(needed.join(" "), canResume);
  if (held > 0) return says(onlyYouCanSettle(held), canResume);
  if (isRefused) return says("Nothing is open, but the next import would be refused.");
  if (isRestored) return says(`Nothing ${openOfCopy}`, true);
  if (isDifferent) return says(`Nothing ${openOfCompared}`);
  return isSettled(lastRun) ? says(allIsWell) : says("Nothing is open, but the last run did not end well.", true);
}

/** A person was needed for its rows, which are all settled once nothing is open; an empty file stays as it is. */
function isSettled(run: LastRun | null): boolean {
  if (run === null || (run.exitCode ?? ExitCode.ok) === ExitCode.ok) return true;
  const line = JSON.parse(run.summary ?? "null") as Line | null;
  return (
    run.exitCode === ExitCode.person &&
    line?.type === "summary" &&
    line.problems.every(({ code }) => code !== "file-empty")
  );
}

const KEEP_OR_CORRECT = "If a row is right as shown below, choose it and press Keep. Otherwise, correct its cells.";

/** With what its code means. */
export function explained<Coded extends { code: string }>(found: Coded) {
  const isKnown = (code: string): code is Code => Object.hasOwn(codes, code);
  const { meaning, remedy } = isKnown(found.code) ? codes[found.code] : { meaning: found.code, remedy: "" };
  // Delimiters, quotes and line ends are of the file, which nobody edits on the page.
  const isOfLine = confirmable.has(found.code) && found.code in readCodes;
  return { ...found, meaning, remedy: isOfLine ? KEEP_OR_CORRECT : forPage(remedy) };
}

/** How a run ended, from its summary. `rows`: `5,204 = 4,604 landed + 388 waiting`, as it ended; null: it read none. */
function wordsOf(json: string | null) {
  const line = json === null ? null : (JSON.parse(json) as Line);
  return { said: line && forPage(said(line).join(" ")), rows: line && rowsOf(line) };
}

/** Newest first. */
export const filesOf = (target: Target, cwd: string) =>
  reading(target, (database) => {
    const unsent = new Set(inputsToWithdraw(database));
    return listInputs(database, 10_000).map(({ id, path, mapping, ...input }) => ({
      ...input,
      path: shownPath(path, cwd),
      mapping: shownPath(mapping, cwd),
      /** Something of it was never sent. */
      canTakeBack: unsent.has(id),
    }));
  });

/** As `startable` finds them. */
const STARTABLE = /^[^/.][^/]*(\/[^/.][^/]*)?$/;

/** What an import can begin with, in the folder and in those right in it. */
export async function startable(cwd: string) {
  const found = (await glob(["*", "*/*"], { cwd, expandDirectories: false })).toSorted();
  const isMapping = (path: string) =>
    /\.ya?ml$/i.test(path) && /^version:\s*\d/m.test(readFileSync(join(cwd, path), "utf8"));
  return { mappings: found.filter(isMapping), files: found.filter((path) => READABLE.test(path)) };
}

const reportOf = (target: Target, run: string): string => join(target.stateFolder, "runs", run, "report.html");

/** With what went wrong in it and is still open, the newest first. `run` null: there is none. */
export const runOf = (target: Target, name: string) =>
  reading(target, (database) => {
    const [run] = findRuns(database, name);
    const words = () => wordsOf(createRunStore(database).summaryOf(name));
    return {
      run: run === undefined ? null : { ...run, ...words(), hasReport: existsSync(reportOf(target, name)) },
      problems: newestProblems(database, name, 30),
    };
  });

/** @throws RowferryError `usage` if there is none */
export function readReport(target: Target, run: string): Buffer {
  const path = reportOf(target, run);
  if (existsSync(path)) return readFileSync(path);
  throw new RowferryError("usage", `${run} has no report.`, { hint: "Look at its rows and documents here." });
}

/** The first 500 records that no correction can send. */
export const decisionsOf = (target: Target, code: string) =>
  reading(target, (database) => {
    const records = recordsOfCause(database, code, 500);
    const firsts = correctedHere(
      database,
      records.flatMap(({ firstRow }) => firstRow ?? []),
    );
    const placeOf = (row: number) => {
      const first = firsts.get(row) ?? row;
      return `${describeRow(database, first)}${first === row ? "" : ", as corrected"}`;
    };
    return {
      ...explained({ code }),
      count: openCauses(database).decide.find((cause) => cause.code === code)?.count ?? 0,
      records: records.map(({ eventId, firstRow, ...record }) => ({
        ...record,
        message: record.message && forPage(record.message),
        changes: eventId === null || code !== "changed" ? [] : changesOf(database, eventId),
        place: firstRow === null ? null : placeOf(firstRow),
      })),
    };
  });
