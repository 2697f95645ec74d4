/** `rowferry verify`: compares the ledger with the service. */
import type { Verification } from "../../model/summary.js";
import { naming } from "../../report/next-steps.js";
import { dryRun, sayForeseen } from "../dry-run.js";
import { moment, pastTime, positiveInteger, rateFlags, selectorFlags, wait } from "../flags.js";
import { onTarget } from "../on-target.js";
import { watched } from "../run-command.js";

export const spec = onTarget({
  flags: {
    document: selectorFlags.document,
    since: ["--since <time>", "only what the ledger has recorded since: 2026-11-20, 02:13, 7d", pastTime],
    sample: ["--sample <n>", "only this many documents and participants, chosen at random", positiveInteger],
    dryRun,
    ...rateFlags,
    wait,
  },
  examples: {
    "rowferry verify --target production": "",
    "rowferry verify --since 7d": "what was sent in the last week",
    "rowferry verify --sample 200": "a quick look",
  },
  notes: [
    "It reads every participant, address list and document that the ledger knows, with one request each. With --document, --since or --sample, it reads a part, and says so. It looks for each event's id on the timeline, but does not compare the event's content. It changes nothing. Exit code 3: something differs or could not be read. A participant that an import found under another name is only counted: the import has already warned, and the service does not update participants.",
  ],
  async run(work, given) {
    const { document, since, sample } = given;
    const now = work.world.clock.now();
    const chosen = { document, since: since === undefined ? undefined : (moment(since, now) ?? now), sample };
    if (given.dryRun === true) {
      const { foreseeVerify } = await import("../../desk/foresee.js");
      const none = { done: [], documents: 0, events: null, released: 0, waiting: [] };
      return sayForeseen({ ...none, ...foreseeVerify(work.target, chosen) });
    }
    const { exitCodeOfVerification, verify } = await import("../../desk/verify.js");
    const compared = await watched(work, (observe) =>
      verify({ ...work.options, journal: null, fresh: false, chosen, observe }),
    );
    const isShown = work.world.stdout.isTTY && !work.output.json;
    const found = isShown ? compared : withoutParties(compared);
    const lost = found.differences.flatMap(({ document: of, lost: isLost }) => (isLost ? (of ?? []) : []));
    return {
      type: "verify",
      line: found,
      next:
        lost.length === 0
          ? []
          : [
              work.step(
                naming("replace <document> --reason <text>", lost),
                "if the service has lost it: send the document again, as its next generation",
              ),
            ],
      exitCode: exitCodeOfVerification(found, work.options.signal),
    };
  },
});

/** Collected output hides whose tax id, name and street they are (P9); the id at the service says it. */
function withoutParties({ differences, unread, ...found }: Verification): Verification {
  const hidden = (records: Verification["differences"]) =>
    records.map((one) => {
      if (one.subject !== "participant" && one.subject !== "address") return one;
      return { ...one, name: '"…"', text: one.text.replaceAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '"…"') };
    });
  return { ...found, differences: hidden(differences), unread: hidden(unread) };
}
