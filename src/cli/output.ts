/**
 * What a command prints: text for people, or lines of JSON. With --quiet text is held back, and printed only if
 * something is wrong.
 */
import { relative } from "node:path";
import picocolors from "picocolors";
import { ExitCode } from "../model/exit-code.js";
import type { Line } from "../model/lines.js";
import type { NextStep } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import { type Colors, fitted, paragraphs, type Part, plain } from "./render/text.js";
import type { World } from "./world.js";

export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Width of the terminal, in characters. */
  readonly columns: number;
  readonly colors: Colors;
  /** Text for people, wrapped unless it is `asIs`; nothing with --json. */
  text(text: string, asIs?: boolean): void;
  /** One line of JSON; nothing without --json. */
  data(line: Line): void;
  /** Prints `closing`, unless there was no text, and what --quiet held back where the code is not 0. */
  end(code: number, closing?: string): void;
}

/** What came of a command: a line for programs, and for people what is made of it. */
export interface Told<Found extends Line = Line> {
  line: Found;
  /** Of the line, with every text made plain. Parts are paragraphs. */
  text(line: Found): readonly Part[];
  /** Printed as it is: commands, bodies. */
  verbatim?: string;
  /** What to type next. */
  next?: readonly NextStep[];
  /** The last line; default on a target: target and ledger. */
  closing?: string;
  /** Default: 0. */
  exitCode?: number;
}

/** Infers the type of `line`. */
export const told = <Found extends Line>(found: Told<Found>): Told => found;

export function createOutput(
  world: World,
  { json = false, quiet = false }: { json?: boolean; quiet?: boolean },
): Output {
  const heldBack: string[] = [];
  const columns = world.stdout.columns || 80;
  let hasText = false;
  const text = (words: string, asIs = false) => {
    hasText = true;
    const lines = `${asIs ? words : fitted(words, columns)}\n`;
    if (quiet) heldBack.push(lines);
    else if (!json) world.stdout.write(lines);
  };
  return {
    json,
    quiet,
    columns,
    colors: picocolors.createColors(useColors(world)),
    text,
    data: (line) => {
      if (json) world.stdout.write(`${JSON.stringify(line)}\n`);
    },
    end(code, closing = "") {
      // An error says for itself what it is about.
      if (hasText && closing !== "") text(`\n${closing}`);
      if (code !== ExitCode.ok && !json) for (const lines of heldBack) world.stdout.write(lines);
    },
  };
}

/** Prints what came of a command, but for its end. */
export function tell(output: Output, { line, text, verbatim = "", next = [] }: Told): void {
  const { colors, columns } = output;
  const steps = next
    .map(({ why, command }) => `${colors.bold(plainText(command))}\n${fitted(`    ${why}`, columns)}`)
    .join("\n");
  const parts = [fitted(paragraphs(text(plain(line))), columns), verbatim, steps].filter((part) => part !== "");
  if (parts.length > 0) output.text(parts.join("\n\n"), true);
  output.data(line);
}

/** Relative to the working folder where it lies in it, else whole. */
export function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return plainText(below === "" || below.startsWith("..") ? path : below);
}

function useColors({ env, stdout }: World): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  if ((env["FORCE_COLOR"] ?? "") !== "") return env["FORCE_COLOR"] !== "0";
  return stdout.isTTY && env["TERM"] !== "dumb";
}
