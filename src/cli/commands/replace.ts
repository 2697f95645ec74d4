/** `rowferry replace <document> --reason <text>`: plans its cancellation and its next generation; the next run sends them. */
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { listed } from "../../model/fold.js";
import type { Replaced } from "../../desk/decide.js";
import { counted, sumOf } from "../../report/figures.js";
import { shellQuoted } from "../../model/shell-quoted.js";
import { plainText } from "../../report/plain-text.js";
import { confirm } from "../confirm.js";
import { dryRun, foreseen } from "../dry-run.js";
import { journal, selectorFlags, selectorsOf, wait, yes } from "../flags.js";
import { onTarget } from "../on-target.js";
import { tell, type Told } from "../output.js";

const { document: _, ...selectors } = selectorFlags;

export const spec = onTarget({
  takes: { "[document]": "its key, or kind/key" },
  flags: {
    reason: ["--reason <text>", "the reason to put in the CANCEL event (required)"],
    ...selectors,
    dryRun,
    yes,
    wait,
    journal,
  },
  examples: {
    'rowferry replace manifest/123 --reason "weight corrected"': "",
    'rowferry replace --input march.csv --reason "weights corrected"': "every document that this file changed",
  },
  notes: [
    "The next run sends it; until then, rowferry withdraw --document takes it back.",
    "Timelines cannot be edited: the document is cancelled with this reason and sent again whole, with changed and late rows in their places; what was dismissed stays out. If the service accepts each externalId only once, set replacementExternalId in the mapping's settings.",
    "Selectors choose documents with changed or late events, and --code document-stranded or document-gone those; you confirm the list first. Documents that cannot be replaced are named with the reason, and the exit code is then 3.",
  ],
  async run(work, given, name?: string) {
    const { reason } = given;
    if (reason === undefined) throw new RowferryError("usage", "replace needs --reason <text>.");
    const { world, target, output, options } = work;
    const { documentsToReplace, replacing } = await import("../../desk/decide.js");
    const chosen = selectorsOf(given);
    if (name !== undefined && Object.values(chosen).some((selector) => selector !== undefined))
      throw new RowferryError("usage", "replace takes a document or selectors, not both.");
    const decide = replacing(name === undefined ? documentsToReplace(target, chosen, reason) : [name], reason);
    const replaced = (one: Replaced["replaced"][number]): Told => ({ type: "replaced", line: one });
    const leftOut = ({ code, message, hint }: RowferryError): Told => ({
      type: "not-replaced",
      line: { code, message, hint },
    });
    if (given.dryRun === true)
      return foreseen(work, decide, (all) => [...all.replaced.map(replaced), ...all.left.map(leftOut)]);
    const { decideAlone } = await import("../../desk/access.js");
    const namesOf = (all: Replaced) => all.replaced.map(({ document: { kind, key } }) => `${kind}/${key}`);
    const all = await decideAlone(target, decide, options, async (found) => {
      if (name !== undefined) return;
      for (const one of found.left) tell(output, leftOut(one));
      const documents = namesOf(found);
      const events = counted(sumOf(found.replaced, "events"), "event");
      const isStranded = found.replaced.some(({ staysStranded }) => staysStranded);
      const cancels = isStranded ? "cancels each of them whose id is known" : "cancels them";
      const question = `This sends ${counted(documents.length, "document")} again with ${events}, and ${cancels}: ${listed(documents, 10)}.`;
      await confirm(world, question, String(documents.length), given.yes);
    });
    const done = all.replaced;
    for (const one of done.slice(0, -1)) tell(output, replaced(one));
    const linked = [...new Set(done.flatMap(({ linkedFrom }) => linkedFrom))]
      .filter((other) => !namesOf(all).includes(other))
      .map((other) =>
        work.step(
          `replace ${shellQuoted(plainText(other))} --reason <text>`,
          "link this document to the new generation; before anything is sent",
        ),
      );
    const differing = done.some(({ otherData }) => otherData !== null)
      ? [work.step("import <mapping> <file>", "if the other fields or parties are right: import rows that have them,")]
      : [];
    const send = done.some(({ missing }) => missing.length > 0)
      ? work.step(
          "import <mapping> <files…>",
          "import the files with the missing events again; this sends what is planned",
        )
      : work.step("resume", differing.length > 0 ? "or send what is planned" : "send what is planned");
    return {
      ...replaced(done.at(-1) as (typeof done)[number]),
      next: [...linked, ...differing, send],
      exitCode: all.left.length > 0 ? ExitCode.person : ExitCode.ok,
    };
  },
});
