/** `rowferry resolve <what>`: records what a person found at the service about stranded or doubtful work. */
import { resolve } from "node:path";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { shorten } from "../../model/fold.js";
import { whoami } from "../../model/whoami.js";
import { counted, grouped, localTime } from "../../report/figures.js";
import { naming } from "../../report/next-steps.js";
import { said as sentences, saidAgainst, titleOf } from "../../report/said.js";
import { confirm } from "../confirm.js";
import { dryRun, foreseen } from "../dry-run.js";
import { journal, wait, yes } from "../flags.js";
import { onTarget, type Work } from "../on-target.js";
import type { Told } from "../output.js";
import { joined, plain } from "../render/text.js";

/** Who decided this, and whether to ask for confirmation. */
interface Word {
  by: string;
  yes: boolean;
  /** Asks and changes nothing. */
  isRehearsal: boolean;
}

export const spec = onTarget({
  takes: { "[what...]": "a document's key or kind/key, a row (file:17), or the deduplicationId of either" },
  flags: {
    documentId: ["--document-id <id>", "the document's id at the service"],
    from: ["--from <file>", "the list of stranded documents, with their ids filled in"],
    landed: ["--landed", "these events are on the timeline"],
    notLanded: ["--not-landed", "these events are not on the timeline; send them again"],
    by: ["--by <name>", "who decided this; default: the logged-in user"],
    dryRun,
    yes,
    wait,
    journal,
  },
  examples: {
    "rowferry resolve manifest/123 --document-id 5f0c…": "",
    "rowferry resolve rf1-7d04… --landed": "one event, by its key",
    "rowferry resolve march.csv:17 --not-landed": "the events of row 17",
    "rowferry resolve manifest/123 manifest/124 --landed": "everything in doubt on both documents",
    "rowferry resolve --from stranded.csv": "many stranded documents",
  },
  notes: [
    "Use it for facts that only a person can find out: the id of a stranded document, and whether events in doubt have landed. Check at the service first: a wrong answer loses an event, or puts it on the wrong timeline permanently. An id is verified with a read. You are asked to confirm unless you pass --yes. Your name and the time are kept with the event.",
    "If several documents are stranded, the run's folder lists them in stranded.csv; rowferry rejects writes it too. Fill in each document_id, save (as CSV or Excel), and pass the file to --from. Each id is verified with a read, and you confirm once. Rows without an id are skipped, and so are documents that differ from what was sent. If any row is invalid, nothing changes.",
  ],
  async run(work, given, what: string[] = []) {
    const { documentId, from, landed = false, notLanded = false } = given;
    if ([documentId !== undefined, from !== undefined, landed, notLanded].filter(Boolean).length !== 1)
      throw new RowferryError(
        "usage",
        "resolve takes one of --document-id, --landed and --not-landed, or --from <file>.",
      );
    if (from !== undefined && what.length > 0)
      throw new RowferryError("usage", "resolve --from takes its documents only from the file.");
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
  const { world, target, output, options } = work;
  const { checkResolve, resolving } = await import("../../desk/resolve.js");
  const { decideBeside, patiently } = await import("../../desk/access.js");
  const check = await checkResolve(target, request, options);
  const { body, ...found } = check;
  const decide = resolving([check], word.by);
  const tellDone = (): Told => ({
    type: "resolved",
    line: found,
    // The rest has been printed already.
    text: (line) => sentences(line).slice(-1),
    next: [work.step("resume", "send its events that wait")],
  });
  if (word.isRehearsal) return foreseen(work, decide, tellDone);
  const { document, documentId } = plain(found);
  const seen = body === null ? [] : [`The service shows: ${shorten(JSON.stringify(plain(body)), 600)}`];
  const findings = sentences({ type: "resolved", ...plain(found) }).slice(0, -1);
  output.text([...seen, ...findings, ""].join("\n"));
  const question = `${titleOf(document)} gets the id ${documentId}; this cannot be undone.`;
  await confirm(world, question, check.document.key, word.yes);
  await patiently(options, () => decideBeside(target, decide, options));
  return tellDone();
}

/** Fields of a read that identify a document; the id was only asked for. */
const keys = new Set<string | null>(["deduplicationId", "externalId"]);

/** How many of the file's mistakes the error repeats; all of them are listed before it. */
const MOST_SAID = 3;

/** Many stranded documents with one confirmation. */
async function resolveFrom(work: Work, path: string, { by, yes: isSure, isRehearsal }: Word): Promise<Told> {
  const { world, target, output, options } = work;
  const { agrees, lookUp, readFilledIn, resolving } = await import("../../desk/resolve.js");
  const { decideBeside, patiently } = await import("../../desk/access.js");
  const filled = await readFilledIn(target, path === "-" ? path : resolve(world.cwd, path));
  const { file, wanted, refused, blank, known } = filled;
  const name = plain(file);
  if (refused.length > 0) {
    const said = plain(refused).map(({ row, code, message }) => `${name}:${row}  ${code} · ${message}`);
    output.text(`${said.join("\n")}\n`);
    output.data({ type: "rows-refused", file, rows: refused });
    const count = new Set(refused.map(({ row }) => row)).size;
    const first = refused.slice(0, MOST_SAID).map(({ message }) => message);
    const message = `${counted(count, "row is", "rows are")} invalid; no document got its id. ${first.join(" ")}`;
    throw new RowferryError("stranded-file-unusable", message, { place: { file } });
  }
  if (wanted.length > 0) output.text(`Looking up ${counted(wanted.length, "document")} at the service.`);
  const found = (await lookUp(target, wanted, options)).map(({ body: _, ...one }) => one);
  const left = found.filter((one) => !agrees(one));
  const resolved = found.filter(agrees);
  for (const { row, document, documentId, findings } of plain(left))
    output.text(`${name}:${row}  ${titleOf(document)}, ${documentId}: ${saidAgainst(findings)}`);
  const tellDone = (): Told => ({
    type: "resolved-from",
    line: { file, resolved, left, known, blank },
    text: () => [
      `${name}: ${joined([
        `${grouped(resolved.length)} resolved`,
        known > 0 && `${grouped(known)} had their id already`,
        left.length > 0 && `${grouped(left.length)} left, not confirmed by a read`,
        blank > 0 && `${grouped(blank)} left without an id`,
      ])}.`,
    ],
    next: [
      ...(left.length === 0
        ? []
        : [
            work.step(
              naming(
                "resolve <document> --document-id <id>",
                left.map(({ document: { kind, key } }) => `${kind}/${key}`),
              ),
              "look at those again, then correct the file or give each its id",
            ),
          ]),
      ...(resolved.length + known === 0 ? [] : [work.step("resume", "send the events that waited")]),
    ],
    exitCode: left.length + blank > 0 ? ExitCode.person : ExitCode.ok,
  });
  if (isRehearsal) return foreseen(work, resolving(resolved, by), tellDone);
  if (resolved.length > 0) {
    const byIdOnly = resolved.filter(({ findings }) => !findings.some(({ member }) => keys.has(member))).length;
    const doubt =
      byIdOnly === 0 ? "" : `For ${byIdOnly} of them, the read shows only that they exist, not which they are. `;
    const many = resolved.length;
    const count = counted(many, "document gets its id", "documents get their ids");
    await confirm(world, `${doubt}${count} from ${name}; this cannot be undone.`, String(many), isSure);
  }
  // One by one, so that a running import waits for none; after an interruption the same file continues.
  for (const one of resolved) await patiently(options, () => decideBeside(target, resolving([one], by), options));
  return tellDone();
}

async function settle(
  work: Work,
  names: readonly string[],
  said: "landed" | "not-landed",
  { by, yes: isSure, isRehearsal }: Word,
): Promise<Told> {
  const { world, target, output, options } = work;
  const { checkDoubt, settling } = await import("../../desk/decide.js");
  const { decideAlone } = await import("../../desk/access.js");
  const doubts = names.map((name) => [name, checkDoubt(target, name, said)] as const);
  const decide = settling(doubts, { said, by });
  const tellDone = (settled: ReturnType<typeof decide>["done"]): Told => ({
    type: "settled",
    line: {
      said,
      documents: doubts.map(([, { document, events }], at) => {
        const { landed = 0, changed = 0, notLanded = 0 } = settled[at] ?? {};
        return { document, events, landed, changed, notLanded };
      }),
    },
    text: (line) => sentences({ ...line, documents: line.documents.map((one) => ({ ...one, events: [] })) }),
    next: [work.step("resume", "send what waited for it")],
  });
  if (isRehearsal) return foreseen(work, decide, tellDone);
  const confirmed = plain(doubts.map(([, doubt]) => doubt));
  for (const { document, ofDocument, events } of confirmed) {
    const id = document.serviceId === null ? "its id is not known" : `documentId ${document.serviceId}`;
    const own = ofDocument ? ["  the document itself"] : [];
    const lines = events.map((event) => `  ${localTime(event.at)}  ${event.name}  ${event.deduplicationId}`);
    output.text([`In doubt on ${titleOf(document)} (${id}):`, ...own, ...lines, ""].join("\n"));
  }
  const [first, ...others] = confirmed;
  const title = first === undefined || others.length > 0 ? `${confirmed.length} documents` : titleOf(first.document);
  const isAbsent = said === "not-landed" && first?.ofDocument === true;
  const count = confirmed.flatMap(({ events }) => events).length;
  const what = isAbsent ? title : `${counted(count, "event")} on the timeline of ${title}`;
  const question =
    said === "landed"
      ? `You have seen ${what}; none of it will ever be sent again.`
      : `You have not found ${what}; it will be sent again.`;
  await confirm(world, question, first?.document.key ?? "", isSure);
  return tellDone(await decideAlone(target, decide, options));
}
