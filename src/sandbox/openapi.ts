/** The OpenAPI 3.1 description, from the schemas that check requests. */
import { z } from "zod";
import { described as registry } from "./schemas.js";

const described = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).register(registry, { id });

const texts = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, z.string()]));
const optional = (names: string) => z.object(texts(names)).partial().shape;
const nullable = z.string().nullable();
const coordinate = z.number().nullable();

described("ErrorEnvelope", { errors: z.array(z.object({ ...texts("code id timestamp"), ...optional("message") })) });
described("OAuthError", texts("error error_description"));
described("TokenRequest", {
  grant_type: z.literal("client_credentials"),
  ...optional("scope client_id client_secret"),
});
described("Token", {
  ...texts("access_token scope"),
  token_type: z.literal("Bearer"),
  expires_in: z.int().describe("Seconds."),
});
described("RegisteredParticipant", texts("id snapshotId"));
described("Participant", {
  ...texts("id countryCode taxIdType taxId name"),
  ...optional("type businessName email mobileNumber telephoneNumber"),
});
const municipality = z.object(texts("code name subdivisionCode"));
const geography = described("Geography", {
  ...texts("status countryCode catalogVersion resolutionId"),
  unresolvedLevel: nullable,
  ruleVersion: z.int(),
  resolvedAt: z.iso.datetime({ precision: 3 }),
  municipality: municipality.nullable(),
  subdivision: z.object(texts("code name")).nullable(),
  candidates: z.array(municipality),
});
described("RegisteredAddress", { ...texts("id snapshotId"), geography });
const address = described("Address", {
  ...texts("id participantId name street number city countryState countryCode"),
  complement: nullable.optional(),
  neighborhood: nullable,
  zipCode: nullable,
  latitude: coordinate,
  longitude: coordinate,
  geography,
});
z.array(address).register(registry, { id: "Addresses" });
described("CreatedDocument", texts("id documentId"));
described("Document", {
  ...texts("id"),
  state: z.enum(["open", "closed", "cancelled"]),
  events: z.array(z.looseObject(texts("eventId"))),
});
const entry = { ...texts("eventId"), ...optional("targetDocumentId") };
described("AppendedEvent", { ...texts("documentId"), ...entry });
described("AppendedEvents", { ...texts("documentId"), events: z.array(z.object(entry)) });

type Endpoint = [summary: string, body: string | null, status: 200 | 201, answer: string, query?: string[]];

const endpoints: Readonly<Record<string, Endpoint>> = {
  "post /participants": ["Register a participant", "NewParticipant", 201, "RegisteredParticipant"],
  "get /participants": [
    "Look a participant up by its natural key",
    null,
    200,
    "Participant",
    ["countryCode", "taxIdType", "taxId"],
  ],
  "get /participants/{id}": ["Read a participant", null, 200, "Participant"],
  "post /participants/{participantId}/addresses": [
    "Register an address of a participant",
    "NewAddress",
    201,
    "RegisteredAddress",
  ],
  "get /participants/{participantId}/addresses": ["List the addresses of a participant", null, 200, "Addresses"],
  "post /documents": ["Create a document with an empty timeline", "NewDocument", 201, "CreatedDocument"],
  "get /documents/{id}": ["Read a document with its timeline", null, 200, "Document"],
  "post /documents/events": [
    "Append events to a document, or create a document with its events",
    "Batch",
    201,
    "AppendedEvents",
  ],
  "post /documents/{documentId}/events": ["Append one event", "Event", 201, "AppendedEvent"],
};

const content = (name: string, type = "application/json") => ({
  content: { [type]: { schema: { $ref: `#/components/schemas/${name}` } } },
});
const answers = (name: string, statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, { description: name, ...content(name) }]));

function operation(key: string, [summary, body, status, answer, query = []]: Endpoint): object {
  const inPath = [...key.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const parameter = (where: string) => (name: string | undefined) => ({
    name,
    in: where,
    required: true,
    schema: { type: "string" },
  });
  return {
    summary,
    security: [{ oauth: [] }],
    parameters: [...inPath.map(parameter("path")), ...query.map(parameter("query"))],
    ...(body === null ? {} : { requestBody: { required: true, ...content(body) } }),
    responses: {
      ...answers(answer, [status]),
      ...answers("ErrorEnvelope", [400, 401, 403, 404, 409, 413, 415, 422, 429, 500]),
    },
  };
}

const token = {
  summary: "Get an access token (OAuth 2.0 client credentials)",
  description: "The client authenticates with HTTP basic, or with client_id and client_secret in the form.",
  requestBody: { required: true, ...content("TokenRequest", "application/x-www-form-urlencoded") },
  responses: { ...answers("Token", [200]), ...answers("OAuthError", [400, 401]) },
};

export function openApi(): object {
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: (name) => `#/components/schemas/${name}` });
  for (const schema of Object.values(schemas)) {
    delete schema.$schema;
    delete schema.$id;
  }
  const paths: Record<string, Record<string, object>> = { "/oauth/token": { post: token } };
  for (const [key, endpoint] of Object.entries(endpoints)) {
    const [method = "", path = ""] = key.split(" ");
    (paths[path] ??= {})[method] = operation(key, endpoint);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Participant and Document Event Service (sandbox)",
      description: "A local implementation of the service. Tokens come from POST /oauth/token (client credentials).",
      version: "1",
    },
    paths,
    components: {
      schemas,
      securitySchemes: {
        oauth: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/oauth/token", scopes: {} } } },
      },
    },
  };
}
