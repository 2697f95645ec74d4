/**
 * What a contract case is: one promise of the service, tried over HTTP against any base URL.
 * Knows no test framework and nothing of the importer or the sandbox.
 */
import type { ServiceUnderTest } from "./service.js";

/**
 * What a case needs beyond a base URL and one credential.
 * `control`: faults can be set; `clock`: the service's clock can be moved; `second-credential`: a client with
 * another dataset; `rate-limit`: the service's limiter is on and may be provoked; `still-clock`: the service's clock
 * stands still, so that instants and buckets can be met exactly.
 */
export type Capability = "control" | "second-credential" | "rate-limit" | "clock" | "still-clock";

/** A positive case shows that what the rule allows is done, a negative one that what it forbids is refused. */
export type CaseKind = "positive" | "negative";

/** The reading of an open point that the service was found to follow, in words for a person. */
export interface Reading {
  reading: string;
}

/** One promise. Cases never depend on each other and make their own participants and documents. */
export interface ContractCase {
  /** Ids of `rules.ts`: section and number in service.md, or `Open point N`; `Sandbox: …` for what only a sandbox has. */
  rules: readonly string[];
  title: string;
  kind: CaseKind;
  /** Empty when any service will do. */
  needs: readonly Capability[];
  /** It looks back on all others, and runs after them. */
  last?: boolean;
  /** Throws when the promise is broken. @returns the reading found, where the specification leaves it open. */
  run(service: ServiceUnderTest): Promise<Reading | void>;
}

/** By what a profile knows a case: its first rule and its title. */
export const idOf = ({ rules: [rule], title }: ContractCase): string => `${rule}: ${title}`;

type Run = ContractCase["run"];
/** One rule, or all that one trial shows. */
export type Rules = string | string[];

/** A case that shows what the rule allows. */
export function allows(rule: Rules, title: string, run: Run, needs: readonly Capability[] = []): ContractCase {
  return { rules: [rule].flat(), title, kind: "positive", needs, run };
}

/** A case that shows what the rule forbids. */
export function forbids(rule: Rules, title: string, run: Run, needs: readonly Capability[] = []): ContractCase {
  return { rules: [rule].flat(), title, kind: "negative", needs, run };
}

/** Cases that touch what all others share (faults, clock, bucket) run alone, after the rest. */
export function runsAlone(contractCase: ContractCase): boolean {
  return contractCase.needs.some((need) => need !== "second-credential");
}
