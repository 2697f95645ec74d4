/** Helpers of the HARD-CASES tests: a world, small files, and what became of them. */
import { type Selectors, selectOpen } from "../../../src/ledger/decide/selection.js";
import { dismiss as dismissIn, retry } from "../../../src/ledger/decide/dismiss.js";
import { resolveDocument } from "../../../src/ledger/decide/resolve.js";
import { findDocument } from "../../../src/ledger/documents-named.js";
import { eventDeduplicationId } from "../../../src/model/keys.js";
import type { MappedRow } from "../../../src/model/records.js";
import type { FaultAction, FaultRule } from "../../../src/sandbox/index.js";
import { eventRow, type EventRow, minuteOf, START } from "./story-rows.js";
import { dismissSelected, replaceEach } from "../../support/decide.js";
import { addByHand } from "../../support/sandbox.world.js";
import { createWorld, type RunPlan, type StoryFile, storyFile, type World, type WorldOptions } from "./world.js";

/** The world of the case under way. */
export let world: World;

let files = 0;
export const fileOf = (rows: readonly (MappedRow | string)[]): StoryFile => storyFile(`file-${(files += 1)}`, rows);
type Row = Omit<EventRow, "row"> | string;
export const file = (...rows: Row[]): StoryFile =>
  fileOf(rows.map((row, index) => (typeof row === "string" ? row : eventRow({ row: index + 2, ...row }))));
/** Imports a file of these rows. */
export const imported = (...rows: Row[]) => world.import([file(...rows)]);
export const on = (document: string, ...when: number[]) => when.map((minute) => ({ document, minute }));
export const at = (...when: number[]) => on("M1", ...when);

/** Faults of the requests that write events or documents, the nth of them counted from now. */
export const faults = (...rules: { nth: number; times?: number; action: FaultAction }[]): void =>
  world.setFaults(rules.map((rule): FaultRule => ({ match: { path: "/documents/events" }, ...rule })));

/** Carried out, and its answer lost; never carried out; answered so instead of being carried out. */
export const lost: FaultAction = { kind: "drop", when: "after" };
export const notThere: FaultAction = { kind: "drop", when: "before" };
export const answered = (status: number): FaultAction => ({ kind: "status", status, when: "before" });
/** For a whole run: every try of the first write. */
export const throughout = (action: FaultAction): void => faults({ nth: 1, times: 6, action });

/** State and reason of each event of the ledger, in time order. */
export const states = (): string[] =>
  world.withLedger((database) =>
    database
      .prepare<[], { state: string; reason: string | null }>(
        `SELECT coalesce(s.state, 'planned') AS state, s.reason FROM events e
         LEFT JOIN event_states s ON s.event_id = e.id ORDER BY e.at, e.rank, e.id`,
      )
      .all()
      .map(({ state, reason }) => (reason === null ? state : `${state}: ${reason}`)),
  );
export const documentState = (key = "M1"): string => world.withLedger((database) => findDocument(database, key).state);
export const minutes = (key = "M1"): number[] =>
  world.sandbox.store
    .documentsByExternalId(key)
    .flatMap(({ events }) =>
      events.filter(({ origin }) => origin === "sent").map((event) => (event.at - START) / 60_000),
    );
/** Begins a world, which ends with its test. */
export function open(options: WorldOptions = {}): void {
  const opened = createWorld(options);
  onTestFinished(() => opened.close());
  world = opened;
}
/** A world in which M1 has landed, with an event at minute 1. */
export async function begun(options: WorldOptions = {}): Promise<void> {
  open(options);
  await imported(...at(1));
}
/** Answers of the nth write, replaced by these. */
export const instead = (answers: Record<number, (body: string) => { status: number; body: unknown }>): RunPlan => {
  let count = 0;
  const rewrite: RunPlan["rewrite"] = (request, reply) => {
    if (request.method !== "POST" || !request.url.endsWith("/documents/events")) return reply;
    count += 1;
    const answer = answers[count]?.(reply.body);
    return answer === undefined ? reply : { ...reply, status: answer.status, body: JSON.stringify(answer.body) };
  };
  return { rewrite };
};

/** The key that this installation would give the event of that minute. */
export function deduplicationIdOf(document: string, minute: number): string {
  return eventDeduplicationId({ namespace: "story", kind: "manifest", key: document, generation: 1 }, "weighing", [
    String(minute),
  ]);
}

/** An event of that key by somebody else's hand. */
export async function postAs(document: string, deduplicationId: string): Promise<void> {
  const [there] = world.sandbox.store.documentsByExternalId(document);
  const externalCreatedAt = new Date(START + 5 * 60_000).toISOString();
  await addByHand(world.sandbox, there?.id ?? "", { name: "Weighing", externalCreatedAt, deduplicationId });
}

export const related = (document: string, minute: number, to: string, bidirectional = true) => ({
  document,
  minute,
  name: "RELATED",
  related: { document: to, bidirectional },
});

/** `M1 10 landed`, `M1 20 held behind-rejected`, in time order within a document. */
export const standing = (): string[] =>
  world.withLedger((database) =>
    database
      .prepare<[], { key: string; instant: number; state: string; reason: string | null }>(
        `SELECT d.key, e.at AS instant, coalesce(s.state, 'planned') AS state, s.reason FROM events e
         JOIN documents d ON d.id = e.document_id LEFT JOIN event_states s ON s.event_id = e.id
         ORDER BY d.key, e.at, e.rank, e.id`,
      )
      .all()
      .map(
        ({ key, instant, state, reason }) =>
          `${key} ${minuteOf(instant)} ${state}${reason === null ? "" : ` ${reason}`}`,
      ),
  );

/** Names and origins of a timeline, in the service's order. */
export const timeline = (key: string): string[] =>
  world.sandbox.store
    .documentsByExternalId(key)
    .flatMap(({ events }) => events.map((event) => `${minuteOf(event.at)} ${event.name} ${event.origin}`));

export const refusals = (): number =>
  world.sandbox.store.requests().filter(({ method, status }) => method === "POST" && status >= 400).length;

/** Exit code of a `resume`. */
export const resumed = async (plan?: RunPlan): Promise<number> => (await world.resume(plan)).exitCode;

/** Decisions of a person, as the commands make them. */
export const replace = (...documents: string[]) =>
  replaceEach(world.target, documents, "wrong", { clock: world.clock, waitForLock: false, journal: world.journal });
export const dismiss = (selectors: Selectors, undo = false) =>
  dismissSelected(world.target, selectors, world.clock, world.journal, undo);

export const giveUp = () =>
  world.withLedger((database) => dismissIn(database, selectOpen(database, {}), "release", world.clock.now()));

export const retryAll = () =>
  world.withLedger((database) => retry(database, selectOpen(database, {}), world.clock.now()));

/** The document gets the id that its first one has at the service. */
export const resolveFound = (key: string) =>
  world.withLedger((database) => {
    const [found] = world.sandbox.store.documentsByExternalId(key);
    resolveDocument(database, findDocument(database, key), found?.id ?? "", world.clock.now());
  });
