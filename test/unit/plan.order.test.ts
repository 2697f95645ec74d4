/** Links of several documents to one go in their order, as far as nothing else is in the way (HARD-CASES H38). */
import type { WorkDocument, WorkEvent } from "../../src/ledger/work.js";
import { planComponent, type PlanContext } from "../../src/plan/plan-work.js";

const CAPS = { maxEvents: 10, maxBytes: 1e6 };

/** What looks at all of them once for each takes minutes. */
const QUICK = { timeout: 10_000 };
const LONG = { ...QUICK, tags: ["long"] };

const COUNT = 20_000;
const every = <Made>(make: (index: number) => Made) => Array.from({ length: COUNT }, (_, index) => make(index));

/** Documents 1 to COUNT + 1 with these events; an invalid row holds what is on the first one from `holdsFrom` on. */
function planned(events: readonly Partial<WorkEvent>[], holdsFrom = Number.POSITIVE_INFINITY) {
  const common = {
    rank: 0,
    payload: "{}",
    mirrored: false,
    relatedDocument: null,
    target: null,
    state: "planned",
    refusedInput: null,
  };
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
          refusedInput: null,
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

  it("a chain of links, each to the next document, in the order of their times", QUICK, () => {
    const chain = every((index) => ({
      document: index + 1,
      at: COUNT - index,
      mirrored: true,
      relatedDocument: index + 2,
    }));
    expect(planned([{ document: COUNT + 1, at: 0 }, ...chain])).toEqual({ held: 0, sent: COUNT + 1 });
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
