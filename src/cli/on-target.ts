/**
 * The frame of every command that works on a target: its flags and help, what the pipeline takes of it, and one way to
 * print what came of it. Apart from frame.ts, because settings take time to load.
 */
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { Target } from "../model/target.js";
import type { NextStep } from "../report/next-steps.js";
import { plainText } from "../report/plain-text.js";
import { resolveTarget } from "../settings/target.js";
import { addTargetFlags, type OutputFlags, type TargetFlags, type WritingFlags } from "./flags.js";
import type { Frame } from "./frame.js";
import { createOutput, type Output, sameTarget, shownPath } from "./output.js";
import { steps } from "./render/problems.js";
import type { World } from "./world.js";

/** What a command has at hand. */
export interface Work {
  world: World;
  target: Target;
  output: Output;
  /** What the pipeline takes of every command. */
  options: Pick<World, "clock" | "random"> & {
    target: Target;
    signal: AbortSignal;
    journal: string | null;
    waitForLock: boolean;
    fresh: boolean;
  };
  /** The flags by which another command works on the same ledger: ` --target production`. */
  same: string;
  /** A path as it is shown. */
  shown: (path: string) => string;
  /** Names the target on stderr, before anything is sent (DESIGN section 3). */
  announce: () => void;
}

/** What came of a command: for people its text and what to type next, for programs a line of JSON. */
export interface Told {
  /** Parts with an empty line between them; empty parts are left out. */
  text: string | readonly string[];
  next?: readonly NextStep[];
  line: { type: string; [member: string]: unknown };
  /** The last line; default: target and ledger. */
  closing?: string;
  /** Default: 0. */
  exitCode?: number;
}

export interface TargetOptions {
  /** Whoever the ledger belongs to: only for `ledger rebind` and `ledger restore`. */
  anyones?: boolean;
}

type Flags = TargetFlags & OutputFlags & WritingFlags;

/** Adds the common flags, examples and the action to a command that has its own flags already. */
export function onTarget(
  command: Command,
  frame: Frame,
  examples: string,
  body: (work: Work, ...args: never[]) => Promise<Told>,
  options?: TargetOptions,
): void {
  addTargetFlags(command)
    .addHelpText("after", examples)
    .action(
      frame.action((...args: unknown[]) =>
        withTarget(frame, args.at(-2) as Flags, (work) => body(work, ...(args.slice(0, -1) as never[])), options),
      ),
    );
}

/** @throws RowferryError what the settings throw, and `ledger-of-another-target` */
export async function withTarget(
  frame: Frame,
  flags: Flags,
  body: (work: Work) => Promise<Told>,
  { anyones = false }: TargetOptions = {},
): Promise<number> {
  const { world, signal } = frame;
  const target = resolveTarget({ flags, env: world.env, cwd: world.cwd });
  frame.logFolder = `${target.stateFolder}/runs`;
  if (!anyones) await proveTarget(target);
  const output = createOutput(world, flags);
  const shown = (path: string) => shownPath(path, world.cwd);
  const service = target.baseUrl === "" ? "" : ` ${plainText(target.baseUrl)}`;
  const about = `${target.name}${service} · ledger ${shown(target.ledgerPath)}`;
  output.data({ type: "target", target: target.name, baseUrl: target.baseUrl, ledger: target.ledgerPath });
  const work: Work = {
    world,
    target,
    output,
    options: {
      target,
      signal,
      clock: world.clock,
      random: world.random,
      journal: flags.journal ?? target.journal ?? null,
      waitForLock: flags.wait === true,
      fresh: flags.fresh === true,
    },
    same: sameTarget(target, world.cwd, flags.journal),
    shown,
    announce: () => {
      if (!output.json && !output.quiet) world.stderr.write(`${about}\n`);
    },
  };
  let ended: { exitCode: number; closing: string } = { exitCode: ExitCode.unexpected, closing: about };
  try {
    const { text, next = [], line, closing = about, exitCode = ExitCode.ok } = await body(work);
    const parts = [...[text].flat(), steps(next, output)].filter((part) => part !== "");
    output.text(`${parts.join("\n\n")}\n`);
    output.data(line);
    ended = { exitCode, closing };
  } finally {
    output.end(ended.exitCode, ended.closing);
  }
  return ended.exitCode;
}

/** A ledger of another target is not named beside this one. What else is wrong with it the command says itself. */
async function proveTarget(target: Target): Promise<void> {
  if (!existsSync(target.ledgerPath)) return;
  const { reading } = await import("../desk/ledger-access.js");
  try {
    reading(target, () => {});
  } catch (error) {
    if (error instanceof RowferryError && error.code === "ledger-of-another-target") throw error;
  }
}
