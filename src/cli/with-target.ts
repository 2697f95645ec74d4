/** The frame of every command that works on a target. Apart from frame.ts, because settings take time to load. */
import { existsSync } from "node:fs";
import { RowferryError } from "../model/error.js";
import { ExitCode } from "../model/exit-code.js";
import type { Target } from "../model/target.js";
import type { OutputFlags, TargetFlags } from "./flags.js";
import type { Frame } from "./frame.js";
import { createOutput, type Output } from "./output.js";
import { resolveTarget } from "../settings/target.js";

/**
 * Runs a command's body between the first and the last line of its output, target and ledger.
 * @param anyones whoever the ledger belongs to: only for `ledger rebind`. @throws RowferryError `ledger-of-another-target`
 */
export async function withTarget(
  frame: Frame,
  flags: TargetFlags & OutputFlags,
  body: (target: Target, output: Output) => Promise<number>,
  { anyones = false } = {},
): Promise<number> {
  const target = resolveTarget({ flags, env: frame.world.env, cwd: frame.world.cwd });
  frame.logFolder = `${target.stateFolder}/runs`;
  if (!anyones) await proveTarget(target);
  const output = createOutput(frame.world, flags);
  let code: number = ExitCode.unexpected;
  output.begin(target);
  try {
    code = await body(target, output);
  } finally {
    output.end(code);
  }
  return code;
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
