/** What a person, or a program, is told of an error: cause, place, remedy. Errors become exit codes in main.ts. */
import { relative } from "node:path";
import type { Code } from "../model/codes.js";
import { codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import type { Place } from "../model/place.js";
import { ExitCode } from "../model/exit-code.js";
import { plainLines, plainText } from "../report/plain-text.js";
import type { Frame, Interruption } from "./frame.js";
import type { World } from "./world.js";

const diskErrors = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "EMFILE", "ENFILE"]);

/** Any error as one with a code. `interrupted`: a signal has come, so that an aborted operation is no surprise. */
export function asRowferryError(error: unknown, interrupted: boolean): RowferryError {
  if (error instanceof RowferryError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  if (interrupted && cause.name === "AbortError") {
    return new RowferryError("interrupted", "stopped before the work was done", { cause });
  }
  const { code, path } = cause as NodeJS.ErrnoException;
  if (code !== undefined && diskErrors.has(code)) {
    const where = path === undefined ? "" : ` ${path}`;
    return new RowferryError("output-unwritable", `the system refused to read or write${where} (${code})`, { cause });
  }
  if (code !== undefined && /^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new RowferryError("ledger-locked", "another rowferry process is writing much to the ledger at once", {
      cause,
    });
  }
  // Of commands that only read the ledger; what writes it says so itself.
  if (code !== undefined && /^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return new RowferryError("ledger-damaged", `the ledger's file is damaged: ${cause.message}`, { cause });
  }
  return new RowferryError("unexpected", `something unexpected happened: ${cause.message.split("\n")[0]}`, { cause });
}

/** The exit code of an error that ended a command. */
export function exitCodeOf(error: RowferryError): number {
  return codes[error.code].exit ?? ExitCode.unexpected;
}

/** How a command ends with what it threw. */
export function endOf(thrown: unknown, signal: AbortSignal): { code: Code; exitCode: number; place: Place } {
  const interruption = signal.aborted ? (signal.reason as Interruption) : null;
  const error = asRowferryError(thrown, interruption !== null);
  const exitCode = error.code === "interrupted" && interruption !== null ? interruption.exitCode : exitCodeOf(error);
  return { code: error.code, exitCode, place: error.place };
}

/** Tells what ended one of several pieces of work, of which the others go on. */
export function tellThrown(frame: Frame, thrown: unknown, { json = false }: { json?: boolean }): void {
  const error = asRowferryError(thrown, frame.signal.aborted);
  tellError(frame.world, error, { json, debug: false, logFolder: frame.logFolder });
}

export interface Telling {
  json: boolean;
  /** Print the stack as well. */
  debug: boolean;
  logFolder: string | null;
}

/** One message on stderr; with --json a line on stdout too. */
export function tellError(world: World, error: RowferryError, telling: Telling): void {
  const unexpected = error.code === ("unexpected" satisfies Code);
  const log = unexpected && telling.logFolder !== null ? relative(world.cwd, telling.logFolder) || "." : null;
  // Paths are shown as the command line knows them.
  const description = error.description.replaceAll(`${world.cwd}/`, "");
  const lines = [`rowferry: ${plainLines(description)}`, `  ${plainLines(error.hint).replaceAll("\n", "\n  ")}`];
  if (log !== null) lines.push(`  The log of this run lies in ${plainText(log)}/.`);
  if (telling.debug) lines.push(plainLines(stackOf(error)));
  world.stderr.write(`${lines.join("\n")}\n`);
  if (!telling.json) return;
  const { code, message, place, hint } = error;
  world.stdout.write(`${JSON.stringify({ type: "error", code, message, place, hint, exitCode: exitCodeOf(error) })}\n`);
}

function stackOf(error: RowferryError): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack ?? error.cause.message}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
