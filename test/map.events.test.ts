import { describe, expect, it } from "vitest";
import { load, mapRows, mappingWith, problemsOf, recordsOf, refusal } from "./map.support.js";

const DAY = { Doc: "1", Day: "01/02/2026" };

/** A second event beside the usual one. */
function withEvent(text: string): string {
  return mappingWith({ more: text });
}

describe("an event", () => {
  it("takes the input's only document, and that document's participant and address", async () => {
    const { documents, events } = recordsOf(mapRows(await load(mappingWith({})), [DAY]));
    expect(events[0]).toMatchObject({
      document: { kind: "paper", key: "1" },
      event: "step",
      name: "Step",
      key: { by: "once" },
      isPublic: true,
    });
    expect(events[0]?.participant).toBe(documents[0]?.participant);
    expect(events[0]?.address).toBe(documents[0]?.address);
  });

  it("is distinguished by `once`, by fields, or by content within a file or an import", async () => {
    const yaml = withEvent(`
weighing: { name: W, key: { column: Ticket }, externalCreatedAt: { column: Day }, isPublic: true }
line: { name: L, key: [{ column: Ticket }, { column: Line, as: integer }], externalCreatedAt: { column: Day }, isPublic: true }
note: { name: N, key: content, within: import, externalCreatedAt: { column: Day }, isPublic: true }`);
    const { events } = recordsOf(mapRows(await load(yaml), [{ ...DAY, Ticket: "T1", Line: "02" }]));
    expect(events.map(({ key }) => key)).toEqual([
      { by: "once" },
      { by: "fields", parts: ["T1"] },
      { by: "fields", parts: ["T1", "2"] },
      { by: "content", within: "import" },
    ]);
  });

  it("whose key is blank makes the row invalid", async () => {
    const yaml = withEvent(
      "weighing: { name: W, key: { column: Ticket }, externalCreatedAt: { column: Day }, isPublic: true }",
    );
    expect(problemsOf(mapRows(await load(yaml), [DAY])[0])).toMatchObject([
      { code: "value-required", column: "Ticket" },
    ]);
  });

  it("happens only where its condition holds", async () => {
    const yaml = mappingWith({ input: "rowsWithoutEvents: allow", event: "when: { filled: Go }" });
    const mapped = mapRows(await load(yaml), [{ ...DAY, Go: "x" }, DAY]);
    expect(mapped.map((one) => recordsOf([one]).events.length)).toEqual([1, 0]);
  });

  it("carries target, value, propagation and extra fields", async () => {
    const yaml = withEvent(`
split:
  name: SPLIT
  key: once
  externalCreatedAt: { column: Day }
  isPublic: true
  value: { column: Kg, as: { name: decimal, number: true } }
  extra: { label: x }
  target: { document: lot, key: { column: Lot }, participant: owner, address: home, fields: { category: Lot } }
spread: { name: Spread, key: once, externalCreatedAt: { column: Day }, isPublic: true, propagateEvent: true }`);
    const { events } = recordsOf(mapRows(await load(yaml), [{ ...DAY, Lot: "L1", Kg: "2,5" }]));
    expect(events[1]).toMatchObject({
      value: 2.5,
      extra: { label: "x" },
      propagate: null,
      target: {
        document: { kind: "lot", key: "L1" },
        externalId: "L1",
        fields: { category: "Lot" },
        participant: { by: "natural" },
        address: { by: "identity" },
      },
    });
    expect(events[2]).toMatchObject({ propagate: true, value: undefined, target: null });
  });

  it("RELATED names the other document by key or by id", async () => {
    const yaml = withEvent(`
link: { name: RELATED, key: once, externalCreatedAt: { column: Day }, isPublic: true,
  relatedDocument: { document: { ref: paper, key: { column: Other } }, isPublic: false, eventLabel: Origem } }
one: { name: RELATED, key: once, externalCreatedAt: { column: Day }, isPublic: true,
  relatedDocument: { documentId: { column: Id }, bidirectional: false } }`);
    const { events } = recordsOf(mapRows(await load(yaml), [{ ...DAY, Other: "2", Id: "d-9" }]));
    expect(events[1]?.related).toEqual({
      document: { by: "key", kind: "paper", key: "2" },
      options: { isPublic: false, eventLabel: "Origem" },
    });
    expect(events[2]?.related).toEqual({
      document: { by: "id", documentId: "d-9" },
      options: { bidirectional: false },
    });
  });

  it("CANCEL with a blank reason makes the row invalid (service.md, Event endpoints, rule 9)", async () => {
    const yaml = withEvent(
      "stop: { name: CANCEL, key: once, externalCreatedAt: { column: Day }, isPublic: true, attributes: { reason: { column: Why, isPublic: false } } }",
    );
    expect(problemsOf(mapRows(await load(yaml), [DAY])[0])).toMatchObject([{ code: "value-required", column: "Why" }]);
    expect(recordsOf(mapRows(await load(yaml), [{ ...DAY, Why: "erro" }])).events[1]?.attributes).toEqual([
      { name: "reason", value: "erro", isPublic: false },
    ]);
  });

  it("whose name comes from the row keeps the rules of that name", async () => {
    const yaml = mappingWith({}).replace("name: Step", "name: { column: What }");
    const codes = async (What: string) =>
      problemsOf(mapRows(await load(yaml), [{ ...DAY, What }])[0]).map(({ code }) => code);
    expect(await codes("Cancel")).toEqual(["event-name"]);
    expect(await codes("CANCEL")).toEqual(["event-name"]);
    expect(await codes("RELATED")).toEqual(["event-name"]);
    expect(recordsOf(mapRows(await load(yaml), [{ ...DAY, What: "CLOSE" }])).events[0]?.name).toBe("CLOSE");
  });
});

describe("attributes", () => {
  it("each have their own visibility, constant or from the row", async () => {
    const yaml = mappingWith({
      attributes: "A: { column: X, isPublic: true }, B: { column: X, isPublic: { column: Open } }",
    });
    const { events } = recordsOf(mapRows(await load(yaml), [{ ...DAY, X: "v", Open: "não" }]));
    expect(events[0]?.attributes).toEqual([
      { name: "A", value: "v", isPublic: true },
      { name: "B", value: "v", isPublic: false },
    ]);
  });

  it("may be every column that matches a pattern, named like its header", async () => {
    const yaml = mappingWith({
      attributes:
        'Laudo A: { value: fixed, isPublic: true }, rest: { columns: "laudo *", except: ["*interno", "Laudo A"], isPublic: false }',
    });
    const { events } = recordsOf(
      mapRows(await load(yaml), [
        { ...DAY, "Laudo A": "a", "Laudo Água": "b", "Laudo Interno": "c", "Laudo Z": "", Other: "d" },
      ]),
    );
    expect(events[0]?.attributes).toEqual([
      { name: "Laudo A", value: "fixed", isPublic: true },
      { name: "Laudo Água", value: "b", isPublic: false },
    ]);
  });
});

function event(text: string): string {
  return withEvent(`e: { key: once, externalCreatedAt: { column: Day }, isPublic: true, ${text} }`);
}

describe("what the service always refuses is refused when the mapping loads", () => {
  it.each([
    ["a CANCEL without a reason", "name: CANCEL", "rule 9"],
    [
      "a CANCEL whose Reason has a capital letter",
      "name: CANCEL, attributes: { Reason: { column: Why, isPublic: true } }",
      "exactly `reason`",
    ],
    ["a CANCEL whose reason is empty", 'name: CANCEL, attributes: { reason: { value: "", isPublic: true } }', "rule 9"],
    ["a RELATED without a related document", "name: RELATED", "rule 10"],
    [
      "a one-sided relation with a name for the mirror",
      "name: RELATED, relatedDocument: { documentId: x, bidirectional: false, eventName: Foo }",
      "rule 10",
    ],
    [
      "a one-sided relation with a label for the mirror",
      "name: RELATED, relatedDocument: { documentId: x, bidirectional: false, eventLabel: Foo }",
      "rule 10",
    ],
    [
      "a one-sided relation with preserveSensitiveData",
      "name: RELATED, relatedDocument: { documentId: x, bidirectional: false, preserveSensitiveData: true }",
      "rule 10",
    ],
    [
      "a one-sided relation with isBackReference",
      "name: RELATED, relatedDocument: { documentId: x, bidirectional: false, isBackReference: true }",
      "rule 10",
    ],
    [
      "a one-sided relation with visibility",
      "name: RELATED, relatedDocument: { documentId: x, bidirectional: false, isPublic: true }",
      "rule 10",
    ],
    ["a two-sided relation without visibility", "name: RELATED, relatedDocument: { documentId: x }", "rule 10"],
    ["a propagated event with a value", "name: X, propagateEvent: true, value: 1", "rule 11"],
    ["an attribute without isPublic", "name: X, attributes: { a: { column: Y } }", "isPublic"],
    ["a reserved name in other letters", "name: Close", "CLOSE"],
  ])("%s", async (_title, text, says) => {
    const error = await refusal(event(text));
    expect(error.code).toBe("mapping-rule");
    expect(error.message).toContain(says);
  });

  it("a name that differs from a reserved one only by case is accepted once confirmed", async () => {
    const { events } = recordsOf(mapRows(await load(event("name: Close, confirmName: true")), [DAY]));
    expect(events[1]?.name).toBe("Close");
  });
});

describe("event keys", () => {
  it.each([
    ["missing", "step2: { name: X, externalCreatedAt: { column: Day }, isPublic: true }", "missing"],
    ["misspelt", "step2: { name: X, key: onec, externalCreatedAt: { column: Day }, isPublic: true }", "once"],
    [
      "content without saying within what",
      "step2: { name: X, key: content, externalCreatedAt: { column: Day }, isPublic: true }",
      "within",
    ],
  ])("%s are refused", async (_title, text, says) => {
    const error = await refusal(withEvent(text));
    expect(error.code).toBe("mapping-event-key");
    expect(error.message + error.hint).toContain(says);
  });

  it("by content are allowed with a warning at their place", async () => {
    const mapping = await load(
      withEvent("step2: { name: X, key: content, within: file, externalCreatedAt: { column: Day }, isPublic: true }"),
    );
    expect(mapping.warnings).toMatchObject([
      { code: "mapping-doubtful", place: { line: expect.any(Number) as number } },
    ]);
  });
});
