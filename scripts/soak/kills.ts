/** Every damage of a power loss at every request of a small import, and real processes killed at random until they end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, seededRandom } from "../../src/sandbox/index.js";
import { undisturbed } from "../../test/nights/simulation/fault-positions.js";
import { damages, powerLoss } from "../../test/processes/power-loss.js";
import { manifests, serviceEnv, startRowferry } from "../../test/processes/processes.js";
import { expectWhole, type Timelines, undisturbedTimelines } from "../../test/processes/timelines.js";

/** @returns whether everything held */
export async function soakInKills(nights: number): Promise<boolean> {
  const { timelines, requests } = await undisturbed();
  const broken: string[] = [];
  let losses = 0;
  for (let request = 1; request <= requests; request += 1) {
    for (const damage of damages) {
      losses += 1;
      broken.push(...(await powerLoss(request, damage, timelines)));
    }
  }
  console.log(`${losses} power losses, ${damages.length} damages at ${requests} requests, ${broken.length} broken`);

  const expected = await undisturbedTimelines();
  const random = seededRandom(1);
  let kills = 0;
  let stranded = 0;
  for (let night = 1; night <= nights; night += 1) {
    try {
      const lived = await killedUntilItEnds(random, expected);
      kills += lived.kills;
      stranded += lived.stranded;
    } catch (error) {
      broken.push(`night ${night}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  console.log(`${nights} imports by real processes, ${kills} SIGKILLs at random, ${stranded} documents stranded`);
  for (const what of broken) console.log(what);
  return broken.length === 0;
}

/** One import, killed after a random time again and again, at most eight times, and then left to end. */
async function killedUntilItEnds(random: () => number, expected: Timelines) {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-kills-"));
  const sandbox = createSandbox({ rate: null });
  try {
    const ledger = join(folder, "ledger.db");
    const env = serviceEnv(await sandbox.listen({ host: "127.0.0.1", port: 0 }), ledger);
    const args = ["import", "--journal", join(folder, "journal"), ...manifests];
    for (let kills = 0; ; kills += 1) {
      const { child, ended } = startRowferry(args, { cwd: folder, env });
      const timer = kills < 8 ? setTimeout(() => child.kill("SIGKILL"), 150 + random() * 2_500) : null;
      const { code, stderr } = await ended;
      if (timer !== null) clearTimeout(timer);
      if (code !== null) return { kills, stranded: expectWhole(code, sandbox, ledger, expected, stderr) };
    }
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
