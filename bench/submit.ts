/**
 * The whole submitter (undici, token, throttle, retry, lanes) against a service in another process that keeps an exact
 * token bucket, with up to 100 ms of jitter on the way there: time against (requests − burst) / rate, 429s, and CPU per
 * request. Run alone: `npx tsx bench/submit.ts [requests, default 2400] [rate, default 200] [burst, default 300]`.
 * 12,000 requests at 200/s stand for 1,200 at 20/s (DESIGN section 10); a shorter run pays for the unused part of the
 * burst (0.2 s) with a larger share of its time.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../src/model/clock.js";
import type { Target } from "../src/model/target.js";
import { appendEvents } from "../src/submit/calls.js";
import { createSubmitter } from "../src/submit/submitter.js";
import { createLanes, MOST_LANES } from "../src/submit/lanes.js";
import type { Transport } from "../src/submit/transport.js";
import { createUndiciTransport } from "../src/submit/undici-transport.js";
import { seededRandom } from "../src/sandbox/clock.js";
import { figure } from "./harness.js";

const jitterMs = 100;

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** The service: grants tokens, refuses what its bucket does not hold. */
function serve(rate: number, burst: number): void {
  let level = burst;
  let at = Date.now();
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (request.url === "/token")
        return answer(response, 200, { access_token: "t", token_type: "bearer", expires_in: 3600 });
      const now = Date.now();
      level = Math.min(burst, level + ((now - at) / 1000) * rate);
      at = now;
      if (level < 1) return answer(response, 429, { errors: [{ code: "RATE_LIMIT", id: "1", timestamp: "" }] });
      level -= 1;
      answer(response, 201, { documentId: "d", events: [{ eventId: "e" }] });
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

async function bench(requests: number, rate: number, burst: number): Promise<void> {
  const child = fork(import.meta.filename, ["serve", String(rate), String(burst)], { execArgv: ["--import", "tsx"] });
  const [port] = (await once(child, "message")) as [number];
  const target: Target = {
    name: "bench",
    baseUrl: `http://127.0.0.1:${port}`,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    clientId: "c",
    clientSecret: () => "secret",
    scope: null,
    clientAuthentication: "basic",
    rate,
    burst,
    throttle: null,
    maxEventsPerRequest: 100,
    maxRequestBytes: 1024 * 1024,
    requestIdHeaders: [],
    ledgerPath: "",
    stateFolder: "",
  };
  const random = seededRandom(7);
  const undici = createUndiciTransport({ environment: {} });
  const delayed: Transport = async (request) => {
    await wait(random() * jitterMs);
    return undici(request);
  };
  const submitter = createSubmitter({ target, clock: systemClock, random, transport: delayed });
  const body = JSON.stringify({ documentId: "d", events: [{ name: "Pick-up", deduplicationId: "k".repeat(40) }] });

  const cpu = process.cpuUsage();
  const begun = performance.now();
  const lanes = createLanes(MOST_LANES);
  let accepted = 0;
  for (let document = 0; document < requests; document++)
    await lanes.add(async () => {
      const { result } = await submitter.send(appendEvents(body));
      if (result === "accepted") accepted++;
    });
  await lanes.settled();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await submitter.close();
  await undici.close?.();
  child.disconnect();
  child.kill();

  const least = (requests - burst) / rate;
  // The first access token, the last answer and the unused part of the burst cost half a second, however long the run.
  const goal = Math.max(1.01, 1.001 + 0.55 / least);
  const reached = seconds / least <= goal && submitter.counts.rateLimited === 0 && accepted === requests;
  figure(
    reached,
    `${requests} requests at ${rate}/s, burst ${burst}, jitter ${jitterMs} ms: ` +
      `${seconds.toFixed(2)} s = ${(seconds / least).toFixed(4)} × (requests − burst)/rate (${least.toFixed(2)} s), ` +
      `goal ≤ ${goal.toFixed(3)}; accepted ${accepted}, 429s ${submitter.counts.rateLimited}; ` +
      `CPU ${((user + system) / 1000 / requests).toFixed(2)} ms a request`,
  );
}

const [first = "2400", second = "200", third = "300"] = process.argv.slice(2);
if (first === "serve") serve(Number(second), Number(third));
else await bench(Number(first), Number(second), Number(third));
