/** A service in a few lines, on a virtual clock: answers as scripted, notes what it was asked and when. */
import type { Target } from "../../../src/model/target.js";
import type { Answer, Call } from "../../../src/submit/call.js";
import { appendEvents, createParticipant } from "../../../src/submit/calls.js";
import { createSubmitter, type SubmitterOptions } from "../../../src/submit/submitter.js";
import { type Throttle, unthrottled } from "../../../src/submit/throttle.js";
import { TransportFailure, type TransportReply, type TransportRequest } from "../../../src/submit/transport.js";
import { VirtualClock } from "./virtual-clock.js";

export const target: Target = {
  name: "test",
  baseUrl: "https://service.test/v1",
  tokenUrl: "https://auth.test/token",
  clientId: "client",
  clientSecret: () => "s3cret-s3cret",
  scope: null,
  clientAuthentication: "basic",
  rate: 20,
  burst: 30,
  throttle: null,
  maxEventsPerRequest: 100,
  maxRequestBytes: 1024 * 1024,
  requestIdHeaders: [],
  ledgerPath: "",
  stateFolder: "",
};

/** One answer: a status with a body, or the failure of the connection. */
export type Scripted = { status: number; body?: unknown; headers?: Record<string, string> } | TransportFailure;

export interface Seen extends TransportRequest {
  at: number;
}

/** A call that matters to nobody, and one that is not repeated in doubt. */
export const append = appendEvents("{}");
/** Another one: an outage is of several calls. */
export const anAppend = (): Call => ({ ...append });
export const register = createParticipant({
  countryCode: "BR",
  name: "A",
  taxId: "1",
  taxIdType: "CNPJ",
  type: "COMPANY",
});

export interface ScriptedService {
  clock: VirtualClock;
  /** Requests to the service, in order. */
  requests: Seen[];
  tokenRequests: Seen[];
  transport: (request: TransportRequest) => Promise<TransportReply>;
  submitter: ReturnType<typeof createSubmitter>;
  /** Sends a call, as long as it takes. */
  send(call?: Call): Promise<Answer>;
  /** Sends calls at once, or so many appends. */
  sendAll(calls: readonly Call[] | number): Promise<Answer[]>;
  /** So many lanes send append after append, `pauseMs` apart, while the clock runs; results so far, or why they stopped. */
  lanes(count: number, calls: number, pauseMs?: number): { work: Promise<unknown>; results: string[] };
}

export interface ScriptedOptions {
  /** `index` counts requests to the service from 0. */
  answer: (request: Seen, index: number) => Scripted;
  /** Default: `token-1`, `token-2` … for an hour. */
  token?: (request: Seen, index: number) => Scripted;
  latencyMs?: number;
  options?: Partial<SubmitterOptions>;
}

/** A throttle that does nothing but this. */
export const throttleThat = (take: Throttle["take"]): { throttle: Throttle } => ({
  throttle: { ...unthrottled, take },
});

/** Whatever was asked. */
export const ok: Scripted = { status: 200, body: { id: "d1", documentId: "d1", eventId: "e1" } };

export function envelope(code: string, message?: string): unknown {
  return { errors: [{ code, id: "7", timestamp: "2026-11-20T02:00:00.000Z", ...(message ? { message } : {}) }] };
}

export function lost(kind: TransportFailure["kind"] = "reset"): TransportFailure {
  return new TransportFailure(kind, true, `${kind} in a test`);
}

export function unsent(kind: TransportFailure["kind"] = "connect-refused"): TransportFailure {
  return new TransportFailure(kind, false, `${kind} in a test`);
}

export function scriptedService({ answer, token, latencyMs = 0, options = {} }: ScriptedOptions): ScriptedService {
  const clock = new VirtualClock();
  const requests: Seen[] = [];
  const tokenRequests: Seen[] = [];
  const grant =
    token ?? ((_request: Seen, index: number): Scripted => ({ status: 200, body: tokenBody(index + 1, 3600) }));

  async function transport(request: TransportRequest): Promise<TransportReply> {
    const seen = { ...request, at: clock.now() };
    const isToken = request.url.startsWith(target.tokenUrl);
    const list = isToken ? tokenRequests : requests;
    const index = list.push(seen) - 1;
    if (latencyMs > 0) await clock.sleep(latencyMs);
    const scripted = isToken ? grant(seen, index) : answer(seen, index);
    if (scripted instanceof TransportFailure) throw scripted;
    const { status, body, headers = {} } = scripted;
    const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    return { status, headers: { date: new Date(clock.now()).toUTCString(), ...headers }, body: text };
  }

  const submitter = createSubmitter({
    target,
    clock,
    random: () => 0.5,
    transport,
    throttle: unthrottled,
    ...options,
  });
  const sendAll: ScriptedService["sendAll"] = (calls) =>
    clock.run(
      Promise.all(
        (typeof calls === "number" ? Array.from({ length: calls }, anAppend) : calls).map((call) =>
          submitter.send(call),
        ),
      ),
    );
  const lanes: ScriptedService["lanes"] = (count, calls, pauseMs = 0) => {
    const results: string[] = [];
    const lane = async () => {
      for (let call = 0; call < calls; call++) {
        const sent = await submitter.send(anAppend());
        results.push(sent.result === "stopped" ? sent.why : sent.result);
        if (pauseMs > 0) await clock.sleep(pauseMs);
      }
    };
    return { work: Promise.all(Array.from({ length: count }, lane)), results };
  };
  return {
    clock,
    requests,
    tokenRequests,
    transport,
    submitter,
    send: (call = anAppend()) => clock.run(submitter.send(call)),
    sendAll,
    lanes,
  };
}

export function tokenBody(number: number, expiresIn: number | null): unknown {
  const expiry = expiresIn === null ? {} : { expires_in: expiresIn };
  return { access_token: `token-${number}`, token_type: "bearer", ...expiry };
}
