/** Finds rows of the files of one check that give one event different content; an import would send neither. */
import { detachText } from "../model/detach.js";
import { contentHash, eventDeduplicationId } from "../model/keys.js";
import { eventKeyTwice, type Problem } from "../model/problem.js";
import type { Records } from "../model/records.js";

/** A bound for memory. */
export const MOST_TWINS = 200_000;

export function createTwins() {
  const given = new Map<string, { hash: string; place: string }>();
  return {
    /** Whether later events are not compared. */
    isFull: (): boolean => given.size >= MOST_TWINS,

    /** `place`: of the row. Null: no row before it says otherwise. */
    add({ events }: Records, place: string): Problem | null {
      for (const event of events) {
        if (event.key.by === "content") continue;
        const { document, key } = event;
        const parts = key.by === "once" ? [] : key.parts;
        const id = eventDeduplicationId({ ...document, namespace: "", generation: 1 }, event.event, parts);
        const hash = contentHash(event).toString("hex");
        const other = given.get(id);
        if (other === undefined) {
          if (given.size < MOST_TWINS) given.set(id, { hash, place: detachText(place) });
        } else if (other.hash !== hash) return eventKeyTwice(event, other.place);
      }
      return null;
    },
  };
}

export type Twins = ReturnType<typeof createTwins>;
