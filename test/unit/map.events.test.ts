import { load, mapRows, mappingWith, problemsOf, recordsOf, refusal } from "../support/map.support.js";

const DAY = { Doc: "1", Day: "01/02/2026" };

/** A second event beside the usual one. */
function withEvent(text: string) {
  const columns = `ticket: Ticket
line: { header: Line, as: integer }
kg: { header: Kg, as: number }
lot: Lot
other: Other
id: Id
why: Why
what: What
go: Go`;
  return mappingWith({ columns, more: text });
}

describe("an event", () => {
  it("whose key is blank makes the row invalid", async () => {
    const yaml = withEvent("weighing: { name: W, key: =ticket, externalCreatedAt: =day, isPublic: true }");
    expect(problemsOf(mapRows(await load(yaml), [DAY])[0])).toMatchObject([
      { code: "value-required", column: "Ticket" },
    ]);
  });

  it("carries target, value, propagation and extra fields", async () => {
    const yaml = withEvent(`
split:
  name: SPLIT
  key: once
  externalCreatedAt: =day
  isPublic: true
  value: =kg
  extra: { label: x }
  target: { document: lot, key: =lot, participant: owner, address: home, fields: { category: Lot } }
spread: { name: Spread, key: once, externalCreatedAt: =day, isPublic: true, propagateEvent: true }`);
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

  it("CANCEL with a blank reason makes the row invalid (service.md, Event endpoints, rule 9)", async () => {
    const yaml = withEvent(
      "stop: { name: CANCEL, key: once, externalCreatedAt: =day, isPublic: true, attributes: { private: { reason: =why } } }",
    );
    expect(problemsOf(mapRows(await load(yaml), [DAY])[0])).toMatchObject([{ code: "value-required", column: "Why" }]);
    expect(recordsOf(mapRows(await load(yaml), [{ ...DAY, Why: "erro" }])).events[1]?.attributes).toEqual([
      { name: "reason", value: "erro", isPublic: false },
    ]);
  });

  it("whose name comes from the row keeps the rules of that name", async () => {
    const yaml = withEvent("").replace("name: Step", "name: =what");
    const codes = async (What: string) =>
      problemsOf(mapRows(await load(yaml), [{ ...DAY, What }])[0]).map(({ code, column }) => [code, column]);
    expect(await codes("Cancel")).toEqual([["event-name", "What"]]);
    expect(await codes("CANCEL")).toEqual([["event-name", "What"]]);
    expect(await codes("RELATED")).toEqual([["event-name", "What"]]);
    expect(recordsOf(mapRows(await load(yaml), [{ ...DAY, What: "CLOSE" }])).events[0]?.name).toBe("CLOSE");
  });
});

describe("attributes", () => {
  it("each have their own visibility, constant or from the row", async () => {
    const yaml = mappingWith({
      columns: "x: X\nopen: { header: Open, as: boolean }",
      event: "attributes: { public: { A: =x }, private: { P: =x }, asEvent: { B: =x } }",
    })
      .replace(/ +attributes:\n +public:\n.*\n/u, "")
      .replace("isPublic: true", "isPublic: =open");
    const { events } = recordsOf(mapRows(await load(yaml), [{ ...DAY, X: "v", Open: "não" }]));
    expect(events[0]?.attributes).toEqual([
      { name: "A", value: "v", isPublic: true },
      { name: "P", value: "v", isPublic: false },
      { name: "B", value: "v", isPublic: false },
    ]);
  });

  it("may be every column that matches a pattern, named like its header", async () => {
    const yaml = mappingWith({
      columns: 'tests: { headers: "laudo *", except: ["*interno", "Laudo A"] }',
      event: 'attributes: { public: { Laudo A: fixed }, private: { "*": =tests } }',
    }).replace(/ +attributes:\n +public:\n.*\n/u, "");
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

function event(text: string) {
  return withEvent(`e: { key: once, externalCreatedAt: =day, isPublic: true, ${text} }`);
}

describe("what the service always refuses is refused when the mapping loads", () => {
  it.each([
    ["a CANCEL without a reason", "name: CANCEL", "rule 9"],
    [
      "a CANCEL whose Reason has a capital letter",
      "name: CANCEL, attributes: { public: { Reason: =why } }",
      "exactly `reason`",
    ],

    ["a RELATED without a related document", "name: RELATED", "rule 10"],
    ...[
      "eventName: Foo",
      "eventLabel: Foo",
      "preserveSensitiveData: true",
      "isBackReference: true",
      "isPublic: true",
    ].map((more) => [
      `a one-sided relation with ${more}`,
      `name: RELATED, relatedDocument: { document: { id: x }, bidirectional: false, ${more} }`,
      "rule 10",
    ]),
    ["a two-sided relation without visibility", "name: RELATED, relatedDocument: { document: { id: x } }", "rule 10"],
    ["a propagated event with a value", "name: X, propagateEvent: true, value: 1", "rule 11"],
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
    ["missing", "step2: { name: X, externalCreatedAt: =day, isPublic: true }", "missing"],
    ["misspelt", "step2: { name: X, key: onec, externalCreatedAt: =day, isPublic: true }", "once"],
    [
      "content without saying within what",
      "step2: { name: X, key: content, externalCreatedAt: =day, isPublic: true }",
      "within",
    ],
  ])("%s are refused", async (_title, text, says) => {
    const error = await refusal(withEvent(text));
    expect(error.code).toBe("mapping-event-key");
    expect(error.message + error.hint).toContain(says);
  });
});
