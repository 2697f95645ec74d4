/** `rowferry show <anything>`: all that the ledger, and the archive, know of whatever a person has at hand. */
import type { Command } from "commander";
import { RowferryError } from "../../model/error.js";
import { counted, localTime } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import { moment, positiveInteger } from "../flags.js";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";
import { printShown } from "../render/show.js";

const examples = `
Examples:
  rowferry show march.csv:17              a row: what became of it, and why
  rowferry show book.xlsx:May:17          a row of a sheet
  rowferry show manifest/123              a document, by key, externalId or documentId
  rowferry show "Plant A, 123"            one whose key has several parts
  rowferry show 11.222.333/0001-81        a participant and its addresses
  rowferry show 2026-11-20T0200-import    a run
  rowferry show requests --since 02:13 --before 02:14
An event's id or key, and a request's id, are found as well.`;

interface Flags {
  since?: string;
  before?: string;
  count: number;
  all?: boolean;
  ids?: boolean;
  requests?: boolean;
}

export function define(command: Command, frame: Frame): void {
  command
    .argument("<anything>", "a key, an id, file:row, a tax id, a run, or `requests`")
    .option("--all", "every event of a document, not only the newest 50")
    .option("--ids", "with the ids and keys of every event, and when it was sent")
    .option("--requests", "with the requests that sent it, and their answers")
    .option("--since <time>", "with requests: from then on (02:13, 2026-11-20T02:13, 90m)")
    .option("--before <time>", "with requests: up to then (default: now)")
    .option("--count <n>", "with requests: how many at most", positiveInteger, 200);
  onTarget(command, frame, examples, show);
}

async function show({ world, target, output }: Work, anything: string, flags: Flags): Promise<Told> {
  const { showAnything, showSentBetween } = await import("../../desk/show.js");
  const now = world.clock.now();
  const isRequests = anything === "requests" || flags.since !== undefined || flags.before !== undefined;
  const until = time(flags.before, now, "--before") ?? now;
  const since = time(flags.since, now, "--since") ?? until - 3_600_000;
  const found = await (isRequests
    ? showSentBetween(target, since, until, flags.count)
    : showAnything(target, anything, flags.all));
  const isEmpty = Object.values(found).every((part) => part === null || (Array.isArray(part) && part.length === 0));
  if (isEmpty && !isRequests)
    throw new RowferryError("nothing-found", `The ledger knows nothing called ${plainText(anything, 80)}.`);
  const isCut = isRequests && found.requests.length === flags.count;
  return {
    text: [
      ...printShown(found, { ...output, ids: flags.ids === true, requests: flags.requests === true }),
      isEmpty ? `Nothing was sent from ${localTime(since)} to ${localTime(until)}.` : "",
      isCut ? `These are the first ${counted(flags.count, "request")}; --count shows more.` : "",
    ],
    line: { type: "show", ...found },
  };
}

function time(text: string | undefined, now: number, flag: string): number | null {
  if (text === undefined) return null;
  const found = moment(text, now);
  if (found === null)
    throw new RowferryError("usage", `${flag} ${text}: It must be a time such as 02:13, 2026-11-20T02:13 or 90m.`);
  return found;
}
