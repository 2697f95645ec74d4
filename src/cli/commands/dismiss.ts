/** `rowferry dismiss <selectors>`: gives up rows, and releases what waits for them. Works while an import is running. */
import { counted } from "../../report/figures.js";
import { needed, total } from "../../report/outcome.js";
import { dryRun, foreseen } from "../dry-run.js";
import { confirm } from "../confirm.js";
import { journal, selectorFlags, selectorsOf, wait, yes } from "../flags.js";
import { onTarget } from "../on-target.js";
import type { Told } from "../output.js";

/** More rows than this are given up only when a person confirms it. */
const HANDFUL = 5;

export const spec = onTarget({
  flags: { undo: ["--undo", "undo a dismissal"], ...selectorFlags, dryRun, yes, journal, wait },
  examples: {
    "rowferry dismiss --row march.csv:17": "give up a row, or accept its change",
    "rowferry dismiss --document manifest/123": "",
    "rowferry dismiss --code reference-unknown": "",
    "rowferry dismiss --undo --row march.csv:17": "",
  },
  notes: [
    "A dismissal stays in force when the same row is imported again. A corrected row ends it, and so does --undo. What is in doubt cannot be dismissed, because it may have landed; but a stranded document can, with all its events, by --document.",
    "It asks before giving up more than five rows; without a terminal, pass --yes.",
  ],
  async run(work, given) {
    const { world, target, options } = work;
    const undo = given.undo === true;
    const selectors = selectorsOf(given);
    const { dismissing, sizeOfDismissal } = await import("../../desk/decide.js");
    const decide = dismissing(target, selectors, undo);
    const tellDone = ({ left, stranded, ...done }: ReturnType<typeof decide>["done"]): Told => ({
      type: "dismissed",
      line: { ...done, left, stranded, undo },
      next: total(done) === 0 ? [] : [work.step("resume", "send what waited for them, if anything did")],
    });
    if (given.dryRun === true) return foreseen(work, decide, tellDone);
    const { decideBeside, patiently } = await import("../../desk/access.js");
    if (!undo) {
      const { rows, documents } = await patiently(options, () => sizeOfDismissal(target, selectors));
      const question = `This gives up ${counted(rows, "row")} on ${counted(documents, "document")}.`;
      if (rows > HANDFUL) await confirm(world, question, String(rows), given.yes);
    }
    const done = await patiently(options, () => decideBeside(target, decide, options));
    if (!undo) return tellDone(done);
    const { open } = await world.pipeline.readStatus({ target });
    const step =
      needed(open) > 0 ? work.step("status", "see what it needs") : work.step("resume", "send what is open again");
    return { ...tellDone(done), next: [step] };
  },
});
