/**
 * Events without parties of their own follow their document: if a row gives it other parties before it is sent, they
 * get these too, with the hash and key that result.
 */
import { type JsonObject, type JsonValue, parseJson } from "../../model/json.js";
import { contentHash, contentKeyParts, type DocumentName, type EventOwn } from "../../model/keys.js";
import type { Attribute } from "../../model/records.js";
import type { EventNow } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { Writer } from "../writer.js";
import type { EventKeys } from "./event-keys.js";
import type { References } from "./references.js";

interface Document extends DocumentName {
  fields: string;
  external_id: string | null;
  participant_ref: number | null;
  address_ref: number | null;
}

type Parties = Pick<EventNow, "participant_ref" | "address_ref">;

const AT_ONCE = 500;

/** Unsent events of a document that go with it, but for those of some inputs. */
export const eventsToGo = (database: LedgerDatabase, document: number, except: readonly number[]): number[] =>
  database.values<number>(
    `SELECT id FROM events_now WHERE document_id = @document AND as_document > 0 AND unsent AND payload <> ''
       AND input_id NOT IN @except ORDER BY id`,
    { document, except },
  );

/** @returns the inputs of those of the events that it changed */
export function goWithDocument(
  database: LedgerDatabase,
  { references, keys, now }: { references: References; keys: EventKeys; now: number },
  id: number,
  events: readonly number[],
): number[] {
  const writer = new Writer(database);
  const documentAt = (at: number) =>
    database.row<Document>(
      "SELECT kind, key, fields, external_id, participant_ref, address_ref FROM documents WHERE id = @at",
      { at },
    );
  const document = documentAt(id);
  if (document === null) return [];

  /** Its body as its row gave it, with these parties. */
  const ownOf = (event: EventNow, parties: Parties): EventOwn => {
    const { name, isPublic, metadata, relatedDocument, propagateEvent, value, ...extra } = parseJson(event.payload) as {
      name: string;
      isPublic: boolean;
      metadata?: { attributes: Attribute[] };
      relatedDocument?: NonNullable<EventOwn["related"]>["options"];
      propagateEvent?: boolean;
      value?: JsonValue;
    } & JsonObject;
    const related = event.related_document === null ? null : documentAt(event.related_document);
    const target = event.target_document === null ? null : documentAt(event.target_document);
    const linked =
      event.related_id === null
        ? related && { by: "key" as const, kind: related.kind, key: related.key }
        : { by: "id" as const, documentId: event.related_id };
    return {
      name,
      at: event.at,
      isPublic,
      participant: references.named("participant", parties.participant_ref),
      address: references.named("address", parties.address_ref),
      attributes: metadata?.attributes ?? [],
      related: linked && { document: linked, options: relatedDocument ?? {} },
      target: target && {
        document: target,
        fields: parseJson(target.fields) as JsonObject,
        participant: target.participant_ref === null ? null : references.named("participant", target.participant_ref),
        address: target.address_ref === null ? null : references.named("address", target.address_ref),
        externalId: target.external_id,
      },
      propagate: propagateEvent ?? null,
      value,
      extra,
    };
  };

  /** With `key: content`, the first free key of its new content. */
  const keyOf = ({ id: event, event: label, key_parts: text, content_hash: before }: EventNow, hash: Buffer) => {
    const [by, content, ordinal] = JSON.parse(text) as string[];
    if (by !== "content" || content !== before.toString("hex")) return {};
    const isTaken = (key: Buffer) =>
      database.has("SELECT 1 FROM events WHERE document_id = @id AND deduplication_id = @key AND id <> @event", {
        id,
        key,
        event,
      });
    for (let at = Number(ordinal); ; at += 1) {
      const parts = contentKeyParts(hash, at);
      const key = keys.deduplicationKey(id, document, label, parts);
      if (!isTaken(key)) return { deduplication_id: key, key_parts: JSON.stringify(parts) };
    }
  };

  const follow = (event: EventNow): number[] => {
    const { as_document: given, participant_ref: participant, address_ref: address } = event;
    const parties: Parties = {
      participant_ref: (given & 1 ? document.participant_ref : null) ?? participant,
      address_ref: (given & 2 ? document.address_ref : null) ?? address,
    };
    if (parties.participant_ref === participant && parties.address_ref === address) return [];
    const hash = contentHash(ownOf(event, parties));
    writer.keepAttempted(event.id);
    database.change("events", event.id, { ...parties, content_hash: hash, ...keyOf(event, hash) });
    if (event.dismissed === 0 && event.reason !== "row-gone") writer.corrected(event.id, now);
    writer.askedAgain("event", event.id, now);
    return [event.input_id];
  };

  const inputs: number[] = [];
  for (let at = 0; at < events.length; at += AT_ONCE) {
    const select = "SELECT * FROM events_now WHERE id IN @some AND unsent ORDER BY id";
    const some = events.slice(at, at + AT_ONCE);
    for (const event of database.rows<EventNow>(select, { some })) inputs.push(...follow(event));
  }
  return inputs;
}
