/** One HTTP request: an answer, or a typed failure. Knows no retry and no credential. */

/** Why no complete answer came. */
export type TransportFailureKind =
  | "connect-refused"
  | "dns"
  | "tls"
  | "connect-timeout"
  | "unreachable"
  | "headers-timeout"
  | "body-timeout"
  | "reset"
  | "truncated"
  | "malformed"
  | "too-large"
  | "proxy"
  | "other";

/** A transport's only error. Its message never holds headers or bodies. */
export class TransportFailure extends Error {
  readonly kind: TransportFailureKind;
  /** False only if the request cannot have reached the service. */
  readonly sent: boolean;

  constructor(kind: TransportFailureKind, sent: boolean, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "TransportFailure";
    this.kind = kind;
    this.sent = sent;
  }
}

export interface TransportRequest {
  method: "GET" | "POST";
  /** Absolute. */
  url: string;
  /** In lower case. */
  headers: Record<string, string>;
  body?: string;
  /** In ms: the longest silence before the headers, and between pieces of the body. */
  timeouts: { headersMs: number; bodyMs: number };
}

export interface TransportReply {
  status: number;
  /** In lower case; repeated headers joined by ", ". */
  headers: Record<string, string>;
  body: string;
}

/** Rejects only with a TransportFailure; follows no redirect. `close` ends kept connections. */
export interface Transport {
  (request: TransportRequest): Promise<TransportReply>;
  close?: () => Promise<void>;
}
