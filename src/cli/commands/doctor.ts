/** `rowferry doctor`: checks settings, credential, service, clock and disk. */
import { ExitCode } from "../../model/exit-code.js";
import { counted } from "../../report/figures.js";
import { examine, type Finding } from "../doctor.js";
import { onTarget } from "../on-target.js";
import { green, plain, red, yellow } from "../render/text.js";

export const spec = onTarget({
  examples: { "rowferry doctor": "", "rowferry doctor --target production": "" },
  notes: [
    "It gets a token and makes one lookup that finds nothing. Exit codes: 2 the settings or the secret cannot be read, 4 the service, its credential or the disk failed.",
  ],
  async run({ target, output, options, shown }) {
    const marks = { ok: green("✓"), warning: yellow("!"), failed: red("✕") };
    const found: Finding[] = [{ check: "settings", result: "ok", message: "complete" }];
    for await (const finding of examine({ ...options, shown })) {
      found.push(finding);
      output.data({ type: "finding", ...finding });
    }
    const count = (result: Finding["result"]) => found.filter((finding) => finding.result === result).length;
    return {
      type: "doctor",
      line: { failed: count("failed"), warnings: count("warning") },
      text: ({ failed, warnings }) => [
        failed > 0
          ? `${counted(failed, "check")} failed: an import would not work.`
          : warnings > 0
            ? `Nothing failed, but look at ${counted(warnings, "check")}.`
            : "All is well. Imports work.",
        plain(found).map(({ check, result, message }) => `${marks[result]} ${check.padEnd(11)}  ${message}`),
        target.baseUrl === "" && "The sandbox needs no credential or network.",
      ],
      exitCode: count("failed") > 0 ? ExitCode.again : ExitCode.ok,
    };
  },
});
