/** Runs in a process of its own: the contract suite over HTTP against one build of the sandbox after the other. */
import { pathToFileURL } from "node:url";
import type { createSandbox } from "../../src/sandbox/index.js";
import {
  against,
  failures,
  FAST,
  FULL_BUCKETS,
  OF_A_FULL_BUCKET,
  OF_AN_INSTANT,
  OF_THE_LIMITER,
  type Setting,
} from "../../test/contract/sandbox-run.js";
import { AS_IT_IS, readingsUnder, SWITCHES } from "../../test/contract/sandbox-switches.js";
import { idOf } from "../../test/contract/case.js";
import { SUITE } from "../../test/contract/suite.js";

/** What was noticed first, or null. */
async function noticed(entry: string): Promise<string | null> {
  const { createSandbox: create } = (await import(pathToFileURL(entry).href)) as {
    createSandbox: typeof createSandbox;
  };
  const run = { untilFirstFailure: true };
  const under = (title: string): Setting => ({
    create,
    run,
    ...(SWITCHES[title] && { options: SWITCHES[title] }),
    profile: { readings: readingsUnder(title) },
  });
  const [usual] = failures(await against(under(AS_IT_IS)));
  if (usual !== undefined) return usual;
  for (const title of Object.keys(SWITCHES)) {
    const usualReadings = readingsUnder(AS_IT_IS);
    const readings = readingsUnder(title);
    // What a switch changes is asked of it; all else has been asked already.
    const changed = (id: string): boolean => String(readings[id]) !== String(usualReadings[id]);
    const cases = SUITE.filter((each) => !each.last && changed(idOf(each)));
    const [found] = failures(await against(under(title), cases));
    if (found !== undefined) return `${title}: ${found}`;
  }
  // Last and side by side: they wait for seconds, and few mutants are left for them.
  const still = { ...under(AS_IT_IS), stillClock: true };
  const last = [
    against(still, OF_AN_INSTANT),
    ...FULL_BUCKETS.map((bucket) => against({ ...under(AS_IT_IS), ...bucket }, OF_A_FULL_BUCKET)),
    ...[true, false].map((retryAfter) =>
      against({ create, run, limit: FAST, options: { retryAfter } }, OF_THE_LIMITER),
    ),
  ];
  return failures((await Promise.all(last)).flat())[0] ?? null;
}

process.on("message", (entry: string) => {
  noticed(entry).then(
    (by) => process.send?.({ by }),
    (error: unknown) => process.send?.({ by: `broken: ${String(error)}` }),
  );
});
// A mutant may break in the middle of anything.
process.on("uncaughtException", (error) => process.send?.({ by: `broken: ${String(error)}` }));
process.send?.("ready");
