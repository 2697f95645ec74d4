/** Puts the sandbox together: a store, a clock, the rules, and the core over them. */
import { randomUUID } from "node:crypto";
import { inTimeOrder, realClock, uuidsFrom } from "./clock.js";
import type { Context } from "./context.js";
import { Control } from "./control.js";
import { Core } from "./core.js";
import type { DumpOptions } from "./dump.js";
import { type FaultRule, Faults } from "./faults.js";
import { Inspection } from "./inspection.js";
import { Limiter } from "./limiter.js";
import type { SandboxAddress, SandboxServer } from "./http.js";
import { MemoryStore } from "./memory-store.js";
import { defaultCredentials, type SandboxOptions, type SandboxSettings, settingsOf } from "./options.js";
import type { SandboxRequest, SandboxResponse } from "./request.js";
import { ruleGuard } from "./rules.js";
import { SqliteStore } from "./sqlite-store.js";
import { RequestLog } from "./statistics.js";
import { Tokens } from "./tokens.js";

export interface Sandbox {
  readonly settings: Readonly<SandboxSettings>;
  /** Answers one request in process. Never rejects; faults such as a dropped connection are in the result. */
  inject(request: SandboxRequest): Promise<SandboxResponse>;
  /** Serves over HTTP, once. `port` 0 or left out: any free one. */
  listen(options?: { host?: string; port?: number }): Promise<SandboxAddress>;
  /** Typed reads of what is kept. */
  readonly store: Inspection;
  /** Every timeline as stable text for diffs. */
  dump(options?: DumpOptions): string;
  /** Replaces all fault rules; counting starts over. @throws z.ZodError for a malformed rule */
  setFaults(rules: readonly FaultRule[], seed?: number): void;
  /** ms that the service's clock is ahead of the injected one. */
  setClockOffset(ms: number): void;
  /** Expires every token that is good now; gives their number. */
  expireTokens(): number;
  /** Stops serving and frees the store's file. Safe to call twice. */
  close(): Promise<void>;
}

/** @throws RangeError for an option out of its range; whatever SQLite says of a file that it cannot open. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = settingsOf(options);
  const clock = options.clock ?? realClock;
  const newUuid = options.random === undefined ? randomUUID : uuidsFrom(options.random);
  const newId = () => inTimeOrder(newUuid(), clock.now());
  const rule = ruleGuard(options.mutations ?? []);
  const store =
    options.storage === undefined || options.storage === "memory"
      ? new MemoryStore()
      : new SqliteStore(options.storage.file);
  const context: Context = { settings, store, rule, newId, now: () => clock.now() + settings.clockOffset };
  const credentials = options.credentials ?? defaultCredentials;
  const tokens = new Tokens({ credentials, store, clock, newToken: newUuid, rule, tokenTtl: settings.tokenTtl });
  const faults = new Faults(options.faults ?? [], options.seed ?? 1);
  const log = new RequestLog(settings.requestLog);
  const inspection = new Inspection(store, log);
  const setClockOffset = (ms: number) => {
    settings.clockOffset = ms;
  };
  const control = new Control({
    faults,
    tokens,
    inspection,
    offset: { get: () => settings.clockOffset, set: setClockOffset },
  });
  const limiter = settings.rate === null ? null : new Limiter(settings.rate, settings.burst, rule);
  const core = new Core({ context, clock, tokens, limiter, faults, log, control });
  let server: SandboxServer | null = null;
  return {
    settings,
    inject: (request) => core.handle(request),
    async listen(listenOptions = {}) {
      // Loaded here: whoever only injects never pays for an HTTP framework.
      const { serve } = await import("./http.js");
      if (server !== null) throw new Error("The sandbox is listening already.");
      server = await serve(core, { maxBytes: settings.maxBytes, ...listenOptions });
      return server.address;
    },
    store: inspection,
    dump: (dumpOptions) => inspection.dump(dumpOptions),
    setFaults: (rules, seed) => faults.set(rules, seed),
    setClockOffset,
    expireTokens: () => tokens.expire(),
    async close() {
      await server?.close();
      server = null;
      store.close();
    },
  };
}
