/**
 * Cases that only a sandbox can be asked: faults of every shape, what became of them in its own counts, and, with its clock standing still, the very instant and the very last token of a bucket.
 */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describeAnswer, items, member, type Answer } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import type { FaultRule } from "../control.js";
import { check, done, refused, STATE } from "../expect.js";
import type { ServiceUnderTest } from "../service.js";
import { newDocument, newParticipant } from "../world.js";

const SINGLE = { method: "POST", path: "/documents/{documentId}/events" };

/** Bytes as they are; the answer as text. */
function raw(service: ServiceUnderTest, text: string): Promise<string> {
  const { hostname, port } = new URL(service.options.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, "latin1"));
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}

/** An answer without what is another in each run. */
function plainly(service: ServiceUnderTest, { status, headers, text }: Answer): string {
  const words = service.nameless(text.replace(/"id":"[^"]*"/, '"id":…'));
  return `${status} ${headers["content-type"] ?? "untyped"} retry-after ${headers["retry-after"] ?? "none"}: ${words}`;
}

async function eventsOn(service: ServiceUnderTest, documentId: string): Promise<number> {
  return items(done(await service.get(`/documents/${documentId}`)).json, "events").length;
}

export const sandboxCases: ContractCase[] = [
  allows(
    "Sandbox: faults",
    "a fault of any status comes as an envelope, a gateway's words, a page, or nothing at all",
    async (service) => {
      const document = await newDocument(service);
      const bodies = [undefined, "envelope", "gateway", "html", "empty"] as const;
      const answers: string[] = [];
      for (const status of [400, 418, 429, 499, 500, 502, 503, 504]) {
        for (const body of bodies) {
          const retryAfter = body === "gateway" ? { retryAfter: 7 } : {};
          const action = { kind: "status", status, when: "before", ...(body && { body }), ...retryAfter } as const;
          await service.control.withFaults([{ times: 1, action }], async () => {
            answers.push(plainly(service, await service.get(`/documents/${document.id}`)));
          });
        }
      }
      return { reading: answers.join("\n") };
    },
    ["control"],
  ),
  allows(
    "Sandbox: faults",
    "a delay comes before the work or after it, as told; two add up",
    async (service) => {
      for (const [when, present] of [
        [undefined, 2],
        ["after", 2],
        ["before", 1],
      ] as const) {
        const seenInTime = async (ms: number): Promise<boolean> => {
          const document = await newDocument(service);
          const delay: FaultRule = { match: SINGLE, action: { kind: "delay", ms, ...(when && { when }) } };
          const request = { isUnderWay: true, isSeen: false };
          await service.control.withFaults([delay, delay], async () => {
            const start = performance.now();
            const sent = document.send(document.event(1)).finally(() => (request.isUnderWay = false));
            await sleep(30);
            while (request.isUnderWay && !request.isSeen) {
              const events = await eventsOn(service, document.id);
              request.isSeen = request.isUnderWay && events === present;
            }
            done(await sent);
            check(performance.now() - start > 2 * ms - 10, "the delays did not add up");
          });
          return request.isSeen;
        };
        // Where the machine sleeps through a delay nothing is seen in time: a longer one is tried.
        const isSeen = (await seenInTime(100)) || (await seenInTime(400)) || (await seenInTime(1_600));
        check(isSeen, `there were never ${present} events while it was waited ${when ?? "as usual"}`);
      }
    },
    ["control"],
  ),
  allows(
    "Sandbox: faults",
    "what befell the requests is counted",
    async (service) => {
      const document = await newDocument(service);
      const rules: FaultRule["action"][] = [
        { kind: "delay", ms: 1 },
        { kind: "truncate" },
        { kind: "drop", when: "before" },
        { kind: "status", status: 503, when: "after" },
        { kind: "pending-process" },
      ];
      const before = await service.control.statistics();
      const counts: string[] = [];
      let requests = 0;
      for (const action of rules) {
        await service.control.withFaults([{ match: SINGLE, times: 1, action }], async () => {
          // Asking for a token counts, too.
          await service.renewTokens();
          const event = document.event(1);
          const since = await service.control.statistics();
          await document.send(event).catch(() => undefined);
          const now = await service.control.statistics();
          requests += now.requests - since.requests;
          counts.push(`${action.kind} ${now.faults - before.faults} of ${requests}, ${now.rateLimited}`);
        });
      }
      await document.append(document.event(2));
      check((await service.control.statistics()).faults === before.faults + rules.length, "a fault out of nothing");
      return { reading: counts.join("; ") };
    },
    ["control"],
  ),
  allows(
    "Sandbox: faults",
    "an answer that is cut short ends half-way",
    async (service) => {
      const document = await newDocument(service);
      const path = `/documents/${document.id}`;
      const { text } = await service.get(path);
      const head = `host: x\r\nauthorization: Bearer ${await service.currentToken()}\r\nconnection: close\r\n\r\n`;
      await service.control.withFaults([{ times: 1, action: { kind: "truncate" } }], async () => {
        const answer = await raw(service, `GET ${path} HTTP/1.1\r\n${head}`);
        const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
        check(body === text.slice(0, Math.floor(text.length / 2)), `${body.length} of ${text.length} characters came`);
      });
    },
    ["control"],
  ),
  allows(
    "Sandbox: HTTP",
    "the description names the six schemas of events, and each shape that is sent",
    async (service) => {
      const { json } = done(await service.get("/openapi.json"));
      const text = JSON.stringify(json);
      const named = Object.keys(member(member(json, "components"), "schemas") as object).toSorted();
      return { reading: `${named.join(", ")}; ${text.split('"date-time"').length - 1} times` };
    },
    ["control"],
  ),

  allows(
    "Sandbox: HTTP",
    "a proxy's form of the target names the service too",
    async (service) => {
      const { id } = await newParticipant(service);
      const head = `authorization: Bearer ${await service.currentToken()}\r\nconnection: close\r\n\r\n`;
      for (const origin of ["", service.options.baseUrl, "HTTPS://elsewhere"]) {
        const answer = await raw(service, `GET ${origin}/participants/${id} HTTP/1.1\r\nhost: x\r\n${head}`);
        check(answer.startsWith("HTTP/1.1 200"), `${origin}: ${answer.slice(0, 300)}`);
      }
    },
    ["still-clock"],
  ),

  forbids(
    "Endpoints, Events 7",
    "an event at the very instant of its arrival is not before it; a millisecond earlier is",
    async (service) => {
      const document = await newDocument(service);
      const future = new Date(service.now() + 3_600_000).toISOString();
      const late = await document.send(document.event(future));
      refused(late, STATE);
      const now = Date.parse(String(member(items(late.json, "errors")[0], "timestamp")));
      refused(await document.send(document.event(new Date(now).toISOString())), STATE);
      await document.append(document.event(new Date(now - 1).toISOString()));
    },
    ["still-clock"],
  ),
  forbids(
    "Limits: burst",
    "at one instant just the burst passes, and not one more; a token later one does",
    async (service) => {
      const { burst = 0, rate = 1 } = service.options.limit ?? {};
      const path = `/participants/${service.unique("nobody")}`;
      const ask = async (fitting: 404 | 429, what: string, wait = 1 / rate) => {
        const answer = await service.get(path, { unpaced: true });
        check(answer.status === fitting, `${what}: ${describeAnswer(answer)}`);
        const { "retry-after": told = Math.ceil(wait) } = answer.headers;
        check(Number(told) === Math.ceil(wait), `${what}: retry-after ${told} instead of ${Math.ceil(wait)}`);
      };
      for (let sent = 0; sent < burst + 5; sent += 1)
        await ask(sent < burst ? 404 : 429, `number ${sent + 1} of a burst of ${burst}`);
      // A token is there when its time has passed, and not a millisecond before.
      const interval = Math.round(1000 / rate);
      service.advance(interval - 1);
      await ask(429, "a millisecond before a token is there", 0.001);
      service.advance(1);
      await ask(404, "when a token is there");
      await ask(429, "behind it");
    },
    ["still-clock", "rate-limit"],
  ),
];
