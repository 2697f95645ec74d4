/** What events write on other documents, as far as the ledger can tell: to which, and where nobody can (open-points 29). */
import type { DocumentWithTimeline } from "../../../src/sandbox/index.js";

export interface Linking {
  /** Key of its document. */
  key: string;
  /** Id of its document at the service; null: not known. */
  documentServiceId: string | null;
  name: string;
  at: number;
  state: string;
  documentId: number;
  relatedDocument: number | null;
  targetDocument: number | null;
  /** Whether it writes on other documents: a back-reference, or copies. */
  mirrored: number;
  /** Null: none came, or it has not landed. */
  serviceEventId: string | null;
}

/** Whether any event relates the two documents, in either direction, or makes one of the other (HARD-CASES H18, open-points 40). */
const areRelated = (a: number, b: number, events: readonly Linking[]) =>
  events.some(
    ({ documentId, relatedDocument, targetDocument }) =>
      (documentId === a && (relatedDocument === b || targetDocument === b)) ||
      (documentId === b && relatedDocument === a),
  );

export const hasLanded = ({ state }: Pick<Linking, "state">): boolean =>
  ["landed", "landed-without-id", "changed"].includes(state);

/**
 * Whether the service has copied a later event to the document without the ledger's knowing: along relations that go one
 * way alone, or of an event that is in doubt itself. In which direction it copies is not shown: to believe in a copy would
 * refuse good rows, so only the service can tell that the row was late.
 */
export function isPassedByCopy(
  { at, documentId }: Pick<Linking, "at" | "documentId">,
  there: DocumentWithTimeline | undefined,
  events: readonly Linking[],
): boolean {
  const isKnown = ({ mirrored, relatedDocument }: Linking) => mirrored === 1 && relatedDocument !== null;
  const copies = (there?.events ?? []).filter((one) => one.origin === "propagated" && one.at > at);
  return events.some((original) => {
    // Confirmed by a duplicate alone, it does not show where it was copied to either.
    const inDoubt = original.state === "stalled" || original.serviceEventId === null;
    if (original.mirrored !== 1 || original.relatedDocument !== null || !(hasLanded(original) || inDoubt)) return false;
    if (!copies.some((copy) => copy.name === original.name && copy.at >= original.at)) return false;
    const relations = events.filter((one) => hasLanded(one) && areRelated(original.documentId, documentId, [one]));
    return relations.length > 0 && (inDoubt || !relations.some(isKnown));
  });
}

/** Whether the back-reference of a link that is in doubt stands on the document, behind the event: at the service's time it may. */
export function isPassedByLink(
  { at, documentId }: Pick<Linking, "at" | "documentId">,
  there: DocumentWithTimeline | undefined,
  events: readonly Linking[],
  documents: readonly DocumentWithTimeline[],
): boolean {
  const links = events.filter(
    ({ state, mirrored, relatedDocument }) => state === "stalled" && mirrored === 1 && relatedDocument === documentId,
  );
  return (there?.events ?? []).some((one) => {
    if (one.origin !== "mirror" || one.at <= at) return false;
    const { documentId: from } = one.body["relatedDocument"] as { documentId: string };
    const source = documents.find(({ id }) => id === from);
    return links.some(({ key, documentServiceId: id }) => (id === null ? key === source?.externalId : id === from));
  });
}
