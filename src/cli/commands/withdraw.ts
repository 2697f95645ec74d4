/** `rowferry withdraw <selectors>`: takes back what was staged and never sent. */
import { countedKinds } from "../../report/figures.js";
import { confirm } from "../confirm.js";
import { selectorFlags, selectorsOf, wait, yes } from "../flags.js";
import { onTarget } from "../on-target.js";
import { told } from "../output.js";

const { code: _, ...selectors } = selectorFlags;

export const spec = onTarget({
  flags: { ...selectors, yes, wait },
  examples: {
    "rowferry withdraw --input march.csv": "the rest of it, after import --limit",
    "rowferry withdraw --row march.csv:17": "its date is a mistake",
  },
  notes: [
    "Nothing that was sent, or may have been, is touched. Importing the file again stages its rows again; to give rows up permanently, use rowferry dismiss.",
  ],
  async run({ world, target, options }, given) {
    const { withdrawSelected } = await import("../../desk/decide.js");
    const withdrawn = await withdrawSelected(target, selectorsOf(given), options, (found) =>
      confirm(world, `This takes back ${countedKinds({ ...found })}.`, String(found.rows), given.yes),
    );
    return told({
      line: { type: "withdrawn", ...withdrawn },
      text: () => [`Taken back: ${countedKinds({ ...withdrawn })}. Importing the file stages its rows again.`],
    });
  },
});
