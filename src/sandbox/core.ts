/**
 * The service itself, without sockets: one request in, one answer out. The order at the door is token, limit, fault, path,
 * body, endpoint. What an endpoint wrote is durable before its answer leaves.
 */
import { type Answer, envelope, expiredToken, faultAnswer, jsonAnswer } from "./answer.js";
import { parseBody } from "./body.js";
import type { SandboxClock } from "./clock.js";
import type { Caller, Context } from "./context.js";
import type { Control } from "./control.js";
import type { Fault, Faults } from "./faults.js";
import type { Limiter } from "./limiter.js";
import { notFound, Refusal } from "./refusal.js";
import { type SandboxRequest, type SandboxResponse, SentResponse } from "./request.js";
import { type Match, matchRoute } from "./router.js";
import type { RequestLog } from "./statistics.js";
import { TOKEN_PATH, type Tokens } from "./tokens.js";

export interface CoreParts {
  context: Context;
  clock: SandboxClock;
  tokens: Tokens;
  /** Null: no limit. */
  limiter: Limiter | null;
  faults: Faults;
  log: RequestLog;
  control: Control;
}

/** A request taken apart. */
interface Arrival {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  text: string | undefined;
  bodyTooLarge: boolean;
}

/** An answer, with what the log wants to know. */
interface Outcome {
  answer: Answer;
  clientId: string | null;
  rateLimited: boolean;
}

export class Core {
  readonly #parts: CoreParts;

  constructor(parts: CoreParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async handle(request: SandboxRequest): Promise<SandboxResponse> {
    const { context, clock, faults, log, control } = this.#parts;
    const arrival = arrive(request);
    const { method, path } = arrival;
    const requestId = context.newId();
    if (path.startsWith("/_sandbox/")) {
      const answer = await this.#settled(
        this.#guarded(() => control.answer(method, path, arrival.text, arrival.query)),
      );
      return this.#respond(answer, requestId);
    }
    const at = clock.now();
    const match: Match | "token" = path === TOKEN_PATH ? "token" : matchRoute(method, path);
    const template = templateOf(match);
    const fault = faults.decide(method, template);
    await this.#wait(fault, "before", request);
    const outcome = this.#serve(arrival, match, fault);
    const settled = await this.#settled(outcome.answer);
    await this.#wait(fault, "after", request);
    const response = this.#afterFault(this.#respond(settled, requestId), fault, requestId);
    log.add(
      {
        at,
        requestId,
        method,
        path: template,
        clientId: outcome.clientId,
        status: response.status,
        fault: fault.action?.kind ?? (fault.delays.length > 0 ? "delay" : null),
      },
      outcome.rateLimited,
    );
    return response;
  }

  #serve(arrival: Arrival, match: Match | "token", fault: Fault): Outcome {
    if (match === "token") {
      const answer = this.#guarded(() => this.#beforeFault(fault) ?? this.#token(arrival));
      return { answer, clientId: null, rateLimited: false };
    }
    const { tokens, limiter, clock, context } = this.#parts;
    const header = arrival.headers["authorization"];
    if (fault.action?.kind === "expire-token" && header !== undefined) tokens.expire(header);
    const caller = this.#caller(header);
    if ("status" in caller) return { answer: caller, clientId: null, rateLimited: false };
    const { clientId } = caller;
    const wait = limiter?.take(clientId, clock.now()) ?? 0;
    if (wait > 0) {
      const refusal = new Refusal(429, "Rate limit exceeded", {
        headers: context.settings.retryAfter ? { "retry-after": String(Math.ceil(wait / 1000)) } : {},
      });
      return { answer: envelope(context, refusal), clientId, rateLimited: true };
    }
    const answer = this.#guarded(() => this.#beforeFault(fault) ?? this.#dispatch(caller, arrival, match));
    return { answer, clientId, rateLimited: false };
  }

  /** Authentication 1, 3 and 4: who calls, or the answer to somebody who may not. */
  #caller(header: string | undefined): Caller | Answer {
    const { tokens, context } = this.#parts;
    if (header === undefined || header === "") {
      if (!context.rule("auth.required")) return tokens.anyCaller();
      return envelope(context, new Refusal(401, "The Authorization header is required"));
    }
    const verdict = tokens.verify(header);
    if (verdict.is === "good") return verdict.caller;
    if (verdict.is === "expired") return expiredToken(context);
    if (!context.rule("auth.known-token")) return tokens.anyCaller();
    return envelope(context, new Refusal(401, "The access token is not known"));
  }

  #dispatch(caller: Caller, arrival: Arrival, match: Match): Answer {
    const { context } = this.#parts;
    const { method, path, query, text, headers } = arrival;
    if (match.found === "nothing") throw notFound(`${method} ${path}`);
    if (match.found === "path") {
      // What the service does, 3: the public interface has no document PATCH, PUT or DELETE.
      if (match.template.startsWith("/documents") && !context.rule("documents.immutable")) return jsonAnswer(200, {});
      throw new Refusal(405, `${method} is not allowed here`, { headers: { allow: match.allow.join(", ") } });
    }
    const { maxBytes } = context.settings;
    if (arrival.bodyTooLarge) throw new Refusal(413, `The body is longer than ${maxBytes} bytes`);
    const body = method === "POST" ? parseBody(text, headers["content-type"], maxBytes) : undefined;
    const call = { caller, params: match.params, query, body };
    const reply = match.route.endpoint(context, call);
    return jsonAnswer(reply.status, reply.body, reply.headers);
  }

  #token(arrival: Arrival): Answer {
    if (arrival.method !== "POST") {
      throw new Refusal(405, `${arrival.method} is not allowed here`, { headers: { allow: "POST" } });
    }
    const { maxBytes } = this.#parts.context.settings;
    if (arrival.bodyTooLarge || (arrival.text?.length ?? 0) > maxBytes) {
      throw new Refusal(413, `The body is longer than ${maxBytes} bytes`);
    }
    const reply = this.#parts.tokens.issue(arrival.headers, arrival.text ?? "");
    return jsonAnswer(reply.status, reply.body, reply.headers);
  }

  /** A refusal becomes the envelope, and so does whatever nobody foresaw. */
  #guarded(work: () => Answer): Answer {
    try {
      return work();
    } catch (error) {
      const { context } = this.#parts;
      return envelope(context, error instanceof Refusal ? error : new Refusal(500, "Internal server error"));
    }
  }

  /** Waits until what was written is durable; an answer that cannot promise it becomes 500. */
  async #settled(answer: Answer): Promise<Answer> {
    const { context } = this.#parts;
    try {
      const pending = context.store.settled();
      if (pending !== null) await pending;
      return answer;
    } catch {
      return envelope(context, new Refusal(500, "The store could not be written"));
    }
  }

  async #wait(fault: Fault, when: "before" | "after", request: SandboxRequest): Promise<void> {
    for (const delay of fault.delays) {
      if ((delay.when ?? "after") === when) await this.#parts.clock.sleep(delay.ms, request.signal);
    }
  }

  /** The answer of a fault that keeps the request from being carried out. */
  #beforeFault({ action }: Fault): Answer | null {
    if (action?.kind === "pending-process") {
      throw new Refusal(409, "A background process is running", { code: "PENDING_PROCESS_CONFLICT_ERROR" });
    }
    if (action?.kind === "status" && action.when === "before") return this.#statusFault(action);
    // Nobody will read it: the connection is dropped.
    if (action?.kind === "drop" && action.when === "before") return { status: 0, headers: {}, text: "" };
    return null;
  }

  #statusFault(action: Extract<NonNullable<Fault["action"]>, { kind: "status" }>): Answer {
    const { context } = this.#parts;
    const answer = faultAnswer(context, action.status, action.body ?? (action.status >= 500 ? "gateway" : "envelope"));
    const standard = context.settings.retryAfter && (action.status === 429 || action.status === 503) ? 1 : undefined;
    const seconds = action.retryAfter ?? standard;
    if (seconds !== undefined) answer.headers["retry-after"] = String(seconds);
    return answer;
  }

  #afterFault(response: SandboxResponse, { action }: Fault, requestId: string): SandboxResponse {
    if (action?.kind === "status" && action.when === "after")
      return this.#respond(this.#statusFault(action), requestId);
    if (action?.kind === "drop") return new SentResponse(0, {}, "", "dropped");
    if (action?.kind === "truncate") {
      const half = response.body.slice(0, Math.floor(response.body.length / 2));
      return new SentResponse(response.status, response.headers, half, "truncated");
    }
    return response;
  }

  #respond(answer: Answer, requestId: string): SandboxResponse {
    const { context } = this.#parts;
    const headers: Record<string, string> = { ...answer.headers, date: new Date(context.now()).toUTCString() };
    // Open point 15: the header's name.
    if (context.rule("errors.request-id")) headers["x-request-id"] = requestId;
    headers["content-length"] = String(Buffer.byteLength(answer.text));
    return new SentResponse(answer.status, headers, answer.text);
  }
}

function arrive(request: SandboxRequest): Arrival {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
  const mark = request.path.indexOf("?");
  const path = mark < 0 ? request.path : request.path.slice(0, mark);
  const query = mark < 0 ? {} : Object.fromEntries(new URLSearchParams(request.path.slice(mark + 1)));
  let text: string | undefined;
  if (typeof request.body === "string") {
    text = request.body;
  } else if (request.body !== undefined) {
    text = JSON.stringify(request.body);
    headers["content-type"] ??= "application/json";
  }
  return {
    method: request.method.toUpperCase(),
    path,
    query: { ...query, ...request.query },
    headers,
    text,
    bodyTooLarge: request.bodyTooLarge ?? false,
  };
}

function templateOf(match: Match | "token"): string | null {
  if (match === "token") return TOKEN_PATH;
  if (match.found === "route") return match.route.template;
  return match.found === "path" ? match.template : null;
}
