/** Describes what a held event waits for. */
import { shownState } from "./tally.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { resolved } from "../event-key.js";
import { describeRow } from "../rows.js";
import { variants } from "../../model/near-keys.js";

/** Returns the text itself if it names nothing known. */
export function describeWait(database: LedgerDatabase, waitsFor: string | null): string {
  const [, kind = "", number] = /^(row|event|input|document|participant|address):(-?\d+)$/.exec(waitsFor ?? "") ?? [];
  const id = Number(number);
  if (kind === "") return waitsFor ?? "something unknown";
  if (kind === "row") return `the correction of ${describeRow(database, id)}`;
  const input = "SELECT name FROM inputs WHERE id = @id";
  if (kind === "input") return `${database.value<string>(input, { id }) ?? "a file"}, which --max-errors refused`;
  if (kind === "event") return describeEvent(database, id);
  if (kind === "document") return describeDocument(database, id);
  const found = database.row<{ name: string | null; state: string }>(
    `SELECT name, state FROM registrations WHERE id = ${resolved("@id")}`,
    { id },
  );
  if (found === null) {
    const named = database.row<{ name: string; key: string }>(
      "SELECT name, key FROM aliases WHERE id = -@id AND name <> '#journal'",
      { id },
    );
    if (named === null) return `${kind} that no row has brought yet`;
    const near = database.value<string>(
      "SELECT key FROM aliases WHERE kind = @kind AND name = @name AND key IN @keys AND registration_id IS NOT NULL",
      { kind, name: named.name, keys: variants([named.key]).flat() },
    );
    const hint = near === null ? "" : ` (there is one with the key ${near})`;
    return `${kind} ${named.name} ${named.key}${hint}, which no row has brought yet`;
  }
  return `${kind} ${found.name ?? "with a given id"} (${found.state})`;
}

function describeEvent(database: LedgerDatabase, id: number) {
  const found = database.row<{ name: string; row: number | null }>(
    `SELECT iif(event = '#replaced', 'the CANCEL of ' || document || ', which is to be replaced', 'event ' || event || ' of ' || document)
       || ' (' || ${shownState("e")} || ')' AS name, iif(event = '#replaced', 0, first_row) AS row
     FROM events_now e WHERE id = @id`,
    { id },
  );
  if (found === null) return "an event that no longer exists";
  return found.row === 0 ? found.name : `${found.name}, ${describeRow(database, found.row)}`;
}

function describeDocument(database: LedgerDatabase, id: number) {
  return (
    database.value<string>(
      // A planned one that should exist is brought by no row: this one only adds to it.
      `SELECT name || ' (' || iif(declared AND NOT (mode = 'existing' AND state = 'planned'), iif(reason = 'doubt-unsettled', 'unsettled', state), 'no row has brought it yet') || ')'
       FROM documents_now WHERE id = @id`,
      { id },
    ) ?? "a document that no longer exists"
  );
}
