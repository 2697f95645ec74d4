/**
 * What a command prints: lines for people, or lines of JSON. The last line names target and ledger; a command that sends
 * names them on stderr before it does (DESIGN section 3). With --quiet lines are held back, and printed only if something is wrong.
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
  /** What the output is about: the last line, and the first of --json. Paths are shown relative to the working folder. */
  begin(target: Target): void;
  /** Names the target on stderr, before anything is sent. */
  announce(): void;
  /** Another last line than target and ledger. */
  closeWith(line: string): void;
  /** Prints the last line, and what --quiet held back where the code is not 0. Safe to call twice. */
  end(code: number): void;
}

export function createOutput(world: World, flags: OutputFlags): Output {
  const json = flags.json === true;
  const quiet = flags.quiet === true;
  let keptBack: string[] | null = quiet && !json ? [] : null;
  let hasText = false;
  let closing: string | null = null;
  const write = (line: string) => {
    if (keptBack === null) world.stdout.write(line);
    else keptBack.push(line);
  };
  return {
    json,
    quiet,
    columns: world.stdout.columns || 80,
    colors: picocolors.createColors(useColors(world)),
    text: (lines) => {
      hasText = true;
      if (!json) write(`${lines}\n`);
    },
    data: (line) => {
      if (json) world.stdout.write(`${JSON.stringify(line)}\n`);
    },
    begin(target) {
      closing = targetLine(target, world.cwd);
      this.data({ type: "target", target: target.name, baseUrl: target.baseUrl, ledger: target.ledgerPath });
    },
    announce() {
      if (!json && !quiet && closing !== null) world.stderr.write(`${closing}\n`);
    },
    closeWith(line) {
      closing = line;
    },
    end(code) {
      if (closing === null) return;
      // An error says for itself what it is about.
      if (!json && hasText) write(`${closing}\n`);
      if (code !== ExitCode.ok) for (const line of keptBack ?? []) world.stdout.write(line);
      keptBack = keptBack === null ? null : [];
      closing = null;
    },
  };
}

/** `production https://api.example.com · ledger state/production/ledger.db` */
export function targetLine(target: Target, cwd: string): string {
  const service = target.baseUrl === "" ? "" : ` ${plainText(target.baseUrl)}`;
  return `${target.name}${service} · ledger ${shownPath(target.ledgerPath, cwd)}`;
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
