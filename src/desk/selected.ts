/** What a person's selectors mean; a name that is unknown is a mistake, unlike one for which nothing is open. */
import { basename } from "node:path";
import {
  namesFor,
  rowsNamed,
  selectNamed,
  selectOpen,
  type Selection,
  type Selectors,
} from "../ledger/decide/selection.js";
import { findDocument } from "../ledger/documents-named.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { didYouMean } from "../map/nearest.js";
import { codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { listed } from "../model/fold.js";
import { statesOf } from "../model/states.js";

/** @throws RowferryError `usage`, `document-unknown` */
export function requireKnown(database: LedgerDatabase, { run, input, row, document, code }: Selectors): void {
  const refuse = (what: string, name: string | undefined, known: readonly string[]): void => {
    if (name === undefined || known.includes(name)) return;
    // Inputs go by their names, without folders.
    const near = didYouMean(name, known) || didYouMean(basename(name), known);
    const there = known.length === 0 ? "There is none yet." : `There are ${listed(known, 5)}.`;
    throw new RowferryError("usage", `There is no ${what} "${name}".${near}`, near === "" ? { hint: there } : {});
  };
  refuse("run", run, run === undefined ? [] : namesFor(database, "run"));
  refuse("input", input, input === undefined ? [] : namesFor(database, "input"));
  for (const text of row ?? [])
    if (rowsNamed(database, text, { run, input }).length === 0)
      refuse("input", text.replace(/:\d+$/, ""), namesFor(database, "input"));
  refuse("code", code, [...Object.keys(codes), ...statesOf("event")]);
  if (document !== undefined) findDocument(database, document);
}

/** Everything open that fits; perhaps nothing. @throws as `requireKnown` */
export function selectedForReading(database: LedgerDatabase, selectors: Selectors): Selection {
  requireKnown(database, selectors);
  return selectOpen(database, selectors);
}

/** @throws as `requireKnown`, and if nothing fits */
export function selected(...[database, selectors, which]: Parameters<typeof selectNamed>): Selection {
  requireKnown(database, selectors);
  return selectNamed(database, selectors, which);
}
