/** `rowferry resume`: sends what is still open in the ledger. */
import type { Command } from "commander";
import { addRunFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { type CommandFlags, runCommand } from "../run-command.js";

const examples = `
Examples:
  rowferry resume --target production
  rowferry resume --limit 10             only the events of ten documents

It is import without files: it sends what is still open, and nothing twice.`;

export function define(command: Command, frame: Frame): void {
  addRunFlags(command)
    .addHelpText("after", examples)
    .action(
      frame.action((flags: CommandFlags) =>
        runCommand(frame, flags, "resume", (pipeline, options) => pipeline.runResume(options)),
      ),
    );
}
