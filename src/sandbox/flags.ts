/** The sandbox's options as a command line offers them: plain data, and the way from given texts to options. */
import { defaultSettings, type SandboxOptions, type SandboxSettings } from "./options.js";

export interface FlagDescription {
  /** The option that it sets. */
  name: keyof SandboxSettings | "storage" | "seed";
  /** As commander writes it: `--max-events <n>`; without `<…>` a switch. */
  flag: string;
  kind: "switch" | "number" | "choice" | "file";
  /** Of a `choice`. */
  choices?: readonly string[];
  /** Whether `off` is accepted as well, for null. */
  mayBeOff?: boolean;
  /** Null: off, or not given. */
  default: string | number | boolean | null;
  description: string;
}

const { rate, burst, tokenTtl, maxBytes } = defaultSettings;

export const sandboxFlags: readonly FlagDescription[] = [
  {
    name: "storage",
    flag: "--store <file>",
    kind: "file",
    default: null,
    description: "keep everything in this SQLite file (default: in memory)",
  },
  {
    name: "rate",
    flag: "--rate <n>",
    kind: "number",
    mayBeOff: true,
    default: rate,
    description: "requests per second and client; off: no limit",
  },
  { name: "burst", flag: "--burst <n>", kind: "number", default: burst, description: "requests that may come at once" },
  {
    name: "twinParticipants",
    flag: "--twin-participants",
    kind: "switch",
    default: false,
    description: "a second participant of one natural key is registered instead of refused",
  },
  {
    name: "strictAddresses",
    flag: "--strict-addresses",
    kind: "switch",
    default: false,
    description: "addresses take the six create fields only",
  },
  {
    name: "partialBatches",
    flag: "--partial-batches",
    kind: "switch",
    default: false,
    description: "a refused batch keeps what came before the failing event",
  },
  {
    name: "maxEvents",
    flag: "--max-events <n>",
    kind: "number",
    mayBeOff: true,
    default: null,
    description: "most events of a batch; more is answered 413",
  },
  {
    name: "maxBytes",
    flag: "--max-bytes <n>",
    kind: "number",
    default: maxBytes,
    description: "longest body in bytes; longer is answered 413",
  },
  {
    name: "linkTime",
    flag: "--link-time <when>",
    kind: "choice",
    choices: ["event", "server"],
    default: "event",
    description: "when back-references, propagated copies and a target's first event take place",
  },
  {
    name: "earlyMirrors",
    flag: "--early-mirrors <choice>",
    kind: "choice",
    choices: ["move", "refuse"],
    default: "move",
    description:
      "a back-reference before the related document's last event: written at that event's time, or its link refused",
  },
  {
    name: "tokenTtl",
    flag: "--token-ttl <seconds>",
    kind: "number",
    default: tokenTtl,
    description: "how long a token is good for",
  },
  {
    name: "checks",
    flag: "--checks <order>",
    kind: "choice",
    choices: ["duplicate-first", "order-first"],
    default: "duplicate-first",
    description: "whether a repeated key is noticed before or after time and lifecycle",
  },
  {
    name: "keyScope",
    flag: "--key-scope <scope>",
    kind: "choice",
    choices: ["integrator", "document"],
    default: "integrator",
    description: "within what an event's deduplicationId must be unique",
  },
  {
    name: "terseErrors",
    flag: "--terse-errors",
    kind: "switch",
    default: false,
    description: "errors carry code, id and timestamp, and no message",
  },
  {
    name: "retryAfter",
    flag: "--retry-after",
    kind: "switch",
    default: false,
    description: "a Retry-After header on 429 and 503",
  },
  {
    name: "uniqueExternalId",
    flag: "--unique-external-id",
    kind: "switch",
    default: false,
    description: "a second document of one externalId is refused",
  },
  {
    name: "foreign",
    flag: "--foreign <choice>",
    kind: "choice",
    choices: ["use", "refuse"],
    default: "use",
    description: "whether participants of another dataset may be referenced and given addresses",
  },
  {
    name: "pageSize",
    flag: "--page-size <n>",
    kind: "number",
    mayBeOff: true,
    default: null,
    description: "most addresses of one answer",
  },
  {
    name: "clockOffset",
    flag: "--clock-offset <ms>",
    kind: "number",
    default: 0,
    description: "how far the service's clock is ahead",
  },
  { name: "seed", flag: "--seed <n>", kind: "number", default: 1, description: "seed of the faults' chance" },
];

/** What commander calls the value of a flag: `--max-events <n>` gives `maxEvents`. */
export function attributeOf({ flag }: FlagDescription): string {
  const [long = ""] = flag.replace(/^--/, "").split(" ");
  return long.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Options from what was given on a command line, by `attributeOf`; what is missing or undefined stays at its default.
 * @throws RangeError naming the flag and what it accepts.
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
  if (kind === "file") return { file: text };
  if (kind === "choice") {
    if (choices?.includes(text) !== true)
      throw new RangeError(`${flag}: ${text} is not one of ${choices?.join(", ")}.`);
    return text;
  }
  if (mayBeOff === true && text === "off") return null;
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new RangeError(`${flag}: ${text} is not a number.`);
  return number;
}
