/** Deliberate faults: rules that are reproducible by counting and seeded chance. */
import { z } from "zod";
import { seededRandom } from "./clock.js";

const when = z.enum(["before", "after"]);

/** `before`: the request is not carried out; `after`: it is, durably. */
export const faultAction = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("status"),
    status: z.int().min(400).max(599),
    when,
    /** Default: `envelope` below 500, else `gateway`. */
    body: z.enum(["envelope", "gateway", "html", "empty"]).optional(),
    /** For a Retry-After header, in seconds. */
    retryAfter: z.int().min(0).optional(),
  }),
  z.strictObject({ kind: z.literal("drop"), when }),
  /** Carried out durably, then only half of the answer. */
  z.strictObject({ kind: z.literal("truncate") }),
  /** Carried out, then `ms` of waiting; `before`: the other way round. */
  z.strictObject({ kind: z.literal("delay"), ms: z.number().min(0), when: when.optional() }),
  /** 409 PENDING_PROCESS_CONFLICT_ERROR; not carried out. */
  z.strictObject({ kind: z.literal("pending-process") }),
  /** From now on, this request's token is expired. */
  z.strictObject({ kind: z.literal("expire-token") }),
]);

export const faultRule = z.strictObject({
  /** Absent: every request. `path`: a template such as `/documents/events` or `/oauth/token`. */
  match: z.strictObject({ method: z.enum(["GET", "POST"]).optional(), path: z.string().optional() }).optional(),
  /** From the nth matching request on, from 1; without `times` only that one. */
  nth: z.int().min(1).optional(),
  /** For each matching request; absent: always. */
  probability: z.number().min(0).max(1).optional(),
  /** Absent: without end (with `nth`: once). */
  times: z.int().min(1).optional(),
  action: faultAction,
});

export const faultRules = z.array(faultRule).max(1000);

export type FaultRule = z.input<typeof faultRule>;
export type FaultAction = FaultRule["action"];
export type FaultOf<Kind extends FaultAction["kind"]> = Extract<FaultAction, { kind: Kind }>;

/** All delays that fired, and the first other action. */
export interface Fault {
  action: Exclude<FaultAction, FaultOf<"delay">> | null;
  delays: FaultOf<"delay">[];
}

interface Armed {
  rule: FaultRule;
  seen: number;
  fired: number;
}

export type Faults = ReturnType<typeof faultsOf>;

export function faultsOf(given: readonly FaultRule[], givenSeed: number) {
  let armed: Armed[] = [];
  let random = seededRandom(givenSeed);

  function fires(one: Armed): boolean {
    const { nth, probability, times } = one.rule;
    one.seen += 1;
    // Drawn for every matching request, so that one rule never shifts another's chance.
    const lucky = probability === undefined || random() < probability;
    if (one.fired >= (times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1))) return false;
    return lucky && (nth === undefined || one.seen >= nth);
  }

  const faults = {
    /** Counting and chance start over. @throws z.ZodError */
    set(rules: readonly FaultRule[], seed = 1): void {
      armed = faultRules.parse(rules).map((rule) => ({ rule, seen: 0, fired: 0 }));
      random = seededRandom(seed);
    },

    /** With the number of matches and firings. */
    list: () => armed.map((one) => ({ ...one })),

    /** Counts the request. `template` null: an unknown path. */
    decide(method: string, template: string | null): Fault {
      const fault: Fault = { action: null, delays: [] };
      for (const one of armed) {
        if (!matches(one.rule, method, template) || !fires(one)) continue;
        const { action } = one.rule;
        if (action.kind === "delay") fault.delays.push(action);
        else if (fault.action === null) fault.action = action;
        else continue;
        one.fired += 1;
      }
      return fault;
    },
  };
  faults.set(given, givenSeed);
  return faults;
}

function matches({ match }: FaultRule, method: string, template: string | null): boolean {
  if (match?.method !== undefined && match.method !== method) return false;
  return match?.path === undefined || match.path === template;
}
