/** An event's body in the ledger is the JSON of its members, however it was written (service.md, Event). */
import fc from "fast-check";
import { expect, it } from "vitest";
import { payloadText } from "../../src/ledger/stage/event-columns.js";
import type { EventRecord } from "../../src/model/records.js";

const participant = { by: "natural", key: "2:BR" } as const;
const record = (more: Partial<EventRecord>): EventRecord => ({
  document: { kind: "manifest", key: "M1" },
  event: "weighing",
  key: { by: "once" },
  name: "Weighing",
  at: 0,
  isPublic: true,
  participant,
  address: { by: "identity", participant, identity: "a" },
  attributes: [],
  related: null,
  target: null,
  propagate: null,
  value: undefined,
  extra: {},
  ...more,
});
const text = fc.string({ unit: "binary" });
const someAttributes = fc.array(fc.record({ name: text, value: text, isPublic: fc.boolean() }), { maxLength: 4 });

it("holds name, visibility and attributes of a plain event, and no empty metadata", () => {
  fc.assert(
    fc.property(text, fc.boolean(), someAttributes, (name, isPublic, some) => {
      const metadata = some.length > 0 ? { attributes: some } : undefined;
      const payload = payloadText(record({ name, isPublic, attributes: some }));
      expect(payload).toBe(JSON.stringify({ name, isPublic, metadata }));
    }),
  );
});

it("holds relation, propagation, value and extra fields of an event that has them", () => {
  const attributes = [{ name: "a", value: "1", isPublic: false }];
  const options = { bidirectional: true };
  const related = { document: { by: "id", documentId: "d" } as const, options };
  const payload = payloadText(record({ attributes, related, propagate: false, value: { x: 1 }, extra: { y: 2 } }));
  expect(JSON.parse(payload)).toEqual({
    name: "Weighing",
    isPublic: true,
    metadata: { attributes },
    relatedDocument: options,
    propagateEvent: false,
    value: { x: 1 },
    y: 2,
  });
});
