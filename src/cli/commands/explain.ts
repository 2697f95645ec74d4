/** `rowferry explain [code]`: what a code means, an example, and what to do. */
import { didYouMean } from "../../map/nearest.js";
import type { Code } from "../../model/codes.js";
import { codes } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { command } from "../command.js";
import { tell } from "../output.js";
import { bold, lines, type Part } from "../render/text.js";

export const spec = command({
  takes: { "[code]": "a code from a message, a rejected file or a report; without it, all are listed" },
  examples: { "rowferry explain": "all codes", "rowferry explain file-missing": "" },
  async run({ output }, _given, asked: string | undefined) {
    const names = (Object.keys(codes) as Code[]).toSorted((left, right) => left.localeCompare(right, "en"));
    const found = names.filter((name) => asked === undefined || name === asked);
    if (found.length === 0)
      throw new RowferryError("code-unknown", `there is no code "${asked}".${didYouMean(asked ?? "", names)}`);
    for (const name of found) {
      const { meaning, remedy, example, transient = false, exit = null } = codes[name];
      const more: Part[] = [
        `  What to do: ${remedy}`,
        `  Example: ${example}`,
        transient && "  It may succeed later without any change.",
        exit !== null && `  A command that ends with it has exit code ${exit}.`,
      ];
      tell(output, {
        type: "code",
        line: { code: name, meaning, remedy, example, transient, exit },
        text: () => [lines(bold(name), `  ${meaning}`, asked !== undefined && more)],
      });
    }
    return ExitCode.ok;
  },
});
