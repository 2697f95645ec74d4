/** Straight into the sandbox: no sockets, no waiting but the clock's. */
import { join } from "node:path";
import type { Clock } from "../../../src/model/clock.js";
import type { Target } from "../../../src/model/target.js";
import type { Sandbox } from "../../../src/sandbox/index.js";
import { type Transport, TransportFailure } from "../../../src/submit/transport.js";

export function sandboxTransport(sandbox: Sandbox, clock: Clock): Transport {
  return async ({ method, url, headers, body, timeouts }) => {
    const { pathname, search } = new URL(url);
    const answered = new AbortController();
    const reply = await Promise.race([
      sandbox.inject({
        method,
        path: pathname + search,
        headers,
        ...(body === undefined ? {} : { body }),
      }),
      clock.sleep(timeouts.headersMs, answered.signal),
    ]);
    // With a reason of its own: to make the usual one takes longer than the sandbox does to answer.
    answered.abort("answered");
    if (reply === undefined) throw new TransportFailure("headers-timeout", true, "no answer in time");
    if (reply.dropped) throw new TransportFailure("reset", true, "the connection was reset");
    if (reply.truncated) throw new TransportFailure("truncated", true, "the answer broke off");
    return { status: reply.status, headers: reply.headers, body: reply.body };
  };
}

/** A target whose ledger lies in this folder, at the real limit; what is sent to it goes into a sandbox. */
export const ofSandbox = (stateFolder: string): Target => ({
  name: "simulated",
  baseUrl: "https://service.test",
  tokenUrl: "https://service.test/oauth/token",
  clientId: "sandbox",
  clientSecret: () => "sandbox",
  scope: null,
  clientAuthentication: "basic",
  rate: 20,
  burst: 30,
  throttle: null,
  maxEventsPerRequest: 10,
  maxRequestBytes: 1 << 20,
  requestIdHeaders: ["x-request-id"],
  ledgerPath: join(stateFolder, "ledger.db"),
  stateFolder,
});
