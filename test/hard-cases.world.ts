/** What the tests of hard cases say of a world: files of rows, and how things stand in the ledger and at the service. */
import { selectOpen } from "../src/ledger/selection.js";
import { dismiss } from "../src/ledger/settle.js";
import type { MappedRow } from "../src/model/mapped-row.js";
import { eventRow, type EventRow, START } from "./simulation/story-rows.js";
import type { StoryFile, World } from "./simulation/world.js";

export const on = (document: string, ...minutes: number[]) => minutes.map((minute) => ({ document, minute }));
export const related = (document: string, minute: number, to: string, bidirectional = true) => ({
  document,
  minute,
  name: "RELATED",
  related: { document: to, bidirectional },
});

/** `world` gives that of the test which is running. */
export function inWorld(world: () => World) {
  let files = 0;
  const fileOf = (rows: MappedRow[]): StoryFile => {
    files += 1;
    return { name: `file-${files}.csv`, contentHash: `file-${files}`, rows };
  };
  return {
    fileOf,
    file: (...rows: Omit<EventRow, "row">[]): StoryFile =>
      fileOf(rows.map((row, index) => eventRow({ row: index + 2, ...row }))),

    /** `M1 10 landed`, `M1 20 held behind-rejected`, in time order within a document. */
    states: (): string[] =>
      world().withLedger((database) =>
        database
          .prepare<[], { key: string; at: number; state: string; reason: string | null }>(
            `SELECT d.key, e.at, coalesce(s.state, 'planned') AS state, s.reason FROM events e
             JOIN documents d ON d.id = e.document_id LEFT JOIN event_states s ON s.event_id = e.id
             ORDER BY d.key, e.at, e.rank, e.id`,
          )
          .all()
          .map(
            ({ key, at, state, reason }) =>
              `${key} ${(at - START) / 60_000} ${state}${reason === null ? "" : ` ${reason}`}`,
          ),
      ),

    /** Names and origins of a timeline, in the service's order. */
    timeline: (key: string): string[] =>
      world()
        .sandbox.store.documentsByExternalId(key)
        .flatMap(({ events }) => events.map(({ at, name, origin }) => `${(at - START) / 60_000} ${name} ${origin}`)),

    refusals: (): number =>
      world()
        .sandbox.store.requests()
        .filter(({ method, status }) => method === "POST" && status >= 400).length,

    giveUp: () =>
      world().withLedger((database) => dismiss(database, selectOpen(database, {}), "release", world().clock.now())),
  };
}
