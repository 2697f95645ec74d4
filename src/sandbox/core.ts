/**
 * The service without sockets: one request in, one answer out. Checks token, limit, fault, path, body, then the
 * endpoint. Writes are durable before their answer leaves.
 */
import { type Answer, envelope, faultAnswer, gateway, jsonAnswer } from "./answer.js";
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

/** No good token; null: none is needed. */
type NoCaller = "expired" | "unknown" | null;

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
  const { clock, settings, store } = context;
  const refusal = (status: number, message: string): Answer => envelope(context, new Refusal(status, message));

  /** Durable before it is answered. Unexpected errors also become the envelope. */
  async function carriedOut(work: () => Answer): Promise<Answer> {
    let answer: Answer;
    try {
      answer = work();
    } catch (error) {
      answer = error instanceof Refusal ? envelope(context, error) : refusal(500, "Internal server error");
    }
    try {
      await store.settled();
      return answer;
    } catch {
      return refusal(500, "The store could not be written");
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

  /** `caller` null: of the token endpoint. */
  function serve(arrival: Arrival, matches: readonly Match[], { action }: Fault, caller: Caller | NoCaller): Answer {
    // Authentication 1, 3 and 4.
    if (caller === "expired") return gateway(403, "The incoming token has expired");
    if (caller === "unknown") {
      const isGiven = arrival.headers["authorization"] !== undefined;
      throw new Refusal(401, isGiven ? "The access token is not known" : "The Authorization header is required");
    }
    const wait = caller === null ? 0 : (limiter?.take(caller.clientId, clock.now()) ?? 0);
    if (wait > 0) {
      const headers = settings.retryAfter ? { "retry-after": String(Math.ceil(wait / 1000)) } : {};
      throw new Refusal(429, "Rate limit exceeded", { headers });
    }
    if (action?.kind === "pending-process") {
      throw new Refusal(409, "A background process is running", { code: "PENDING_PROCESS_CONFLICT_ERROR" });
    }
    if (action?.kind === "status" && action.when === "before") return statusFault(action);
    // The connection is dropped, so nobody reads it.
    if (action?.kind === "drop" && action.when === "before") return gateway(0, "");
    return caller === null ? token(arrival) : dispatch(caller, arrival, matches);
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
    const reply = route.endpoint({ ...context, caller, params, query, body });
    // Open point 16.
    return jsonAnswer(method === "POST" ? 201 : 200, reply.body, reply.headers);
  }

  function token(arrival: Arrival): Answer {
    const text = bodyOf(arrival) ?? "";
    if (arrival.method !== "POST") throw notAllowed(arrival.method, ["POST"]);
    const { status, body, headers } = tokens.issue(arrival.headers, text);
    return jsonAnswer(status, body, headers);
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
      const answer = await carriedOut(() => control.answer({ ...arrival, text: bodyOf(arrival) ?? "" }));
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
    const { authorization = "" } = arrival.headers;
    if (fault.action?.kind === "expire-token") tokens.expire(authorization);
    const caller = path === TOKEN_PATH ? null : tokens.verify(authorization);
    const answer = await carriedOut(() => serve(arrival, matches, fault, caller));
    await wait("after");
    const response = afterFault(respond(answer, requestId), fault, requestId);
    const { status } = response;
    const clientId = typeof caller === "string" ? null : (caller?.clientId ?? null);
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
