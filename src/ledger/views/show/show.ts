/** `show <anything>`: finds a thing by any of its names. Works while an import is running. */
import { basename } from "node:path";
import { documentsNamed } from "../../documents-named.js";
import { EVENTS_OF_ROW } from "../../known-rows.js";
import type { LedgerDatabase } from "../../ledger-database.js";
import { isEarlier } from "../../inputs.js";
import { referenceOf, rowId, rowNameOrNull } from "../../rows.js";
import { type Decided, requestsOf } from "../../runs.js";
import { createCells } from "../../stage/row-cells.js";
import { documentsWith, eventsKeyed, eventsOfRow, findEvent } from "./events.js";
import { columnName } from "../../../model/own-columns.js";
import type { Shown, ShownRow, ShownRun } from "../../../model/lines/show.js";
import {
  findRegistrations,
  findRegistrationsLike,
  parsed,
  registrations,
  requestsBetween,
  requestsWithId,
} from "./requests.js";
import { tallyRun } from "../tally.js";
import type { Summary } from "../../../model/summary.js";

const nothing: Shown = {
  documents: [],
  rows: [],
  registrations: [],
  runs: [],
  requests: [],
  event: null,
};

export interface ShowWhat {
  /** Every event of a document. */
  all?: boolean | undefined;
  /** The mapping's text as it was used for a row. */
  mapping?: boolean | undefined;
  /** Also events by their keys, which takes a walk over all of them. */
  eventKeys?: boolean | undefined;
}

/** How many events of a long timeline are shown, unless all are asked for. */
const NEWEST = 50;

/**
 * `file:row`, a run, an eventId or deduplicationId, a document's key or id, a tax id, an address, an event's key, a
 * request id, part of a participant's name. Empty: unknown.
 */
export function show(database: LedgerDatabase, text: string, what: ShowWhat = {}): Shown {
  const { all = false, mapping = false, eventKeys = false } = what;
  const events = all ? -1 : NEWEST;
  const rows = findRows(database, text, mapping ? 1 : 0);
  if (rows.length > 0) return { ...nothing, rows };
  const runs = findRuns(database, text);
  if (runs.length > 0) return { ...nothing, runs };
  const event = findEvent(database, text);
  if (event !== null) {
    const same = database.values<number>("SELECT id FROM generations WHERE of_id = @document", event);
    return { ...nothing, event: event.event, documents: documentsWith(database, same, events) };
  }
  const documents = documentsWith(database, documentsNamed(database, text), events);
  const parties = findRegistrations(database, text);
  if (documents.length + parties.length > 0) return { ...nothing, documents, registrations: parties };
  const keyed = eventKeys ? eventsKeyed(database, text) : [];
  if (keyed.length > 0) {
    const ids = [...new Set(keyed.map(({ document }) => document))];
    const only = keyed.length === 1 ? (keyed[0]?.event ?? null) : null;
    return { ...nothing, event: only, documents: documentsWith(database, ids, events) };
  }
  const requests = requestsWithId(database, text);
  if (requests.length > 0) return { ...nothing, requests };
  return { ...nothing, registrations: findRegistrationsLike(database, text) };
}

/** `since` and `until`: ms, inclusive; oldest first. */
export function showRequests(database: LedgerDatabase, since: number, until: number, limit: number): Shown {
  return { ...nothing, requests: requestsBetween(database, since, until, limit) };
}

/** Answers P7: what became of any row of any file, and why. A row without an entry of its own is known by its records. */
const select = `SELECT i.name AS file, i.sheet, @number AS "row", i.path, i.content_hash AS contentHash, ${referenceOf("@row")} AS reference, i.mapping,
    iif(@mapping, (SELECT text FROM mappings WHERE hash = i.mapping_hash), NULL) AS mappingText, iso(i.staged_at) AS stagedAt, iif(${isEarlier("i.id")}, 'false', 'true') AS isCurrent, i.header, coalesce(r.fate,
      iif(EXISTS (SELECT 1 FROM row_events WHERE row_id = @row), 'staged', iif(EXISTS (${EVENTS_OF_ROW}), 'known', NULL))) AS fate, r.reason, r.settled,
    ${rowNameOrNull("r.settled_by")} AS settledBy, r.lead & 4294967295 AS groupOf,
    coalesce(r.settled_by, r.lead, @row) AS source,
    (SELECT json_group_array(json_object('severity', severity, 'code', code, 'column', column_name, 'message', message, 'hint', hint))
       FROM (SELECT * FROM problems WHERE row_id = coalesce(r.lead, @row) ORDER BY id)) AS problems
  FROM inputs i LEFT JOIN rows r ON r.id = @row WHERE i.id = @input`;

type Found = Omit<ShownRow, "cells" | "events" | "records" | "fate"> & {
  fate: string | null;
  header: string[];
  source: number;
};

function shown(database: LedgerDatabase, input: number, number: number, mapping: 0 | 1): ShownRow | null {
  const id = rowId(input, number);
  const row = database.row<object>(select, { row: id, input, number, mapping });
  if (row === null) return null;
  const { fate, header, source, ...found } = parsed<Found>(row, "header", "problems", "isCurrent");
  if (fate === null) return null;
  const kept = createCells(database).of(id);
  return {
    ...found,
    fate,
    cells: kept === null ? null : named(header, kept.cells),
    events: eventsOfRow(database, source),
    records: registrations(
      database,
      "r.id IN (SELECT record_id FROM row_records WHERE row_id = @source AND kind <> 'document')",
      { source },
    ),
  };
}

/** `file:row`, `file.xlsx:sheet:row` (accepts a path), or a place as it is printed, `file.xlsx, sheet "May", row 3`. Every import of such a file, oldest first. `mapping` 1: with its text. */
function findRows(database: LedgerDatabase, text: string, mapping: 0 | 1): ShownRow[] {
  const [, place = "", number] = /^(.+?)(?::|, row )(\d{1,9})$/s.exec(text) ?? [];
  if (number === undefined) return [];
  const candidates: [string, string | null][] = [[place, null]];
  const colon = place.lastIndexOf(":");
  if (colon > 0) candidates.push([place.slice(0, colon), place.slice(colon + 1)]);
  for (const [file, sheet] of candidates) {
    const inputs = database.values<number>(
      `SELECT id FROM inputs WHERE (name = @name OR path = @file) AND (@sheet IS NULL OR sheet = @sheet COLLATE NOCASE)
         OR place_of(name, sheet, @number) = @text ORDER BY staged_at, id`,
      { name: basename(file), file, sheet, number: Number(number), text },
    );
    const rows = inputs.flatMap((input) => shown(database, input, Number(number), mapping) ?? []);
    if (rows.length > 0) return rows;
  }
  return [];
}

export function named(header: readonly string[], cells: readonly string[]): { [header: string]: string } {
  return Object.fromEntries(cells.map((cell, position) => [columnName(header, position), cell]));
}

type Figures = Pick<ShownRun, "did" | "inputs" | "requests" | "events">;

/**
 * With what it staged and sent, from its own summary, which later imports do not change. Without a summary, from the
 * ledger's present state.
 */
function runsWith(database: LedgerDatabase, which: string, values: object): ShownRun[] {
  return database
    .rows<Omit<ShownRun, keyof Figures> & { id: number; summary: string | null }>(
      `SELECT id, name, command, mapping, started_by AS startedBy, iso(started_at) AS startedAt, iso(finished_at) AS finishedAt, exit_code AS exitCode,
         summary FROM runs ${which}`,
      values,
    )
    .map(({ id, summary, ...run }) => ({ ...run, ...(reported(summary) ?? figuresOf(database, id)) }));
}

function reported(json: string | null): Figures | null {
  const summary = json === null ? null : (JSON.parse(json) as Summary | Decided | { type: "verify" });
  if (summary?.type === "decision") return { did: summary.did, inputs: [], requests: {}, events: {} };
  if (summary?.type !== "summary") return null;
  const { inputs, requests, events } = summary;
  return {
    did: null,
    inputs: inputs.map(({ input, ...rest }) => ({ name: input, ...rest })),
    requests: requests.byKind,
    events,
  };
}

function figuresOf(database: LedgerDatabase, run: number): Figures {
  const requests = database.rows<{ kind: string; count: number }>(
    "SELECT kind, count(*) AS count FROM requests WHERE id BETWEEN @first AND @last GROUP BY kind",
    requestsOf(run),
  );
  const inputs = database.rows<ShownRun["inputs"][number]>(
    "SELECT name, sheet, read, skipped, invalid, known, staged FROM inputs WHERE run_id = @run ORDER BY id",
    { run },
  );
  const byKind = Object.fromEntries(requests.map(({ kind, count }) => [kind, count]));
  return { did: null, inputs, requests: byKind, events: tallyRun(database, run).events };
}

export const listRuns = (database: LedgerDatabase, limit: number): ShownRun[] =>
  runsWith(database, "ORDER BY id DESC LIMIT @limit", { limit });

export const findRuns = (database: LedgerDatabase, name: string): ShownRun[] =>
  runsWith(database, "WHERE name = @name", { name });
