/** The service's endpoints (service.md, Endpoints), as they are served and described. */
import { createAddress, listAddresses } from "./addresses.js";
import { createDocument, readDocument } from "./documents.js";
import { postBatch, postEvent } from "./events.js";
import { createParticipant, findParticipant, readParticipant } from "./participants.js";
import type { Call, Reply } from "./request.js";

type Endpoint = (call: Call) => Reply;

export interface Route {
  method: "GET" | "POST";
  /** `{name}` stands for an identifier. */
  template: string;
  summary: string;
  /** The schema's name; null: none. */
  body: string | null;
  /** The schema's name. */
  answer: string;
  endpoint: Endpoint;
  /** Names of required parameters. */
  query: readonly string[];
}

const get = (template: string, summary: string, answer: string, endpoint: Endpoint, ...query: string[]): Route => ({
  method: "GET",
  template,
  summary,
  body: null,
  answer,
  endpoint,
  query,
});

const post = (template: string, summary: string, body: string, answer: string, endpoint: Endpoint): Route => ({
  ...get(template, summary, answer, endpoint),
  method: "POST",
  body,
});

const NATURAL_KEY = ["countryCode", "taxIdType", "taxId"];

export const routes: readonly Route[] = [
  post("/participants", "Register a participant", "NewParticipant", "RegisteredParticipant", createParticipant),
  get("/participants", "Look a participant up by its natural key", "Participant", findParticipant, ...NATURAL_KEY),
  get("/participants/{id}", "Read a participant", "Participant", readParticipant),
  post(
    "/participants/{participantId}/addresses",
    "Register an address of a participant",
    "NewAddress",
    "RegisteredAddress",
    createAddress,
  ),
  get("/participants/{participantId}/addresses", "List the addresses of a participant", "Addresses", listAddresses),
  post("/documents", "Create a document with an empty timeline", "NewDocument", "CreatedDocument", createDocument),
  get("/documents/{id}", "Read a document with its timeline", "Document", readDocument),
  post(
    "/documents/events",
    "Append events to a document, or create a document with its events",
    "Batch",
    "AppendedEvents",
    postBatch,
  ),
  post("/documents/{documentId}/events", "Append one event", "Event", "AppendedEvent", postEvent),
];

/** Its path fits, whatever the method. */
export interface Match {
  route: Route;
  params: Record<string, string>;
}

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.template.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`),
}));

/** `path`: without its query. The method's own route comes first; empty: unknown path. */
export function matchRoutes(method: string, path: string): Match[] {
  const fitting = patterns.flatMap(({ route, pattern }) => {
    const found = pattern.exec(path);
    if (found === null) return [];
    const params = Object.entries(found.groups ?? {}).map(([name, part]) => [name, decoded(part)]);
    return [{ route, params: Object.fromEntries(params) as Record<string, string> }];
  });
  return fitting.toSorted((a, b) => Number(b.route.method === method) - Number(a.route.method === method));
}

/** Malformed percent-encoding is taken literally. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
