/** The frame of every command that works on a target. Apart from frame.ts, because settings take time to load. */
import { ExitCode } from "../model/exit-code.js";
import type { Target } from "../model/target.js";
import type { OutputFlags, TargetFlags } from "./flags.js";
import type { Frame } from "./frame.js";
import { createOutput, type Output } from "./output.js";
import { resolveTarget } from "../settings/target.js";

/** Runs a command's body between the first and the last line of its output, target and ledger. */
export async function withTarget(
  frame: Frame,
  flags: TargetFlags & OutputFlags,
  body: (target: Target, output: Output) => Promise<number>,
): Promise<number> {
  const target = resolveTarget({ flags, env: frame.world.env, cwd: frame.world.cwd });
  frame.logFolder = `${target.stateFolder}/runs`;
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
