/** `rowferry runs`: what was run against this target, newest first. Works beside a running import. */
import type { Command } from "commander";
import { positiveInteger } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { printRuns } from "../render/status.js";

const examples = `
Examples:
  rowferry runs
  rowferry runs --count 3 --json
  rowferry show <run>                     one of them in full`;

export function define(command: Command, frame: Frame): void {
  command.option("--count <n>", "how many, newest first", positiveInteger, 20);
  onTarget(command, frame, examples, runs);
}

async function runs({ target, world }: Work, flags: { count: number }): Promise<Told> {
  const { showRuns } = await import("../../desk/show.js");
  const found = showRuns(target, flags.count);
  return { text: printRuns(found, world.clock.now()), line: { type: "runs", runs: found } };
}
