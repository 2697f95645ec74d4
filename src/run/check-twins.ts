/** Finds rows of the files of one check that contradict each other; an import would not send both. */
import { detachText } from "../model/fold.js";
import { contentHash, eventDeduplicationId } from "../model/keys.js";
import { eventKeyTwice, type Problem, rowIdTwice } from "../model/problem.js";
import type { EventRecord, Records } from "../model/records.js";

/** A bound for memory. */
export const MOST_TWINS = 200_000;

/** `sameId`: an earlier row of the file with this `rowId`; null: none. */
interface Where {
  place: string;
  rowId: string | null;
  sameId: number | null;
}

export function createTwins() {
  const given = new Map<string, { hash: string; place: string; rowId: string | null }>();
  return {
    /** Whether later events are not compared. */
    isFull: (): boolean => given.size >= MOST_TWINS,

    /** Null: no row before it says otherwise. */
    add(records: Records, { place, rowId, sameId }: Where): Problem | null {
      let isRepeated = true;
      for (const event of records.events) {
        const { document, key } = event;
        const parts = key.by === "fields" ? key.parts : [];
        const id = eventDeduplicationId({ ...document, namespace: "", generation: 1 }, event.event, parts);
        const hash = contentHash(withoutOwners(event, records)).toString("hex");
        const other = key.by === "content" ? undefined : given.get(id);
        if (other?.hash === hash) continue;
        isRepeated = false;
        const corrects = rowId !== null && other?.rowId === rowId;
        if (other !== undefined && !corrects) return eventKeyTwice(event, other.place);
        if (key.by !== "content" && (corrects || given.size < MOST_TWINS))
          given.set(id, { hash, place: detachText(place), rowId: rowId && detachText(rowId) });
      }
      return sameId === null || isRepeated ? null : rowIdTwice(sameId);
    },
  };
}

const owner = { by: "id", id: "" } as const;

/** Events without parties of their own follow their document, whichever row it takes them from. */
function withoutOwners(event: EventRecord, { documents }: Records): EventRecord {
  const { document, participant, address } = event;
  const own = documents.find(({ kind, key }) => kind === document.kind && key === document.key);
  return {
    ...event,
    participant: participant === own?.participant ? owner : participant,
    address: address === own?.address ? owner : address,
  };
}

export type Twins = ReturnType<typeof createTwins>;
