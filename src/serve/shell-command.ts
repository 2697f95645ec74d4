/** Runs a command that a person has set, in the system's shell. It gets no secret of ours (F68). */
import { spawn } from "node:child_process";
import { ownZone, withoutSecrets } from "../settings/environment.js";

interface ShellOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Also stops the wait for what the command leaves running. */
  limitMs: number;
  /** Stops it. Has no effect if it was already aborted: commands that follow an interrupted run still run. */
  signal?: AbortSignal;
  /** For its standard input. */
  input?: string;
  /** Gets its output; if absent, the output is dropped. */
  print?: (text: string) => void;
}

/** How long output is awaited from what the command left running, and the end of one that was told to stop. */
const GRACE_MS = 1_000;

/** Never throws. @returns how it failed, such as "ended with 7"; null: it ended with 0 */
export function runShellCommand(
  command: string,
  { cwd, env, limitMs, signal, input, print }: ShellOptions,
): Promise<string | null> {
  const output = print === undefined ? "ignore" : "pipe";
  return new Promise<string | null>((resolve, reject) => {
    const child = spawn(command, {
      shell: true,
      cwd,
      env: { ...withoutSecrets(env), TZ: ownZone },
      stdio: ["pipe", output, output],
      // A group of its own, so that all of `a; b` can be stopped.
      detached: true,
    });
    const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
    const letGo = () => streams.forEach((stream) => stream.destroy());
    const end = (how: string | null) => {
      clearTimeout(limit);
      clearTimeout(grace);
      signal?.removeEventListener("abort", interrupted);
      process.removeListener("exit", killAtExit);
      letGo();
      resolve(how);
    };
    const kill = (how: "SIGTERM" | "SIGKILL" = "SIGTERM") => {
      try {
        process.kill(-(child.pid ?? Number.NaN), how);
      } catch {
        // It has just ended.
      }
    };
    // The second Ctrl-C, which reaches us alone, does not wait for it.
    const killAtExit = () => kill();
    process.once("exit", killAtExit);
    let stopped: string | null = null;
    let grace: NodeJS.Timeout | undefined;
    const stop = (why: string) => {
      stopped ??= why;
      kill();
      grace ??= setTimeout(endStopped, GRACE_MS);
    };
    /** One that ignores the signal, or what it has started, must not go on either. */
    const endStopped = () => {
      kill("SIGKILL");
      end(stopped);
    };
    const limit = setTimeout(() => stop(`took more than ${limitMs / 60_000} min, and was stopped`), limitMs);
    const interrupted = () => stop("was stopped by a signal");
    signal?.addEventListener("abort", interrupted);
    for (const stream of streams) stream.setEncoding("utf8").on("data", (text: string) => print?.(text));
    // A command that does not read its input closes the pipe.
    child.stdin?.on("error", () => {}).end(input);
    child.on("error", (error) => {
      reject(error);
      end(null);
    });
    child.on("exit", () => setTimeout(letGo, GRACE_MS).unref());
    child.on("close", (code, killedBy) =>
      stopped === null ? end(code === 0 ? null : `ended with ${code ?? killedBy}`) : endStopped(),
    );
  }).catch(({ code, message }: NodeJS.ErrnoException) => `could not be run (${code ?? message})`);
}
