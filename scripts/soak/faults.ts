/** Every fault at every request of a small import, once and seven times in a row (more than the retries). */
import { befallen, faultActions, undisturbed } from "../../test/nights/simulation/fault-positions.js";

/** @returns whether everything held */
export async function soakInFaults(): Promise<boolean> {
  const expected = await undisturbed();
  let runs = 0;
  const broken: string[] = [];
  for (const action of faultActions) {
    for (let position = 1; position <= expected.requests + 1; position += 1) {
      for (const times of [1, 7]) {
        runs += 1;
        broken.push(...(await befallen(action, position, times, expected.timelines)));
      }
    }
  }
  for (const what of broken) console.log(what);
  console.log(
    `${runs} imports, ${faultActions.length} faults at ${expected.requests} requests, ${broken.length} broken`,
  );
  return broken.length === 0;
}
