/**
 * Rebuilds a ledger from its journal, from nothing or over a backup: registrations, documents with ids, landed events,
 * decisions, and unanswered intents as doubt. Bodies come back when the files are imported again.
 */
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import type { LineOf } from "../../model/lines.js";
import { countContentChange } from "../inputs.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { createRunStore } from "../runs.js";
import { entriesFromEnd } from "./own-journal.js";
import { entryOf, type JournalEntry } from "./journal.js";
import { createReplay, objects } from "./replay.js";

export type Rebuilt = Omit<LineOf<"rebuilt">, "type">;

/**
 * The caller holds the lock and an open transaction. Applying a journal twice changes nothing. `isPart`: the ledger has
 * written more than it holds, or into another one before.
 */
export async function rebuildFrom(
  database: LedgerDatabase,
  lines: AsyncIterable<string>,
  isPart: boolean,
  now: number,
): Promise<Rebuilt> {
  const runs = createRunStore(database);
  // The journal may lack what took an earlier decision back.
  const decidedUntil = isPart ? runs.knownUntil() : 0;
  const isKnown = ({ entry, at }: JournalEntry) =>
    (entry === "dismissed" || entry === "undone" || entry === "corrected") && Number(at) <= decidedUntil;
  const run = runs.begin("rebuild", null, now);
  runs.finish(run.id, ExitCode.ok, null, now);
  const replay = createReplay(database, run.id);
  const corrections: JournalEntry[] = [];
  let entries = 0;
  let until = 0;
  let number = 0;
  const unreadable: number[] = [];
  for await (const line of lines) {
    number += 1;
    if (line === "") continue;
    const entry = entryOf(line);
    if (entry === null) unreadable.push(number);
    else {
      if (entry.entry === "corrected" && !isKnown(entry)) corrections.push(entry);
      else if (!isKnown(entry)) replay(entry);
      entries += 1;
      until = Number(entry["at"] ?? until);
    }
  }
  for (const correction of corrections) replay(correction);
  // What it gave up or sent judges the files of a backup anew.
  countContentChange(database);
  if (entries === 0) throw new RowferryError("journal-unreadable", `The journal holds no entry (line ${number}).`);
  // The last line is torn by a power loss: its request was not sent, or its intent leaves it in doubt.
  if (unreadable.at(-1) === number) unreadable.pop();
  const count = (from: string) => database.number(`SELECT count(*) FROM ${from}`);
  return {
    entries,
    unreadable,
    until: until === 0 ? null : new Date(until).toISOString(),
    isPart,
    participants: count("registrations WHERE kind = 'participant' AND state = 'registered'"),
    addresses: count("registrations WHERE kind = 'address' AND state = 'registered'"),
    documents: count("document_states WHERE service_id IS NOT NULL"),
    landed: count("events_now WHERE landed"),
    inDoubt: count("event_states WHERE state IN ('sending', 'stalled')"),
  };
}

/**
 * Takes over the answers about documents in doubt that the journal has: a kill or a full disk came before the ledger's
 * commit. @returns how many documents have their ids now
 */
export function learnIds(database: LedgerDatabase, path: string, run: number): number {
  const names = new Set(
    database.values<string>(
      `SELECT json_array(namespace, kind, key, generation) FROM failed_documents JOIN documents USING (id)
       WHERE state = 'stalled' AND reason = 'interrupted-in-doubt'`,
    ),
  );
  if (names.size === 0) return 0;
  const replay = createReplay(database, run);
  // An answer whose commit failed may be journalled twice.
  const learnt = new Set<string>();
  for (const entry of [...entriesFromEnd(path)].toReversed()) {
    const ids = objects(entry["documents"]).filter(
      ({ document, id }) => typeof id === "string" && names.has(JSON.stringify(document)),
    );
    if (ids.length === 0) continue;
    replay(entry);
    for (const { document } of ids) learnt.add(JSON.stringify(document));
  }
  return learnt.size;
}
