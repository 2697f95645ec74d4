/**
 * Leaves what a row's cells say out of a text that many may read: on a terminal, in a cron job's mail, in summary.json
 * (P9). Rejected files, the report and `show`, which are their owner's, tell messages in full.
 */
import { type Code, codes } from "../../model/codes.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { membersOf } from "../rows.js";
import { createCells } from "../stage/row-cells.js";

export type Conceal = (code: Code, message: string, row: number | null) => string;

/** Their messages repeat text that stands in no cell. */
const bare: ReadonlySet<Code> = new Set(["row-long", "quote-stray"]);
/** What stands in quotes behind these is a name of the mapping or of the file. */
const names = /(?:participant|address|document|event|attribute|column|field|member|input|sheet|function|conversion) $/;
const SHORTEST = 4;

export function createConceal(database: LedgerDatabase): Conceal {
  const reader = createCells(database);
  return (code, message, row) => {
    if (bare.has(code)) return codes[code].meaning;
    const rows = row === null ? [] : [row, ...membersOf(database, row)];
    const cells = rows.flatMap((one) => reader.of(one)?.cells ?? []).map((cell) => cell.trim());
    const quoted = message.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, (segment, at: number) => {
      const isName = names.test(message.slice(Math.max(0, at - 20), at)) && !isOfCell(segment, cells);
      return isName ? segment : '"…"';
    });
    return cells.flatMap(spellings).reduce((text, spelling) => text.replaceAll(spelling, "…"), quoted);
  };
}

function isOfCell(segment: string, cells: readonly string[]): boolean {
  const text = segment.slice(1, -1);
  return cells.includes(text);
}

/** As it stands in the cell, and as a tax id or a number is written without its marks; longest first. */
function spellings(cell: string): string[] {
  const unmarked = cell.replaceAll(/[^\p{L}\p{N}]/gu, "");
  return [cell, cell.slice(0, 60), ...(unmarked.length >= 8 ? [unmarked] : [])].filter(
    ({ length }) => length >= SHORTEST,
  );
}
