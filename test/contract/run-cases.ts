/**
 * Runs cases against a service: side by side where they cannot disturb each other, one by one where they share
 * the service's faults, clock or bucket. Prints nothing.
 */
import type { Capability, ContractCase } from "./case.js";
import { idOf, runsAlone } from "./case.js";
import type { ServiceUnderTest } from "./service.js";

/** What became of one case. */
export type CaseResult =
  | { contractCase: ContractCase; outcome: "passed"; reading: string | null }
  | { contractCase: ContractCase; outcome: "failed"; message: string }
  | { contractCase: ContractCase; outcome: "not run"; missing: readonly Capability[] };

export interface RunOptions {
  /** How many cases at once; default 12. */
  concurrency?: number;
  /** Ends the run after the first failure: what has not been started is left out of the results. Default false. */
  untilFirstFailure?: boolean;
}

async function runOne(contractCase: ContractCase, service: ServiceUnderTest): Promise<CaseResult> {
  const missing = contractCase.needs.filter((need) => !service.capabilities.has(need));
  if (missing.length > 0) return { contractCase, outcome: "not run", missing };
  try {
    const reading = (await contractCase.run(service))?.reading ?? null;
    const known = service.profile.readings[idOf(contractCase)];
    if (known !== undefined && [known].flat().join("\n") !== reading) {
      throw new Error(`${String(reading)}\nis found, but the profile says\n${[known].flat().join("\n")}`);
    }
    return { contractCase, outcome: "passed", reading };
  } catch (error) {
    return { contractCase, outcome: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

/** Runs the cases. @returns one result for each, in the order given. */
export async function runCases(
  cases: readonly ContractCase[],
  service: ServiceUnderTest,
  options: RunOptions = {},
): Promise<CaseResult[]> {
  const results = new Map<ContractCase, CaseResult>();
  let failed = false;
  const drain = async (waiting: ContractCase[]) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (failed && options.untilFirstFailure) return;
      const result = await runOne(next, service);
      results.set(next, result);
      failed ||= result.outcome === "failed";
    }
  };
  const together = cases.filter((each) => !runsAlone(each) && !each.last);
  await Promise.all(Array.from({ length: options.concurrency ?? 12 }, () => drain(together)));
  await drain(cases.filter(runsAlone));
  await drain(cases.filter((each) => each.last));
  return cases.flatMap((each) => results.get(each) ?? []);
}

/** The readings found, as a profile holds them. */
export function readingsOf(results: readonly CaseResult[]): Record<string, string | string[]> {
  const found = results.flatMap((result): [string, string | string[]][] => {
    if (result.outcome !== "passed" || result.reading === null) return [];
    const lines = result.reading.split("\n");
    return [[idOf(result.contractCase), lines.length > 1 ? lines : result.reading]];
  });
  return Object.fromEntries(found);
}
