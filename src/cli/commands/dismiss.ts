/** `rowferry dismiss <selectors>`: gives up rows, and releases what waits for them. Works beside a running import. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { sameTarget } from "../output.js";
import { addSelectorFlags, type SelectorFlags, selectorsOf } from "../selector-flags.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry dismiss --row march.csv:17     give up a row, or accept its change
  rowferry dismiss --document manifest/123
  rowferry dismiss --code reference-unknown

A dismissal stays in force when the same row comes back; a corrected row
takes it back. What is in doubt cannot be dismissed: it may have landed.`;

const one: Record<string, string> = {
  rows: "row",
  events: "event",
  documents: "document",
  participants: "participant",
  addresses: "address",
};

type Flags = TargetFlags & OutputFlags & SelectorFlags & { journal?: string; wait?: boolean };

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addSelectorFlags(addTargetFlags(command)))
    .option("--journal <file>", "the journal that runs are given")
    .option("--wait", "wait while an import stages its files")
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => dismiss(frame, flags)));
}

function dismiss(frame: Frame, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { dismissSelected } = await import("../../desk/dismiss.js");
    const { patiently } = await import("../../desk/ledger-access.js");
    const journal = flags.journal ?? target.journal ?? null;
    const { clock } = frame.world;
    const { left, ...done } = await patiently({ wait: flags.wait === true, clock, signal: frame.signal }, () =>
      dismissSelected(target, selectorsOf(flags), clock, journal),
    );
    const parts = Object.entries(done).filter(([, count]) => count > 0);
    const text =
      parts.length === 0
        ? "Nothing fits."
        : `Dismissed: ${parts.map(([kind, count]) => (count === 1 ? `1 ${one[kind]}` : `${count} ${kind}`)).join(", ")}.`;
    const rest = left === 0 ? "" : `\nLeft as they are: ${left} events that only wait, or are in doubt.`;
    const next =
      parts.length === 0
        ? ""
        : `\nNext: send what was released\n  rowferry resume${sameTarget(target, frame.world.cwd, flags.journal)}`;
    output.text(`\n${text}${rest}${next}\n`);
    output.data({ type: "dismissed", ...done, left });
    return ExitCode.ok;
  });
}
