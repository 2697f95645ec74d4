/**
 * The sandbox's switches, one for each reading of an open point (docs/explanation/open-points.md): settings, defaults
 * and flags in one table.
 */
import type { SandboxClock, SandboxRandom } from "./clock.js";
import type { FaultRule } from "./faults.js";

interface Switch<Value> {
  /** For commander: `--max-events <n>`; without `<…>`, an on/off flag. */
  flag: string;
  kind: "switch" | "number" | "choice";
  choices?: readonly string[];
  /** `off` means null. */
  mayBeOff?: boolean;
  /** Null: off, or absent. */
  default: Value;
  description: string;
}

const onOff = (flag: string, description: string): Switch<boolean> => ({
  flag,
  kind: "switch",
  default: false,
  description,
});
const number = (flag: string, value: number, description: string): Switch<number> => ({
  flag,
  kind: "number",
  default: value,
  description,
});
const limit = (flag: string, value: number | null, description: string): Switch<number | null> => ({
  flag,
  kind: "number",
  mayBeOff: true,
  default: value,
  description,
});
/** The first choice is the default. */
const choice = <Choice extends string>(
  flag: string,
  choices: readonly [Choice, ...Choice[]],
  description: string,
): Switch<Choice> => ({ flag: `${flag} <choice>`, kind: "choice", choices, default: choices[0], description });

export const switches = {
  rate: limit("--rate <n>", 20, "requests per second for each client; off: no limit"),
  burst: number("--burst <n>", 30, "requests accepted at once"),
  twinParticipants: onOff(
    "--twin-participants",
    "register a second participant with the same natural key, instead of refusing it",
  ),
  strictAddresses: onOff("--strict-addresses", "accept only the six create fields of an address"),
  partialBatches: onOff("--partial-batches", "when a batch is refused, keep the events before the failing one"),
  emptyBatch: choice("--empty-batch", ["take", "refuse"], "whether to accept a batch without events"),
  maxEvents: limit("--max-events <n>", null, "maximum number of events in a batch; more gets a 413"),
  maxBytes: number("--max-bytes <n>", 10 * 1024 * 1024, "maximum size of a body in bytes; more gets a 413"),
  linkTime: choice(
    "--link-time",
    ["event", "server"],
    "the time of back-references, propagated copies and a target's first event: the event's, or the server's",
  ),
  earlyMirrors: choice(
    "--early-mirrors",
    ["move", "refuse"],
    "if a back-reference is earlier than the related document's last event: move it to that event's time, or refuse the link",
  ),
  closedMirrors: choice(
    "--closed-mirrors",
    ["write", "refuse"],
    "whether to write a back-reference on a closed document",
  ),
  selfRelation: choice(
    "--self-relation",
    ["take", "refuse"],
    "whether to accept a RELATED event that points at its own document",
  ),
  propagatedClose: choice(
    "--propagated-close",
    ["copy", "close", "refuse"],
    "a CLOSE or CANCEL with propagateEvent: only copy it, close the related documents too, or refuse it",
  ),
  propagateToTargets: onOff("--propagate-to-targets", "propagate a document's events to its targets, too"),
  blankReason: choice("--blank-reason", ["take", "refuse"], "whether to accept a CANCEL whose reason is blank"),
  inlineDiffers: choice(
    "--inline-differs",
    ["use", "refuse"],
    "if an inline participant or address differs from the registered one: use the registered one, or refuse the request",
  ),
  identityFields: choice(
    "--identity-fields",
    ["shared", "all"],
    "what must agree if a request names one identity twice: the fields that both have, or all fields",
  ),
  addressOwner: choice(
    "--address-owner",
    ["any", "participant"],
    "whose addressId an event may name: any participant's, or only its own participant's",
  ),
  foreign: choice(
    "--foreign",
    ["use", "refuse"],
    "whether participants of another dataset may be referenced and given addresses",
  ),
  checks: choice(
    "--checks",
    ["duplicate-first", "order-first"],
    "whether to check for a repeated key before or after time and lifecycle",
  ),
  keyScope: choice(
    "--key-scope",
    ["integrator", "document"],
    "the scope in which an event's deduplicationId must be unique",
  ),
  sharedKeys: onOff("--shared-keys", "a document's own deduplicationId cannot be used for an event, either"),
  uniqueExternalId: onOff("--unique-external-id", "refuse a second document with the same externalId"),
  terseErrors: onOff("--terse-errors", "leave the message out of errors; they keep code, id and timestamp"),
  retryAfter: onOff("--retry-after", "send a Retry-After header with 429 and 503"),
  pageSize: limit("--page-size <n>", null, "maximum number of addresses in one answer"),
  tokenTtl: number("--token-ttl <seconds>", 3600, "how long a token is valid"),
  clockOffset: number("--clock-offset <ms>", 0, "how far the service's clock is ahead of this machine's"),
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
  /** For the faults; default 1. */
  seed?: number;
  /** The newest so many; default 10,000. */
  requestLog?: number;
}

export const defaultCredentials: readonly SandboxCredential[] = ["sandbox", "second"].map((name) => ({
  clientId: name,
  clientSecret: name,
  dataset: name,
}));

export const defaultSettings = Object.fromEntries(
  Object.entries(switches).map(([name, { default: value }]) => [name, value]),
) as SandboxSettings;

/** With defaults. @throws RangeError naming an option out of range. */
export function settingsOf(options: SandboxOptions): SandboxSettings {
  const settings: SandboxSettings = { ...defaultSettings };
  for (const name of Object.keys(switches) as (keyof Switches)[]) {
    const value = options[name];
    if (value === undefined) continue;
    if (typeof value === "number" && name !== "clockOffset" && !(value > 0)) {
      throw new RangeError(`${name} must be greater than 0, not ${value}.`);
    }
    Object.assign(settings, { [name]: value });
  }
  return settings;
}

export interface FlagDescription extends Switch<string | number | boolean | null> {
  name: keyof SandboxSettings | "seed";
}

export const sandboxFlags: readonly FlagDescription[] = [
  ...(Object.keys(switches) as (keyof Switches)[]).map((name) => ({ name, ...switches[name] })),
  { name: "seed", ...number("--seed <n>", 1, "seed for random faults") },
];

/** Commander's name for the flag's value: `--max-events <n>` gives `maxEvents`. */
export function attributeOf({ flag }: { flag: string }): string {
  const [long = ""] = flag.replace(/^--/, "").split(" ");
  return long.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * `given`: by `attributeOf`; missing values keep their defaults. @throws RangeError naming the flag and what it
 * accepts.
 */
export function optionsFromFlags(given: Readonly<Record<string, unknown>>): SandboxOptions {
  const options: Record<string, unknown> = {};
  for (const description of sandboxFlags) {
    const value = given[attributeOf(description)];
    if (value !== undefined && value !== null) options[description.name] = converted(description, value);
  }
  return options;
}

function converted({ kind, flag, choices, mayBeOff }: FlagDescription, value: unknown): unknown {
  if (kind === "switch") return value === true || value === "true";
  const text = String(value);
  if (choices !== undefined) {
    if (!choices.includes(text)) throw new RangeError(`${flag}: ${text} is not one of ${choices.join(", ")}.`);
    return text;
  }
  if (mayBeOff === true && text === "off") return null;
  const amount = Number(text);
  if (text.trim() === "" || !Number.isFinite(amount)) throw new RangeError(`${flag}: ${text} is not a number.`);
  return amount;
}
