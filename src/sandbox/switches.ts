/**
 * The sandbox's switches, one for each reading of an open point (docs/explanation/open-points.md): settings, defaults
 * and flags in one table.
 */
import type { SandboxClock, SandboxRandom } from "./clock.js";
import type { FaultRule } from "./faults.js";

export interface Switch<Value = string | number | boolean | null> {
  /** Null: off, or absent. */
  default: Value;
  description: string;
  choices?: readonly string[];
  /** A number that may be null. */
  mayBeOff?: boolean;
}

const onOff = (description: string): Switch<boolean> => ({ default: false, description });
const number = (usual: number, description: string): Switch<number> => ({ default: usual, description });
const limit = (usual: number | null, description: string): Switch<number | null> => ({
  default: usual,
  description,
  mayBeOff: true,
});
/** The first choice is the default. */
const choice = <Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
  description: string,
): Switch<Choice> => ({
  default: choices[0],
  description,
  choices,
});

export const switches = {
  rate: limit(20, "requests per second and client; off: no limit"),
  burst: number(30, "requests that may come at once"),
  twinParticipants: onOff("a second participant of one natural key is registered instead of refused"),
  strictAddresses: onOff("addresses take the six create fields only"),
  partialBatches: onOff("a refused batch keeps what came before the failing event"),
  emptyBatch: choice(["take", "refuse"], "a batch without events"),
  maxEvents: limit(null, "most events of a batch; more is answered 413"),
  maxBytes: number(10 * 1024 * 1024, "longest body in bytes; longer is answered 413"),
  linkTime: choice(
    ["event", "server"],
    "when back-references, propagated copies and a target's first event take place",
  ),
  earlyMirrors: choice(
    ["move", "refuse"],
    "a back-reference before the related document's last event: written at that event's time, or its link refused",
  ),
  closedMirrors: choice(["write", "refuse"], "a back-reference on a closed document"),
  selfRelation: choice(["take", "refuse"], "a RELATED event that points at its own document"),
  propagatedClose: choice(
    ["copy", "close", "refuse"],
    "a CLOSE or CANCEL with propagateEvent: copied only, ending the related documents too, or refused",
  ),
  propagateToTargets: onOff("a document's propagated events reach its targets too"),
  blankReason: choice(["take", "refuse"], "a CANCEL whose reason is blanks"),
  inlineDiffers: choice(
    ["use", "refuse"],
    "an inline participant or address that differs from the registered one: the registered one is used, or it is refused",
  ),
  identityFields: choice(
    ["shared", "all"],
    "what must agree where a request names one identity twice: the fields that both carry, or all",
  ),
  addressOwner: choice(
    ["any", "participant"],
    "whose addressId an event may name: any participant's, or its own participant's only",
  ),
  foreign: choice(["use", "refuse"], "whether participants of another dataset may be referenced and given addresses"),
  checks: choice(
    ["duplicate-first", "order-first"],
    "whether a repeated key is noticed before or after time and lifecycle",
  ),
  keyScope: choice(["integrator", "document"], "within what an event's deduplicationId must be unique"),
  sharedKeys: onOff("a document's own deduplicationId is taken for events too"),
  uniqueExternalId: onOff("a second document of one externalId is refused"),
  terseErrors: onOff("errors carry code, id and timestamp, and no message"),
  retryAfter: onOff("a Retry-After header on 429 and 503"),
  pageSize: limit(null, "most addresses of one answer"),
  tokenTtl: number(3600, "how long a token is good for, in seconds"),
  clockOffset: number(0, "how far the service's clock is ahead, in ms"),
  seed: number(1, "seed of the faults' chance"),
};

type Switches = typeof switches;
export type SandboxSettings = { [Name in keyof Switches]: Switches[Name]["default"] };

/** An API client. Clients of one dataset share records; clients of one integrator share deduplicationIds. */
export interface SandboxCredential {
  clientId: string;
  clientSecret: string;
  dataset: string;
  /** Default: the dataset. */
  integrator?: string;
  /** Allowed scopes; absent: any. */
  scopes?: string[];
}

export interface SandboxOptions extends Partial<SandboxSettings> {
  /** `memory` (default) or an SQLite file, made if missing. */
  storage?: "memory" | { file: string };
  /** Default: `sandbox`/`sandbox` in dataset `sandbox`, `second`/`second` in dataset `second`. */
  credentials?: SandboxCredential[];
  clock?: SandboxClock;
  /** For generated ids. */
  random?: SandboxRandom;
  faults?: FaultRule[];
  /** The newest so many; default 10,000. */
  requestLog?: number;
}

export const defaultCredentials: readonly SandboxCredential[] = ["sandbox", "second"].map((name) => ({
  clientId: name,
  clientSecret: name,
  dataset: name,
}));

/** May be 0 or less. */
const SIGNED: readonly string[] = ["clockOffset", "seed"];

/** With defaults. @throws RangeError naming an option out of range. */
export function settingsOf(options: SandboxOptions): SandboxSettings {
  const settings = Object.entries(switches).map(([name, { default: usual }]) => {
    const value = options[name as keyof Switches];
    if (typeof value === "number" && !(value > 0) && !SIGNED.includes(name)) {
      throw new RangeError(`${name} must be greater than 0, not ${value}.`);
    }
    return [name, value === undefined ? usual : value];
  });
  return Object.fromEntries(settings) as SandboxSettings;
}
