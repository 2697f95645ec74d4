/** What main.ts hands to every command: the world, the signal that interrupts it, and a place for its exit code. */
import { ExitCode } from "../model/exit-code.js";
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
  /** Makes a commander action of a function that returns the exit code. */
  action<Arguments extends unknown[]>(
    body: (...args: Arguments) => Promise<number>,
  ): (...args: Arguments) => Promise<void>;
}

export function createFrame(world: World, signal: AbortSignal): Frame {
  const frame: Frame = {
    world,
    signal,
    logFolder: null,
    exitCode: ExitCode.ok,
    action:
      (body) =>
      async (...args) => {
        frame.exitCode = await body(...args);
      },
  };
  return frame;
}
