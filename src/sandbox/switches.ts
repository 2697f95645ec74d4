/**
 * The sandbox's switches, one for each reading of an open point (docs/explanation/open-points.md): settings, defaults
 * and descriptions in one table.
 */
import type { SandboxClock, SandboxRandom } from "./clock.js";
import type { FaultRule } from "./faults.js";

export interface Switch<Value> {
  /** What its flag takes, such as `<n>`; absent: nothing, because it is on or off. */
  takes?: string;
  choices?: readonly string[];
  /** `off` means null. */
  mayBeOff?: boolean;
  /** Null: off. */
  default: Value;
  description: string;
}

const onOff = (description: string): Switch<boolean> => ({ default: false, description });
const number = (value: number, description: string, takes = "<n>"): Switch<number> => ({
  takes,
  default: value,
  description,
});
const limit = (value: number | null, description: string): Switch<number | null> => ({
  takes: "<n>",
  mayBeOff: true,
  default: value,
  description,
});
/** The first choice is the default. */
const choice = <Choice extends string>(
  choices: readonly [Choice, ...Choice[]],
  description: string,
): Switch<Choice> => ({ takes: "<choice>", choices, default: choices[0], description });

export const switches = {
  rate: limit(20, "requests per second for each client; off: no limit"),
  burst: number(30, "requests accepted at once"),
  twinParticipants: onOff("register a second participant with the same natural key, instead of refusing it"),
  strictAddresses: onOff("accept only the six create fields of an address"),
  partialBatches: onOff("when a batch is refused, keep the events before the failing one"),
  emptyBatch: choice(["take", "refuse"], "whether to accept a batch without events"),
  maxEvents: limit(null, "maximum number of events in a batch; more gets a 413"),
  maxBytes: number(10 * 1024 * 1024, "maximum size of a body in bytes; more gets a 413"),
  linkTime: choice(
    ["event", "server"],
    "the time of back-references, propagated copies and a target's first event: the event's, or the server's",
  ),
  earlyMirrors: choice(
    ["move", "refuse"],
    "if a back-reference is earlier than the related document's last event: move it to that event's time, or refuse the link",
  ),
  closedMirrors: choice(["write", "refuse"], "whether to write a back-reference on a closed document"),
  selfRelation: choice(["take", "refuse"], "whether to accept a RELATED event that points at its own document"),
  propagatedClose: choice(
    ["copy", "close", "refuse"],
    "a CLOSE or CANCEL with propagateEvent: only copy it, close the related documents too, or refuse it",
  ),
  propagateToTargets: onOff("propagate a document's events to its targets, too"),
  blankReason: choice(["take", "refuse"], "whether to accept a CANCEL whose reason is blank"),
  inlineDiffers: choice(
    ["use", "refuse"],
    "if an inline participant or address differs from the registered one: use the registered one, or refuse the request",
  ),
  identityFields: choice(
    ["shared", "all"],
    "what must agree if a request names one identity twice: the fields that both have, or all fields",
  ),
  addressOwner: choice(
    ["any", "participant"],
    "whose addressId an event may name: any participant's, or only its own participant's",
  ),
  foreign: choice(["use", "refuse"], "whether participants of another dataset may be referenced and given addresses"),
  checks: choice(
    ["duplicate-first", "order-first"],
    "whether to check for a repeated key before or after time and lifecycle",
  ),
  keyScope: choice(["integrator", "document"], "the scope in which an event's deduplicationId must be unique"),
  sharedKeys: onOff("a document's own deduplicationId cannot be used for an event, either"),
  uniqueExternalId: onOff("refuse a second document with the same externalId"),
  terseErrors: onOff("leave the message out of errors; they keep code, id and timestamp"),
  retryAfter: onOff("send a Retry-After header with 429 and 503"),
  pageSize: limit(null, "maximum number of addresses in one answer"),
  tokenTtl: number(3600, "how long a token is valid", "<seconds>"),
  clockOffset: number(0, "how far the service's clock is ahead of this machine's", "<ms>"),
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
  /** For random faults; default 1. */
  seed?: number;
  /** The newest so many; default 10,000. */
  requestLog?: number;
}

export const defaultCredentials: readonly SandboxCredential[] = ["sandbox", "second"].map((name) => ({
  clientId: name,
  clientSecret: name,
  dataset: name,
}));

/** With defaults. @throws RangeError naming an option out of range. */
export function settingsOf(options: SandboxOptions): SandboxSettings {
  const settings = Object.entries(switches).map(([name, { default: usual }]) => {
    const value = options[name as keyof Switches];
    if (typeof value === "number" && name !== "clockOffset" && !(value > 0)) {
      throw new RangeError(`${name} must be greater than 0, not ${value}.`);
    }
    return [name, value === undefined ? usual : value];
  });
  return Object.fromEntries(settings) as SandboxSettings;
}
