/** A request as it reaches the sandbox, and what leaves it: the same shape in process and over HTTP. */
import type { Json } from "./json.js";

export interface SandboxRequest {
  method: string;
  /** With identifiers percent-encoded; may carry a query string. */
  path: string;
  query?: Record<string, string>;
  /** Names in any case. */
  headers?: Record<string, string>;
  /** Text goes in as it is, with the content type of `headers`; anything else is sent as JSON. */
  body?: string | Exclude<Json, string>;
  /** Ends a delay early (the caller has gone away). The request is carried out nevertheless. */
  signal?: AbortSignal;
  /** Set by an adapter that stopped reading the body because it was too long: answered 413. */
  bodyTooLarge?: boolean;
}

export interface SandboxResponse {
  /** 0 when the connection was dropped. */
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The text of the body; of a truncated answer the first half. */
  body: string;
  /** The connection broke before anything of the answer was sent. */
  dropped: boolean;
  /** The connection broke in the middle of the body; `headers` announce the whole length. */
  truncated: boolean;
  /** The parsed body. @throws SyntaxError when it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- callers know what they asked for
  json(): any;
}

/** What an endpoint gives back when it did not refuse. */
export interface Reply {
  status: number;
  body: Json;
  headers?: Record<string, string>;
}

export class SentResponse implements SandboxResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly dropped: boolean;
  readonly truncated: boolean;

  constructor(
    status: number,
    headers: Record<string, string>,
    body: string,
    broken: "dropped" | "truncated" | null = null,
  ) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.dropped = broken === "dropped";
    this.truncated = broken === "truncated";
  }

  json(): unknown {
    return JSON.parse(this.body);
  }
}
