/** One trial: a personality, an input, the client until its exit code settles, and the verdict. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Ran } from "./client.js";
import type { Input } from "./inputs.js";
import type { Personality } from "./personality.js";
import { type Judge, startJudge } from "./service.js";
import { checkRegister, checkRequests, checkStranded, checkTimelines, type Ending } from "./verdict.js";

export interface Trial {
  judge: Judge;
  runs: Ran[];
  ending: Ending;
  /** Why each open event is open, with how many there are. */
  reasons: Record<string, number>;
  disagreements: string[];
}

/** `rate`: what the client is told; the personality's own where it has one. */
export async function oneTrial(nature: Personality, makeInput: (folder: string) => Input): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-judge-input-"));
  const judge = await startJudge(nature);
  const client = createClient(judge, { rate: nature.rate ?? 400, burst: nature.rate === null ? 60 : nature.burst });
  try {
    const input = makeInput(folder);
    const runs = await client.importUntilSettled(input.args);
    const failed = runs.find(({ code }) => code === null || code === 1 || code === 2);
    if (failed !== undefined) throw new Error(`${failed.args[0]} ended with ${failed.code}:\n${failed.output}`);
    const open = client.open();
    const reasons: Record<string, number> = {};
    for (const { state, reason } of open) reasons[`${state} ${reason}`] = (reasons[`${state} ${reason}`] ?? 0) + 1;
    const ending: Ending = {
      codes: runs.map(({ code }) => code),
      ms: runs.reduce((sum, { ms }) => sum + ms, 0),
      stranded: client.stranded(),
      open: new Set(open.map(({ document }) => document)),
    };
    const disagreements = [
      ...checkTimelines(judge, input, ending),
      ...checkRegister(judge),
      ...checkStranded(judge, ending),
      ...checkRequests(judge, ending),
    ];
    return { judge, runs, ending, reasons, disagreements };
  } finally {
    client.remove();
    await judge.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
