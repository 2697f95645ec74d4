/** `rowferry explain [code]`: what a code means, an example, and what to do. */
import type { Command } from "commander";
import { didYouMean } from "../../map/nearest.js";
import type { CodeEntry } from "../../model/code.js";
import { codes } from "../../model/codes.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { type OutputFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { createOutput, type Output } from "../output.js";

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

function explain(frame: Frame, code: string | undefined, flags: OutputFlags): Promise<number> {
  const output = createOutput(frame.world, flags);
  const all: Record<string, CodeEntry> = codes;
  if (code === undefined) {
    const width = Math.max(...Object.keys(all).map((name) => name.length)) + 2;
    for (const [name, entry] of Object.entries(all).toSorted(([left], [right]) => left.localeCompare(right, "en"))) {
      tell(output, name, entry, `${name.padEnd(width)}${entry.meaning}`);
    }
    return Promise.resolve(ExitCode.ok);
  }
  const entry = Object.hasOwn(all, code) ? all[code] : undefined;
  if (entry === undefined) {
    throw new RowferryError("code-unknown", `there is no code "${code}".${didYouMean(code, Object.keys(all))}`);
  }
  const lines = [
    output.colors.bold(code),
    `  ${entry.meaning}`,
    `  What to do: ${entry.remedy}`,
    `  Example: ${entry.example}`,
  ];
  if (entry.transient) lines.push("  It may go well later without anybody changing anything.");
  if (entry.exit !== null) lines.push(`  A command that ends with it has the exit code ${entry.exit}.`);
  tell(output, code, entry, lines.join("\n"));
  return Promise.resolve(ExitCode.ok);
}

function tell(output: Output, code: string, entry: CodeEntry, text: string): void {
  output.text(text);
  output.data({ type: "code", code, ...entry });
}
