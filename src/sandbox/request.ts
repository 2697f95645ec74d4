/** Requests and answers, the same in process and over HTTP. */
import type { SandboxClock } from "./clock.js";
import type { Json } from "./json.js";
import type { Refusal } from "./refusal.js";
import type { Store } from "./store.js";
import type { SandboxSettings } from "./switches.js";

export interface Message {
  method: string;
  /** Path and query, or a proxy's form of them. */
  target: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** Ends a delay early (the caller has gone away). The request is carried out nevertheless. */
  signal?: AbortSignal | undefined;
  /** Found wrong before its content mattered. */
  refused?: Refusal | undefined;
}

export interface SandboxRequest {
  method: string;
  /** Percent-encoded; may have a query string. */
  path: string;
  /** In any case. */
  headers?: Record<string, string>;
  /** Text and bytes are sent unchanged, with the content type of `headers`; anything else as JSON. */
  body?: string | Uint8Array | Exclude<Json, string>;
  /** Ends a delay early (the caller has gone away). The request is carried out nevertheless. */
  signal?: AbortSignal;
}

export interface SandboxResponse {
  /** 0: dropped. */
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** For a truncated answer, its first half. */
  body: string;
  /** Before anything of the answer was sent. */
  dropped: boolean;
  /** In the middle of the body; `headers` announce the whole length. */
  truncated: boolean;
  /** @throws SyntaxError when it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- callers know what they asked for
  json(): any;
}

/** What every part of the service works with. */
export interface Context {
  settings: SandboxSettings;
  store: Store;
  clock: SandboxClock;
  newId(): string;
  /** The injected clock plus the clock offset. */
  now(): number;
}

export interface Caller {
  clientId: string;
  dataset: string;
  integrator: string;
}

export interface Call extends Context {
  caller: Caller;
  /** Decoded. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** The parsed body of a POST. */
  body: unknown;
}
