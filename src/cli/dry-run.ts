/** `--dry-run` of commands that decide: what they would do, and what could then be sent. */
import type { Decision } from "../desk/access.js";
import type { Line } from "../model/lines.js";
import { said } from "../report/said.js";
import type { Work } from "./on-target.js";
import type { Told } from "./output.js";
import { watched } from "./run-command.js";

export const dryRun = [
  "--dry-run",
  "change and send nothing; show what would happen, and what could then be sent",
] as const;

/** `tellDone`: what the command would tell; null: it decides nothing. */
export async function foreseen<Done>(
  work: Work,
  decide: Decision<Done>,
  tellDone: (done: Done) => Told | Told[] | null,
): Promise<Told> {
  const { foresee } = await import("../desk/foresee.js");
  const { done, ...found } = await watched(work, (observe) => foresee({ ...work.options, observe }, decide));
  return sayForeseen({
    ...found,
    done: [tellDone(done) ?? []].flat().map(({ type, line }) => ({ type, ...line })) as never,
  });
}

export const sayForeseen = (found: Omit<Extract<Line, { type: "foreseen" }>, "type">): Told => ({
  type: "foreseen",
  line: found,
  text: (line) => ["Nothing was changed. This would happen:", said(line)],
});
