/**
 * The one small interface of the submitter's layers: a try goes in, what came of it comes out. From the outside in: retry,
 * outage, token and throttle, client. `submitter.ts` composes them.
 */
import { setMaxListeners } from "node:events";
import type { Call } from "./call.js";
import type { Reading } from "./classify.js";
import type { Token } from "./token.js";
import type { TransportFailure, TransportReply } from "./transport.js";

export interface Try {
  call: Call;
  /** Whether the token must be of the last moment: its refusal will say that the credential itself is refused. */
  freshToken: boolean;
  /** Runs when the tokens are held, just before the request leaves; false: it is not sent. */
  onLeaving?: (() => boolean) | undefined;
}

/** A request that left, or may have. */
export interface Sent {
  sent: true;
  startedAt: number;
  durationMs: number;
  token: Token;
  answer: { reply: TransportReply; reading: Reading } | { failure: TransportFailure };
  /** Whether it asked if an outage is over, and it was not. */
  probe: boolean;
}

/** Nothing left: the run has been stopped (the stop says why), `onLeaving` refused, or the token endpoint is out of reach. */
export type NotSent = { sent: false; noToken: string | null; overtaken?: true };

export type Tried = Sent | NotSent;

/** Never rejects for anything that the service or the network does. */
export type Layer = (attempt: Try) => Promise<Tried>;

/** The run has been stopped. */
export const notSent: NotSent = { sent: false, noToken: null };

export interface StopReason {
  why: "credentials" | "interrupted" | "outage";
  message: string;
}

/** That and why a run ends: aborted with a StopReason, it ends all waiting and no request under way. The first reason stays. */
export type Stop = AbortController;

export function createStop(): Stop {
  const stop = new AbortController();
  // Every lane that waits listens to it: hundreds are no leak.
  setMaxListeners(0, stop.signal);
  return stop;
}

/** Null while the run goes on. */
export const reasonOf = ({ signal }: Stop): StopReason | null =>
  signal.aborted ? (signal.reason as StopReason) : null;
