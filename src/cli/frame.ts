/** What main.ts hands to every command. */
import { once } from "node:events";
import type { ExitCode } from "../model/exit-code.js";
import type { SignalName, World } from "./world.js";

export interface Interruption {
  signal: SignalName;
  exitCode: typeof ExitCode.interrupted | typeof ExitCode.terminated;
}

/** Resolves once a signal ends the command. */
export const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, "abort");

export interface Frame {
  world: World;
  readonly signal: AbortSignal;
  /** Null: the target is not known yet. */
  logFolder: string | null;
  /** Calls may be under way. */
  isSending?: boolean;
  exitCode: number;
}
