/** `rowferry status`: what is open in the ledger, and what it waits for. Works beside a running import. */
import type { Command } from "commander";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { printStatus } from "../render/status.js";

const examples = `
Examples:
  rowferry status
  rowferry status --target production --json`;

export function define(command: Command, frame: Frame): void {
  onTarget(command, frame, examples, status);
}

async function status({ world, target, output, same }: Work): Promise<Told> {
  const found = await world.pipeline.readStatus({ target, cells: world.stdout.isTTY && !output.json });
  const look = { ...output, target: { name: target.name, flags: same }, now: world.clock.now() };
  return { text: printStatus(found, look), line: { type: "status", ...found } };
}
