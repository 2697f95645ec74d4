/**
 * Cases of Limits: the sustained rate, the burst, and what lies beyond; sizes are open (open point 10).
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../answer.js";
import { describeAnswer, items } from "../answer.js";
import type { ContractCase } from "../case.js";
import { allows, forbids } from "../case.js";
import { PAYLOAD, check, done, envelope, refused, doneOrRefused } from "../expect.js";
import { requestIdOf } from "./errors.js";
import type { Caller, ServiceUnderTest } from "../service.js";
import { dayAgo, documentFields, eventFields, newDocument, newParticipant, newPlace } from "../world.js";

const TOO_LARGE = [413, ...PAYLOAD];

/** Sends so many registrations at once, each refused for its payload where the limit lets it pass. */
function floodOfWrites(service: ServiceUnderTest, count: number) {
  return Promise.all(Array.from({ length: count }, () => service.post("/participants", {}, { unpaced: true })));
}

/** Sends so many reads at once. */
function flood(service: ServiceUnderTest, count: number, path: string, as: Caller = "first") {
  return Promise.all(Array.from({ length: count }, () => service.get(path, { unpaced: true, as })));
}

function limitOf(service: ServiceUnderTest) {
  const { limit } = service.options;
  if (!limit) throw new Error("the case uses the limiter without declaring that it needs it");
  return limit;
}

const passed = (answers: readonly Answer[]) => answers.filter((answer) => answer.status === 200).length;

/** Empties the first client's bucket and returns the answers with the seconds they took. */
async function emptied(service: ServiceUnderTest, path: string) {
  const { burst } = limitOf(service);
  await service.rest();
  const start = performance.now();
  const answers = await flood(service, 3 * burst, path);
  service.emptied();
  return { answers, seconds: (performance.now() - start) / 1000 };
}

export const limitCases: ContractCase[] = [
  allows(
    "Limits: burst",
    "a burst just below the limit passes after a rest",
    async (service) => {
      const { id } = await newParticipant(service);
      await service.rest();
      const answers = await flood(service, limitOf(service).burst - 2, `/participants/${id}`);
      service.emptied();
      for (const answer of answers) done(answer);
    },
    ["rate-limit"],
  ),
  forbids(
    "Limits: burst",
    "of three bursts at once no more than one passes, and what the rate yields meanwhile",
    async (service) => {
      const { id } = await newParticipant(service);
      const { rate, burst } = limitOf(service);
      const { answers, seconds } = await emptied(service, `/participants/${id}`);
      const most = burst + rate * seconds + 2;
      check(
        passed(answers) <= most,
        `${passed(answers)} of ${answers.length} passed, at most ${most.toFixed(0)} should`,
      );
      check(passed(answers) >= burst - 2, `only ${passed(answers)} of a burst of ${burst} passed`);
    },
    ["rate-limit"],
  ),
  forbids(
    "Limits: burst",
    "writes are limited like reads, and by one limit with them",
    async (service) => {
      const { id } = await newParticipant(service);
      const { rate, burst } = limitOf(service);
      await service.rest();
      const start = performance.now();
      const writes = await floodOfWrites(service, 2 * burst);
      const reads = await flood(service, burst, `/participants/${id}`);
      service.emptied();
      const most = burst + (rate * (performance.now() - start)) / 1000 + 2;
      const through = [...writes, ...reads].filter((answer) => answer.status !== 429).length;
      check(through <= most, `${through} passed, at most ${most.toFixed(0)} should`);
    },
    ["rate-limit"],
  ),
  allows(
    "Limits: sustained",
    "at the sustained rate every request passes",
    async (service) => {
      const { id } = await newParticipant(service);
      const { rate } = limitOf(service);
      await emptied(service, `/participants/${id}`);
      await sleep(3000 / rate);
      const start = performance.now();
      for (let sent = 0; sent < 20; sent += 1) {
        await sleep(Math.max(0, start + (sent * 1010) / rate - performance.now()));
        done(await service.get(`/participants/${id}`, { unpaced: true }));
      }
      service.emptied();
    },
    ["rate-limit"],
  ),
  forbids(
    "Limits: sustained",
    "with the burst spent, no more than the sustained rate passes",
    async (service) => {
      const { id } = await newParticipant(service);
      const { rate, burst } = limitOf(service);
      const { seconds } = await emptied(service, `/participants/${id}`);
      const start = performance.now();
      await sleep((burst / 2 / rate) * 1000);
      const answers = await flood(service, 2 * burst, `/participants/${id}`);
      service.emptied();
      const most = rate * ((performance.now() - start) / 1000 + seconds) + 3;
      check(passed(answers) <= most, `${passed(answers)} passed, at most ${most.toFixed(0)} should`);
      check(passed(answers) >= burst / 2 - 3, `only ${passed(answers)} passed after half a burst was saved up`);
    },
    ["rate-limit"],
  ),
  allows(
    ["Errors: 429", "Limits 2"],
    "a refused request passes when repeated after a pause, and is kept once",
    async (service) => {
      const document = await newDocument(service);
      await emptied(service, `/participants/${document.participantId}`);
      const event = document.event(1);
      const path = `/documents/${document.id}/events`;
      let answer = await service.post(path, event, { unpaced: true });
      await service.rest();
      if (answer.status === 429) answer = await service.post(path, event);
      done(answer);
    },
    ["rate-limit"],
  ),
  forbids(
    ["Errors: 429", "Limits 2"],
    "the refusal is an envelope or a gateway's body, with or without Retry-After",
    async (service) => {
      const { id } = await newParticipant(service);
      const { answers } = await emptied(service, `/participants/${id}`);
      const [beyond, ...others] = answers.filter((answer) => answer.status !== 200);
      check(beyond !== undefined, "nothing was refused");
      for (const answer of [beyond, ...others])
        check(answer.status === 429, `should be 429: ${describeAnswer(answer)}`);
      const inEnvelope = items(beyond.json, "errors").length > 0;
      if (inEnvelope) envelope(beyond);
      requestIdOf(beyond);
      const after = beyond.headers["retry-after"];
      check(
        after === undefined || /^\d+$/.test(after) || Number.isFinite(Date.parse(after)),
        `Retry-After ${String(after)}`,
      );
      const { rate, burst } = limitOf(service);
      check(!(Number(after) > burst / rate + 2), `Retry-After ${String(after)} is longer than a whole burst takes`);
      return {
        reading: `${beyond.text.replace(/"id":.*?Z",/, "")} ${inEnvelope ? "envelope" : "another body"}, ${after === undefined ? "no Retry-After" : "Retry-After"}`,
      };
    },
    ["rate-limit"],
  ),
  forbids(
    "Limits: sustained",
    "the limit is per client: one that floods does not stop another",
    async (service) => {
      const { id } = await newParticipant(service);
      const other = await newParticipant(service, {}, "second");
      const { burst } = limitOf(service);
      await service.rest();
      // The other client's burst stands in line behind a flood that leaves nothing over.
      const [answers, theirs] = await Promise.all([
        flood(service, 3 * burst, `/participants/${id}`),
        flood(service, burst - 2, `/participants/${other.id}`, "second"),
      ]);
      service.emptied();
      check(passed(answers) < answers.length, "nothing was refused");
      for (const answer of theirs) done(answer);
    },
    ["rate-limit", "second-credential"],
  ),

  allows("Open point 10", "how many events a request may carry", async (service) => {
    const place = await newPlace(service);
    const at = dayAgo(service);
    const readings: string[] = [];
    for (const count of [20, 150]) {
      const document = documentFields(service, place, { externalCreatedAt: at(0) });
      const events = Array.from({ length: count }, (_each, index) => eventFields(service, place, at(index / 60)));
      const answer = await service.post("/documents/events", { document, events });
      if (answer.status < 300) check(items(answer.json, "events").length === count, `should answer ${count} events`);
      else refused(answer, TOO_LARGE);
      readings.push(`${count} events: ${answer.status < 300 ? "accepted" : answer.status}`);
    }
    return { reading: readings.join(", ") };
  }),
  forbids("Open point 10", "a request refused as too large keeps nothing", async (service) => {
    const document = await newDocument(service);
    const events = Array.from({ length: 150 }, () => document.event(1));
    const answer = await document.batch(...events);
    if (answer.status < 300) return { reading: "150 events are not too many" };
    const reading = refused(answer, TOO_LARGE);
    await document.append({ ...events[0], externalCreatedAt: document.at(0) });
    return reading;
  }),
  allows("Open point 10", "how long a string and a body may be", async (service) => {
    const readings: string[] = [];
    for (const kibibytes of [4, 64, 1100, 11_000]) {
      const document = await newDocument(service);
      const metadata = { attributes: [{ name: "Note", value: "x".repeat(kibibytes * 1024), isPublic: false }] };
      const answer = await service.post(`/documents/${document.id}/events`, document.event(1, { metadata }));
      doneOrRefused(answer, TOO_LARGE);
      readings.push(`${kibibytes} KiB: ${answer.status < 300 ? "accepted" : answer.status}`);
    }
    return { reading: readings.join(", ") };
  }),
];
