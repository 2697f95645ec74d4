/**
 * What a command prints: text for people, or lines of JSON. With --quiet text is held back, and printed only if
 * something is wrong.
 */
import { relative } from "node:path";
import picocolors from "picocolors";
import type { Look } from "./render/text.js";
import { ExitCode } from "../model/exit-code.js";
import type { Target } from "../model/target.js";
import { targetFlags } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import type { OutputFlags } from "./flags.js";
import type { World } from "./world.js";

export interface Output extends Look {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Text for people; nothing with --json. */
  text(lines: string): void;
  /** One line of JSON; nothing without --json. */
  data(line: { type: string; [member: string]: unknown }): void;
  /** Prints `closing`, unless there was no text, and what --quiet held back where the code is not 0. */
  end(code: number, closing: string): void;
}

export function createOutput(world: World, flags: OutputFlags): Output {
  const json = flags.json === true;
  const quiet = flags.quiet === true;
  const heldBack: string[] = [];
  let hasText = false;
  const text = (lines: string) => {
    hasText = true;
    if (quiet) heldBack.push(`${lines}\n`);
    else if (!json) world.stdout.write(`${lines}\n`);
  };
  return {
    json,
    quiet,
    columns: world.stdout.columns || 80,
    colors: picocolors.createColors(useColors(world)),
    text,
    data: (line) => {
      if (json) world.stdout.write(`${JSON.stringify(line)}\n`);
    },
    end(code, closing) {
      // An error says for itself what it is about.
      if (hasText) text(closing);
      if (code !== ExitCode.ok && !json) for (const lines of heldBack) world.stdout.write(lines);
    },
  };
}

/** The flags by which another command works on the same ledger: ` --target production`. `journal`: as a flag named it. */
export function sameTarget(target: Target, cwd: string, journal: string | null = null): string {
  return targetFlags(target.name, { ledger: target.ledgerPath, journal }, (path) => shownPath(path, cwd));
}

/** Relative to the working folder where it lies in it, else whole. */
export function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return plainText(below === "" || below.startsWith("..") ? path : below);
}

function useColors(world: World): boolean {
  if ((world.env["NO_COLOR"] ?? "") !== "") return false;
  if ((world.env["FORCE_COLOR"] ?? "") !== "") return world.env["FORCE_COLOR"] !== "0";
  return world.stdout.isTTY && world.env["TERM"] !== "dumb";
}
