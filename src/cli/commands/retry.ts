/** `rowferry retry [selectors]`: refused work back to planned, then as resume. */
import type { Command } from "commander";
import { addRunFlags, addSelectorFlags, type SelectorFlags, selectorsOf } from "../flags.js";
import type { Frame } from "../frame.js";
import { type CommandFlags, runCommand } from "../run-command.js";

const examples = `
Examples:
  rowferry retry                          everything that was refused
  rowferry retry --code service-refused --document manifest/123

Use it once the cause at the service is gone: a missing permission, an unknown
category. Rows that must change are corrected and imported instead. Stalled
work needs no retry; resume picks it up. For doubt-unsettled the service is
asked once more.`;

export function define(command: Command, frame: Frame): void {
  addRunFlags(addSelectorFlags(command))
    .addHelpText("after", examples)
    .action(
      frame.action((flags: CommandFlags & SelectorFlags) =>
        runCommand(frame, flags, "retry", async (_pipeline, options) => {
          const { runRetry } = await import("../../desk/retry.js");
          return runRetry({ ...options, selectors: selectorsOf(flags) });
        }),
      ),
    );
}
