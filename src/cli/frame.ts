/** What main.ts hands to every command: the world, the signal that interrupts it, and a place for its exit code. */
import type { ExitCode } from "../model/exit-code.js";
import type { SignalName, World } from "./world.js";

/** Why a command's AbortSignal was aborted. */
export interface Interruption {
  signal: SignalName;
  exitCode: typeof ExitCode.interrupted | typeof ExitCode.terminated;
}

export interface Frame {
  readonly world: World;
  readonly signal: AbortSignal;
  /** Where the runs' logs lie, once the target is known; null before. */
  logFolder: string | null;
  exitCode: number;
}
