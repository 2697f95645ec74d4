/** `rowferry runs`: what was run against this target, newest first. Works while an import is running. */
import { grouped, moment, sumOf } from "../../report/figures.js";
import { ending, landedOf, total } from "../../report/outcome.js";
import { positiveInteger } from "../flags.js";
import { onTarget } from "../on-target.js";
import { table } from "../render/text.js";

export const spec = onTarget({
  flags: { count: ["--count <n>", "how many, newest first (default: 20)", positiveInteger] },
  examples: {
    "rowferry runs": "",
    "rowferry runs --count 3 --json": "",
    "rowferry show <run>": "one of them in full",
  },
  async run({ target, world }, { count = 20 }) {
    const { showRuns } = await import("../../desk/status.js");
    return {
      type: "runs",
      line: { runs: showRuns(target, count) },
      text({ runs }) {
        if (runs.length === 0) return ["No run yet."];
        const [one, ...others] = new Set(runs.map(({ startedBy }) => startedBy));
        // One at a time sends, so an older one is not at work.
        const last = runs.find(({ did }) => did === null);
        const lines = runs.map((run) => {
          const rows = sumOf(run.inputs, "read");
          const numbers = [rows, landedOf(run.events), total(run.requests)].map((number) =>
            run.did === null ? grouped(number) : "",
          );
          const who = others.length > 0 ? `, by ${run.startedBy}` : "";
          return [
            run.name,
            moment(run.startedAt, world.clock.now()),
            ...numbers,
            `${run.did ?? ending(run, run === last ? undefined : false)}${who}`,
          ];
        });
        return [
          table([["Run", "When", "Rows", "Landed", "Requests", "Ended"], ...lines], [2, 3, 4]),
          others.length === 0 && `All by ${one}.`,
        ];
      },
    };
  },
});
