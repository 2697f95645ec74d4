/** Links of several documents to one go in their order, as far as nothing else is in the way (HARD-CASES H38). */
import type { WorkEvent } from "../../src/ledger/work.js";
import type { Assessment } from "../../src/plan/assess-document.js";
import { batch } from "../../src/plan/batch.js";
import { holdUnmet } from "../../src/plan/links.js";

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
