/** Everything that the command line takes from the process, so that a test can hand in its own. */
import { isatty } from "node:tty";
import { type Clock, type Random, systemClock } from "../model/clock.js";
import { type Pipeline, pipeline } from "./pipeline.js";

export interface Stream {
  write(text: string): void;
  readonly isTTY: boolean;
  /** Null where it is not known. */
  readonly columns: number | null;
  /** Why something written did not arrive although somebody is to read it; null or absent: nothing of that kind is known. */
  readonly failure?: Error | null;
  /** Settles once all that was written has been taken, however slowly, or the reader has gone. */
  readonly drained?: () => Promise<void>;
}

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface World {
  env: Record<string, string | undefined>;
  cwd: string;
  stdout: Stream;
  stderr: Stream;
  clock: Clock;
  random: Random;
  pipeline: Pipeline;
  /** Calls back for each signal that arrives; the result ends that. */
  onSignal: (listener: (name: SignalName) => void) => () => void;
  /** Asks a person and gives what was typed, null when nobody is there; default: the terminal, where there is one. */
  ask?: (question: string) => Promise<string | null>;
  /** Ends the process at once. */
  exitNow: (code: number) => void;
}

/**
 * The world of this process. A closed pipe (`| head`), a terminal that is gone and a disk that is full silence a stream and
 * end nothing: what is under way would be lost. A hangup stops the work of those who watch it in a terminal; where nobody
 * does, as under nohup, it means nothing (Node takes back nohup's own way of saying so).
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
