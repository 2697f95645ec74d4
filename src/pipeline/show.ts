/** What the ledger knows of anything that a person can name; reads only, beside a running import. */
import { listRuns, show, showRequests } from "../ledger/views/show/show.js";
import type { Shown, ShownRun } from "../ledger/views/show/shown.js";
import type { Target } from "../model/target.js";
import { reading } from "./ledger-access.js";
import { recallArchive } from "./recall-archive.js";

export type { Shown, ShownRun } from "../ledger/views/show/shown.js";

/** @throws RowferryError `ledger-missing` */
export function showAnything(target: Target, text: string): Promise<Shown> {
  return recallArchive(
    target,
    reading(target, (database) => show(database, text)),
  );
}

/** ms, both included. */
export function showSentBetween(target: Target, since: number, until: number, limit: number): Promise<Shown> {
  return recallArchive(
    target,
    reading(target, (database) => showRequests(database, since, until, limit)),
  );
}

/** Newest first. */
export function showRuns(target: Target, limit: number): ShownRun[] {
  return reading(target, (database) => listRuns(database, limit));
}
