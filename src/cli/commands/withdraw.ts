/** `rowferry withdraw <selectors>`: takes back what was staged and never sent. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { confirm } from "../confirm.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { addSelectorFlags, type SelectorFlags, selectorsOf } from "../selector-flags.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry withdraw --input march.csv     the rest of it, after import --limit
  rowferry withdraw --row march.csv:17    its date is a mistake

Nothing that was sent, or may have been, is touched. Importing the file again
stages its rows again; to give rows up for good, use rowferry dismiss.`;

type Flags = TargetFlags & OutputFlags & Omit<SelectorFlags, "code"> & { wait?: boolean; yes?: boolean };

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addSelectorFlags(addTargetFlags(command), { code: false }))
    .option("--yes", "do not ask")
    .option("--wait", "wait while another process holds the ledger")
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => withdraw(frame, flags)));
}

function withdraw(frame: Frame, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { withdrawSelected } = await import("../../desk/withdraw.js");
    const options = { clock: frame.world.clock, waitForLock: flags.wait === true, signal: frame.signal };
    const withdrawn = await withdrawSelected(target, selectorsOf(flags), options, (found) =>
      confirm(frame.world, `${told(found)} would be taken back.`, String(found.rows), flags.yes === true),
    );
    output.text(`\nTaken back: ${told(withdrawn)}. Importing the file stages its rows again.\n`);
    output.data({ type: "withdrawn", ...withdrawn });
    return ExitCode.ok;
  });
}

function told(counts: { rows: number; events: number; participants: number; addresses: number }): string {
  const one = { rows: "row", events: "event", participants: "participant", addresses: "address" } as const;
  const kinds = ["rows", "events", "participants", "addresses"] as const;
  const parts = kinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${counts[kind] === 1 ? one[kind] : kind}`);
  return parts.length === 0 ? "0 rows" : parts.join(", ");
}
