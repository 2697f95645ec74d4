/** Faults on purpose: a list of rules, reproducible by counting and by a seeded chance of their own. */
import { z } from "zod";
import { seededRandom } from "./clock.js";

const when = z.enum(["before", "after"]);

/** `before`: nothing is carried out; `after`: carried out and durable, then the fault. */
export const faultAction = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("status"),
    status: z.int().min(400).max(599),
    when,
    /** Default: `envelope` below 500, `gateway` from there on. */
    body: z.enum(["envelope", "gateway", "html", "empty"]).optional(),
    /** Seconds, for a Retry-After header. */
    retryAfter: z.int().min(0).optional(),
  }),
  z.strictObject({ kind: z.literal("drop"), when }),
  /** Carried out and durable, then half of the answer. */
  z.strictObject({ kind: z.literal("truncate") }),
  /** A slow answer: carried out, then `ms` of waiting; with `before` the waiting comes first. */
  z.strictObject({ kind: z.literal("delay"), ms: z.number().min(0), when: when.optional() }),
  /** 409 PENDING_PROCESS_CONFLICT_ERROR; nothing is carried out. */
  z.strictObject({ kind: z.literal("pending-process") }),
  /** The token of this request is expired from now on. */
  z.strictObject({ kind: z.literal("expire-token") }),
]);

export const faultRule = z.strictObject({
  /** Left out: every request. `path` is a template such as `/documents/events` or `/oauth/token`. */
  match: z.strictObject({ method: z.enum(["GET", "POST"]).optional(), path: z.string().optional() }).optional(),
  /** From the nth matching request on, counted from 1 since the rules were set; without `times` that one only. */
  nth: z.int().min(1).optional(),
  /** Of each matching request; left out: always. */
  probability: z.number().min(0).max(1).optional(),
  /** How often at most; left out: without end (with `nth`: once). */
  times: z.int().min(1).optional(),
  action: faultAction,
});

export const faultRules = z.array(faultRule).max(1000);

export type FaultRule = z.input<typeof faultRule>;
export type FaultAction = FaultRule["action"];
export type FaultOf<Kind extends FaultAction["kind"]> = Extract<FaultAction, { kind: Kind }>;

/** What happens to one request: all delays that fired, and of the other actions the first rule's. */
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
    // Drawn for every matching request, so that what one rule does never shifts the chance of the next.
    const lucky = probability === undefined || random() < probability;
    if (one.fired >= (times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1))) return false;
    return lucky && (nth === undefined || one.seen >= nth);
  }

  const faults = {
    /** Replaces all rules; counting and chance start over. @throws z.ZodError */
    set(rules: readonly FaultRule[], seed = 1): void {
      armed = faultRules.parse(rules).map((rule) => ({ rule, seen: 0, fired: 0 }));
      random = seededRandom(seed);
    },

    /** The rules with how many requests each has matched and how often it has fired. */
    list: () => armed.map((one) => ({ ...one })),

    /** Counts the request. `template` is null for a path that the service does not know. */
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
