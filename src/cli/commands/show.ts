/** `rowferry show <anything>`: what the ledger knows of it. Works beside a running import. */
import { type Command, InvalidArgumentError } from "commander";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { plainText } from "../../report/plain-text.js";
import { addOutputFlags, addTargetFlags, type OutputFlags, positiveInteger, type TargetFlags } from "../flags.js";
import type { Frame } from "../frame.js";
import { moment } from "../moment.js";
import { showText } from "../show-text.js";
import { withTarget } from "../with-target.js";

const examples = `
Examples:
  rowferry show march.csv:17              a row: what became of it, and why
  rowferry show book.xlsx:May:17          a row of a sheet
  rowferry show manifest/123              a document, by key or documentId
  rowferry show 11.222.333/0001-81        a participant and its addresses
  rowferry show 2026-11-20T0200-import    a run
  rowferry show requests --since 02:13 --before 02:14
An event's id or key, and a request's id, are found as well.`;

type Flags = TargetFlags & OutputFlags & { since?: string; before?: string; count: number };

export function define(command: Command, frame: Frame): void {
  command.argument("<anything>", "a key, an id, file:row, a tax id, a run, or `requests`");
  addOutputFlags(addTargetFlags(command))
    .option("--since <time>", "with requests: from then on (02:13, 2026-11-20T02:13, 90m)")
    .option("--before <time>", "with requests: up to then (default: now)")
    .option("--count <n>", "with requests: how many at most", positiveInteger, 200)
    .addHelpText("after", examples)
    .action(frame.action((anything: string, flags: Flags) => show(frame, anything, flags)));
}

function show(frame: Frame, anything: string, flags: Flags): Promise<number> {
  return withTarget(frame, flags, async (target, output) => {
    const { showAnything, showSentBetween } = await import("../../desk/show.js");
    const now = frame.world.clock.now();
    const isRequests = anything === "requests" || flags.since !== undefined || flags.before !== undefined;
    const until = time(flags.before, now, "--before") ?? now;
    const since = time(flags.since, now, "--since") ?? until - 3_600_000;
    const found = await (isRequests
      ? showSentBetween(target, since, until, flags.count)
      : showAnything(target, anything));
    const empty = Object.values(found).every((part) => part === null || (Array.isArray(part) && part.length === 0));
    if (empty && !isRequests) {
      throw new RowferryError("nothing-found", `The ledger knows nothing called ${plainText(anything, 80)}.`);
    }
    if (empty) {
      output.text(`\nNothing was sent from ${new Date(since).toISOString()} to ${new Date(until).toISOString()}.\n`);
    } else output.text(`\n${showText(found, output.colors)}\n`);
    if (isRequests && found.requests.length === flags.count) {
      output.text(`These are the first ${flags.count}; --count shows more.\n`);
    }
    output.data({ type: "show", ...found });
    return ExitCode.ok;
  });
}

function time(text: string | undefined, now: number, flag: string): number | null {
  if (text === undefined) return null;
  try {
    return moment(text, now);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw new RowferryError("usage", `${flag} ${text}: ${error.message}`);
    throw error;
  }
}
