/** Everything the command line takes from the process, so that tests can replace it. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { isatty } from "node:tty";
import { type Clock, type Random, systemClock } from "../model/clock.js";
import type { ExitCode } from "../model/exit-code.js";
import { type Pipeline, pipeline } from "./pipeline.js";

export interface Stream {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Null: unknown. */
  readonly columns: number | null;
  /** Why output did not arrive; null or absent: no failure known. */
  readonly failure?: Error | null;
  /** Settles once all output was taken, or the reader is gone. */
  readonly drained?: () => Promise<void>;
}

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface World {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdout: Stream;
  stderr: Stream;
  clock: Clock;
  random: Random;
  pipeline: Pipeline;
  /** @returns how to stop listening */
  onSignal: (listener: (name: SignalName) => void) => () => void;
  /** Returns the answer, null: nobody there; default: the terminal. */
  ask?: (question: string) => Promise<string | null>;
  exitNow: (code: number) => void;
}

/**
 * The present process. A closed pipe (`| head`), a lost terminal or a full disk silences a stream and ends nothing, so
 * that work continues. A hangup stops work watched in a terminal; under nohup it means nothing (Node undoes nohup's own
 * protection).
 */
export function processWorld(): World {
  return {
    env: process.env,
    cwd: process.cwd(),
    stdout: processStream(process.stdout),
    stderr: processStream(process.stderr),
    clock: systemClock,
    random: Math.random,
    pipeline,
    onSignal: (listener) => {
      const names: SignalName[] = ["SIGINT", "SIGTERM"];
      const hangup = isatty(process.stdout.fd) || isatty(process.stderr.fd) ? listener : () => {};
      for (const name of names) process.on(name, listener);
      process.on("SIGHUP", hangup);
      return () => {
        for (const name of names) process.off(name, listener);
        process.off("SIGHUP", hangup);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}

function processStream(stream: NodeJS.WriteStream & { fd: number }): Stream {
  let closed = false;
  let failure: Error | null = null;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!closed && error.code !== "EPIPE" && error.code !== "EIO") failure = error;
    closed = true;
  });
  return {
    write: (text) => {
      if (!closed) stream.write(text);
    },
    drained: () => new Promise((resolve) => (closed ? resolve() : stream.write("", () => resolve()))),
    isTTY: isatty(stream.fd),
    get failure() {
      return failure;
    },
    get columns() {
      return stream.columns ?? null;
    },
  };
}

/** A file of this package. Source, build and bundle are equally deep in it, as long as this file stays where it is. */
export const ownFile = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

export interface Interruption {
  signal: SignalName;
  exitCode: typeof ExitCode.interrupted | typeof ExitCode.terminated;
}

/** Resolves once a signal ends the command. */
export const untilAborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, "abort");

/** What main.ts hands to every command. */
export interface Frame {
  world: World;
  readonly signal: AbortSignal;
  /** Null: the target is not known yet. */
  logFolder: string | null;
  /** Calls may be under way. */
  isSending?: boolean;
  exitCode: number;
}
