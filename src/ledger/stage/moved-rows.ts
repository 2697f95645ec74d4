/**
 * Compares the cells and keys of a corrected row with the former ones. Events that landed under old keys stay, and the
 * uncorrected source would yield them again, so this is reported before anything is sent. A key that changed as
 * spreadsheets change keys (007 to 7) is an error.
 */
import {
  cellRewritten,
  columnDeleted,
  memberOf,
  notComputed,
  ofMember,
  type Problem,
  problem,
  withoutMember,
} from "../../model/problem.js";
import { columnsUsed } from "../../model/formula.js";
import { areNearlyEqual, looksRewritten, meansOther } from "../../model/near-keys.js";
import { columnName, columnPosition, originalColumns } from "../../model/own-columns.js";
import { contentHash, contentKeyParts, type DocumentName } from "../../model/keys.js";
import type { EventRecord, Placement } from "../../model/records.js";
import type { CellKind, CellLook } from "../../model/row.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow, headerBeside, leadOf, rowNumberOf } from "../rows.js";
import { EVENTS_OF_ROW } from "../known-rows.js";
import type { Correction } from "./corrections.js";
import type { createCells } from "./row-cells.js";
import type { StageOptions } from "./staging.js";
import { problemsOfRow } from "./take-back.js";

/** A key as text. */
interface Name {
  /** `load`, or `ticket of load L1`. */
  of: string;
  parts: string[];
  landed: boolean;
}

interface Found extends DocumentName {
  event: string | null;
  key_parts: string | null;
  landed: number;
}

export interface Move {
  problem: Problem;
  /** The former key. */
  parts: readonly string[];
  /** Changed as spreadsheets change keys. */
  mangled: boolean;
}

/** The documents and events that a row names. */
export interface Names {
  documents: readonly DocumentName[];
  events: readonly (EventRecord | PlacedEvent)[];
}

/** An event of an invalid row: its content is not known. */
type PlacedEvent = Pick<Placement, "document"> & { event: string; key: { by: "fields"; parts: readonly string[] } };

/** What an invalid row names. */
export const namesOf = (placements: readonly Placement[]): Names => ({
  documents: placements.map(({ document }) => document),
  events: placements.flatMap(({ document, event, keyParts }) =>
    event === null || keyParts === null ? [] : [{ document, event, key: { by: "fields" as const, parts: keyParts } }],
  ),
});

/** `row`: the row that the one with these names replaces. `isMeant`: a person has confirmed its keys. */
export function movesOf(database: LedgerDatabase, row: number, records: Names, isMeant = false): Move[] {
  const old = database.rows<Found>(
    `SELECT d.kind, d.key, p.event, p.key_parts, 0 AS landed FROM placements p JOIN documents d ON d.id = p.document_id
     WHERE p.row_id = @row AND NOT p.makes
     UNION ALL SELECT d.kind, d.key, e.event, e.key_parts, e.landed FROM events_now e JOIN documents d ON d.id = e.document_id
     WHERE e.id IN (${EVENTS_OF_ROW})`,
    { row },
  );
  const names = [...records.documents, ...records.events.map(({ document }) => document)];
  const moved = movedBetween(
    old.map(({ kind, key, landed }): Name => ({ of: kind, parts: [key], landed: landed === 1 })),
    names.map(({ kind, key }) => ({ of: kind, parts: [key] })),
  );
  const told = (move: Moved) => {
    const mangled = move.mangled && !isMeant;
    const { from, to } = move;
    return { mangled, parts: from.parts, problem: problemOf(describeRow(database, row), from, to, mangled) };
  };
  if (moved.length > 0) return moved.map(told);
  // An event that never landed will only exist under its new key.
  return movedEvents(old, records)
    .filter(({ from, mangled }) => from.landed || (mangled && !isMeant))
    .map(told);
}

function movedEvents(old: readonly Found[], names: Names): Moved[] {
  const name = ({ kind, key }: DocumentName, event: string) => `${event} of ${kind} ${key}`;
  const before = old.flatMap(({ event, key_parts, landed, ...document }): Name[] => {
    const parts = event === null || key_parts === null ? [] : (JSON.parse(key_parts) as string[]);
    return event === null || parts.length === 0
      ? []
      : [{ of: name(document, event), parts: withoutOrdinal(parts), landed: landed === 1 }];
  });
  const now = names.events.map((one) => ({ of: name(one.document, one.event), parts: [...partsOf(one)] }));
  return movedBetween(before, now);
}

function partsOf(event: Names["events"][number]): readonly string[] {
  if (event.key.by === "fields") return event.key.parts;
  const isOnce = event.key.by === "once" || !("name" in event);
  return isOnce ? [] : withoutOrdinal(contentKeyParts(contentHash(event), 1));
}

const isContent = ([first, hash = ""]: readonly string[]): boolean => first === "content" && /^[\da-f]{32}$/.test(hash);

/** Of equal rows, one may get the number of another. */
const withoutOrdinal = (parts: readonly string[]): string[] => (isContent(parts) ? parts.slice(0, 2) : [...parts]);

type Moved = { from: Name; to: string[]; mangled: boolean };

/** Pairs of keys of the same kind, of which one has gone and another has come; of a group, several may have. */
function movedBetween(old: readonly Name[], now: readonly { of: string; parts: string[] }[]): Moved[] {
  const textOf = ({ of, parts }: { of: string; parts: string[] }) => JSON.stringify([of, parts]);
  const [before, after] = [new Set(old.map(textOf)), new Set(now.map(textOf))];
  const landed = new Set(old.filter((one) => one.landed).map(textOf));
  const gone = [...before].filter((text) => !after.has(text));
  const come = [...after].filter((text) => !before.has(text)).map(nameOf);
  return gone.flatMap((text): Moved[] => {
    const from = { ...nameOf(text), landed: landed.has(text) };
    const alike = come.filter(({ of }) => of === from.of);
    const near = alike.find(({ parts }) => isMangled(from.parts, parts));
    const to = near ?? alike[0];
    if (to === undefined) return [];
    come.splice(come.indexOf(to), 1);
    return [{ from, to: to.parts, mangled: near !== undefined }];
  });
}

function nameOf(text: string): { of: string; parts: string[] } {
  const [of, parts] = JSON.parse(text) as [string, string[]];
  return { of, parts };
}

const isMangled = (was: readonly string[], is: readonly string[]): boolean =>
  is.length === was.length && is.every((part, index) => part === was[index] || areNearlyEqual(part, was[index] ?? ""));

function problemOf(row: string, { of, parts, landed }: Name, to: readonly string[], mangled: boolean): Problem {
  const [was, is] = [parts.join(" "), to.join(" ")];
  if (mangled) {
    const message = `${row} belonged to ${of} ${was}; here its key is ${is}, perhaps changed by a spreadsheet.`;
    const hint = `Write ${was} again. If ${is} is meant, write \`ok\` into its cell rowferry_code.`;
    return problem("key-mangled", message, hint);
  }
  const rest = landed ? " What has landed stays there." : "";
  const message =
    isContent(parts) && isContent(to)
      ? `${row} brought another ${of}: with \`key: content\`, an edited row is a new event.`
      : `${row} belonged to ${of} ${was}, and now belongs to ${of} ${is}.`;
  return problem("row-moved", `${message}${rest}`);
}

const dated: readonly CellKind[] = ["date", "time", "duration"];
/** Results that hardly stay the same where a cell that a formula uses is corrected; texts often do. */
const numeric: readonly CellKind[] = ["number", "percent", ...dated];

/**
 * Cells that a person was not asked to correct, and that a spreadsheet seems to have changed; also those that came back
 * as they were refused for it. `keys`: texts of keys that are a problem already.
 */
export function rewrittenCells(
  database: LedgerDatabase,
  cells: ReturnType<typeof createCells>,
  { rows, isConfirmed }: Pick<Correction, "rows" | "isConfirmed">,
  { header, reads, read, spell }: Pick<StageOptions, "header" | "reads" | "read" | "spell">,
  keys: readonly string[],
): Problem[] {
  if (isConfirmed) return [];
  const spelt = (position: number, cell: string, kind: CellKind, look?: CellLook | null) =>
    kind === "text" ? cell : spell(position, cell, kind, look);
  return rows.flatMap(({ before, row: now }) => {
    const kept = cells.of(before);
    const former = headerBeside(database, before);
    if (kept === null || former === null) return [];
    const isOwn = ({ message }: Problem) => [null, rowNumberOf(before)].includes(memberOf(message));
    const problems = problemsOfRow(database, leadOf(database, before)).filter(isOwn);
    const told = (one: Problem) =>
      rows.length === 1 ? one : ofMember(now.number, { ...one, message: withoutMember(one.message) });
    const wasMangled = problems.some(({ code }) => code === "key-mangled");
    const isCorrected = (at: number) => {
      const position = columnPosition(header, columnName(former, at));
      return position >= 0 && (kept.cells[at] ?? "") !== (now.cells[position] ?? "");
    };
    return originalColumns(former).flatMap((at) => {
      const column = columnName(former, at);
      const position = columnPosition(header, column);
      const was = kept.cells[at] ?? "";
      if (position < 0) return reads(column) && was.trim() !== "" ? told(columnDeleted(column, was)) : [];
      const cell = now.cells[position] ?? "";
      const [kindWas, kind] = [kept.kinds?.[at] ?? "text", now.kinds?.[position] ?? "text"];
      const own = problems.filter((one) => one.column === column);
      const [lookWas, look] = [kept.looks?.[at], now.looks?.[position]];
      if (was === cell && kindWas === kind && lookWas?.shown === look?.shown) {
        const { formula } = lookWas ?? {};
        const isComputed = typeof formula === "string" && look?.formula !== undefined && numeric.includes(kind);
        if (own.length > 0 || !isComputed || read(position, cell) === null)
          return own.filter(({ code }) => code === "cell-rewritten").map(told);
        const used = [...columnsUsed(formula, former)].find((one) => isCorrected(one));
        return used === undefined ? [] : told(notComputed(column, columnName(former, used), cell));
      }
      // Saving a typed cell does not change it; but a text file has what was shown of it, and its format may get lost.
      const isShown = kindWas !== "text" && now.kinds === null && lookWas?.formula === undefined;
      const isBare = kind === "number" && ([was, lookWas?.stored].includes(cell) || dated.includes(kindWas));
      if (kindWas !== "text" && !isShown && !isBare) return [];
      const [text, is] = [spelt(position, was, kindWas, lookWas), spelt(position, cell, kind, look)];
      const meaning = (one: string) => read(position, one);
      // A key that was refused for it is written again as it was.
      const isKey = keys.includes(text) || (wasMangled && areNearlyEqual(text, is));
      const isChanged = isShown || isBare ? meansOther : looksRewritten;
      if (own.length > 0 || isKey || !isChanged(text, is, meaning)) return [];
      return told(cellRewritten(column, text, is));
    });
  });
}
