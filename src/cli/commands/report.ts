/** `rowferry report [run]`: makes a run's HTML report again, with what is open now. */
import type { Command } from "commander";
import type { Frame } from "../frame.js";
import { onTarget, type Told, type Work } from "../on-target.js";

const examples = `
Examples:
  rowferry report                             of the last run
  rowferry report 2026-11-20T0200-import --target production

Every import writes report.html into its run's folder. This writes it again,
after corrections for example. It is one file, needs no network and prints well.`;

export function define(command: Command, frame: Frame): void {
  command.argument("[run]", "the run's name, as `runs` and `status` show it; default: the last");
  onTarget(command, frame, examples, report);
}

async function report({ target, shown }: Work, run: string | undefined): Promise<Told> {
  const { writeReportAgain } = await import("../../desk/report-again.js");
  const written = await writeReportAgain(target, run ?? null);
  return { text: `The report is written: ${shown(written.path)}`, line: { type: "report", ...written } };
}
