/** `rowferry doctor`: whether settings, credential, service, clock and disk are as an import needs them. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { counted } from "../../report/figures.js";
import { examine, type Finding } from "../doctor.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { wrapped } from "../render/text.js";

const examples = `
Examples:
  rowferry doctor
  rowferry doctor --target production

It asks for a token and makes one lookup that finds nothing. Exit code 4: the
service, its credential or the disk failed.`;

export function define(command: Command, frame: Frame): void {
  onTarget(command, frame, examples, doctor);
}

async function doctor({ target, output, options, shown }: Work): Promise<Told> {
  const { colors, columns } = output;
  const marks = { ok: colors.green("✓"), warning: colors.yellow("!"), failed: colors.red("✕") };
  const found: Finding[] = [{ check: "settings", result: "ok", message: "complete" }];
  for await (const finding of examine({ ...options, shown })) {
    found.push(finding);
    output.data({ type: "finding", ...finding });
  }
  const lines = found.map(({ check, result, message }) =>
    wrapped(message, { columns, first: `! ${check.padEnd(11)} ` }).replace("!", marks[result]),
  );
  const failed = found.filter(({ result }) => result === "failed").length;
  const doubtful = found.filter(({ result }) => result === "warning").length;
  const answer =
    failed > 0
      ? `${counted(failed, "check")} failed: an import would not work.`
      : doubtful > 0
        ? `Imports work; look at ${counted(doubtful, "check")}.`
        : "All is well. Imports work.";
  return {
    text: [answer, lines.join("\n"), target.baseUrl === "" ? "The sandbox needs no credential and no network." : ""],
    line: { type: "doctor", failed, warnings: doubtful },
    exitCode: failed > 0 ? ExitCode.again : ExitCode.ok,
  };
}
