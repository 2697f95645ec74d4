/** `rowferry report [run]`: makes a run's HTML report again, with what is open now. */
import { onTarget } from "../on-target.js";

export const spec = onTarget({
  takes: { "[run]": "the run's name, as `runs` and `status` show it; default: the last run" },
  examples: { "rowferry report": "of the last run", "rowferry report 2026-11-20T0200-import --target production": "" },
  notes: [
    "Every import writes report.html into its run's folder. This command writes it again, for example after corrections. The report is a single file, needs no network and prints well.",
  ],
  async run({ target, shown }, _given, run: string | undefined) {
    const { writeReportAgain } = await import("../../desk/files.js");
    const written = await writeReportAgain(target, run ?? null);
    return {
      type: "report",
      line: written,
      text: () => [`Report written: ${shown(written.path)}`],
    };
  },
});
