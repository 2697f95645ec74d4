/** Composes the sandbox: store, clock, core. */
import { randomUUID } from "node:crypto";
import { tooLarge } from "./body.js";
import { inTimeOrder, realClock, uuidsFrom } from "./clock.js";
import { controlOf } from "./control.js";
import { coreOf } from "./core.js";
import type { DumpOptions } from "./dump.js";
import { type FaultRule, faultsOf } from "./faults.js";
import type { SandboxAddress, SandboxServer } from "./http.js";
import { type Inspection, inspectionOf, requestLog } from "./inspection.js";
import { limiterOf } from "./limiter.js";
import type { Context, Message, SandboxRequest, SandboxResponse } from "./request.js";
import { openStore } from "./store.js";
import { defaultCredentials, type SandboxOptions, type SandboxSettings, settingsOf } from "./switches.js";
import { tokensOf } from "./tokens.js";

export interface Sandbox {
  readonly settings: Readonly<SandboxSettings>;
  /** Includes the key: `/_sandbox/…`. */
  readonly controlPath: string;
  /** In process. Never rejects; faults such as a dropped connection are in the result. */
  inject(request: SandboxRequest): Promise<SandboxResponse>;
  /** Serves over HTTP, once. `port` 0 or absent: any free one. `patience`: ms in which a request must arrive. */
  listen(options?: { host?: string; port?: number; patience?: number }): Promise<SandboxAddress>;
  readonly store: Inspection;
  /** For diffs. */
  dump(options?: DumpOptions): string;
  /** Counting starts over. @throws z.ZodError for a malformed rule */
  setFaults(rules: readonly FaultRule[], seed?: number): void;
  /** How far the service's clock is ahead of the injected one. */
  setClockOffset(ms: number): void;
  /** @returns how many were good */
  expireTokens(): number;
  /** Also frees the store's file. Safe to call twice. */
  close(): Promise<void>;
}

/** @throws RangeError for an option out of range; SQLite's error for a file that it cannot open. */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = settingsOf(options);
  const { clock = realClock, storage = "memory", credentials = defaultCredentials, random } = options;
  const newUuid = random === undefined ? randomUUID : uuidsFrom(random);
  const store = openStore(storage === "memory" ? null : storage.file);
  const context: Context = {
    settings,
    store,
    clock,
    newId: () => inTimeOrder(newUuid(), clock.now()),
    now: () => clock.now() + settings.clockOffset,
  };
  const tokens = tokensOf(context, credentials, newUuid);
  const faults = faultsOf(options.faults ?? [], options.seed ?? 1);
  const log = requestLog(options.requestLog ?? 10_000);
  const inspection = inspectionOf(store, log);
  const control = controlOf(settings, faults, tokens, inspection);
  const limiter = settings.rate === null ? null : limiterOf(settings.rate, settings.burst);
  const core = coreOf({ context, tokens, limiter, faults, log, control });
  let server: SandboxServer | null = null;
  return {
    settings,
    controlPath: control.path,
    inject: (request) => core(written(request, settings.maxBytes)),
    async listen(listenOptions = {}) {
      // Tests that only inject do not need it.
      const { serve } = await import("./http.js");
      if (server !== null) throw new Error("The sandbox is listening already.");
      server = await serve(core, { maxBytes: settings.maxBytes, controlPath: control.path, ...listenOptions });
      return server.address;
    },
    store: inspection,
    dump: (dumpOptions) => inspection.dump(dumpOptions),
    setFaults: (rules, seed) => faults.set(rules, seed),
    setClockOffset: (ms) => {
      settings.clockOffset = ms;
    },
    expireTokens: () => tokens.expire(),
    async close() {
      await server?.close();
      server = null;
      store.close();
    },
  };
}

/** As it would be on the wire. */
function written({ method, path, headers = {}, body = "", signal }: SandboxRequest, maxBytes: number): Message {
  const isJson = typeof body !== "string" && !(body instanceof Uint8Array);
  const bytes = body instanceof Uint8Array ? body : Buffer.from(isJson ? JSON.stringify(body) : body);
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method: method.toUpperCase(),
    target: path,
    headers: { ...(isJson && { "content-type": "application/json" }), ...Object.fromEntries(named) },
    body: bytes,
    signal,
    refused: bytes.length > maxBytes ? tooLarge(`${maxBytes} bytes`) : undefined,
  };
}
