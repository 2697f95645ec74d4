/** `rowferry resolve <what>`: records what a person found at the service about stranded or doubtful work. */
import { RowferryError } from "../../model/error.js";
import { counted, localTime } from "../../report/figures.js";
import { said as sentences } from "../../report/said.js";
import type { Settled } from "../../desk/decide.js";
import { whoami } from "../../model/whoami.js";
import { confirm } from "../confirm.js";
import { dryRun, foreseen } from "../dry-run.js";
import { journal, wait, yes } from "../flags.js";
import { onTarget, type Work } from "../on-target.js";
import { told, type Told } from "../output.js";
import { plain } from "../render/text.js";
import { documentTitle, resolveFrom } from "../resolve-from.js";

/** Who says it, and whether to ask for confirmation. */
export interface Word {
  by: string;
  yes: boolean;
  /** Asks and changes nothing. */
  isRehearsal: boolean;
}

export const spec = onTarget({
  takes: { "[what...]": "a document's key or kind/key, a row (file:17), or the deduplicationId of either" },
  flags: {
    documentId: ["--document-id <id>", "the id that the service knows the document by"],
    from: ["--from <file>", "the list of stranded documents, with their ids filled in"],
    landed: ["--landed", "these events are on the timeline"],
    notLanded: ["--not-landed", "these events are not on the timeline; send them again"],
    by: ["--by <name>", "who says so; default: the user who is logged in"],
    dryRun,
    yes,
    wait,
    journal,
  },
  examples: {
    "rowferry resolve manifest/123 --document-id 5f0c…": "",
    "rowferry resolve rf1-7d04… --landed": "one event, by its key",
    "rowferry resolve march.csv:17 --not-landed": "what row 17 holds",
    "rowferry resolve manifest/123 manifest/124 --landed": "all of both that is in doubt",
    "rowferry resolve --from stranded.csv": "many stranded documents",
  },
  notes: [
    "Use it for facts that the service does not give: the id of a stranded document, and whether events in doubt have landed. Check at the service first: a wrong answer loses an event, or puts it on the wrong timeline permanently. An id is verified with a read. You are asked to confirm, unless you pass --yes. Your name and the time are kept with the event.",
    "If several documents are stranded, the run's folder has a list of them, stranded.csv; rowferry rejects writes it too. Fill in each document_id, save (as CSV or Excel), and pass the file to --from. Each id is verified with a read, and you confirm once. Rows without an id, and those whose read differs, are skipped. If any row is invalid, nothing changes.",
  ],
  async run(work, given, what: string[] = []) {
    const { documentId, from, landed = false, notLanded = false } = given;
    if ([documentId !== undefined, from !== undefined, landed, notLanded].filter(Boolean).length !== 1)
      throw new RowferryError(
        "usage",
        "resolve takes one of --document-id, --landed and --not-landed, or --from <file>.",
      );
    if (from !== undefined && what.length > 0)
      throw new RowferryError("usage", "resolve --from takes the documents from the file alone.");
    const word = {
      by: given.by?.trim() || whoami(work.world.env),
      yes: given.yes === true,
      isRehearsal: given.dryRun === true,
    };
    if (from !== undefined) return resolveFrom(work, from, word);
    const [first, ...others] = what;
    if (first === undefined) throw new RowferryError("usage", "resolve needs a document, a row, or the key of either.");
    if (documentId === undefined) return settle(work, what, landed ? "landed" : "not-landed", word);
    if (others.length === 0) return giveId(work, { document: first, documentId }, word);
    throw new RowferryError("usage", "One id belongs to one document; pass a list of several with --from.");
  },
});

async function giveId(work: Work, request: { document: string; documentId: string }, word: Word): Promise<Told> {
  const { world, target, output, options, same } = work;
  const { checkResolve, resolveNamed, resolving } = await import("../../desk/resolve.js");
  const { patiently } = await import("../../desk/access.js");
  const check = await checkResolve(target, request, options);
  const line = {
    type: "resolved" as const,
    document: check.document,
    documentId: check.documentId,
    findings: check.findings,
  };
  if (word.isRehearsal) return foreseen(work, resolving(check, word.by), () => line);
  const { document, documentId, findings, body } = plain(check);
  const title = documentTitle(document);
  const seen =
    body === null ? "The read could not confirm it." : `The service has: ${JSON.stringify(body).slice(0, 600)}`;
  const lines = findings.map(({ agrees, text }) => `  ${agrees ? "agrees" : "DIFFERS"}: ${text}`);
  output.text(`${[seen, ...lines].join("\n")}\n`);
  const doubt = findings.every(({ agrees }) => agrees) ? "" : "The read contradicts it. ";
  const question = `${doubt}${title} gets the id ${documentId}; this cannot be undone.`;
  await confirm(world, question, check.document.key, word.yes);
  await patiently({ ...options, wait: options.waitForLock }, () =>
    resolveNamed(target, check, options.clock, { by: word.by, journal: options.journal }),
  );
  return told({
    line,
    text: (found) => sentences({ ...found, findings: [] }),
    next: [{ command: `rowferry resume${same}`, why: "send its events that wait" }],
  });
}

async function settle(
  work: Work,
  names: readonly string[],
  said: "landed" | "not-landed",
  { by, yes: isSure, isRehearsal }: Word,
): Promise<Told> {
  const { world, target, output, options, same } = work;
  const { checkDoubt, settleNamed, settling } = await import("../../desk/decide.js");
  const requests = names.map((name) => ({ name, confirmed: checkDoubt(target, name, said), word: said, by }));
  const lineOf = (settled: Settled[]) => ({
    type: "settled" as const,
    said,
    documents: requests.map(({ confirmed: { document, events } }, at) => {
      const { landed = 0, changed = 0, notLanded = 0 } = settled[at] ?? {};
      return { document, events, landed, changed, notLanded };
    }),
  });
  if (isRehearsal)
    return foreseen(work, (database, now) => requests.map((request) => settling(request)(database, now)), lineOf);
  for (const { confirmed } of requests) {
    const { document, ofDocument, events } = plain(confirmed);
    const id = document.serviceId === null ? "its id is not known" : `documentId ${document.serviceId}`;
    const own = ofDocument ? ["  the document itself"] : [];
    const lines = events.map((event) => `  ${localTime(event.at)}  ${event.name}  ${event.deduplicationId}`);
    output.text(`${[`In doubt on ${documentTitle(document)} (${id}):`, ...own, ...lines].join("\n")}\n`);
  }
  const all = requests.flatMap(({ confirmed }) => plain(confirmed.events));
  const [first, ...others] = requests.map(({ confirmed }) => plain(confirmed));
  const title =
    first === undefined || others.length > 0 ? `${requests.length} documents` : documentTitle(first.document);
  const what = all.length === 1 ? "this event" : `these ${counted(all.length, "event")}`;
  const isAbsent =
    first?.ofDocument === true
      ? `${title} is not there`
      : `${what} ${all.length === 1 ? "is" : "are"} not on the timeline of ${title}`;
  const question =
    said === "landed"
      ? `You have seen ${what} on the timeline of ${title}; nothing of it is ever sent again.`
      : `You have seen that ${isAbsent}; it is sent again.`;
  await confirm(world, question, first?.document.key ?? "", isSure);
  const settled: Settled[] = [];
  for (const request of requests) settled.push(await settleNamed(target, request, options));
  return told({
    line: lineOf(settled),
    text: (line) => sentences({ ...line, documents: line.documents.map((one) => ({ ...one, events: [] })) }),
    next: [{ command: `rowferry resume${same}`, why: "send what waited for it" }],
  });
}
