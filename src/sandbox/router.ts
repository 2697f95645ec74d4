/** The service's endpoints (service.md, Endpoints) by path. */
import type { Answer } from "./answer.js";
import { createAddress, listAddresses } from "./addresses.js";
import { createDocument, readDocument } from "./documents.js";
import { postBatch, postEvent } from "./events.js";
import { createParticipant, findParticipant, readParticipant } from "./participants.js";
import type { Call } from "./request.js";

export interface Route {
  method: "GET" | "POST";
  /** `{name}` means an identifier. */
  template: string;
  endpoint(call: Call): Answer;
}

const routes: readonly Route[] = [
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

/** Its path fits, whatever the method. */
export interface Match {
  route: Route;
  params: Record<string, string>;
}

/** `path`: without its query. The method's own route comes first; empty: unknown path. */
export function matchRoutes(method: string, path: string): Match[] {
  const parts = path.split("/");
  const fitting = routes.flatMap((route) => {
    const params = paramsOf(route.template.split("/"), parts);
    return params === null ? [] : [{ route, params }];
  });
  return fitting.toSorted((a, b) => Number(b.route.method === method) - Number(a.route.method === method));
}

function paramsOf(template: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (template.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, wanted] of template.entries()) {
    const part = parts[index] ?? "";
    if (!wanted.startsWith("{")) {
      if (wanted !== part) return null;
    } else {
      if (part === "") return null;
      params[wanted.slice(1, -1)] = decoded(part);
    }
  }
  return params;
}

/** Malformed percent-encoding is taken literally. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
