/**
 * What follows a document into its next generation: keys hold the generation (HARD-CASES H26), so all that names an event
 * by its key is given the key that the event has there.
 */
import type { Database } from "better-sqlite3";
import { eventDeduplicationId } from "../../model/keys.js";
import type { KnownDocument } from "./dismiss.js";
import { keyBytes } from "../event-key.js";

type Name = Pick<KnownDocument, "namespace" | "kind" | "key">;

export interface NextGeneration {
  /** The key in the next generation of an event of the document's that has the key `old` in this one. */
  keyOf(old: Buffer, event: string, keyParts: string): Buffer;
  /** After the last copy. */
  finish(): void;
}

export function createNextGeneration(
  database: Database,
  document: KnownDocument,
  next: { id: number; generation: number },
): NextGeneration {
  const keyFor = (name: Name, generation: number, event: string, parts: readonly string[]): Buffer =>
    keyBytes(eventDeduplicationId({ ...name, generation }, event, parts));
  // Rows that know it by its id may call it by another name.
  const others = database
    .prepare<[Name], Name>(
      `SELECT a.namespace, a.kind, a.key FROM document_aliases a JOIN documents d ON d.id = a.document_id
       WHERE d.namespace = @namespace AND d.kind = @kind AND d.key = @key`,
    )
    .all({ namespace: document.namespace, kind: document.kind, key: document.key });
  const names: Name[] = [{ namespace: document.namespace, kind: document.kind, key: document.key }, ...others];
  const own = names[0] ?? document;
  /** The key in the next generation, under the name that gave `old` in this one. */
  const follow = (old: Buffer, event: string, keyParts: string): Buffer => {
    const parts = JSON.parse(keyParts) as string[];
    const name = names.find((one) => keyFor(one, document.generation, event, parts).equals(old)) ?? own;
    return keyFor(name, next.generation, event, parts);
  };

  return {
    keyOf: follow,

    finish() {
      const placements = database
        .prepare<[number], { id: number; event: string; deduplication_id: Buffer; key_parts: string }>(
          `SELECT id, event, deduplication_id, key_parts FROM placements
           WHERE document_id = ? AND deduplication_id IS NOT NULL`,
        )
        .all(document.id);
      const setKey = database.prepare<[Buffer, number]>("UPDATE placements SET deduplication_id = ? WHERE id = ?");
      for (const { id, event, deduplication_id, key_parts } of placements)
        setKey.run(follow(deduplication_id, event, key_parts), id);
      database
        .prepare<[number, number]>("UPDATE placements SET document_id = ? WHERE document_id = ?")
        .run(next.id, document.id);
      carryDismissals(database, document.id, next.id, follow);
    },
  };
}

/** A dismissal stays in force on the next generation (HARD-CASES H23); what has landed as it was is sent again whole. */
function carryDismissals(
  database: Database,
  from: number,
  to: number,
  follow: (old: Buffer, event: string, keyParts: string) => Buffer,
): void {
  const dismissed = database
    .prepare<
      [number],
      { deduplication_id: Buffer; event: string; key_parts: string; content_hash: Buffer; at: number }
    >(
      `SELECT m.deduplication_id, e.event, e.key_parts, m.content_hash, m.at FROM dismissals m
       JOIN events_now e ON e.document_id = m.document_id AND e.deduplication_id = m.deduplication_id AND e.state = 'rejected' AND e.dismissed = 1
       WHERE m.document_id = ?`,
    )
    .all(from);
  const add = database.prepare<[number, Buffer, Buffer, number]>(
    "INSERT INTO dismissals (document_id, deduplication_id, content_hash, at) VALUES (?, ?, ?, ?)",
  );
  for (const { deduplication_id, event, key_parts, content_hash, at } of dismissed)
    add.run(to, follow(deduplication_id, event, key_parts), content_hash, at);
}
