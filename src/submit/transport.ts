/** The wire, as the submitter sees it: one request, one answer or one typed failure. Knows no retry and no credential. */

/** Why no whole answer came. */
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

/** The one error that a transport rejects with. Its message never holds headers or bodies. */
export class TransportFailure extends Error {
  readonly kind: TransportFailureKind;
  /** Whether the request may have reached the service; false only where that is ruled out. */
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
  /** Names in lower case. */
  headers: Record<string, string>;
  body?: string;
  /** Longest silence before the answer's headers, and between two pieces of its body, in ms. */
  timeouts: { headersMs: number; bodyMs: number };
}

export interface TransportReply {
  status: number;
  /** Names in lower case; a repeated header as one text, joined by ", ". */
  headers: Record<string, string>;
  body: string;
}

/** Rejects with a TransportFailure and nothing else; follows no redirect. `close` ends kept connections. */
export interface Transport {
  (request: TransportRequest): Promise<TransportReply>;
  close?: () => Promise<void>;
}
