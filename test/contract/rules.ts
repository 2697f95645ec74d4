/**
 * Every rule of service.md that the suite cites, in the document's order. A rule that no request can try says why;
 * all others need a positive and a negative case, which a test proves.
 */

/** One rule. `untested` is the reason why no case can exist, null when cases must. */
export interface Rule {
  /** Section and number, row or endpoint. */
  id: string;
  says: string;
  untested: string | null;
}

const rule = (id: string, says: string, untested: string | null = null) => ({ id, says, untested });

export const RULES: readonly Rule[] = [
  rule("What the service does 1", "keeps participants and addresses"),
  rule("What the service does 2", "generated ids are referenced by documents and events"),
  rule("What the service does 3", "timelines are immutable; a wrong document is cancelled and replaced"),
  rule("What the service does 4", "records are scoped to the credential; foreign reads are reduced and masked"),
  rule("Participant", "fields of a participant"),
  rule("Participant natural key", "countryCode + taxIdType + taxId"),
  rule("Address", "fields of an address, which belongs to exactly one participant"),
  rule("geography", "the resolved location"),
  rule("Document", "a document is owned by participants and carries a timeline"),
  rule("Event", "fields of an event"),
  rule("States: CLOSE", "closed: no further updates but RELATED and CANCEL"),
  rule("States: CANCEL", "cancelled: no event of any type"),
  rule("States: RELATED to a cancelled document", "rejected when bidirectional"),
  rule("POST /participants", "registers, answers id and snapshotId"),
  rule("GET /participants", "looks up by natural key"),
  rule("GET /participants/{id}", "reads one"),
  rule("POST /participants/{participantId}/addresses", "registers, answers id, snapshotId and geography"),
  rule("GET /participants/{participantId}/addresses", "lists"),
  rule("POST /documents/{documentId}/events", "appends one event"),
  rule("POST /documents/events", "appends events, or creates a document with them"),
  rule("Endpoints, Events 1", "exactly one participant and one address; inline finds or creates"),
  rule("Endpoints, Events 2", "the single-event endpoint delegates to the batch"),
  rule("Endpoints, Events 3", "one identity with different data in a batch fails"),
  rule("Endpoints, Events 4", "exactly one of documentId and document"),
  rule("Endpoints, Events 5", "events of a batch follow the same schema"),
  rule("Endpoints, Events 6", "a target creates a downstream document"),
  rule("Endpoints, Events 7", "before now, not before the last event"),
  rule("Endpoints, Events 8", "a repeated deduplicationId is refused, never replayed"),
  rule("Endpoints, Events 9", "CANCEL requires the attribute reason"),
  rule("Endpoints, Events 10", "RELATED and its mirror"),
  rule("Endpoints, Events 11", "propagation: one level, no value"),
  rule("POST /documents", "creates a document; accepts deduplicationId and externalId"),
  rule("GET /documents/{id}", "reads one; no lookup by other keys"),
  rule("Authentication 1", "a bearer token on every endpoint"),
  rule("Authentication 2", "the credential determines the dataset"),
  rule("Authentication 3", "an expired token yields a gateway 403; refreshing resolves it"),
  rule("Authentication 4", "other failures yield 401 or 403"),
  rule("Authentication 5", "token endpoint, scopes, lifetime", "not shown; see Open point 12"),
  ...["ACTOR", "CLOSE", "CANCEL", "RELATED", "UPDATE", "OUTPUT", "SPLIT", "CUSTOM"].map((type) =>
    rule(`Events: ${type}`, "a logical event type"),
  ),
  rule("Events 1", "six discriminated schemas"),
  rule("Events 2", "names not reserved are CUSTOM"),
  rule("Events 3", "both endpoints append; RELATED appends to two timelines"),
  rule("Events 4", "outbound notifications", "not shown"),
  rule("Errors: envelope", "errors with code, id and timestamp"),
  rule("Errors: request id", "the headers carry a request id"),
  rule("Errors: 400", "validation error"),
  rule("Errors: 403 token expired", "refresh, retry once"),
  rule("Errors: 401 / 403", "other authentication failure"),
  rule("Errors: 404", "resource not found"),
  rule("Errors: 409 pending process", "PENDING_PROCESS_CONFLICT_ERROR"),
  rule("Errors: 409 duplicate", "CONFLICT_ERROR, duplicate deduplicationId"),
  rule("Errors: 409 other", "other conflicts"),
  rule("Errors: 422", "unprocessable entity"),
  rule("Errors: 429", "rate limit exceeded"),
  rule("Errors: 500", "internal server error"),
  rule("Errors: 502 / 503 / 504", "gateway or service unavailable"),
  rule("Errors: retry policy", "the same key on every retry; other 4xx are terminal"),
  rule("Limits: sustained", "20 requests per second per client"),
  rule("Limits: burst", "30 requests"),
  rule("Limits 1", "the same in test and production", "one environment cannot be compared with itself"),
  rule("Limits 2", "exceeding yields 429"),
  rule("Limits 3", "event time before now and not before the last event"),
  rule("Limits 4", "sizes, lengths, pagination", "not shown; see Open points 10 and 21"),
  rule("Versioning", "versioning of the interface", "not shown"),
];
