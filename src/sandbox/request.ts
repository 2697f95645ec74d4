/** A request as it reaches the sandbox, what its endpoint works with, and what leaves: the same in process and over HTTP. */
import type { SandboxClock } from "./clock.js";
import type { Json } from "./json.js";
import type { Refusal } from "./refusal.js";
import type { Store } from "./store.js";
import type { SandboxSettings } from "./switches.js";

/** A request as it stands on the wire. */
export interface Message {
  method: string;
  /** Path and query, or a proxy's form of them. */
  target: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** Ends a delay early (the caller has gone away). The request is carried out nevertheless. */
  signal?: AbortSignal | undefined;
  /** Set by whoever read the message and found it wrong before its content mattered. */
  refused?: Refusal | undefined;
}

/** A request in process. */
export interface SandboxRequest {
  method: string;
  /** With identifiers percent-encoded; may carry a query string. */
  path: string;
  /** Names in any case. */
  headers?: Record<string, string>;
  /** Text and bytes go in as they are, with the content type of `headers`; anything else is sent as JSON. */
  body?: string | Uint8Array | Exclude<Json, string>;
  /** Ends a delay early (the caller has gone away). The request is carried out nevertheless. */
  signal?: AbortSignal;
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

/** What every part of the service works with. */
export interface Context {
  settings: SandboxSettings;
  store: Store;
  clock: SandboxClock;
  /** A generated id. */
  newId(): string;
  /** The service's time: the injected clock plus the clock offset. */
  now(): number;
}

export interface Caller {
  clientId: string;
  dataset: string;
  integrator: string;
}

/** One request at its endpoint. */
export interface Call extends Context {
  caller: Caller;
  /** Identifiers of the path, decoded. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** The parsed body of a POST. */
  body: unknown;
}

/** What an endpoint gives back when it did not refuse. */
export interface Reply {
  status: number;
  body: Json;
  headers?: Record<string, string>;
}
