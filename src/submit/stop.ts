/** Why and that a run ends: one signal, which ends all waiting and no request under way. */
import { setMaxListeners } from "node:events";

export interface StopReason {
  why: "credentials" | "interrupted" | "outage";
  message: string;
}

export interface Stop {
  readonly signal: AbortSignal;
  /** Null while the run goes on. */
  readonly reason: StopReason | null;
  /** The first reason stays. Safe to call twice. */
  stop(reason: StopReason): void;
}

export function createStop(): Stop {
  const controller = new AbortController();
  // Every lane that waits listens to it: hundreds are no leak.
  setMaxListeners(0, controller.signal);
  let reason: StopReason | null = null;
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    stop(given) {
      if (reason !== null) return;
      reason = given;
      controller.abort();
    },
  };
}
