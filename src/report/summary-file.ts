/** `summary.json`: what a run did, for programs. The same object as the last line of `--json`. */
import type { Summary } from "../model/summary.js";
import { writeAtomically } from "./atomic-file.js";

/** Whole or not at all, 0600. */
export async function writeSummaryFile(path: string, summary: Summary): Promise<void> {
  await writeAtomically(path, (file) => file.write(`${JSON.stringify(summary, null, 2)}\n`));
}
