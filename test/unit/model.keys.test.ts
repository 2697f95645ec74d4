/**
 * Keys and content hashes are frozen: a landed event's key must be the same from any machine, ledger and version
 * (HARD-CASES H25). A change here needs a new KEY_ALGORITHM and a way over for what has landed.
 */
import fc from "fast-check";
import {
  contentHash,
  contentKeyParts,
  documentDeduplicationId,
  eventDeduplicationId,
  KEY_ALGORITHM,
  joinKey,
  lengthPrefixed,
  naturalKey,
} from "../../src/model/keys.js";
import type { EventRecord } from "../../src/model/records.js";

const document = { namespace: "acme-waste", kind: "manifest", key: "MTR-1", generation: 1 };
const second = { ...document, generation: 2 };
const natural = naturalKey({ countryCode: "BR", taxIdType: "CNPJ", taxId: "11222333000181" });
const participant = { by: "natural" as const, key: natural };

const plain: EventRecord = {
  document: { kind: "manifest", key: "MTR-1" },
  event: "pickup",
  key: { by: "once" },
  name: "Pick-up",
  at: Date.UTC(2026, 2, 1, 11, 5),
  isPublic: true,
  participant,
  address: { by: "identity", participant, identity: "rua a|10|são paulo|sp" },
  attributes: [
    { name: "Peso Bruto", value: "1234.5", isPublic: true },
    { name: "Placa", value: "ABC1D23", isPublic: false },
  ],
  related: null,
  target: null,
  propagate: null,
  value: undefined,
  extra: {},
};

/** Everything that an event can carry, references of every kind. */
const rich: EventRecord = {
  ...plain,
  name: "RELATED",
  participant: { by: "alias", kind: "generator", key: "A-7" },
  address: { by: "id", id: "adr_1" },
  attributes: [],
  related: { document: { by: "key", kind: "invoice", key: "NF 9" }, options: { isPublic: true, bidirectional: true } },
  target: {
    document: { kind: "recycled", key: "R1" },
    fields: { b: [1, null, "é"], a: { d: 1, c: true } },
    participant: { by: "id", id: "par_1" },
    address: { by: "alias", kind: "origin", key: "Matriz" },
    externalId: "R1",
  },
  propagate: true,
  value: { z: 1, a: [2] },
  extra: { y: "2", x: 1 },
};

const hashOf = (event: EventRecord) => contentHash(event).toString("hex");

describe("the keys of algorithm 1 never change", () => {
  test("the algorithm is the first", () => {
    expect(KEY_ALGORITHM).toBe(1);
  });

  test("natural keys", () => {
    expect(natural).toBe("2:BR4:CNPJ14:11222333000181");
  });

  test("documents, by generation (H26)", () => {
    expect(documentDeduplicationId(document)).toBe("rf1-f4e355e58e223bbe422571b29168756e9689c229");
    expect(documentDeduplicationId(second)).toBe("rf1-7a3cfbabf1beeff2dfd8e3cb21b16e76b874c71d");
  });

  test("events, by name, key and generation (H26)", () => {
    expect(eventDeduplicationId(document, "pickup", [])).toBe("rf1-85429021d4d0db3271b4ff73196ed656c2921c36");
    expect(eventDeduplicationId(second, "pickup", [])).toBe("rf1-a55bfd028b8a76b76863cd11ec71e1274a8bb59f");
  });

  test("keys beyond ASCII", () => {
    const key = eventDeduplicationId({ ...document, key: "é😀" }, "weighing", ["T1", "2"]);
    expect(key).toBe("rf1-8f5fd3db284e11c869a771ccd1626c3de503731a");
  });

  test("twins, by content and ordinal (H22)", () => {
    const key = eventDeduplicationId(document, "pickup", contentKeyParts(contentHash(plain), 2));
    expect(key).toBe("rf1-2cb78394073a196800c37f1415cf0a921ec9d17d");
  });

  test("contents", () => {
    expect(hashOf(plain)).toBe("9b1d396e8a6bcbcf3a94423ab3b2a93a");
    expect(hashOf(rich)).toBe("60514a9b453045a817774805357ae2d7");
    const byId: EventRecord = { ...plain, related: { document: { by: "id", documentId: "doc_1" }, options: {} } };
    expect(hashOf(byId)).toBe("5c7f4d62d0459c44dea40cefb93a594e");
  });
});

describe("what a content hash tells apart", () => {
  test("the order in which a mapping writes its own members is no content", () => {
    const target = rich.target && { ...rich.target, fields: { a: { c: true, d: 1 }, b: [1, null, "é"] } };
    const shuffled: EventRecord = { ...rich, target, value: { a: [2], z: 1 }, extra: { x: 1, y: "2" } };
    expect(hashOf(shuffled)).toBe(hashOf(rich));
  });

  test("every member of an event is content, its key is not", () => {
    const edited: EventRecord[] = [
      { ...rich, name: "Other" },
      { ...rich, at: rich.at + 1 },
      { ...rich, isPublic: false },
      { ...rich, participant },
      { ...rich, address: { by: "id", id: "adr_2" } },
      { ...rich, attributes: plain.attributes },
      { ...rich, related: null },
      { ...rich, target: null },
      { ...rich, propagate: false },
      { ...rich, value: null },
      { ...rich, extra: {} },
    ];
    const hashes = new Set([rich, ...edited].map(hashOf));
    expect(hashes.size).toBe(edited.length + 1);
    expect(hashOf({ ...rich, key: { by: "fields", parts: ["7"] } })).toBe(hashOf(rich));
  });
});

test('no two lists of parts give one text: ("ab","c") is not ("a","bc") (H21)', () => {
  const parts = fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 });
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(lengthPrefixed(one) === lengthPrefixed(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
  );
  expect(lengthPrefixed(["ab", "c"])).not.toBe(lengthPrefixed(["a", "bc"]));
});

test("a key of several columns is told as people say it, and no two of them are told alike", long, () => {
  expect(joinKey(["C-0148", "2025/311"])).toBe("C-0148, 2025/311");
  expect(joinKey(["a, b"])).toBe("a, b");
  const part = fc.string({ unit: fc.constantFrom("a", ",", " ", "\\", "/"), maxLength: 5 });
  const parts = fc.array(part, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(joinKey(one) === joinKey(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 2000 },
  );
});
