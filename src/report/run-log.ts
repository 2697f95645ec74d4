/** `run.log` as lines of JSON. Writes only the fields named here: no cell, key, body, message or secret (P9). */
import { join } from "node:path";
import pino from "pino";
import type { Attempt } from "../model/attempt.js";
import type { Code } from "../model/codes.js";
import type { PipelineEvent, Summary } from "../model/summary.js";
import { makeFolder } from "../model/make-folder.js";

export type RunLogLevel = "trace" | "debug" | "info" | "warn" | "error" | "silent";

/** Gets the same lines; pino's loggers fit. */
export type Logger = Record<Exclude<RunLogLevel, "silent">, (fields: object, message: string) => unknown>;

export interface RunLog {
  begin(run: { name: string; command: string; target: string }): void;
  event(event: PipelineEvent): void;
  /** Accepted ones at `debug`, others at `info`. */
  attempt(kind: string, attempt: Attempt): void;
  end(summary: Summary): void;
  fail(code: Code): void;
  /** Null: nothing is written. */
  readonly path: string | null;
  close(): void;
}

/** Undefined: there are none. */
const cut = (texts: readonly string[], most: number) =>
  texts.length === 0 ? undefined : texts.slice(0, 10).map((text) => text.slice(0, most));

/** `own`: gets every line at any level. A log that cannot be written stops nothing. */
export function openRunLog(folder: string, level: RunLogLevel, own?: Logger): RunLog {
  const path = level === "silent" ? null : join(folder, "run.log");
  if (path !== null) makeFolder(folder);
  // Worker transports lose lines when a signal ends the process.
  const destination = path === null ? null : pino.destination({ dest: path, sync: true, mode: 0o600 });
  destination?.on("error", () => {});
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const file = destination === null ? pino(options) : pino(options, destination);
  const write = (at: keyof Logger, fields: object, message: string) => {
    file[at](fields, message);
    try {
      Promise.resolve(own?.[at](fields, message)).catch(() => {});
    } catch {
      // The failure of another logger stops nothing.
    }
  };
  return {
    path,
    begin: ({ name, command, target }) => write("info", { run: name, command, target }, "begun"),
    event(event) {
      if (event.type === "notice")
        return write(event.level === "warning" ? "warn" : "info", { code: event.code }, "notice");
      // All others hold only counts and names of stages.
      const { type, ...counts } = event;
      write(type === "progress" ? "trace" : "info", counts, type);
    },
    attempt(kind, { number, durationMs, status, failure, error, requestIds, inDoubt }) {
      const line = {
        kind,
        attempt: number,
        status,
        durationMs: Math.round(durationMs),
        failure: failure?.slice(0, 100),
        codes: cut(error?.codes ?? [], 100),
        requestIds: cut(requestIds, 200),
        inDoubt: inDoubt || undefined,
      };
      const accepted = status !== null && status >= 200 && status < 300;
      write(accepted ? "debug" : "info", line, "request");
    },
    end({ exitCode, stopped, rows, participants, addresses, documents, events, open, requests }) {
      const { sent, byKind, retries, rateLimited } = requests;
      const counts = { rows, participants, addresses, documents, events, open };
      const sums = { ...counts, requests: { sent, byKind, retries, rateLimited } };
      write("info", { exitCode, stopped: stopped?.code ?? null, ...sums }, "ended");
    },
    fail: (code) => write("error", { code }, "failed"),
    close: () => destination?.end(),
  };
}
