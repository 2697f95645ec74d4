/** `rowferry dismiss <selectors>`: gives up rows, and releases what waits for them. Works beside a running import. */
import type { Command } from "commander";
import { counted, countedKinds } from "../../report/figures.js";
import { total } from "../../report/outcome.js";
import { addSelectorFlags, addWritingFlags, type SelectorFlags, selectorsOf } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";

const examples = `
Examples:
  rowferry dismiss --row march.csv:17     give up a row, or accept its change
  rowferry dismiss --document manifest/123
  rowferry dismiss --code reference-unknown
  rowferry dismiss --undo --row march.csv:17

A dismissal stays in force when the same row comes back; a corrected row
takes it back, and so does --undo. What is in doubt cannot be dismissed: it may have landed.`;

export function define(command: Command, frame: Frame): void {
  command.option("--undo", "take up again what was given up");
  onTarget(addWritingFlags(addSelectorFlags(command), "journal", "wait"), frame, examples, dismiss);
}

async function dismiss({ target, options, same }: Work, flags: SelectorFlags & { undo?: boolean }): Promise<Told> {
  const { dismissSelected } = await import("../../desk/dismiss.js");
  const { patiently } = await import("../../desk/ledger-access.js");
  const { clock, journal, waitForLock: wait, signal } = options;
  const { left, ...done } = await patiently({ wait, clock, signal }, () =>
    dismissSelected(target, selectorsOf(flags), clock, journal, flags.undo),
  );
  const isNothing = total(done) === 0;
  return {
    text: [
      isNothing
        ? "Nothing was dismissed."
        : `${flags.undo === true ? "Open again" : "Dismissed"}: ${countedKinds(done)}.`,
      left === 0 ? "" : `Left as they are: ${counted(left, "event")} in doubt, or only waiting.`,
    ],
    next: isNothing ? [] : [{ command: `rowferry resume${same}`, why: "send what was released" }],
    line: { type: "dismissed", ...done, left, undo: flags.undo === true },
  };
}
