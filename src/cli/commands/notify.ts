/** `rowferry notify --test` and `--due`: sends a test notification, or reports an overdue input. */
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { onTarget } from "../on-target.js";
import { tellerOf } from "../run-command.js";

export const spec = onTarget({
  flags: {
    test: ["--test", "send a test message to every channel"],
    due: ["--due", "report an input that is overdue (`expect:` in the settings)"],
  },
  examples: {
    "rowferry notify --test": "a test message to every channel",
    "rowferry notify --due": "on a schedule: is an input overdue?",
  },
  notes: ["rowferry.config.yaml names the channels; docs/how-to/notifications.md says what they are told, and when."],
  async run({ world, target }, given) {
    if ((given.test === true) === (given.due === true)) throw new RowferryError("usage", "pass either --test or --due");
    const teller = await tellerOf(target, world);
    if (teller === null)
      throw new RowferryError("settings-incomplete", `\`notify:\` names no channel for the target "${target.name}"`, {
        hint: "Add `notify:` to rowferry.config.yaml; docs/how-to/notifications.md shows how.",
      });
    if (given.due === true) {
      const missing = (await teller.due())?.what ?? null;
      return {
        type: "due",
        line: { missing },
        text: ({ missing: said }) => [said ?? "No input is overdue."],
        exitCode: missing === null ? ExitCode.ok : ExitCode.person,
      };
    }
    const trials = await teller.trial();
    return {
      type: "trial",
      line: { channels: trials },
      text: ({ channels }) => [
        channels.map(({ channel, failure }) => `${channel}: ${failure === null ? "sent" : `not sent, ${failure}`}`),
      ],
      exitCode: trials.some(({ failure }) => failure !== null) ? ExitCode.again : ExitCode.ok,
    };
  },
});
