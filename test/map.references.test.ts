import { describe, expect, it } from "vitest";
import { load, mapRows, mappingWith, problemsOf, recordsOf, refusal } from "./map.support.js";

const WORKBOOK = `
version: 1
namespace: test
defaults: { timezone: UTC, dates: ["dd/MM/yyyy"], country: BR }
inputs:
  organisations:
    excel: { sheet: Orgs }
    participants:
      organisation: { key: { column: Código }, countryCode: Brasil, taxIdType: CNPJ, taxId: { column: CNPJ }, name: { column: Nome }, type: COMPANY }
  places:
    excel: { sheet: Places }
    addresses:
      place: { key: { column: Código }, participant: { ref: organisation, key: { column: Org } }, name: { column: Nome }, street: A, number: "1", city: Rio, countryState: rio de janeiro, countryCode: BR }
  papers:
    excel: { sheet: Papers }
    documents:
      paper: { key: [{ column: Série }, { column: Nr }], participant: { ref: organisation, key: { column: Org } }, address: { ref: place, key: { column: Local } }, fields: {} }
      old: { mode: existing, documentId: { column: Id }, when: { filled: Id } }
    events:
      step: { document: paper, name: Step, key: once, externalCreatedAt: { column: Day }, isPublic: true }
      late: { document: old, when: { filled: Id }, name: Late, key: once, externalCreatedAt: { column: Day }, isPublic: true,
        participant: { natural: { countryCode: BR, taxIdType: CNPJ, taxId: "11.222.333/0001-81" } }, address: { id: { column: Addr } } }
      other: { document: { ref: paper, key: [A, { column: Nr }] }, when: { filled: Other }, name: Other, key: once, externalCreatedAt: { column: Day }, isPublic: true,
        participant: { id: p-1 }, address: { ref: place, key: { column: Local } } }
`;

describe("records of other rows", () => {
  it("are referred to by their name and key", async () => {
    const mapping = await load(WORKBOOK);
    const { participants } = recordsOf(mapRows(mapping, [{ Código: "O1", CNPJ: "11222333000181", Nome: "Org" }], 0));
    expect(participants[0]).toMatchObject({ kind: "organisation", alias: "O1", data: { countryCode: "BR" } });
    const { addresses } = recordsOf(mapRows(mapping, [{ Código: "P1", Org: "O1", Nome: "Pátio" }], 1));
    expect(addresses[0]).toMatchObject({
      alias: "P1",
      participant: { by: "alias", kind: "organisation", key: "O1" },
      data: { countryState: "RJ" },
    });
    const { documents, events } = recordsOf(
      mapRows(mapping, [{ Série: "A", Nr: "7", Org: "O1", Local: "P1", Day: "01/02/2026" }], 2),
    );
    expect(documents[0]).toMatchObject({
      key: "1:A1:7",
      externalId: "A-7",
      participant: { by: "alias", key: "O1" },
      address: { by: "alias", kind: "place", key: "P1" },
    });
    expect(events[0]?.participant).toEqual({ by: "alias", kind: "organisation", key: "O1" });
  });

  it("may be documents of the service by id, participants by natural key or id, addresses by id", async () => {
    const mapping = await load(WORKBOOK);
    const rows = [
      { Série: "A", Nr: "7", Org: "O1", Local: "P1", Day: "01/02/2026", Id: "d-1", Addr: "a-1", Other: "x" },
    ];
    const { documents, events } = recordsOf(mapRows(mapping, rows, 2));
    expect(documents[1]).toEqual({
      kind: "old",
      key: "d-1",
      mode: "existing",
      documentId: "d-1",
      participant: null,
      address: null,
      externalId: null,
      fields: {},
      createEmpty: false,
    });
    expect(events[1]).toMatchObject({
      document: { kind: "old", key: "d-1" },
      participant: { by: "natural", key: "2:BR4:CNPJ14:11222333000181" },
      address: { by: "id", id: "a-1" },
    });
    expect(events[2]).toMatchObject({
      document: { kind: "paper", key: "1:A1:7" },
      participant: { by: "id", id: "p-1" },
    });
  });

  it("with a blank key make the row invalid", async () => {
    const [mapped] = mapRows(
      await load(WORKBOOK),
      [{ Série: "A", Nr: "7", Org: "", Local: "P1", Day: "01/02/2026" }],
      2,
    );
    expect(problemsOf(mapped)).toMatchObject([{ code: "value-required", column: "Org" }]);
  });

  it("of which the mapping knows nothing are refused, unless another mapping has them", async () => {
    const lost = WORKBOOK.replaceAll("ref: organisation", "ref: organization");
    const error = await refusal(lost);
    expect(error.message).toContain('Did you mean "organisation"?');
    const other = `${WORKBOOK.replaceAll("ref: organisation", "ref: partner")}elsewhere: { participants: [partner] }\n`;
    expect((await load(other)).inputs).toHaveLength(3);
  });
});

describe("records of the same row", () => {
  it("that do not exist there make the row invalid where they are needed", async () => {
    const yaml = mappingWith({}).replace("owner: { ", "owner: { when: { filled: Dono }, ");
    const mapped = mapRows(await load(yaml), [{ Doc: "1", Day: "01/02/2026" }]);
    const problems = problemsOf(mapped[0]);
    expect(problems.map(({ code }) => code)).toEqual(["reference-absent", "reference-absent"]);
    expect(problems.map(({ message }) => message.split(":")[0])).toEqual(['address "home"', 'document "paper"']);
  });

  it("are not found in another input by name alone", async () => {
    const error = await refusal(
      WORKBOOK.replace(
        "participant: { ref: organisation, key: { column: Org } }, name",
        "participant: organisation, name",
      ),
    );
    expect(error).toMatchObject({
      code: "mapping-reference",
      hint: expect.stringContaining("{ ref: organisation, key: … }") as string,
    });
  });

  it("need not be named for an event only where they exist", async () => {
    expect(await refusal(WORKBOOK.replace("participant: { id: p-1 }, ", ""))).toMatchObject({
      code: "mapping-reference",
      message: expect.stringContaining('"participant" is missing') as string,
    });
    expect(await refusal(WORKBOOK.replace("step: { document: paper, ", "step: { "))).toMatchObject({
      code: "mapping-reference",
      hint: expect.stringContaining("paper, old") as string,
    });
  });
});

describe("a document", () => {
  it("to be created needs key, participant and address", async () => {
    const error = await refusal("version: 1\nnamespace: t\ninputs: { a: { documents: { paper: { fields: {} } } } }\n");
    expect(error).toMatchObject({ code: "mapping-invalid", message: expect.stringContaining("3 mistakes") as string });
  });

  it.each([
    [
      "to be created cannot have an id",
      "paper: { key: { column: Nr }, documentId: x, participant: { id: a }, address: { id: b } }",
    ],
    ["that exists needs a key or an id", "paper: { mode: existing }"],
    ["that exists has no fields", "paper: { mode: existing, key: { column: Nr }, fields: { a: 1 } }"],
  ])("%s", async (_title, text) => {
    expect((await refusal(`version: 1\nnamespace: t\ninputs:\n  a:\n    documents:\n      ${text}\n`)).code).toBe(
      "mapping-value",
    );
  });
});
