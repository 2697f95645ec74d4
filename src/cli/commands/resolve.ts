/** `rowferry resolve <what>`: a person says what is true of something stranded or in doubt, after a look at the service. */
import type { Command } from "commander";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { plainText } from "../../report/plain-text.js";
import { confirm } from "../confirm.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { sameTarget } from "../output.js";
import { whoami } from "../whoami.js";
import { withTarget } from "../with-target.js";
import { resolveFrom } from "../resolve-from.js";

const examples = `
Examples:
  rowferry resolve manifest/123 --document-id 5f0c…
  rowferry resolve rf1-7d04… --landed          one event, by its key
  rowferry resolve march.csv:17 --not-landed   what row 17 holds
  rowferry resolve manifest/123 --landed       all of it that is in doubt
  rowferry resolve --from stranded.csv         many stranded documents

Use it for what the service does not tell: the id of a stranded document, and
whether events in doubt have landed. Check at the service first: a wrong answer
loses an event, or puts it on the wrong timeline for good. An id is verified
with a read. You are asked to confirm, unless you pass --yes. Your name and the
time are kept with the event.

If several documents are stranded, the run's folder has a list of them,
stranded.csv; rowferry rejects writes it too. Fill in each document_id, save (as
CSV or Excel), and pass the file to --from. Each id is verified with a read, and
you confirm once. Rows without an id, and those whose read differs, are skipped.
If any row is invalid, nothing changes.`;

interface Flags extends TargetFlags, OutputFlags {
  documentId?: string;
  from?: string;
  landed?: boolean;
  notLanded?: boolean;
  by?: string;
  yes?: boolean;
  wait?: boolean;
  journal?: string;
}

export function define(command: Command, frame: Frame): void {
  command.argument("[what]", "a document's key or kind/key, a row (file:17), or the deduplicationId of either");
  addOutputFlags(addTargetFlags(command))
    .option("--document-id <id>", "the id that the service knows the document by")
    .option("--from <file>", "the list of stranded documents, with their ids filled in")
    .option("--landed", "these events are on the timeline")
    .option("--not-landed", "these events are not on the timeline; send them again")
    .option("--by <name>", "who says so; default: who is logged in")
    .option("--yes", "do not ask for confirmation")
    .option("--wait", "wait while another process holds the ledger")
    .option("--journal <file>", "the journal that runs are given")
    .addHelpText("after", examples)
    .action(frame.action((what: string | undefined, flags: Flags) => resolve(frame, what, flags)));
}

function resolve(frame: Frame, what: string | undefined, flags: Flags): Promise<number> {
  const { documentId, from, landed, notLanded } = flags;
  const said = [documentId !== undefined, from !== undefined, landed === true, notLanded === true];
  if (said.filter(Boolean).length !== 1) {
    return wrong("resolve takes one of --document-id, --landed and --not-landed, or --from <file>.");
  }
  if (from !== undefined && what !== undefined) return wrong("resolve --from takes the documents from the file alone.");
  if (from !== undefined) return resolveFrom(frame, from, { ...flags, by: who(frame, flags) });
  if (what === undefined) return wrong("resolve takes what it is said of: a document, a row, or the key of either.");
  if (documentId !== undefined) return giveId(frame, what, documentId, flags);
  return settle(frame, what, landed === true ? "landed" : "not-landed", flags);
}

const wrong = (message: string) => Promise.reject(new RowferryError("usage", message));

function giveId(frame: Frame, name: string, documentId: string, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { checkResolve, resolveNamed } = await import("../../desk/resolve.js");
    const { clock, random } = frame.world;
    const options = { clock, random, signal: frame.signal };
    const check = await checkResolve(target, { document: name, documentId }, options);
    const document = `${plainText(check.document.kind)} ${plainText(check.document.key)}`;
    const seen =
      check.body === null
        ? "The read told nothing of it."
        : `The service has: ${plainText(JSON.stringify(check.body), 600)}`;
    const findings = check.findings.map(({ agrees, text }) => `${agrees ? "agrees" : "DIFFERS"}: ${plainText(text)}`);
    output.text(`\n${[seen, ...findings].join("\n")}`);
    const differs = check.findings.some(({ agrees }) => !agrees);
    const question = `${differs ? "The read speaks against it. " : ""}${document} gets the id ${plainText(check.documentId)} for good.`;
    await confirm(frame.world, question, check.document.key, flags.yes === true);
    const { patiently } = await import("../../desk/ledger-access.js");
    await patiently({ wait: flags.wait === true, clock, signal: frame.signal }, () =>
      resolveNamed(target, check, clock, { by: who(frame, flags), journal: flags.journal ?? target.journal ?? null }),
    );
    output.text(`${document} has the id ${plainText(check.documentId)} now.`);
    output.text(
      `Next: go on with its events\n  rowferry resume${sameTarget(target, frame.world.cwd, flags.journal)}\n`,
    );
    output.data({ type: "resolved", document: check.document, documentId: check.documentId, findings: check.findings });
    return ExitCode.ok;
  });
}

function settle(frame: Frame, name: string, word: "landed" | "not-landed", flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { checkDoubt, settleNamed } = await import("../../desk/settle-doubt.js");
    const confirmed = checkDoubt(target, name, word);
    const { document, ofDocument, events } = confirmed;
    const title = `${plainText(document.kind)} ${plainText(document.key)}`;
    const id = document.serviceId === null ? "its id is not known" : `documentId ${plainText(document.serviceId)}`;
    const lines = events.map(
      ({ at, name: event, deduplicationId }) =>
        `  ${new Date(at).toISOString()}  ${plainText(event)}  ${deduplicationId}`,
    );
    output.text(
      `\n${[`In doubt of ${title} (${id}):`, ...(ofDocument ? ["  the document itself"] : []), ...lines].join("\n")}`,
    );
    const what = events.length === 1 ? "this event" : `these ${events.length} events`;
    const question =
      word === "landed"
        ? `You have seen ${what} on the timeline of ${title}; nothing of it is sent again, for good.`
        : `You have seen that ${ofDocument ? `${title} is not there` : `${what} ${events.length === 1 ? "is" : "are"} not on the timeline of ${title}`}; it is sent again.`;
    await confirm(frame.world, question, document.key, flags.yes === true);
    const settled = await settleNamed(
      target,
      { name, confirmed, word, by: who(frame, flags) },
      {
        clock: frame.world.clock,
        waitForLock: flags.wait === true,
        signal: frame.signal,
        journal: flags.journal ?? target.journal ?? null,
      },
    );
    const changed =
      settled.changed === 0 ? "" : `\n${settled.changed} of them with other content than their rows have now.`;
    output.text(`${title}: ${word === "landed" ? "landed" : "not landed"}, as you say.${changed}`);
    output.text(
      `Next: go on with what waited\n  rowferry resume${sameTarget(target, frame.world.cwd, flags.journal)}\n`,
    );
    output.data({ type: "resolved", document, said: word, events, ...settled });
    return ExitCode.ok;
  });
}

const who = (frame: Frame, { by }: Flags): string => (by?.trim() ? by.trim() : whoami(frame.world.env));
