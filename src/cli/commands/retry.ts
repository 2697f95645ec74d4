/** `rowferry retry [selectors]`: refused work back to planned, then as resume. */
import type { Command } from "commander";
import { addOutputFlags, addRunFlags, addTargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { type CommandFlags, runCommand } from "../run-command.js";
import { addSelectorFlags, type SelectorFlags, selectorsOf } from "../selector-flags.js";

const examples = `
Examples:
  rowferry retry                          everything that was refused
  rowferry retry --code service-refused --document manifest/123

For when the cause lay with the service: a permission, a category it did not
know. Rows that must change are corrected and imported instead. What only
stalled needs no retry: resume takes it up; doubt that only a person can settle
(doubt-unsettled) is asked about once more.`;

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addRunFlags(addSelectorFlags(addTargetFlags(command, { sending: true }))));
  command.addHelpText("after", examples).action(
    frame.action((flags: CommandFlags & SelectorFlags) =>
      runCommand(frame, flags, async (_pipeline, options) => {
        const { runRetry } = await import("../../pipeline/retry.js");
        return runRetry({ ...options, selectors: selectorsOf(flags) });
      }),
    ),
  );
}
