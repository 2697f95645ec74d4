/** What the ledger knows of anything that a person can name; reads only, beside a running import. */
import { listRuns, show, showRequests } from "../ledger/views/show/show.js";
import type { Shown, ShownRun, ShownAttempt, ShownEvent, ShownRow } from "../ledger/views/show/shown.js";
import type { Target } from "../model/target.js";
import { reading } from "./ledger-access.js";
import { join } from "node:path";
import { type ArchivedEntry, readArchive } from "../ledger/care/archive.js";
import { named } from "../ledger/views/show/rows.js";
import type { JsonObject } from "../model/json.js";

export type { Shown, ShownRun } from "../ledger/views/show/shown.js";

/** `all`: every event of a document, not the newest alone. @throws RowferryError `ledger-missing` */
export function showAnything(target: Target, text: string, all = false): Promise<Shown> {
  return recallArchive(
    target,
    reading(target, (database) => show(database, text, all)),
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

/** Fills what `show` found with what was pruned: attempts and cells go back to their place, bodies stand beside. */

export const archiveFolder = (target: Target): string => join(target.stateFolder, "archive");

/** Reads the archive only where something is missing. */
export async function recallArchive(target: Target, shown: Shown): Promise<Shown> {
  const events = new Set<string>();
  for (const event of [
    ...shown.documents.flatMap((document) => document.events),
    ...shown.rows.flatMap((row) => row.events),
  ])
    if (!event.hasPayload) events.add((event satisfies ShownEvent).deduplicationId);
  const requests = new Map(
    [
      ...shown.requests,
      ...shown.documents.flatMap((document) => document.requests),
      ...shown.registrations.flatMap((one) => one.requests),
    ]
      .filter(({ attempts, result }) => attempts.length === 0 && result !== null)
      .map((request) => [request.id, request]),
  );
  const rows = shown.rows.filter(({ cells }) => cells === null);
  if (events.size + requests.size + rows.length === 0) return shown;
  const archived: JsonObject[] = [];
  for await (const entry of readArchive(archiveFolder(target))) {
    if (entry.type === "attempts") giveBack(requests.get(Number(entry["request"]))?.attempts, attempt(entry));
    else if (entry.type === "payload") {
      if (events.has(text(entry["deduplicationId"]) ?? "")) archived.push(entry);
    } else {
      for (const row of rows) if (isOf(entry, row)) row.cells = namedCells(entry["header"], entry["cells"]);
    }
  }
  return { ...shown, archived };
}

/** A crash while pruning leaves something twice in the archive. */
function giveBack(attempts: ShownAttempt[] | undefined, one: ShownAttempt): void {
  if (attempts?.some(({ number }) => number === one.number) === false) attempts.push(one);
}

/** Files of one name come every night: what they hold tells them apart. */
function isOf(entry: ArchivedEntry, row: ShownRow): boolean {
  return entry["contentHash"] === row.contentHash && entry["sheet"] === row.sheet && entry["row"] === row.row;
}

function namedCells(header: unknown, cells: unknown): ShownRow["cells"] {
  return Array.isArray(header) && Array.isArray(cells) ? named(header.map(String), cells.map(String)) : null;
}

function attempt(entry: JsonObject): ShownAttempt {
  const { number, startedAt, durationMs, status, failure, codes, message, raw, requestIds, inDoubt } = entry;
  return {
    number: Number(number),
    startedAt: new Date(Number(startedAt)).toISOString(),
    durationMs: Number(durationMs),
    status: typeof status === "number" ? status : null,
    failure: text(failure),
    codes: text(codes),
    message: text(message),
    raw: text(raw),
    requestIds: text(requestIds)?.split("\n") ?? [],
    inDoubt: inDoubt === 1,
  };
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
