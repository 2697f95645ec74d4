/** `rowferry show <anything>`: everything the ledger and archive know of it. */
import { RowferryError } from "../../model/error.js";
import { counted, localTime } from "../../report/figures.js";
import { plainText } from "../../report/plain-text.js";
import { moment, pastTime, positiveInteger } from "../flags.js";
import { onTarget } from "../on-target.js";
import { told } from "../output.js";
import { printShown } from "../render/show.js";

export const spec = onTarget({
  takes: { "<anything>": "a key, an id, file:row, a tax id, a run, or `requests`" },
  flags: {
    all: ["--all", "every event of a document, not only the newest 50"],
    mapping: ["--mapping", "of a row: the text of the mapping that it was imported with"],
    ids: ["--ids", "with the ids and keys of every event, and when it was sent"],
    requests: ["--requests", "with the requests that sent it, and their answers"],
    since: ["--since <time>", "with requests: from then on (02:13, 2026-11-20T02:13, 90m)", pastTime],
    before: ["--before <time>", "with requests: up to then (default: now)", pastTime],
    count: ["--count <n>", "with requests: how many at most (default: 200)", positiveInteger],
  },
  examples: {
    "rowferry show march.csv:17": "a row: what became of it, and why",
    "rowferry show book.xlsx:May:17": "a row of a sheet",
    "rowferry show manifest/123": "a document, by key, externalId or id",
    'rowferry show "Plant A, 123"': "one whose key has several parts",
    "rowferry show 11.222.333/0001-81": "a participant and its addresses",
    "rowferry show 2026-11-20T0200-import": "a run",
    "rowferry show requests --since 02:13 --before 02:14": "",
  },
  notes: ["An event's id or key, and a request's id, are found as well."],
  async run({ world, target, output }, given, anything: string) {
    const { showAnything, showSentBetween } = await import("../../desk/show.js");
    const { since, before, count = 200, ids = false, requests = false } = given;
    const now = world.clock.now();
    const isRequests = anything === "requests" || since !== undefined || before !== undefined;
    const until = (before === undefined ? null : moment(before, now)) ?? now;
    const from = (since === undefined ? null : moment(since, now)) ?? until - 3_600_000;
    const found = await (isRequests
      ? showSentBetween(target, from, until, count)
      : showAnything(target, anything, given));
    const isEmpty = Object.values(found).every((part) => part === null || (Array.isArray(part) && part.length === 0));
    if (isEmpty && !isRequests)
      throw new RowferryError("nothing-found", `The ledger knows nothing called ${plainText(anything, 80)}.`);
    return told({
      line: { type: "show", ...found },
      text: (shown) => [
        ...printShown(shown, { ...output, ids, requests }),
        isEmpty && `Nothing was sent from ${localTime(from)} to ${localTime(until)}.`,
        isRequests &&
          found.requests.length === count &&
          `These are the first ${counted(count, "request")}; --count shows more.`,
      ],
    });
  },
});
