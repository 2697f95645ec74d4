/** Runs cases against a sandbox of their own, over HTTP. */
import { createSandbox, type SandboxClock, type SandboxOptions } from "../../src/sandbox/index.js";
import { type Capability, type ContractCase, idOf } from "./case.js";
import type { ServiceProfile } from "./profile.js";
import { type CaseResult, runCases, type RunOptions } from "./run-cases.js";
import { ServiceUnderTest } from "./service.js";
import { SUITE } from "./suite.js";

export type Limit = { rate: number; burst: number } | null;

/** Five times the real rate, so that the limiter's cases take seconds and not a minute. */
export const FAST: Limit = { rate: 100, burst: 30 };
/** So slow that a thousandth of a wait is seconds. */
const SLOW: Limit = { rate: 0.0005, burst: 2 };
/** With the clock standing still. */
export const FULL_BUCKETS = [FAST, SLOW].map((limit) => ({
  limit,
  stillClock: true,
  options: { retryAfter: limit === SLOW },
}));
const needing =
  (need: Capability, wanted = true) =>
  (each: ContractCase) =>
    each.needs.includes(need) === wanted;
const MOVING = SUITE.filter(needing("still-clock", false));
export const OF_THE_LIMITER = MOVING.filter(needing("rate-limit"));
/** With the service's clock standing still: first those without a limit, then those of the limiter, each on its own. */
export const OF_AN_INSTANT = SUITE.filter(needing("still-clock")).filter(needing("rate-limit", false));
export const OF_A_FULL_BUCKET = SUITE.filter(needing("still-clock")).filter(needing("rate-limit"));

export interface Setting {
  options?: SandboxOptions;
  limit?: Limit;
  withControl?: boolean;
  withSecond?: boolean;
  stillClock?: boolean;
  profile?: Partial<ServiceProfile>;
  run?: RunOptions;
  /** Another build of the sandbox. */
  create?: typeof createSandbox;
}

export async function against(setting: Setting, cases: readonly ContractCase[] = SUITE): Promise<CaseResult[]> {
  const { limit = null, create = createSandbox, profile = {} } = setting;
  let now = Date.now();
  const clock: SandboxClock = { now: () => now, sleep: () => Promise.resolve() };
  const sandbox = create({
    rate: limit?.rate ?? null,
    ...(limit && { burst: limit.burst }),
    ...(setting.stillClock === true && { clock }),
    ...setting.options,
  });
  // What stalls is cut off soon where time stands still: no case there lasts as long.
  const patience = setting.stillClock === true ? { patience: 1000 } : {};
  const { baseUrl, tokenUrl, controlUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0, ...patience });
  const service = new ServiceUnderTest({
    baseUrl,
    tokenUrl,
    controlUrl: setting.withControl === false ? null : controlUrl,
    credential: { clientId: "sandbox", clientSecret: "sandbox" },
    secondCredential: setting.withSecond === false ? null : { clientId: "second", clientSecret: "second" },
    limit,
    ...(setting.stillClock === true && { advance: (ms: number) => (now += ms) }),
    seed: "test",
    profile,
  });
  try {
    return await runCases(cases, service, setting.run);
  } finally {
    await service.close();
    await sandbox.close();
  }
}

export function failures(results: readonly CaseResult[]): string[] {
  return results.flatMap((result) =>
    result.outcome === "failed" ? `${idOf(result.contractCase)}: ${result.message}` : [],
  );
}
