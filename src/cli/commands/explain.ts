/** `rowferry explain [code]`: what a code means, an example, and what to do. */
import type { Command } from "commander";
import { didYouMean } from "../../map/nearest.js";
import type { CodeEntry } from "../../model/code.js";
import { codes } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import type { OutputFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { createOutput } from "../output.js";
import { wrapped } from "../render/text.js";

const examples = `
Examples:
  rowferry explain                 all codes
  rowferry explain file-missing`;

export function define(command: Command, frame: Frame): void {
  command
    .argument("[code]", "a code from a message, a rejected file or a report; without it, all are listed")
    .option("--json", "print lines of JSON on stdout")
    .addHelpText("after", examples)
    .action(frame.action((code: string | undefined, flags: OutputFlags) => explain(frame, code, flags)));
}

async function explain({ world }: Frame, code: string | undefined, flags: OutputFlags): Promise<number> {
  const output = createOutput(world, flags);
  const { columns, colors } = output;
  const all: Record<string, CodeEntry> = codes;
  const names = Object.keys(all).toSorted((left, right) => left.localeCompare(right, "en"));
  if (code !== undefined && !names.includes(code))
    throw new RowferryError("code-unknown", `there is no code "${code}".${didYouMean(code, names)}`);
  for (const name of code === undefined ? names : [code]) {
    const entry = all[name] as CodeEntry;
    const { meaning, remedy, example, transient = false, exit = null } = entry;
    const lines =
      code === undefined
        ? [meaning]
        : [
            meaning,
            `What to do: ${remedy}`,
            `Example: ${example}`,
            ...(transient ? ["It may succeed later without any change."] : []),
            ...(exit === null ? [] : [`A command that ends with it has exit code ${exit}.`]),
          ];
    output.text([colors.bold(name), ...lines.map((line) => wrapped(line, { columns, first: "  " }))].join("\n"));
    output.data({ type: "code", code: name, meaning, remedy, example, transient, exit });
  }
  return ExitCode.ok;
}
