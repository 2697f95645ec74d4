/**
 * The interface of the submitter's layers, from outside in: retry, outage, token and throttle, client. `submitter.ts`
 * composes them.
 */
import { setMaxListeners } from "node:events";
import type { Call } from "./call.js";
import type { Reading } from "./classify.js";
import type { Token } from "./token.js";
import type { TransportFailure, TransportReply } from "./transport.js";

export interface Try {
  call: Call;
  /** Use a token of the last moment, so that its refusal proves that the credential is refused. */
  freshToken: boolean;
  /** Runs with the tokens held, just before the request leaves; false: it is not sent. */
  onLeaving?: (() => boolean) | undefined;
}

/** A request that left, or may have. */
export interface Sent {
  sent: true;
  startedAt: number;
  durationMs: number;
  token: Token;
  /** What the answer asks for, at most two minutes; 0: nothing (open point 17). */
  retryAfterMs: number;
  reading: Reading;
  /** Null: none came. */
  reply: TransportReply | null;
  /** Null: an answer came. */
  failure: TransportFailure | null;
  /** What a failure costs the call; as a probe of an outage, nothing. */
  spends: "none" | "a retry" | "all retries";
}

/** Nothing left: the run was stopped, `onLeaving` refused, or the token endpoint is unreachable. */
export type NotSent = { sent: false; noToken: string | null; retryAfterMs: number; overtaken?: true };

export type Tried = Sent | NotSent;

/** Never rejects for failures of service or network. */
export type Layer = (attempt: Try) => Promise<Tried>;

export const notSent: NotSent = { sent: false, noToken: null, retryAfterMs: 0 };

export interface StopReason {
  why: "credentials" | "interrupted" | "outage" | "unknown-path";
  message: string;
}

/** Aborted with a StopReason, ends all waiting but no request under way. The first reason stays. */
export type Stop = AbortController;

export function createStop(): Stop {
  const stop = new AbortController();
  // Hundreds of waiting lanes listen; that is no leak.
  setMaxListeners(0, stop.signal);
  return stop;
}

/** Null: the run continues. */
export const reasonOf = ({ signal }: Stop): StopReason | null =>
  signal.aborted ? (signal.reason as StopReason) : null;
