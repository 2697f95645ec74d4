/**
 * The sandbox's options, with defaults, and a plain description of those that a command line can offer. Each switch stands
 * for one open point of the specification (the number is the one in open-points.md).
 */
import type { SandboxClock, SandboxRandom } from "./clock.js";
import type { FaultRule } from "./faults.js";
import type { RuleName } from "./rules.js";

/** One API client. Clients of one dataset share records; clients of one integrator share deduplicationIds. */
export interface SandboxCredential {
  clientId: string;
  clientSecret: string;
  dataset: string;
  /** Default: the dataset. */
  integrator?: string;
  /** Scopes it may ask for; left out: any. */
  scopes?: string[];
}

export interface SandboxSettings {
  /** Twins: a second POST of one natural key makes another participant instead of a 409 (2). */
  twinParticipants: boolean;
  /** Addresses take the six create fields only (4). */
  strictAddresses: boolean;
  /** A refused batch keeps what came before the failing event (9). */
  partialBatches: boolean;
  /** Most events of a batch; null: no limit. More is answered 413 (10). */
  maxEvents: number | null;
  /** Longest body in bytes; longer is answered 413 (10). */
  maxBytes: number;
  /** When a back-reference, a propagated copy or a target's first event takes place (11). */
  linkTime: "event" | "server";
  /** A mirror earlier than the related document's last event: written at the time of that event, or its link refused with 400 (32). */
  earlyMirrors: "move" | "refuse";
  /** Seconds that a token is good for (12). */
  tokenTtl: number;
  /** Whether a repeated key is noticed before or after time and lifecycle (19). */
  checks: "duplicate-first" | "order-first";
  /** Within what an event's deduplicationId must be unique (22). */
  keyScope: "integrator" | "document";
  /** Errors without a message: code, id and timestamp only (23). */
  terseErrors: boolean;
  /** A Retry-After header on 429 and 503 (17). */
  retryAfter: boolean;
  /** A second document with one externalId is answered 409 (26). */
  uniqueExternalId: boolean;
  /** Whether participants of another dataset may be referenced and given addresses; `refuse`: 403 (28). */
  foreign: "use" | "refuse";
  /** Most addresses of one answer; null: all (21). The rest is at `?page=2` and so on. */
  pageSize: number | null;
  /** Requests per second and API client; null: no limit (20). */
  rate: number | null;
  /** Requests that may come at once (20). */
  burst: number;
  /** Added to the clock, in ms: the service's time is ahead of (or behind) everybody else's. */
  clockOffset: number;
  /** How many requests the log keeps, the newest. */
  requestLog: number;
}

export interface SandboxOptions extends Partial<SandboxSettings> {
  /** `memory` (default) or an SQLite file, made when it is not there. */
  storage?: "memory" | { file: string };
  /** Default: `sandbox`/`sandbox` in dataset `sandbox`, `second`/`second` in dataset `second`. */
  credentials?: SandboxCredential[];
  clock?: SandboxClock;
  /** Source of generated ids. */
  random?: SandboxRandom;
  /** Faults from the start. */
  faults?: FaultRule[];
  /** Seed of the faults' own chance (default 1). */
  seed?: number;
  /** Test-only: rules that are switched off. */
  mutations?: Iterable<RuleName>;
}

export const defaultSettings: SandboxSettings = {
  twinParticipants: false,
  strictAddresses: false,
  partialBatches: false,
  maxEvents: null,
  maxBytes: 10 * 1024 * 1024,
  linkTime: "event",
  earlyMirrors: "move",
  tokenTtl: 3600,
  checks: "duplicate-first",
  keyScope: "integrator",
  terseErrors: false,
  retryAfter: false,
  uniqueExternalId: false,
  foreign: "use",
  pageSize: null,
  rate: 20,
  burst: 30,
  clockOffset: 0,
  requestLog: 10_000,
};

export const defaultCredentials: readonly SandboxCredential[] = [
  { clientId: "sandbox", clientSecret: "sandbox", dataset: "sandbox" },
  { clientId: "second", clientSecret: "second", dataset: "second" },
];

/** The settings in `options`, defaults filled in. @throws RangeError naming an option out of its range. */
export function settingsOf(options: SandboxOptions): SandboxSettings {
  const settings: SandboxSettings = { ...defaultSettings };
  for (const name of Object.keys(defaultSettings) as (keyof SandboxSettings)[]) {
    if (options[name] !== undefined) Object.assign(settings, { [name]: options[name] });
  }
  const positive = ["maxEvents", "maxBytes", "tokenTtl", "pageSize", "rate", "burst", "requestLog"] as const;
  for (const name of positive) {
    const value = settings[name];
    if (value !== null && !(value > 0)) throw new RangeError(`${name} must be greater than 0, not ${value}.`);
  }
  return settings;
}
