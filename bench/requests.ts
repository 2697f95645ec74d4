/**
 * Requests planned against the fewest possible: documents without links against the arithmetic, small linked plans against
 * brute force over every way to cut and order them. `tsx bench/requests.ts [--plans 2000] [--seed 1]`.
 */
import { parseArgs } from "node:util";
import type { WorkDocument, WorkEvent } from "../src/ledger/work.js";
import type { Random } from "../src/model/clock.js";
import type { Assessment } from "../src/plan/assess-document.js";
import { batch } from "../src/plan/batch.js";
import { linkEvents, type Needs, type Place } from "../src/plan/links.js";
import { figure } from "./harness.js";
import { seededRandom } from "../src/sandbox/clock.js";

const CAPS = { maxEvents: 3, maxBytes: 1 << 20 };

const { values } = parseArgs({
  options: { plans: { type: "string", default: "2000" }, seed: { type: "string", default: "1" } },
});

function documentOf(id: number): WorkDocument {
  return {
    id,
    namespace: "bench",
    kind: "manifest",
    key: `M${id}`,
    generation: 1,
    declared: true,
    mode: "create",
    participant: 1,
    address: 1,
    externalId: null,
    fields: "{}",
    createEmpty: false,
    settings: null,
    state: "planned",
    reason: null,
    serviceId: null,
    lastAt: null,
    shutBy: 0,
    refusedInput: null,
  };
}

function eventOf(id: number, document: number, at: number, related: number | null): WorkEvent {
  return {
    id,
    document,
    deduplicationId: `rf1-${id}`,
    event: "event",
    name: related === null ? "Weighing" : "RELATED",
    at,
    rank: 0,
    participant: 1,
    address: 1,
    relatedDocument: related,
    relatedId: null,
    mirrored: related !== null,
    target: null,
    payload: "{}",
    state: "planned",
    reason: null,
    waitsFor: null,
    hold: null,
    dismissed: false,
    doubt: false,
    attempted: false,
    sentAsIs: false,
    refusedInput: null,
  };
}

/** A few documents with a few events each, all at different times. `links`: how likely an event is a bidirectional relation. */
function drawPlan(random: Random, documents: number, most: number, links: number): Map<number, Assessment> {
  const assessments = new Map<number, Assessment>();
  let next = 1;
  for (let id = 1; id <= documents; id++) {
    const events = Array.from({ length: 1 + Math.floor(random() * most) }, () => {
      const other = 1 + Math.floor(random() * documents);
      const related = random() < links && other !== id ? other : null;
      return eventOf(next++, id, Math.floor(random() * 1e9), related);
    });
    assessments.set(id, {
      document: documentOf(id),
      ready: events.toSorted((a, b) => a.at - b.at),
      held: [],
      deferred: [],
      refused: [],
      bars: [],
      blocked: null,
      end: { block: null, shut: 0, lastAt: 0 },
    });
  }
  return assessments;
}

function needsOf(assessments: Map<number, Assessment>): Needs {
  return linkEvents(assessments, {
    linkTime: "event",
    relatedTo: () => [],
    document: documentOf,
    makers: new Map(),
    cancels: new Map(),
  });
}

/** Breadth first over how far every document has come; creating a document empty is a request too. Null: impossible. */
function fewest(assessments: Map<number, Assessment>, needs: Needs): number | null {
  const lanes = [...assessments.values()];
  const place = new Map(lanes.flatMap(({ ready }, lane) => ready.map((event, index) => [event.id, { lane, index }])));
  const laneOf = new Map(lanes.map(({ document }, lane) => [document.id, lane]));
  const goal = lanes.map(({ ready }) => ready.length).join();
  // -1: not created.
  let front = [lanes.map(() => -1)];
  const seen = new Set(front.map(String));
  for (let requests = 0; front.length > 0; requests++) {
    if (front.some((state) => state.join() === goal)) return requests;
    const reached: number[][] = [];
    for (const state of front) {
      const isMet = (need: Place) => {
        if (need < 0) return (state[laneOf.get(-need) ?? -1] ?? -1) >= 0;
        const where = place.get(need);
        return where !== undefined && (state[where.lane] ?? -1) > where.index;
      };
      for (const [lane, { ready }] of lanes.entries()) {
        const from = state[lane] ?? -1;
        for (let count = from < 0 ? 0 : 1; count <= CAPS.maxEvents; count++) {
          const begin = Math.max(from, 0);
          if (begin + count > ready.length) break;
          const last = count === 0 ? undefined : ready[begin + count - 1];
          if (last !== undefined && !(needs.get(last.id) ?? []).every(isMet)) break;
          const next = state.with(lane, begin + count);
          if (!seen.has(String(next))) {
            seen.add(String(next));
            reached.push(next);
          }
        }
      }
    }
    front = reached;
  }
  return null;
}

const random = seededRandom(Number(values.seed));
const plans = Number(values.plans);

let planned = 0;
let least = 0;
for (let plan = 0; plan < plans; plan++) {
  const assessments = drawPlan(random, 4, 12, 0);
  planned += batch(assessments, new Map(), CAPS).requests.length;
  for (const { ready } of assessments.values()) least += Math.ceil(ready.length / CAPS.maxEvents);
}
figure(
  planned === least,
  `without links: ${planned} requests for ${plans} plans = ${(planned / least).toFixed(3)} × the fewest possible (${least}), goal 1.00`,
);

let linked = 0;
let best = 0;
let optimal = 0;
let compared = 0;
let impossible = 0;
let worst = 1;
for (let plan = 0; plan < plans; plan++) {
  const assessments = drawPlan(random, 3, 4, 0.35);
  const needs = needsOf(assessments);
  const { requests, circle } = batch(assessments, needs, CAPS);
  const minimum = circle.length > 0 ? null : fewest(assessments, needs);
  if (minimum === null) {
    impossible += 1;
    continue;
  }
  compared += 1;
  linked += requests.length;
  best += minimum;
  if (requests.length === minimum) optimal += 1;
  if (requests.length < minimum) throw new Error("brute force was beaten: it does not search everything");
  worst = Math.max(worst, requests.length / minimum);
}
console.log(
  `     with bidirectional links, ${compared} plans of 3 documents: ${linked} requests = ${(linked / best).toFixed(3)} × brute force (${best}), ` +
    `optimal in ${((100 * optimal) / compared).toFixed(1)}%, at worst ${worst.toFixed(2)} ×; ${impossible} plans held a circle`,
);
