/** Links of several documents to one go in their order, as far as nothing else is in the way (HARD-CASES H38). */
import type { WorkDocument, WorkEvent } from "../../src/ledger/work.js";
import type { Assessment } from "../../src/plan/assess-document.js";
import { batch } from "../../src/plan/batch.js";
import { holdUnmet } from "../../src/plan/links.js";
import { planComponent, type PlanContext } from "../../src/plan/plan-work.js";

const CAPS = { maxEvents: 10, maxBytes: 1e6 };

/** 20,000 documents whose events each need the one of the next document, to the last one. */
function chain() {
  const count = 20_000;
  const assessments = new Map<number, Assessment>();
  for (let id = 1; id <= count; id += 1) {
    const event = { id, document: id, at: count - id, rank: 0, payload: "{}", relatedDocument: null, target: null };
    const document = { id, serviceId: `doc-${id}`, mode: "create", createEmpty: false };
    const ready = [event as WorkEvent];
    assessments.set(id, { document, ready, held: [], bars: [], refused: [], blocked: null } as unknown as Assessment);
  }
  const needs = new Map(Array.from({ length: count }, (_, index) => [index + 1, [index + 2]]));
  return { count, assessments, needs };
}

/** What looks at all of them once for each takes minutes. */
const QUICK = { timeout: 10_000 };
const LONG = { ...QUICK, tags: ["long"] };

it("a chain of 20,000 documents is put in order at once, the last one first", QUICK, () => {
  const { count, assessments, needs } = chain();
  needs.delete(count);
  const { requests, circle } = batch(assessments, needs, CAPS);
  expect(circle).toEqual([]);
  expect(requests.map(({ document }) => document.id)).toEqual(
    Array.from({ length: count }, (_, index) => count - index),
  );
});

it("and 20,000 that wait for something that does not go are held at once", QUICK, () => {
  const { count, assessments, needs } = chain();
  holdUnmet(assessments, needs, {
    linkTime: "event",
    relatedTo: () => [],
    document: (id) => assessments.get(id)?.document ?? null,
    makers: new Map(),
    cancels: new Map(),
  });
  expect([...assessments.values()].flatMap(({ held }) => held)).toHaveLength(count);
});

const COUNT = 20_000;
const every = <Made>(make: (index: number) => Made) => Array.from({ length: COUNT }, (_, index) => make(index));

/** Documents 1 to COUNT + 1 with these events; an invalid row holds what is on the first one from `holdsFrom` on. */
function planned(events: readonly Partial<WorkEvent>[], holdsFrom = Number.POSITIVE_INFINITY) {
  const common = { rank: 0, payload: "{}", mirrored: false, relatedDocument: null, target: null, state: "planned" };
  const all = events.map(
    (event, index) => ({ ...common, id: index + 1, document: 1, at: index, ...event }) as WorkEvent,
  );
  const ofDocument = Map.groupBy(all, ({ document }) => document);
  const made = new Set(all.map(({ target }) => target));
  const context = {
    work: {
      document: (id: number) =>
        ({
          id,
          state: "planned",
          mode: made.has(id) ? "target" : "create",
          declared: true,
          lastAt: null,
        }) as WorkDocument,
      events: (id: number) => ofDocument.get(id) ?? [],
      holds: (id: number) => (id === 1 ? [{ row: 7, at: holdsFrom, event: null, makes: false }] : []),
      relatedTo: () => [2],
      tiedAlready: () => [],
    },
    registrations: { party: () => ({ state: "registered" }), broughtBy: () => null },
    dueBefore: Number.MAX_SAFE_INTEGER,
    caps: CAPS,
    linkTimeOf: () => "event",
    retimingOf: () => null,
  } as unknown as PlanContext;
  const { assessments, requests } = planComponent(context, [1, ...every((index) => index + 2)]);
  return {
    held: assessments.flatMap(({ held }) => held).length,
    sent: requests.flatMap(({ events: sent }) => sent).length,
  };
}

describe("20,000 of a kind on one document, or linked to it, are planned at once:", () => {
  it("links before as many held events", QUICK, () => {
    const links = every((at) => ({ document: at + 2, at, mirrored: true, relatedDocument: 1 }));
    const later = every((index) => ({ at: COUNT + index }));
    expect(planned([{ at: -1 }, ...links, ...later], COUNT)).toEqual({ held: COUNT, sent: COUNT + 1 });
  });

  it("propagated events of a document with one relation", LONG, () => {
    const link = { mirrored: true, relatedDocument: 2 };
    const copied = every(() => ({ mirrored: true, payload: '{"propagateEvent":true}' }));
    expect(planned([{ document: 2 }, link, ...copied])).toEqual({ held: 0, sent: COUNT + 2 });
  });

  it("documents that it makes", LONG, () => {
    expect(planned(every((index) => ({ target: index + 2 })))).toEqual({ held: 0, sent: COUNT });
  });
});
