/** `rowferry withdraw <selectors>`: takes back what was staged and never sent. */
import type { Command } from "commander";
import { countedKinds } from "../../report/figures.js";
import { confirm } from "../confirm.js";
import { addSelectorFlags, addWritingFlags, type SelectorFlags, selectorsOf, type WritingFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";

const examples = `
Examples:
  rowferry withdraw --input march.csv     the rest of it, after import --limit
  rowferry withdraw --row march.csv:17    its date is a mistake

Nothing that was sent, or may have been, is touched. Importing the file again
stages its rows again; to give rows up permanently, use rowferry dismiss.`;

export function define(command: Command, frame: Frame): void {
  addWritingFlags(addSelectorFlags(command, { code: false }), "yes", "wait");
  onTarget(command, frame, examples, withdraw);
}

async function withdraw(
  { world, target, options }: Work,
  flags: Omit<SelectorFlags, "code"> & WritingFlags,
): Promise<Told> {
  const { withdrawSelected } = await import("../../desk/withdraw.js");
  const withdrawn = await withdrawSelected(target, selectorsOf(flags), options, (found) =>
    confirm(world, `This takes back ${countedKinds({ ...found })}.`, String(found.rows), flags.yes === true),
  );
  return {
    text: `Taken back: ${countedKinds({ ...withdrawn })}. Importing the file stages its rows again.`,
    line: { type: "withdrawn", ...withdrawn },
  };
}
