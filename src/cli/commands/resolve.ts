/** `rowferry resolve <what>`: a person says what is true of something stranded or in doubt, after a look at the service. */
import type { Command } from "commander";
import { RowferryError } from "../../model/error.js";
import { counted, localTime } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import { confirm, whoami } from "../confirm.js";
import { addWritingFlags, type WritingFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { documentTitle, resolveFrom } from "../resolve-from.js";

const examples = `
Examples:
  rowferry resolve manifest/123 --document-id 5f0c…
  rowferry resolve rf1-7d04… --landed          one event, by its key
  rowferry resolve march.csv:17 --not-landed   what row 17 holds
  rowferry resolve manifest/123 --landed       all of it that is in doubt
  rowferry resolve --from stranded.csv         many stranded documents

Use it for what the service does not tell: the id of a stranded document, and
whether events in doubt have landed. Check at the service first: a wrong answer
loses an event, or puts it on the wrong timeline permanently. An id is verified
with a read. You are asked to confirm, unless you pass --yes. Your name and the
time are kept with the event.

If several documents are stranded, the run's folder has a list of them,
stranded.csv; rowferry rejects writes it too. Fill in each document_id, save (as
CSV or Excel), and pass the file to --from. Each id is verified with a read, and
you confirm once. Rows without an id, and those whose read differs, are skipped.
If any row is invalid, nothing changes.`;

interface Flags extends WritingFlags {
  documentId?: string;
  from?: string;
  landed?: boolean;
  notLanded?: boolean;
  by?: string;
}

export function define(command: Command, frame: Frame): void {
  command
    .argument("[what]", "a document's key or kind/key, a row (file:17), or the deduplicationId of either")
    .option("--document-id <id>", "the id that the service knows the document by")
    .option("--from <file>", "the list of stranded documents, with their ids filled in")
    .option("--landed", "these events are on the timeline")
    .option("--not-landed", "these events are not on the timeline; send them again")
    .option("--by <name>", "who says so; default: who is logged in");
  onTarget(addWritingFlags(command, "yes", "wait", "journal"), frame, examples, resolve);
}

async function resolve(work: Work, what: string | undefined, flags: Flags): Promise<Told> {
  const { documentId, from, landed, notLanded } = flags;
  const said = [documentId !== undefined, from !== undefined, landed === true, notLanded === true];
  if (said.filter(Boolean).length !== 1)
    throw new RowferryError(
      "usage",
      "resolve takes one of --document-id, --landed and --not-landed, or --from <file>.",
    );
  if (from !== undefined && what !== undefined)
    throw new RowferryError("usage", "resolve --from takes the documents from the file alone.");
  const by = flags.by?.trim() ? flags.by.trim() : whoami(work.world.env);
  const yes = flags.yes === true;
  if (from !== undefined) return resolveFrom(work, from, by, yes);
  if (what === undefined) throw new RowferryError("usage", "resolve needs a document, a row, or the key of either.");
  if (documentId !== undefined) return giveId(work, { document: what, documentId }, by, yes);
  return settle(work, what, landed === true ? "landed" : "not-landed", by, yes);
}

async function giveId(
  { world, target, output, options, same }: Work,
  request: { document: string; documentId: string },
  by: string,
  yes: boolean,
): Promise<Told> {
  const { checkResolve, resolveNamed } = await import("../../desk/resolve.js");
  const { patiently } = await import("../../desk/ledger-access.js");
  const { clock, signal, journal, waitForLock: wait } = options;
  const check = await checkResolve(target, request, options);
  const { document, documentId, findings, body } = check;
  const title = documentTitle(document);
  const seen =
    body === null ? "The read told nothing of it." : `The service has: ${plainText(JSON.stringify(body), 600)}`;
  const lines = findings.map(({ agrees, text }) => `  ${agrees ? "agrees" : "DIFFERS"}: ${plainText(text)}`);
  output.text(`${[seen, ...lines].join("\n")}\n`);
  const doubt = findings.every(({ agrees }) => agrees) ? "" : "The read speaks against it. ";
  const question = `${doubt}${title} gets the id ${plainText(documentId)}; this cannot be undone.`;
  await confirm(world, question, document.key, yes);
  await patiently({ wait, clock, signal }, () => resolveNamed(target, check, clock, { by, journal }));
  return {
    text: `${title} has the id ${plainText(documentId)} now.`,
    next: [{ command: `rowferry resume${same}`, why: "send its events that wait" }],
    line: { type: "resolved", document, documentId, findings },
  };
}

async function settle(
  { world, target, output, options, same }: Work,
  name: string,
  word: "landed" | "not-landed",
  by: string,
  yes: boolean,
): Promise<Told> {
  const { checkDoubt, settleNamed } = await import("../../desk/settle-doubt.js");
  const confirmed = checkDoubt(target, name, word);
  const { document, ofDocument, events } = confirmed;
  const title = documentTitle(document);
  const id = document.serviceId === null ? "its id is not known" : `documentId ${plainText(document.serviceId)}`;
  const lines = events.map((event) => `  ${localTime(event.at)}  ${plainText(event.name)}  ${event.deduplicationId}`);
  const own = ofDocument ? ["  the document itself"] : [];
  output.text(`${[`In doubt of ${title} (${id}):`, ...own, ...lines].join("\n")}\n`);
  const what = events.length === 1 ? "this event" : `these ${counted(events.length, "event")}`;
  const isAbsent = ofDocument
    ? `${title} is not there`
    : `${what} ${events.length === 1 ? "is" : "are"} not on the timeline of ${title}`;
  const question =
    word === "landed"
      ? `You have seen ${what} on the timeline of ${title}; nothing of it is sent again, ever.`
      : `You have seen that ${isAbsent}; it is sent again.`;
  await confirm(world, question, document.key, yes);
  const settled = await settleNamed(target, { name, confirmed, word, by }, options);
  const { changed } = settled;
  return {
    text: [
      `${title}: ${word === "landed" ? "landed" : "not landed"}, as you say.`,
      changed === 0 ? "" : `${counted(changed, "event")} with other content than the rows have now.`,
    ],
    next: [{ command: `rowferry resume${same}`, why: "send what waited for it" }],
    line: { type: "resolved", document, said: word, events, ...settled },
  };
}
