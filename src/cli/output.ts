/** A command's output: text, or lines of JSON. --quiet keeps text back, and prints it only if something is wrong. */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { ExitCode } from "../model/exit-code.js";
import type { Line, LineOf } from "../model/lines.js";
import type { NextStep } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import { said } from "../report/said.js";
import { bold, fitted, paragraphs, type Part, plain } from "./render/text.js";
import type { World } from "./world.js";

export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly columns: number;
  /** Wrapped unless `asIs`; nothing with --json. */
  text(text: string, asIs?: boolean): void;
  /** Nothing without --json. */
  data(line: Line): void;
  /** Prints `closing` if there was text, and with a code other than 0 everything that --quiet kept back. */
  end(code: number, closing?: string): void;
}

interface ToldOf<Type extends Line["type"]> {
  type: Type;
  line: Omit<LineOf<Type>, "type">;
  /** From a line whose texts are plain. Parts are paragraphs. Default: its sentences, as one. */
  text?(line: LineOf<Type>): readonly Part[];
  /** Printed unchanged: commands, bodies. */
  verbatim?: string;
  next?: readonly NextStep[];
  /** Default on a target: target and ledger. */
  closing?: string;
  exitCode?: number;
}

/** A command's result: a line for programs, and text made from it. */
export type Told = { [Type in Line["type"]]: ToldOf<Type> }[Line["type"]];

export function createOutput(
  world: World,
  { json = false, quiet = false }: { json?: boolean; quiet?: boolean },
): Output {
  const heldBack: string[] = [];
  const columns = world.stdout.columns || 80;
  const shown = useColors(world) ? (lines: string) => lines : stripVTControlCharacters;
  let hasText = false;
  const text = (words: string, asIs = false) => {
    hasText = true;
    const lines = shown(`${asIs ? words : fitted(words, columns)}\n`);
    if (quiet) heldBack.push(lines);
    else if (!json) world.stdout.write(lines);
  };
  return {
    json,
    quiet,
    columns,
    text,
    data: (line) => {
      if (json) world.stdout.write(`${JSON.stringify(line)}\n`);
    },
    end(code, closing = "") {
      // An error names its subject itself.
      if (hasText && closing !== "") text(`\n${closing}`);
      if (code !== ExitCode.ok && !json) for (const lines of heldBack) world.stdout.write(lines);
    },
  };
}

const inOne = (line: Line): readonly Part[] => [said(line)];

/** All but its end. `put`: the commands in its sentences. */
export function tell(
  output: Output,
  { type, line: found, text = inOne, verbatim = "", next = [] }: Told,
  put = (sentences: string) => sentences,
): void {
  const { columns } = output;
  const line = { type, ...found } as Line;
  const steps = next
    .map(({ why, command }) => `${bold(plainText(command))}\n${fitted(`    ${why}`, columns)}`)
    .join("\n");
  const parts = [
    fitted(put(paragraphs((text as (line: Line) => readonly Part[])(plain(line)))), columns),
    verbatim,
    steps,
  ].filter((part) => part !== "");
  if (parts.length > 0) output.text(parts.join("\n\n"), true);
  output.data(line);
}

/** Relative if inside the working folder. */
export function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return plainText(below === "" || below.startsWith("..") ? path : below.replace(/^-/, "./-"));
}

function useColors({ env, stdout }: World): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  if ((env["FORCE_COLOR"] ?? "") !== "") return env["FORCE_COLOR"] !== "0";
  return stdout.isTTY && env["TERM"] !== "dumb";
}
