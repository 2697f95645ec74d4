/**
 * Reads accepted answers. Tolerates everything that the specification does not show; an id counts only if it is a
 * possible id (H6, H43).
 */
import { z } from "zod";
import { foldIdentity } from "../model/fold.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.js";
import { idFault } from "../model/service-id.js";
import type { Answer } from "./call.js";

/** Null: not a text. */
const text = z.string().nullable().catch(null).default(null);
/** A whole number counts as its digits, unless JSON.parse has rounded it. */
const usable = z
  .union([z.string(), z.int().nonnegative().transform(String)])
  .refine((given) => idFault(given) === null);
const id = usable.nullable().catch(null).default(null);
const object = z
  .custom<JsonObject>((value) => isJsonObject(value) && !isTooDeep(value))
  .nullable()
  .catch(null)
  .default(null);

const participant = z.object({
  id: usable,
  countryCode: text,
  taxIdType: text,
  taxId: text,
  name: text,
  type: text,
});
/** service.md, Participant; null: the field was missing. */
export type FoundParticipant = z.output<typeof participant>;

const address = z.object({
  id: usable,
  participantId: id,
  name: text,
  street: text,
  number: text,
  city: text,
  countryState: text,
  countryCode: text,
  geography: object,
});
/** The fields of a listed address (service.md, Address) that identify it; null: missing. */
export type ListedAddress = z.output<typeof address>;

const registration = z.object({ id: usable, snapshotId: id, geography: object });
/** `geography` unchanged; null for participants, or missing. */
export type Registration = z.output<typeof registration>;

const receipt = z.object({ eventId: id, targetDocumentId: id });
/** Null: missing. targetDocumentId comes from the raw body (service.md, Events). */
export type EventReceipt = z.output<typeof receipt>;

export type ParticipantLookup =
  | { outcome: "found"; participant: FoundParticipant }
  /** 404, an empty body, null or [] (open point 3). */
  | { outcome: "absent" }
  /** Accepted, but unclear: never taken for absent. */
  | { outcome: "unreadable" };

/**
 * For lookup-participant and read-participant. `asked`: the natural key; other records in the answer are ignored, and a
 * single other record makes it unreadable. Undefined: refused, unanswered or stopped.
 */
export function participantOf(answer: Answer, asked: NaturalKey | null = null): ParticipantLookup | undefined {
  if (answer.result === "refused") return answer.notFound ? { outcome: "absent" } : undefined;
  if (answer.result !== "accepted") return undefined;
  const { body } = answer;
  const candidates = Array.isArray(body) ? body : isNothing(body) ? [] : [body];
  const readable = candidates.flatMap((candidate) => participant.safeParse(candidate).data ?? []);
  const found = asked === null ? readable : readable.filter((candidate) => isOf(candidate, asked));
  const [first] = found;
  if (first !== undefined) return { outcome: "found", participant: first };
  const isList = Array.isArray(body) && readable.length === candidates.length;
  return candidates.length === 0 || isList ? { outcome: "absent" } : { outcome: "unreadable" };
}

interface NaturalKey {
  countryCode: string;
  taxIdType: string;
  taxId: string;
}

const isOf = (found: FoundParticipant, { countryCode, taxIdType, taxId }: NaturalKey): boolean =>
  differing(found, { countryCode, taxIdType, taxId }).length === 0;

/**
 * The fields that contradict ours. Punctuation, case and accents do not, nor do missing fields or a country code of
 * another length: the service may spell them in its own way.
 */
export function differing(found: FoundParticipant, ours: JsonObject) {
  const fold = (value: string) => foldIdentity(value).replace(/[^\p{L}\p{N}]/gu, "");
  return (["countryCode", "taxIdType", "taxId", "name", "type"] as const).filter((field) => {
    const [own, theirs] = [ours[field], found[field]];
    if (typeof own !== "string" || theirs === null) return false;
    return fold(own) !== fold(theirs) && (field !== "countryCode" || own.length === theirs.length);
  });
}

/** For create-participant and create-address. Null: no readable id. */
export function registrationOf(body: JsonValue): Registration | null {
  return registration.safeParse(body).data ?? null;
}

/**
 * For list-addresses. Leaves out entries without a readable id; an empty body and a 404 are an empty list. Undefined: refused, unanswered, stopped or no list.
 */
export function addressesOf(answer: Answer): ListedAddress[] | undefined {
  if (answer.result === "refused") return answer.notFound ? [] : undefined;
  if (answer.result !== "accepted") return undefined;
  if (isNothing(answer.body)) return [];
  if (!Array.isArray(answer.body)) return undefined;
  return answer.body.flatMap((entry) => address.safeParse(entry).data ?? []);
}

/**
 * For create-document, create-with-events and append-events; a single event's answer becomes a list. `documentId`, else
 * `id` (H6); null: unreadable. `events`: one for each entry, in order (open point 24); null: no list came.
 */
export function batchReceiptOf(body: JsonValue): {
  documentId: string | null;
  events: EventReceipt[] | null;
} {
  if (!isJsonObject(body)) return { documentId: null, events: null };
  const documentId = id.parse(body["documentId"]) ?? id.parse(body["id"]);
  if (Array.isArray(body["events"])) return { documentId, events: body["events"].map(receiptOf) };
  if (body["eventId"] !== undefined) return { documentId, events: [receiptOf(body)] };
  return { documentId, events: null };
}

function receiptOf(entry: JsonValue): EventReceipt {
  return receipt.safeParse(entry).data ?? { eventId: null, targetDocumentId: null };
}

/** For read-document; its shape is not specified (open point 18), so `body` is for display only. Null: nothing readable. */
export function documentOf(body: JsonValue) {
  if (!isJsonObject(body) || isTooDeep(body)) return null;
  return { documentId: id.parse(body["documentId"]) ?? id.parse(body["id"]), body };
}

/** JSON.parse accepts deeper nesting than JSON.stringify survives (P10). */
function isTooDeep(value: unknown, levels = 100): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

export function isNothing(body: JsonValue): boolean {
  return body === null || (isJsonObject(body) && Object.keys(body).length === 0);
}
