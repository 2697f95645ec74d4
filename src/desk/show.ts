/** Everything the ledger and archive know of a named thing; beside a running import. */
import { join } from "node:path";
import { readArchive } from "../ledger/care/archive.js";
import { named, show, showRequests, type ShowWhat } from "../ledger/views/show/show.js";
import type { Shown, ShownAttempt, ShownRow } from "../model/lines/show.js";
import type { JsonObject } from "../model/json.js";
import type { Target } from "../model/target.js";
import { reading } from "./access.js";

export type { Shown } from "../model/lines/show.js";

/** @throws RowferryError `ledger-missing` */
export async function showAnything(target: Target, text: string, what?: ShowWhat): Promise<Shown> {
  const shown = reading(target, (database) => show(database, text, what));
  return recallArchive(target, shown);
}

/** In ms, inclusive. */
export async function showSentBetween(target: Target, since: number, until: number, limit: number): Promise<Shown> {
  const shown = reading(target, (database) => showRequests(database, since, until, limit));
  return recallArchive(target, shown);
}

export const archiveFolder = (target: Target): string => join(target.stateFolder, "archive");

/** Restores archived attempts, cells and bodies; reads the archive only if something is missing. */
async function recallArchive(target: Target, shown: Shown): Promise<Shown> {
  const { documents, rows, requests, registrations } = shown;
  const bodiless = new Set(
    [...documents, ...rows]
      .flatMap(({ events }) => events)
      .flatMap(({ hasPayload, deduplicationId }) => (hasPayload ? [] : [deduplicationId])),
  );
  const unattempted = new Map(
    [...requests, ...[...documents, ...registrations].flatMap((one) => one.requests)]
      .filter(({ attempts, result }) => attempts.length === 0 && result !== null)
      .map(({ id, attempts }) => [id, attempts]),
  );
  const empty = rows.filter(({ cells }) => cells === null);
  if (bodiless.size + unattempted.size + empty.length === 0) return shown;
  const archived: JsonObject[] = [];
  for await (const entry of readArchive(archiveFolder(target))) {
    if (entry.type === "attempts") {
      const attempts = unattempted.get(Number(entry["request"]));
      // A crash while pruning leaves duplicates in the archive.
      const isThere = attempts?.some(({ number }) => number === entry["number"]) === true;
      if (!isThere) attempts?.push(attemptOf(entry));
    } else if (entry.type === "payload") {
      if (bodiless.has(textOf(entry["deduplicationId"]) ?? "")) archived.push(entry);
    } else {
      // Files of one name come every night, so their content distinguishes them.
      const isOf = (row: ShownRow) =>
        (["contentHash", "sheet", "row"] as const).every((key) => entry[key] === row[key]);
      for (const row of empty.filter(isOf)) row.cells = cellsOf(entry);
    }
  }
  return { ...shown, archived };
}

function cellsOf({ header, cells }: JsonObject): ShownRow["cells"] {
  return Array.isArray(header) && Array.isArray(cells) ? named(header.map(String), cells.map(String)) : null;
}

function attemptOf({ number, startedAt, durationMs, status, inDoubt, ...texts }: JsonObject): ShownAttempt {
  return {
    number: Number(number),
    startedAt: new Date(Number(startedAt)).toISOString(),
    durationMs: Number(durationMs),
    status: typeof status === "number" ? status : null,
    failure: textOf(texts["failure"]),
    codes: textOf(texts["codes"]),
    message: textOf(texts["message"]),
    raw: textOf(texts["raw"]),
    requestIds: textOf(texts["requestIds"])?.split("\n") ?? [],
    inDoubt: inDoubt === 1,
  };
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
