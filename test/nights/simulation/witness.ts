/** What a night remembers of what it did, and what the ledger says of every event. */
import { keyText } from "../../../src/ledger/event-key.js";
import type { LedgerDatabase } from "../../../src/ledger/open-ledger.js";
import type { Summary } from "../../../src/model/summary.js";
import type { DocumentWithTimeline } from "../../../src/sandbox/index.js";
import type { StoryRow } from "./story.js";

export interface Witness {
  /** Invalid rows that hold what is later on their documents, since they were first imported. */
  holds: {
    document: string;
    at: number;
    landed: ReadonlySet<string>;
    /** Bodies that a killed process had on the wire: nothing holds these any more. */
    onTheWire: readonly string[];
    id: string;
    row: string;
  }[];
  /** Rows of refused files, by name, document and key, none of which was sent: nothing of them lands until they come again. */
  refused: Set<string>;
  /** Whether any fault or kill befell the night. */
  disturbed: boolean;
  summaries: { summary: Summary; rows: number }[];
  /** Documents with a row that the service refuses. */
  bad: Set<string>;
  /** Where each row's timeline stood when the row was first imported, ms, by document and key. */
  stood: Map<string, number>;
  /** Whether a person has dismissed anything. */
  gaveUp: boolean;
  /** Invalid rows that a person has dismissed, by content. */
  dismissed: Set<string>;
  /** What a newer version of a file lacks: a person may dismiss it, or another row may have come instead. */
  gone: Witness["holds"];
  /** What dismissed rows held, to be held again if that is undone. */
  givenUp: Witness["holds"];
  /** Invalid rows of which another row was the correction, by content: they come back and hold nothing (H37). */
  corrected: Set<string>;
  /** The newest row of each event, by name, document and key, whose former versions a correction has outdated. */
  says: Map<string, StoryRow & { is: "event" }>;
  /** What a person has corrected into what, by content. */
  versions: { before: string; now: string }[];
  /** Rejected rows that came back as they were, by content. */
  returned: Set<string>;
  /** Rows that a person has corrected into another valid row, by content: they come back and say nothing. */
  outdated: Set<string>;
  /** What rows said otherwise than what had landed when a person gave up what was wrong. */
  accepted: Set<string>;
  /** Rows that contradicted another of their file. */
  disputed: StoryRow[];
  /** Ids of documents that were replaced by a next generation, by key. */
  replaced: Map<string, Set<string>>;
  /** How that, and `stood`, was before its last replacement, by key. */
  replacing: Map<string, { replaced?: Set<string>; stood: Map<string, number> }>;
}

export const newWitness = (): Witness => ({
  holds: [],
  refused: new Set(),
  disturbed: false,
  summaries: [],
  bad: new Set(),
  stood: new Map(),
  gaveUp: false,
  dismissed: new Set(),
  gone: [],
  givenUp: [],
  corrected: new Set(),
  says: new Map(),
  returned: new Set(),
  outdated: new Set(),
  accepted: new Set(),
  disputed: [],
  versions: [],
  replaced: new Map(),
  replacing: new Map(),
});

export interface LedgerEvent {
  id: number;
  deduplicationId: string;
  name: string;
  at: number;
  payload: string;
  keyParts: string;
  kind: string;
  key: string;
  state: string;
  reason: string | null;
  waitsFor: string | null;
  dismissed: number;
  documentId: number;
  relatedDocument: number | null;
  targetDocument: number | null;
  /** Whether it writes on other documents: a back-reference, or copies. */
  mirrored: number;
  /** Whether its document has a later generation. */
  replaced: number;
  /** The id that the service gave it; null: none came. */
  serviceEventId: string | null;
  documentState: string;
  documentServiceId: string | null;
  documentLastAt: number | null;
}

export function readEvents(database: LedgerDatabase): LedgerEvent[] {
  return database
    .prepare<[], Omit<LedgerEvent, "deduplicationId"> & { deduplication_id: Buffer }>(
      `SELECT e.id, e.deduplication_id, e.name, e.at, e.payload, e.key_parts AS keyParts, d.kind, d.key, d.id AS documentId,
         e.related_document AS relatedDocument, e.target_document AS targetDocument, e.mirrored,
         EXISTS (SELECT 1 FROM documents n WHERE n.key = d.key AND n.kind = d.kind AND n.generation > d.generation) AS replaced, coalesce(s.state, 'planned') AS state,
         s.reason, s.waits_for AS waitsFor, coalesce(s.dismissed, 0) AS dismissed,
         s.service_event_id AS serviceEventId,
         coalesce(x.state, 'planned') AS documentState, x.service_id AS documentServiceId, x.last_at AS documentLastAt
       FROM events e JOIN documents d ON d.id = e.document_id LEFT JOIN event_states s ON s.event_id = e.id
       LEFT JOIN document_states x ON x.document_id = d.id`,
    )
    .all()
    .map(({ deduplication_id, ...event }) => ({ ...event, deduplicationId: keyText(deduplication_id) }));
}

/** As `stood` names it. */
export const idOf = ({ key, keyParts }: LedgerEvent): string => `${key} ${(JSON.parse(keyParts) as string[])[0] ?? ""}`;

/** As `says` and `refused` name it: events of other names may have the same key. */
export const eventOf = (event: LedgerEvent): string => `${event.name} ${idOf(event)}`;

export const describe = (event: LedgerEvent): string =>
  `${event.kind} ${event.key} ${event.name} at ${new Date(event.at).toISOString()} (${event.state}, ${event.reason}, ${event.waitsFor})`;

export const isReplaced = ({ id, externalId }: DocumentWithTimeline, witness: Witness): boolean =>
  witness.replaced.get(externalId ?? "")?.has(id) === true;
