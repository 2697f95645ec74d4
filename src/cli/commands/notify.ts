/** `rowferry notify --test`, `rowferry notify --due`: what is told, tried out; and an input that should have come by now. */
import type { Command } from "commander";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { tellerOf } from "../run-command.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry notify --test                  a trial message to everybody whom
                                          rowferry.config.yaml names
  rowferry notify --due                   on a schedule: tell of an input that
                                          should have come by now

docs/notifications.md says who is told what, and when.`;

type Flags = TargetFlags & OutputFlags & { test?: boolean; due?: boolean };

export function define(command: Command, frame: Frame): void {
  addOutputFlags(addTargetFlags(command))
    .option("--test", "send a trial message to everybody")
    .option("--due", "tell of an input that should have come by now (`expect:` of the settings)")
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => notify(frame, flags)));
}

function notify(frame: Frame, flags: Flags): Promise<number> {
  if ((flags.test === true) === (flags.due === true)) throw new RowferryError("usage", "say either --test or --due");
  return withTarget(frame, flags, async (target, output) => {
    const teller = await tellerOf(target, frame.world);
    if (teller === null) {
      const hint = "Add `notify:` to rowferry.config.yaml; docs/notifications.md shows how.";
      throw new RowferryError("settings-incomplete", `nobody is to be told anything about "${target.name}"`, { hint });
    }
    if (flags.due === true) {
      const missing = await teller.due();
      output.text(missing === null ? "No input is overdue." : missing.what);
      output.data({ type: "due", missing: missing?.what ?? null });
      return missing === null ? ExitCode.ok : ExitCode.person;
    }
    const tried = await teller.trial();
    for (const { channel, failure } of tried) {
      output.text(failure === null ? `${channel}: sent` : `${channel}: not sent, ${failure}`);
      output.data({ type: "trial", channel, failure });
    }
    return tried.some(({ failure }) => failure !== null) ? ExitCode.again : ExitCode.ok;
  });
}
