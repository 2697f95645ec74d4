/** Composes the sandbox: store, clock, core. */
import { randomUUID } from "node:crypto";
import { tooLarge } from "./body.js";
import { inTimeOrder, realClock, uuidsFrom } from "./clock.js";
import { controlOf } from "./control.js";
import { coreOf } from "./core.js";
import { faultsOf } from "./faults.js";
import type { SandboxServer } from "./http.js";
import { inspectionOf, requestLog } from "./inspection.js";
import { limiterOf } from "./limiter.js";
import type { Context, Message, SandboxRequest } from "./request.js";
import { openStore } from "./store.js";
import { defaultCredentials, type SandboxOptions, type SandboxSettings, settingsOf } from "./switches.js";
import { tokensOf } from "./tokens.js";

export type Sandbox = ReturnType<typeof createSandbox>;

/** @throws RangeError for an option out of range; SQLite's error for a file that it cannot open. */
export function createSandbox(options: SandboxOptions = {}) {
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
  const faults = faultsOf(options.faults ?? [], settings.seed);
  const log = requestLog(options.requestLog ?? 10_000);
  const inspection = inspectionOf(store, log);
  const control = controlOf(settings, faults, tokens, inspection);
  const limiter = settings.rate === null ? null : limiterOf(settings.rate, settings.burst);
  const core = coreOf({ context, tokens, limiter, faults, log, control });
  let server: SandboxServer | null = null;
  return {
    settings: settings as Readonly<SandboxSettings>,
    /** Includes the key: `/_sandbox/…`. */
    controlPath: control.path,
    /** In process. Never rejects; faults such as a dropped connection are in the result. */
    inject: (request: SandboxRequest) => core(written(request, settings.maxBytes)),
    /** Serves over HTTP, once. `port` 0 or absent: any free one. `patience`: ms in which a request must arrive. */
    async listen(listenOptions: { host?: string; port?: number; patience?: number } = {}) {
      // Tests that only inject do not need it.
      const { serve } = await import("./http.js");
      if (server !== null) throw new Error("The sandbox is listening already.");
      server = await serve(core, { maxBytes: settings.maxBytes, controlPath: control.path, ...listenOptions });
      return server.address;
    },
    store: inspection,
    /** For diffs. */
    dump: inspection.dump,
    /** Counting starts over. @throws z.ZodError for a malformed rule */
    setFaults: faults.set,
    /** How far the service's clock is ahead of the injected one. */
    setClockOffset(ms: number): void {
      settings.clockOffset = ms;
    },
    /** @returns how many were good */
    expireTokens: () => tokens.expire(),
    /** Also frees the store's file. Safe to call twice. */
    async close(): Promise<void> {
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
