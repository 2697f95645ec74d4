/**
 * The service without sockets: one request in, one answer out. Checks token, limit, fault, path, body, then the
 * endpoint. Writes are in the store before their answer leaves.
 */
import { type Answer, envelope, faultAnswer, gateway } from "./answer.js";
import { parseBody, textOf } from "./body.js";
import { type Control, CONTROL_PATH } from "./control.js";
import type { Fault, FaultOf, Faults } from "./faults.js";
import type { RequestLog } from "./inspection.js";
import type { Limiter } from "./limiter.js";
import { notAllowed, notFound, Refusal } from "./refusal.js";
import type { Caller, Context, Message, SandboxResponse } from "./request.js";
import { type Match, matchRoutes } from "./router.js";
import { TOKEN_PATH, type Tokens } from "./tokens.js";

interface Arrival extends Omit<Message, "target"> {
  path: string;
  query: Record<string, string>;
}

/** `client` null: no good token. */
interface Outcome {
  answer: Answer;
  clientId: string | null;
}

export interface CoreParts {
  context: Context;
  tokens: Tokens;
  /** Null: no limit. */
  limiter: Limiter | null;
  faults: Faults;
  log: RequestLog;
  control: Control;
}

/** Never rejects. */
export type Core = (request: Message) => Promise<SandboxResponse>;

export function coreOf({ context, tokens, limiter, faults, log, control }: CoreParts): Core {
  const { clock, settings } = context;
  const refusal = (status: number, message: string): Answer => envelope(context, new Refusal(status, message));

  /** Unexpected errors also become the envelope. */
  function guarded(work: () => Answer): Answer {
    try {
      return work();
    } catch (error) {
      return error instanceof Refusal ? envelope(context, error) : refusal(500, "Internal server error");
    }
  }

  function respond({ status, headers, text }: Answer, requestId: string): SandboxResponse {
    return {
      status,
      headers: {
        ...headers,
        date: new Date(context.now()).toUTCString(),
        // Open point 15: the header's name.
        "x-request-id": requestId,
        "content-length": String(Buffer.byteLength(text)),
      },
      body: text,
      dropped: false,
      truncated: false,
      json() {
        return JSON.parse(this.body) as unknown;
      },
    };
  }

  function bodyOf({ body, refused }: Arrival): string | null {
    if (refused !== undefined) throw refused;
    return textOf(body);
  }

  function serve(arrival: Arrival, matches: readonly Match[], fault: Fault): Outcome {
    const { path, headers } = arrival;
    if (path === TOKEN_PATH) {
      return { answer: guarded(() => beforeFault(fault) ?? token(arrival)), clientId: null };
    }
    const header = headers["authorization"] ?? "";
    if (fault.action?.kind === "expire-token") tokens.expire(header);
    const caller = tokens.verify(header);
    // Authentication 1, 3 and 4.
    if (typeof caller === "string") {
      const message = header === "" ? "The Authorization header is required" : "The access token is not known";
      const answer = caller === "expired" ? gateway(403, "The incoming token has expired") : refusal(401, message);
      return { answer, clientId: null };
    }
    const { clientId } = caller;
    const wait = limiter?.take(clientId, clock.now()) ?? 0;
    if (wait > 0) {
      const answer = refusal(429, "Rate limit exceeded");
      if (settings.retryAfter) answer.headers["retry-after"] = String(Math.ceil(wait / 1000));
      return { answer, clientId };
    }
    const answer = guarded(() => beforeFault(fault) ?? dispatch(caller, arrival, matches));
    return { answer, clientId };
  }

  function dispatch(caller: Caller, arrival: Arrival, matches: readonly Match[]): Answer {
    const { method, path, query, headers } = arrival;
    const text = bodyOf(arrival);
    const [match] = matches;
    if (match === undefined) throw notFound(`${method} ${path}`);
    const { route, params } = match;
    // What the service does, 3: the public interface has no document PATCH, PUT or DELETE.
    if (route.method !== method) {
      throw notAllowed(
        method,
        matches.map((one) => one.route.method),
      );
    }
    const body = method === "POST" ? parseBody(text, headers) : undefined;
    return route.endpoint({ ...context, caller, params, query, body });
  }

  function token(arrival: Arrival): Answer {
    const text = bodyOf(arrival) ?? "";
    if (arrival.method !== "POST") throw notAllowed(arrival.method, ["POST"]);
    return tokens.issue(arrival.headers, text);
  }

  /** The answer of a fault that prevents the request. */
  function beforeFault({ action }: Fault): Answer | null {
    if (action?.kind === "pending-process") {
      throw new Refusal(409, "A background process is running", { code: "PENDING_PROCESS_CONFLICT_ERROR" });
    }
    if (action?.kind === "status" && action.when === "before") return statusFault(action);
    // The connection is dropped, so nobody reads it.
    if (action?.kind === "drop" && action.when === "before") return gateway(0, "");
    return null;
  }

  function statusFault({ status, body, retryAfter }: FaultOf<"status">): Answer {
    const answer = faultAnswer(context, status, body ?? (status >= 500 ? "gateway" : "envelope"));
    const isAsked = settings.retryAfter && (status === 429 || status === 503);
    const seconds = retryAfter ?? (isAsked ? 1 : null);
    if (seconds !== null) answer.headers["retry-after"] = String(seconds);
    return answer;
  }

  function afterFault(response: SandboxResponse, { action }: Fault, requestId: string): SandboxResponse {
    if (action?.kind === "status" && action.when === "after") return respond(statusFault(action), requestId);
    if (action?.kind === "drop") return { ...response, status: 0, headers: {}, body: "", dropped: true };
    if (action?.kind !== "truncate") return response;
    return { ...response, body: response.body.slice(0, Math.floor(response.body.length / 2)), truncated: true };
  }

  return async (request) => {
    const arrival = arrive(request);
    const { method, path } = arrival;
    const requestId = context.newId();
    if (path.startsWith(`${CONTROL_PATH}/`)) {
      const answer = guarded(() => control.answer({ ...arrival, text: bodyOf(arrival) ?? "" }));
      return respond(answer, requestId);
    }
    const at = clock.now();
    const matches = matchRoutes(method, path);
    const template = path === TOKEN_PATH ? TOKEN_PATH : (matches[0]?.route.template ?? null);
    const fault = faults.decide(method, template);
    const wait = async (when: "before" | "after") => {
      for (const delay of fault.delays) {
        if ((delay.when ?? "after") === when) await clock.sleep(delay.ms, request.signal);
      }
    };
    await wait("before");
    const { answer, clientId } = serve(arrival, matches, fault);
    await wait("after");
    const response = afterFault(respond(answer, requestId), fault, requestId);
    const { status } = response;
    const kind = fault.action?.kind ?? (fault.delays.length > 0 ? "delay" : null);
    log.add({ at, requestId, method, path: template, clientId, status, fault: kind });
    return response;
  };
}

function arrive({ target, ...message }: Message): Arrival {
  const [path = "", search = ""] = target.split(/\?(.*)/s);
  return {
    ...message,
    // A proxy's form of the target includes the service.
    path: path.replace(/^https?:\/\/[^/]*/i, ""),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}
