/** What each endpoint takes and gives, for the description of the interface; from the same schemas that check requests. */
import { z } from "zod";
import { addressInput, documentInput, eventInput, participantInput } from "./schemas.js";

const id = z.string();
const errorEnvelope = z
  .object({
    errors: z.array(
      z.object({ code: z.string(), id: z.string(), timestamp: z.string(), message: z.string().optional() }),
    ),
  })
  .meta({ id: "ErrorEnvelope" });

const participant = z
  .object({
    id,
    countryCode: z.string(),
    taxIdType: z.string(),
    taxId: z.string(),
    name: z.string(),
    type: z.string().optional(),
    businessName: z.string().optional(),
    email: z.string().optional(),
    mobileNumber: z.string().optional(),
    telephoneNumber: z.string().optional(),
  })
  .meta({ id: "Participant" });

const place = z.object({ code: z.string(), name: z.string() });
const municipality = place.extend({ subdivisionCode: z.string() });
const geography = z
  .object({
    status: z.string(),
    unresolvedLevel: z.string().nullable(),
    countryCode: z.string(),
    catalogVersion: z.string(),
    ruleVersion: z.int(),
    resolutionId: z.string(),
    resolvedAt: z.iso.datetime({ precision: 3 }),
    municipality: municipality.nullable(),
    subdivision: place.nullable(),
    candidates: z.array(municipality),
  })
  .meta({ id: "Geography" });

const address = z
  .object({
    id,
    participantId: id,
    name: z.string(),
    street: z.string(),
    number: z.string(),
    complement: z.string().nullable().optional(),
    neighborhood: z.string().nullable(),
    city: z.string(),
    countryState: z.string(),
    countryCode: z.string(),
    zipCode: z.string().nullable(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    geography,
  })
  .meta({ id: "Address" });

const entry = z.object({ eventId: id, targetDocumentId: id.optional() });
const batch = z
  .object({
    documentId: id.optional().describe("Exactly one of documentId and document."),
    document: documentInput.optional(),
    events: z.array(eventInput),
  })
  .meta({ id: "Batch" });
const timeline = z
  .looseObject({ id, state: z.enum(["open", "closed", "cancelled"]), events: z.array(z.looseObject({ eventId: id })) })
  .meta({ id: "Document" });

export interface Description {
  summary: string;
  params?: z.ZodType;
  querystring?: z.ZodType;
  body?: z.ZodType;
  status: 200 | 201;
  answer: z.ZodType;
}

const participantPath = z.object({ participantId: id });

/** By `METHOD template`, as in `routes`. */
export const descriptions: Readonly<Record<string, Description>> = {
  "POST /participants": {
    summary: "Register a participant",
    body: participantInput,
    status: 201,
    answer: z.object({ id, snapshotId: id }),
  },
  "GET /participants": {
    summary: "Look a participant up by its natural key",
    querystring: z.object({ countryCode: z.string(), taxIdType: z.string(), taxId: z.string() }),
    status: 200,
    answer: participant,
  },
  "GET /participants/{id}": {
    summary: "Read a participant",
    params: z.object({ id }),
    status: 200,
    answer: participant,
  },
  "POST /participants/{participantId}/addresses": {
    summary: "Register an address of a participant",
    params: participantPath,
    body: addressInput,
    status: 201,
    answer: z.object({ id, snapshotId: id, geography }),
  },
  "GET /participants/{participantId}/addresses": {
    summary: "List the addresses of a participant",
    params: participantPath,
    querystring: z.object({ page: z.int().optional() }),
    status: 200,
    answer: z.array(address),
  },
  "POST /documents": {
    summary: "Create a document with an empty timeline",
    body: documentInput,
    status: 201,
    answer: z.object({ id, documentId: id }),
  },
  "GET /documents/{id}": {
    summary: "Read a document with its timeline",
    params: z.object({ id }),
    status: 200,
    answer: timeline,
  },
  "POST /documents/events": {
    summary: "Append events to a document, or create a document with its events",
    body: batch,
    status: 201,
    answer: z.object({ documentId: id, events: z.array(entry) }),
  },
  "POST /documents/{documentId}/events": {
    summary: "Append one event",
    params: z.object({ documentId: id }),
    body: eventInput,
    status: 201,
    answer: entry.extend({ documentId: id }),
  },
};

/** POST /oauth/token (service.md, Authentication; open point 12). */
export const tokenDescription = {
  summary: "Get an access token (OAuth 2.0 client credentials)",
  description: "The client authenticates with HTTP basic, or with client_id and client_secret in the form.",
  consumes: ["application/x-www-form-urlencoded"],
  body: z.object({
    grant_type: z.literal("client_credentials"),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
  }),
  response: {
    200: z.object({
      access_token: z.string(),
      token_type: z.literal("Bearer"),
      expires_in: z.int().describe("Seconds."),
      scope: z.string(),
    }),
    400: z.object({ error: z.string(), error_description: z.string() }),
    401: z.object({ error: z.string(), error_description: z.string() }),
  },
};

/** The rows of service.md, Errors, that any endpoint may answer with. */
export const errorAnswers: Readonly<Record<number, z.ZodType>> = Object.fromEntries(
  [400, 401, 403, 404, 409, 413, 415, 422, 429, 500].map((status) => [status, errorEnvelope]),
);
