/** `rowferry withdraw <selectors>`: takes back what was staged and never sent. */
import { countedKinds } from "../../report/figures.js";
import { said } from "../../report/said.js";
import { confirm } from "../confirm.js";
import { dryRun, foreseen } from "../dry-run.js";
import { selectorFlags, selectorsOf, wait, yes } from "../flags.js";
import { onTarget } from "../on-target.js";
import { told } from "../output.js";

const { code: _, ...selectors } = selectorFlags;

export const spec = onTarget({
  flags: { ...selectors, dryRun, yes, wait },
  examples: {
    "rowferry withdraw --input march.csv": "the rest of it, after import --limit",
    "rowferry withdraw --row march.csv:17": "its date is a mistake",
  },
  notes: [
    "Nothing that was sent, or may have been, is touched. Importing the file again stages its rows again; to give rows up permanently, use rowferry dismiss.",
  ],
  async run(work, given) {
    const { world, target, options } = work;
    const { withdrawing, withdrawSelected } = await import("../../desk/decide.js");
    if (given.dryRun === true)
      return foreseen(work, withdrawing(selectorsOf(given)), (done) => ({ type: "withdrawn", ...done }));
    const withdrawn = await withdrawSelected(target, selectorsOf(given), options, (found) =>
      confirm(world, `This takes back ${countedKinds({ ...found })}.`, String(found.rows), given.yes),
    );
    return told({ line: { type: "withdrawn", ...withdrawn }, text: said });
  },
});
