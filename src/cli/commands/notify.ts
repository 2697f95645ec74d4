/** `rowferry notify --test`, `rowferry notify --due`: what is told, tried out; and an input that should have come by now. */
import type { Command } from "commander";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { tellerOf } from "../run-command.js";

const examples = `
Examples:
  rowferry notify --test                  a trial message to everybody whom
                                          rowferry.config.yaml names
  rowferry notify --due                   on a schedule: tell of an input that
                                          should have come by now

docs/how-to/notifications.md says who is told what, and when.`;

interface Flags {
  test?: boolean;
  due?: boolean;
}

export function define(command: Command, frame: Frame): void {
  command
    .option("--test", "send a trial message to everybody")
    .option("--due", "tell of an input that should have come by now (`expect:` of the settings)");
  onTarget(command, frame, examples, notify);
}

async function notify({ world, target }: Work, flags: Flags): Promise<Told> {
  if ((flags.test === true) === (flags.due === true)) throw new RowferryError("usage", "say either --test or --due");
  const teller = await tellerOf(target, world);
  if (teller === null) {
    const hint = "Add `notify:` to rowferry.config.yaml; docs/how-to/notifications.md shows how.";
    throw new RowferryError("settings-incomplete", `\`notify:\` names nobody for the target "${target.name}"`, {
      hint,
    });
  }
  if (flags.due === true) {
    const missing = (await teller.due())?.what ?? null;
    return {
      text: missing ?? "No input is overdue.",
      line: { type: "due", missing },
      exitCode: missing === null ? ExitCode.ok : ExitCode.person,
    };
  }
  const channels = await teller.trial();
  return {
    text: channels
      .map(({ channel, failure }) => `${channel}: ${failure === null ? "sent" : `not sent, ${failure}`}`)
      .join("\n"),
    line: { type: "trial", channels },
    exitCode: channels.some(({ failure }) => failure !== null) ? ExitCode.again : ExitCode.ok,
  };
}
