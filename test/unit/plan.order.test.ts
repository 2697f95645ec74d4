/** Links of several documents to one go in their order, as far as nothing else is in the way (HARD-CASES H38). */
import { expect, it } from "vitest";
import type { WorkEvent } from "../../src/ledger/work.js";
import type { Assessment } from "../../src/plan/assess-document.js";
import { batch } from "../../src/plan/batch.js";
import { holdUnmet, type Outside } from "../../src/plan/links.js";

const CAPS = { maxEvents: 10, maxBytes: 1e6 };

/** One document for each name, with one event of that minute. */
function lanes(minutes: { [name: string]: number }) {
  const names = Object.keys(minutes);
  const idOf = (name: string) => names.indexOf(name) + 1;
  const assessments = new Map(
    names.map((name) => {
      const id = idOf(name);
      const event = { id, document: id, at: minutes[name], rank: 0, payload: "{}" } as WorkEvent;
      const document = { id, serviceId: `doc-${name}`, mode: "own", createEmpty: false };
      return [
        id,
        { document, ready: [event], held: [], bars: [], refused: [], blocked: null } as unknown as Assessment,
      ];
    }),
  );
  /** Names in the order of their requests. `needs` and `after`: by name. */
  return (needs: { [name: string]: string }, after: { [name: string]: string }) => {
    const { requests, circle } = batch(
      assessments,
      new Map(Object.entries(needs).map(([name, need]) => [idOf(name), [{ event: idOf(need) }]])),
      CAPS,
      new Map(Object.entries(after).map(([name, before]) => [idOf(name), [idOf(before)]])),
    );
    const order = requests.map(({ events }) => names[(events[0]?.id ?? 0) - 1]);
    return { order, circle: circle.map(({ event }) => names[event.id - 1]) };
  };
}

it("in their order, whichever document is looked at first", () => {
  const order = lanes({ late: 30, early: 10, middle: 20 });
  expect(order({}, { late: "middle", middle: "early" })).toEqual({ order: ["early", "middle", "late"], circle: [] });
});

it("where two wait for each other one goes out of its order, and all others keep theirs", () => {
  const order = lanes({ third: 30, first: 10, second: 20, needed: 40 });
  // `first` should come after `needed`, which cannot go before it.
  const found = order({ needed: "first" }, { first: "needed", second: "first", third: "second" });
  expect(found).toEqual({ order: ["first", "second", "needed", "third"], circle: [] });
});

it("no order is worth holding an event, and a circle of needs stays one", () => {
  const order = lanes({ a: 10, b: 20, c: 30 });
  expect(order({ a: "b", b: "a" }, { c: "b" })).toEqual({ order: ["c"], circle: ["a", "b"] });
});

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
  const needs = new Map(Array.from({ length: count }, (_, index) => [index + 1, [{ event: index + 2 }]]));
  return { count, assessments, needs };
}

/** What looks at all of them once for each takes minutes. */
const QUICK = { timeout: 10_000 };

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
  const outside: Outside = {
    name: "x",
    exists: true,
    known: true,
    cancelled: false,
    closed: false,
    stranded: false,
    inDoubt: false,
    lastAt: null,
  };
  holdUnmet(assessments, needs, {
    linkTime: "event",
    relatedTo: () => [],
    outside: () => outside,
    makers: new Map(),
    cancels: new Map(),
  });
  expect([...assessments.values()].flatMap(({ held }) => held)).toHaveLength(count);
});
