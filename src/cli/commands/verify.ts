/** `rowferry verify`: the ledger against the service, as far as reads tell. */
import type { Command } from "commander";
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
request each. Changes nothing. Exit code 3 where something
differs or could not be read.`;

export function define(command: Command, frame: Frame): void {
  onTarget(addWritingFlags(addRateFlags(command), "wait"), frame, examples, verifyTarget);
}

async function verifyTarget({ world, output, target, options }: Work): Promise<Told> {
  const { exitCodeOfVerification, verify } = await import("../../desk/verify.js");
  const found = await watched(world, output, target.rate, (observe) =>
    verify({ ...options, journal: null, fresh: false, observe }),
  );
  const { checked, differences, unread, unverifiable, stopped } = found;
  const listed = (records: typeof differences) =>
    records.map(
      ({ subject, name, id, text }) => `  ${subject} ${plainText(name)} (${plainText(id)}) ${plainText(text)}`,
    );
  const notShown = unverifiable.map(({ text, count }) => `  ${grouped(count)} ${plainText(text)}`);
  const answer =
    stopped !== null
      ? `Stopped before all was compared: ${plainText(stopped)}`
      : differences.length > 0
        ? `Ledger and service differ in ${counted(differences.length, "place")}.`
        : unread.length > 0
          ? `Ledger and service agree where they could be compared; ${counted(unread.length, "record")} could not be read.`
          : "Ledger and service agree, as far as reads show.";
  return {
    text: [
      wrapped(`${answer} Compared: ${countedKinds(checked)}.`, output),
      listed(differences).join("\n"),
      unread.length === 0 ? "" : ["Not read:", ...listed(unread)].join("\n"),
      notShown.length === 0 ? "" : ["Not shown by reads:", ...notShown].join("\n"),
    ],
    line: { type: "verify", ...found },
    exitCode: exitCodeOfVerification(found),
  };
}
