/** `rowferry withdraw <selectors>`: takes back what was staged and never sent. */
import { countedKinds } from "../../report/figures.js";
import { confirm } from "../confirm.js";
import { dryRun, foreseen } from "../dry-run.js";
import { selectorFlags, selectorsOf, wait, yes } from "../flags.js";
import { onTarget } from "../on-target.js";
import type { Told } from "../output.js";

const { code: _, ...selectors } = selectorFlags;

export const spec = onTarget({
  flags: { ...selectors, dryRun, yes, wait },
  examples: {
    "rowferry withdraw --input march.csv": "what import --limit left unsent",
    "rowferry withdraw --row march.csv:17": "whose date is a mistake",
    "rowferry withdraw --document manifest/123": "its planned replacement, or else its unsent rows",
  },
  notes: [
    "Nothing that was sent, or may have been, is touched. Importing the file again stages its rows again; to give rows up permanently, use rowferry dismiss.",
  ],
  async run(work, given) {
    const { withdrawing } = await import("../../desk/decide.js");
    const { decideAlone } = await import("../../desk/access.js");
    const decide = withdrawing(work.target, selectorsOf(given));
    const tellDone = (done: ReturnType<typeof decide>["done"]): Told => ({ type: "withdrawn", line: done });
    if (given.dryRun === true) return foreseen(work, decide, tellDone);
    const done = await decideAlone(work.target, decide, work.options, (found) =>
      confirm(
        work.world,
        `This takes back ${countedKinds({ ...found })}.`,
        String(found.replacements || found.rows),
        given.yes,
      ),
    );
    return tellDone(done);
  },
});
