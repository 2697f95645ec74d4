/** The service's endpoints (service.md, Endpoints), and finding the one that a path means. */
import { createAddress, listAddresses } from "./addresses.js";
import { postBatch, postEvent } from "./batch.js";
import type { Call, Context } from "./context.js";
import { createDocument, readDocument } from "./documents.js";
import { createParticipant, findParticipant, readParticipant } from "./participants.js";
import type { Reply } from "./request.js";

export type Endpoint = (context: Context, call: Call) => Reply;
export type Method = "GET" | "POST";

export interface Route {
  method: Method;
  /** With `{name}` for an identifier. */
  template: string;
  endpoint: Endpoint;
}

export const routes: readonly Route[] = [
  { method: "POST", template: "/participants", endpoint: createParticipant },
  { method: "GET", template: "/participants", endpoint: findParticipant },
  { method: "GET", template: "/participants/{id}", endpoint: readParticipant },
  { method: "POST", template: "/participants/{participantId}/addresses", endpoint: createAddress },
  { method: "GET", template: "/participants/{participantId}/addresses", endpoint: listAddresses },
  { method: "POST", template: "/documents", endpoint: createDocument },
  { method: "GET", template: "/documents/{id}", endpoint: readDocument },
  { method: "POST", template: "/documents/events", endpoint: postBatch },
  { method: "POST", template: "/documents/{documentId}/events", endpoint: postEvent },
];

export type Match =
  | { found: "route"; route: Route; params: Record<string, string> }
  /** The path exists, with other methods. */
  | { found: "path"; template: string; allow: Method[] }
  | { found: "nothing" };

const templates = routes.map((route) => ({ route, parts: route.template.split("/") }));

/** `path` without its query. An identifier that is not well-formed percent-encoding is taken literally. */
export function matchRoute(method: string, path: string): Match {
  const parts = path.split("/");
  const fitting: { route: Route; params: Record<string, string> }[] = [];
  for (const candidate of templates) {
    const params = paramsOf(candidate.parts, parts);
    if (params === null) continue;
    if (candidate.route.method === method) return { found: "route", route: candidate.route, params };
    fitting.push({ route: candidate.route, params });
  }
  const [first] = fitting;
  if (first === undefined) return { found: "nothing" };
  return { found: "path", template: first.route.template, allow: fitting.map(({ route }) => route.method) };
}

function paramsOf(template: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (template.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, wanted] of template.entries()) {
    const part = parts[index] ?? "";
    if (wanted.startsWith("{")) {
      if (part === "") return null;
      params[wanted.slice(1, -1)] = decoded(part);
    } else if (wanted !== part) {
      return null;
    }
  }
  return params;
}

function decoded(part: string): string {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
