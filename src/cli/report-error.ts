/** Explains an error: cause, place, remedy, exit code. */
import { relative } from "node:path";
import { codes } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import { plainLines, plainText } from "../report/plain-text.js";
import type { Frame, Interruption } from "./world.js";
import { fitted } from "./render/text.js";

/** By the system's code, for paths that a person named. */
const pathErrors: Partial<Record<string, string>> = {
  EEXIST: "something else is already there",
  ENOTDIR: "a part of it is a file, not a folder",
  EISDIR: "it is a folder",
  "ENOENT mkdir": "a link in it is broken",
  "ENOENT mkdtemp": "the folder for temporary files does not exist (TMPDIR)",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "it is too long",
  ERR_INVALID_ARG_VALUE: "it contains a character that is not allowed in a path",
};

const diskErrors = new Set(["ENOSPC", "EFBIG", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "EMFILE", "ENFILE"]);

const SHOWS_OPTIONS = "--help` shows its options.";
/** The remedy of a usage error without its own. `command`: "", or with a space at its end. */
export const helpHint = (command: string): string => `\`rowferry ${command}${SHOWS_OPTIONS}`;
export const isHelpHint = (hint: string): boolean => hint.endsWith(SHOWS_OPTIONS);

/** `interrupted`: a signal came, so aborted operations are expected. */
export function asRowferryError(error: unknown, interrupted: boolean): RowferryError {
  if (error instanceof RowferryError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  const { code = "", path, syscall } = cause as NodeJS.ErrnoException;
  if (interrupted && cause.name === "AbortError")
    return new RowferryError("interrupted", "stopped before the work was done", {
      cause,
      hint: "Run the same command again. If an import had begun to send, `rowferry resume` continues it. Nothing is sent twice.",
    });
  const fault = pathErrors[code] ?? pathErrors[`${code} ${syscall}`];
  if (fault !== undefined && (path !== undefined || code === "ERR_INVALID_ARG_VALUE"))
    return new RowferryError("path-unusable", `${path ?? "the path"} cannot be used: ${fault}`, { cause });
  if (diskErrors.has(code)) {
    const where = path === undefined ? "" : ` ${path}`;
    return new RowferryError("output-unwritable", `the system refused to read or write${where} (${code})`, { cause });
  }
  return new RowferryError("unexpected", `something unexpected happened: ${cause.message.split("\n")[0]}`, { cause });
}

export function endOf(thrown: unknown, signal: AbortSignal): { error: RowferryError; exitCode: number } {
  const interruption = signal.aborted ? (signal.reason as Interruption) : null;
  const error = asRowferryError(thrown, interruption !== null);
  const exitCode = error.code === "interrupted" ? interruption?.exitCode : codes[error.code].exit;
  return { error, exitCode: exitCode ?? ExitCode.unexpected };
}

/** On stderr, with the stack if `debug`; with `json` also a line on stdout. */
export function tellError(
  { world, logFolder }: Pick<Frame, "world" | "logFolder">,
  { error, exitCode }: ReturnType<typeof endOf>,
  { json, debug }: { json: boolean; debug: boolean },
): void {
  const { code, message, place, hint, cause } = error;
  const description = within(error.description, `${world.cwd}/`);
  const said = [`rowferry: ${plainLines(description)}`, `  ${plainLines(hint).replaceAll("\n", "\n  ")}`];
  if (code === "unexpected" && logFolder !== null)
    said.push(`  The log of this run is in ${plainText(relative(world.cwd, logFolder) || ".")}/.`);
  // Whoever searches a log finds a sentence on one line.
  const { columns } = world.stderr;
  const lines = columns === null ? said : [fitted(said.join("\n"), columns)];
  if (debug) lines.push(plainLines(error.stack ?? message));
  if (debug && cause instanceof Error) lines.push(plainLines(`caused by ${cause.stack ?? cause.message}`));
  world.stderr.write(`${lines.join("\n")}\n`);
  if (json) world.stdout.write(`${JSON.stringify({ type: "error", code, message, place, hint, exitCode })}\n`);
}

/** Paths as the command line knows them. The folder's may be part of another, or, as `/`, of an address. */
const within = (text: string, folder: string): string =>
  text.split(folder).reduce((before, after) => before + (/[^\s"'(]$/.test(before) ? folder : "") + after);
