/** `rowferry verify`: the ledger against the service, as far as reads tell. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { counted, countedKinds, grouped } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import { addRateFlags, addWritingFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { wrapped } from "../render/text.js";
import { watched } from "../run-command.js";

const examples = `
Examples:
  rowferry verify --target production
  rowferry verify --json

Reads every participant, address list and document that the ledger knows, one
request each. Changes nothing. Exit code 3 where something differs.`;

export function define(command: Command, frame: Frame): void {
  onTarget(addWritingFlags(addRateFlags(command), "wait"), frame, examples, verifyTarget);
}

async function verifyTarget({ world, output, target, options }: Work): Promise<Told> {
  const { verify } = await import("../../desk/verify.js");
  const found = await watched(world, output, target.rate, (observe) =>
    verify({ ...options, journal: null, fresh: false, observe }),
  );
  const { checked, differences, unverifiable, stopped } = found;
  const differing = differences.map(
    ({ subject, name, id, text }) => `  ${subject} ${plainText(name)} (${plainText(id)}) ${plainText(text)}`,
  );
  const unread = unverifiable.map(({ text, count }) => `  ${grouped(count)} ${plainText(text)}`);
  const answer =
    stopped !== null
      ? `Stopped before all was compared: ${plainText(stopped)}`
      : differences.length > 0
        ? `Ledger and service differ in ${counted(differences.length, "place")}.`
        : "Ledger and service agree, as far as reads show.";
  return {
    text: [
      wrapped(`${answer} Compared: ${countedKinds(checked)}.`, output),
      differing.join("\n"),
      unread.length === 0 ? "" : ["Not shown by reads:", ...unread].join("\n"),
    ],
    line: { type: "verify", ...found },
    exitCode: stopped !== null ? ExitCode.again : differences.length > 0 ? ExitCode.person : ExitCode.ok,
  };
}
