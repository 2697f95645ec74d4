/** What every endpoint works with, and who is calling. */
import type { SandboxSettings } from "./options.js";
import type { RuleGuard } from "./rules.js";
import type { Store } from "./store.js";

export interface Context {
  settings: SandboxSettings;
  store: Store;
  rule: RuleGuard;
  /** A generated id. */
  newId(): string;
  /** The service's time: the injected clock plus the clock offset. */
  now(): number;
}

export interface Caller {
  clientId: string;
  dataset: string;
  integrator: string;
}

export interface Call {
  caller: Caller;
  /** Identifiers of the path, decoded. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** The parsed body of a POST. */
  body: unknown;
}

/** An id that nothing in the store has, also when a seeded source of chance starts over on an old file. */
export function freshId(context: Context, taken: (id: string) => unknown): string {
  for (;;) {
    const id = context.newId();
    if (taken(id) === undefined) return id;
  }
}
