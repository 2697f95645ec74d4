/** `rowferry resolve <document> --document-id <id>`: names a stranded document's id. Works beside a running import. */
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { targetFlag } from "../../report/next-steps.js";
import { plainText } from "../../report/plain-text.js";
import { confirm } from "../confirm.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry resolve manifest/123 --document-id 5f0c…
  rowferry resolve manifest/123 --document-id 5f0c… --yes

The id is looked up with a read, and nothing is written to the service: a
wrong id would put events on a wrong timeline for ever. Without --yes you are
asked.`;

type Flags = TargetFlags & OutputFlags & { journal?: string; documentId: string; yes?: boolean };

export function define(command: Command, frame: Frame): void {
  command.argument("<document>", "its key, or kind/key");
  addOutputFlags(addTargetFlags(command))
    .requiredOption("--document-id <id>", "the id that the service knows it by")
    .option("--yes", "it is the right one; do not ask")
    .option("--journal <file>", "the journal that runs are given")
    .addHelpText("after", examples)
    .action(frame.action((document: string, flags: Flags) => resolve(frame, document, flags)));
}

function resolve(frame: Frame, document: string, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { checkResolve, resolveNamed } = await import("../../pipeline/resolve-document.js");
    const { clock, random } = frame.world;
    const options = { clock, random, signal: frame.signal };
    const check = await checkResolve(target, { document, documentId: flags.documentId }, options);
    const name = `${plainText(check.document.kind)} ${plainText(check.document.key)}`;
    const seen =
      check.body === null
        ? "The read told nothing of it."
        : `The service has: ${plainText(JSON.stringify(check.body), 600)}`;
    const findings = check.findings.map(({ agrees, text }) => `${agrees ? "agrees" : "DIFFERS"}: ${plainText(text)}`);
    output.text(`\n${[seen, ...findings].join("\n")}`);
    const differs = check.findings.some(({ agrees }) => !agrees);
    const question = `${differs ? "The read speaks against it. " : ""}${name} gets the id ${plainText(check.documentId)} for good.`;
    await confirm(frame.world, question, check.document.key, flags.yes === true);
    resolveNamed(target, check, clock, flags.journal ?? target.journal ?? null);
    output.text(`${name} has the id ${plainText(check.documentId)} now.`);
    output.text(`Next: go on with its events\n  rowferry resume${targetFlag(target.name)}\n`);
    output.data({ type: "resolved", document: check.document, documentId: check.documentId, findings: check.findings });
    return ExitCode.ok;
  });
}
