/** Helpers of the HARD-CASES tests of order and waiting: rows by document and minute, and how things stand. */
import { selectOpen } from "../../../src/ledger/decide/selection.js";
import { dismiss } from "../../../src/ledger/decide/dismiss.js";
import { world } from "./hard-case.js";
import { minuteOf } from "./story-rows.js";

export const on = (document: string, ...minutes: number[]) => minutes.map((minute) => ({ document, minute }));
export const related = (document: string, minute: number, to: string, bidirectional = true) => ({
  document,
  minute,
  name: "RELATED",
  related: { document: to, bidirectional },
});

/** `M1 10 landed`, `M1 20 held behind-rejected`, in time order within a document. */
export const states = (): string[] =>
  world.withLedger((database) =>
    database
      .prepare<[], { key: string; at: number; state: string; reason: string | null }>(
        `SELECT d.key, e.at, coalesce(s.state, 'planned') AS state, s.reason FROM events e
         JOIN documents d ON d.id = e.document_id LEFT JOIN event_states s ON s.event_id = e.id
         ORDER BY d.key, e.at, e.rank, e.id`,
      )
      .all()
      .map(({ key, at, state, reason }) => `${key} ${minuteOf(at)} ${state}${reason === null ? "" : ` ${reason}`}`),
  );

/** Names and origins of a timeline, in the service's order. */
export const timeline = (key: string): string[] =>
  world.sandbox.store
    .documentsByExternalId(key)
    .flatMap(({ events }) => events.map(({ at, name, origin }) => `${minuteOf(at)} ${name} ${origin}`));

export const refusals = (): number =>
  world.sandbox.store.requests().filter(({ method, status }) => method === "POST" && status >= 400).length;

export const giveUp = () =>
  world.withLedger((database) => dismiss(database, selectOpen(database, {}), "release", world.clock.now()));
