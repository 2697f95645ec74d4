/** One trial: a personality, an input, the client until its exit code settles, and the verdict. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type Ran } from "./client.js";
import type { Input } from "./inputs.js";
import type { Personality } from "./personality.js";
import { type Judge, startJudge } from "./service.js";
import { checkRegister, checkRequests, checkStranded, checkTimelines, type Ending } from "./verdict.js";

export interface Trial {
  judge: Judge;
  runs: Ran[];
  /** How far the client came by itself. */
  ending: Ending;
  /** Why each open event is open then, with how many there are. */
  reasons: Record<string, number>;
  /** The exit code at last, when a person has said what is true wherever it asked for one. */
  lastCode: number | null | undefined;
  disagreements: string[];
}

/** `rate`: what the client is told; the personality's own where it has one. */
export async function oneTrial(
  nature: Personality,
  makeInput: (folder: string, nature: Personality) => Input,
): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-judge-input-"));
  const judge = await startJudge(nature);
  const client = createClient(judge, { rate: nature.rate ?? 400, burst: nature.rate === null ? 60 : nature.burst });
  try {
    const input = makeInput(folder, nature);
    const runs = await client.untilSettled(["import", ...input.args]);
    refuseFailures(runs);
    const { ending, reasons } = endingOf(client, runs);
    const disagreements = [
      ...checkTimelines(judge, input, ending),
      ...checkRegister(judge),
      ...checkStranded(judge, ending),
      ...checkRequests(judge, ending),
    ];
    const later = await settleByLooking(client, judge);
    refuseFailures(later);
    if (later.length > 0) {
      const settled = endingOf(client, later).ending;
      const after = [...checkTimelines(judge, input, settled), ...checkRegister(judge)];
      disagreements.push(...after.map((one) => `after a person's word: ${one}`));
    }
    const lastCode = [...runs, ...later].at(-1)?.code;
    if (lastCode !== 0) disagreements.push(`a person cannot settle it: the exit code stays ${lastCode}`);
    return { judge, runs: [...runs, ...later], ending, reasons, lastCode, disagreements };
  } finally {
    client.remove();
    await judge.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function refuseFailures(runs: readonly Ran[]) {
  const failed = runs.find(({ code }) => code === null || code === 1 || code === 2);
  if (failed !== undefined) throw new Error(`${failed.args.join(" ")} ended with ${failed.code}:\n${failed.output}`);
}

function endingOf(client: Client, runs: readonly Ran[]) {
  const open = client.open();
  const reasons: Record<string, number> = {};
  for (const { state, reason } of open) reasons[`${state} ${reason}`] = (reasons[`${state} ${reason}`] ?? 0) + 1;
  const ending: Ending = {
    codes: runs.map(({ code }) => code),
    ms: runs.reduce((sum, { ms }) => sum + ms, 0),
    stranded: client.stranded(),
    open: new Set(open.map(({ document }) => document)),
    undecided: client.undecided().length,
  };
  return { ending, reasons };
}

/**
 * The person whom exit code 3 calls: looks at the service's own screens and says what is true, and nothing else, of all that is
 * stranded or in doubt, and goes on, until nothing of that kind is left; six rounds at
 * most.
 */
async function settleByLooking(client: Client, { timelines }: Judge): Promise<Ran[]> {
  const runs: Ran[] = [];
  for (let round = 0; round < 6; round++) {
    const undecided = client.undecided();
    if (undecided.length === 0) break;
    for (const { kind, key, documentId, doubtful } of undecided) {
      const document = `${kind}/${key}`;
      const there = timelines.docs.find(({ externalId }) => externalId === key);
      const say = async (what: string, ...words: string[]) =>
        runs.push(await client.run(["resolve", what, ...words, "--by", "judge", "--yes"]));
      if (documentId === null && there !== undefined) await say(document, "--document-id", there.id);
      else if (documentId === null) await say(document, "--not-landed");
      else {
        const landed = new Set(there?.events.map((event) => event.key));
        if (doubtful.every((event) => landed.has(event))) await say(document, "--landed");
        else for (const event of doubtful) await say(event, landed.has(event) ? "--landed" : "--not-landed");
      }
    }
    runs.push(...(await client.untilSettled(["resume"])));
  }
  return runs;
}
