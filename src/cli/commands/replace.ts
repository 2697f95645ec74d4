/** `rowferry replace <document> --reason <text>`: plans its cancellation and its next generation; the next run sends them. */
import { RowferryError } from "../../model/error.js";
import { listed } from "../../model/fold.js";
import { counted } from "../../report/figures.js";
import { shellQuoted } from "../../model/shell-quoted.js";
import { plainText } from "../../report/plain-text.js";
import { said } from "../../report/said.js";
import { confirm } from "../confirm.js";
import { dryRun, foreseen } from "../dry-run.js";
import { journal, selectorFlags, selectorsOf, wait, yes } from "../flags.js";
import { onTarget } from "../on-target.js";
import { tell, told } from "../output.js";

const { document: _, ...selectors } = selectorFlags;

export const spec = onTarget({
  takes: { "[document]": "its key, or kind/key" },
  flags: {
    reason: ["--reason <text>", "goes into the CANCEL event (required)"],
    ...selectors,
    dryRun,
    yes,
    wait,
    journal,
  },
  examples: {
    'rowferry replace manifest/123 --reason "weight corrected"': "",
    'rowferry replace --input march.csv --reason "weights corrected"': "every document of which it changed something",
  },
  notes: [
    "The service cannot edit a timeline: the document is cancelled with this reason and sent again whole, with changed and late rows in their places; what was dismissed stays out. For a service that takes each externalId once, set replacementExternalId in the mapping's settings.",
    "Selectors choose the documents with events that changed or came late: all are replaced, or none. You confirm them first.",
  ],
  async run(work, given, name?: string) {
    const { reason } = given;
    if (reason === undefined) throw new RowferryError("usage", "replace needs --reason <text>.");
    const { world, target, output, options } = work;
    const { documentsToReplace, replacing } = await import("../../desk/decide.js");
    const chosen = selectorsOf(given);
    if (name !== undefined && Object.values(chosen).some((selector) => selector !== undefined))
      throw new RowferryError("usage", "replace takes a document or selectors, not both.");
    const { documents, changed } =
      name === undefined ? documentsToReplace(target, chosen) : { documents: [name], changed: null };
    const decide = replacing(documents, reason);
    const replaced = (one: ReturnType<typeof decide>["done"][number]) =>
      told({ line: { type: "replaced", ...one }, text: (line) => [said(line)] });
    if (given.dryRun === true) return foreseen(work, decide, (all) => all.map(replaced));
    const { decideAlone } = await import("../../desk/access.js");
    const done = await decideAlone(target, decide, options, async (all) => {
      if (changed === null) return;
      const what = `${counted(documents.length, "document")} for ${counted(changed, "changed or late event")}`;
      const events = counted(
        all.reduce((sum, one) => sum + one.events, 0),
        "event",
      );
      const question = `This cancels ${what}, and sends them again with ${events}: ${listed(documents, 10)}.`;
      await confirm(world, question, String(documents.length), given.yes);
    });
    for (const one of done.slice(0, -1)) tell(output, replaced(one));
    const linked = [...new Set(done.flatMap(({ linkedFrom }) => linkedFrom))]
      .filter((other) => !documents.includes(other))
      .map((other) =>
        work.step(
          `replace ${shellQuoted(plainText(other))} --reason <text>`,
          "link this document to the new generation; before anything is sent",
        ),
      );
    const send = done.some(({ missing }) => missing.length > 0)
      ? work.step(
          "import <mapping> <files…>",
          "import the files with the missing events again; this sends what is planned",
        )
      : work.step("resume", "send what is planned");
    return { ...replaced(done.at(-1) as (typeof done)[number]), next: [...linked, send] };
  },
});
