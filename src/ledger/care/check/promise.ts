import type { LedgerDatabase } from "../../ledger-database.js";

/** Something that holds in every ledger, whatever happened to it. */
export interface LedgerPromise {
  /** In words. */
  name: string;
  /** What to do where it does not hold. */
  remedy: string;
  /** Selects one text a case; or finds them. None: it holds. */
  broken: string | ((database: LedgerDatabase) => Iterable<string>);
}

/** What was sent may be told wrong: only another copy of the truth helps. */
export const RESTORE =
  "Send nothing. Keep the file, and make the ledger anew: `rowferry ledger rebuild <journal> [backup]`, then import the files again.";
/** What is wrong concerns what a file brings back. */
export const IMPORT_AGAIN =
  "What was sent is not touched by it. Edit the mapping (a comment will do, so that the file counts as new) and import the file again: its rows are staged anew.";
/** Only what `rejects` and `show` print is missing. */
export const ONLY_CELLS =
  "What was sent is not touched by it. `rejects` and `show` cannot print these rows: take them from the file itself.";
