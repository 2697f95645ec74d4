/**
 * Imports against a service whose answers are garbled on their way: cut, of wrong types, enormous, HTML, with members
 * named `__proto__`. What was carried out stays so; no answer is turned into a lie about that.
 */
import { type SandboxRandom, seededRandom } from "../../../src/sandbox/clock.js";
import type { TransportReply, TransportRequest } from "../../../src/submit/transport.js";
import { files } from "../../nights/simulation/fault-positions.js";
import { checkPromises } from "../../nights/simulation/promises.js";
import { newWitness, type Witness } from "../../nights/simulation/witness.js";
import type { Story } from "../../nights/simulation/story.js";
import { createWorld } from "../../nights/simulation/world.js";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const HTML =
  "<!DOCTYPE html><html><head><title>502</title></head><body>\u001b[2J<script>alert(1)</script></body></html>";
/** Of no use as an id or a list, each in its own way. */
const junk: Json[] = [null, "", 0, -1, 1e308, true, [], {}, [[]], [null], { id: {} }, { length: 3 }];

type Spoiler = (body: string, random: SandboxRandom) => string;

const unreadable: Spoiler[] = [
  () => "0",
  () => '"ok"',
  () => HTML,
  () => "\ufeff{",
  () => "[".repeat(100_000),
  () => `{"events":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  () => `{"message":"${"x".repeat(1_000_000)}"}`,
  () => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  (body) => body.slice(0, body.length / 2),
  (body) => `${body}}`,
  (body) => `${HTML}${body}`,
];
/** Of a read these would say that nothing is there, which is for the service to say. */
const empty: Spoiler[] = [() => "", () => "null", () => "[]", () => "{}"];
const spoiled: Spoiler[] = [
  (body, random) => JSON.stringify(spoil(parsed(body), random, 1)),
  (body, random) => JSON.stringify(spoil(parsed(body), random, 0.3)),
  (body, random) => JSON.stringify(recount(parsed(body), random)),
];

const parsed = (body: string): Json => {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return {};
  }
};
const pick = <Item>(items: readonly Item[], random: SandboxRandom): Item =>
  items[Math.floor(random() * items.length)] as Item;

/** Leaves become junk, each with this probability. */
function spoil(value: Json, random: SandboxRandom, probability: number): Json {
  if (Array.isArray(value)) return value.map((item) => spoil(item, random, probability));
  if (value !== null && typeof value === "object")
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spoil(item, random, probability)]));
  return random() < probability ? pick(junk, random) : value;
}

/** Another number of events than were sent. */
function recount(value: Json, random: SandboxRandom): Json {
  if (value === null || Array.isArray(value) || typeof value !== "object") return pick(junk, random);
  const events = Array.isArray(value["events"]) ? value["events"] : [];
  return { ...value, events: pick([[], [...events, {}], events.slice(1), pick(junk, random)], random) };
}

const headers: Record<string, string>[] = [
  {},
  { date: "not a date" },
  { "retry-after": "-1" },
  { "retry-after": "1e9" },
  { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" },
  { "content-type": "text/html" },
  { "x-request-id": "\u001b[31m".repeat(10_000) },
  { ["__proto__"]: "polluted", constructor: "polluted" },
];

function garbled(method: string, reply: TransportReply, random: SandboxRandom): TransportReply {
  const accepted = reply.status < 300;
  // Whether it was carried out is what the status says; a doubtful one says nothing.
  const statuses = accepted ? [reply.status, reply.status, 200, 204, 207, 302, 500, 503, 600] : [reply.status];
  return {
    status: pick(statuses, random),
    headers: { ...reply.headers, ...pick(headers, random) },
    body: pick(method === "GET" ? unreadable : [...unreadable, ...empty, ...spoiled], random)(reply.body, random),
  };
}

/** As JSON: what a service that is broken, or means ill, may say at any field of an answer (H43). */
export const hostileValues: Record<string, string> = {
  ...Object.fromEntries(
    ["..", "../../participants", "%2e%2e", "a/b", "a\u0000b", "a\ud800b", "\u202ea\u2066", "__proto__"].map((value) => [
      JSON.stringify(value),
      JSON.stringify(value),
    ]),
  ),
  "1,100 characters": JSON.stringify("x".repeat(1_100)),
  "70,000 characters": JSON.stringify("x".repeat(70_000)),
  "an object of __proto__": '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  "deep JSON": `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  "long JSON": JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ id: at }))),
};

/** Every field of what the service answers, errors included. */
export const answerFields = (
  "id snapshotId geography participantId name type taxId street city " +
  "documentId eventId targetDocumentId events errors code message timestamp"
).split(" ");

function withField(value: Json, field: string, mark: string): Json {
  if (Array.isArray(value)) return value.map((item) => withField(item, field, mark));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, name === field ? mark : withField(item, field, mark)]),
  );
}

/** One night in which this field of every answer holds this value, refusals among them; then clean runs. */
export function hostileNight(field: string, value: string): Promise<string[]> {
  const rewrite: Rewrite = (_, reply) => {
    const marked = JSON.stringify(withField(parsed(reply.body), field, "@hostile@"));
    return { ...reply, body: marked.replaceAll('"@hostile@"', () => value) };
  };
  return night(`${field} is ${value.slice(0, 30)}`, 1, rewrite);
}

/** One night: two runs of garbled answers, then clean ones. @returns what went wrong; empty: nothing */
export function garbledNight(seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const share = pick([0.1, 0.4, 1], random);
  const garble: Rewrite = ({ method }, reply) => (random() < share ? garbled(method, reply, random) : reply);
  return night(`seed ${seed}`, seed, garble);
}

type Rewrite = (request: TransportRequest, reply: TransportReply) => TransportReply;

async function night(title: string, seed: number, garble: Rewrite) {
  const world = createWorld({ seed });
  const broken: string[] = [];
  try {
    const first = await world.import(files, { rewrite: garble });
    await world.resume({ rewrite: garble });
    let last = await world.resume();
    for (let round = 0; round < 4 && last.requests.sent > 0; round += 1) last = await world.resume();
    const { read, skipped, invalid, known, staged } = first.rows;
    if (read !== skipped + invalid + known + staged) broken.push(`P7: ${JSON.stringify(first.rows)}`);
    broken.push(...checkPromises(world, story(seed), witness(), false));
    if (![0, 3, 4].includes(last.exitCode)) broken.push(`exit code ${last.exitCode}`);
    if (last.open.events["foreign"] !== undefined) broken.push("P5: an event of ours is called foreign");
  } catch (error) {
    broken.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    await world.close();
  }
  if (({} as { polluted?: unknown }).polluted !== undefined) broken.push("Object.prototype is polluted");
  return broken.map((what) => `${title}: ${what}`);
}

const story = (seed: number): Story => ({ seed, sandbox: {}, settings: {}, maxEventsPerRequest: 10, steps: [] });
const witness = (): Witness => ({ ...newWitness(), disturbed: true, gaveUp: true });
