import { load, mapRows, mappingWith, problemsOf, recordsOf, refusal } from "../support/map.support.js";

const WORKBOOK = `
version: 2
namespace: test
defaults: { timezone: UTC, dates: ["dd/MM/yyyy"], country: BR }
inputs:
  organisations:
    excel: { sheet: Orgs }
    columns: { code: Código, cnpj: { header: CNPJ, as: taxId, type: CNPJ }, org_name: Nome }
    participants:
      organisation: { key: =code, countryCode: Brasil, taxId: =cnpj, name: =org_name, type: COMPANY }
  places:
    excel: { sheet: Places }
    columns: { code: Código, org: Org, place_name: Nome }
    addresses:
      place: { key: =code, participant: { ref: organisation, key: =org }, name: =place_name, street: A, number: "1", city: Rio, countryState: rio de janeiro }
  papers:
    excel: { sheet: Papers }
    columns: { series: Série, nr: Nr, org: Org, local: Local, id: Id, day: { header: Day, as: timestamp }, addr: Addr, again: Other }
    documents:
      paper: { key: [=series, =nr], participant: { ref: organisation, key: =org }, address: { ref: place, key: =local }, fields: {} }
      old: { mode: existing, id: =id, when: =filled(id) }
    events:
      step: { document: paper, name: Step, key: once, externalCreatedAt: =day, isPublic: true }
      late: { document: old, when: =filled(id), name: Late, key: once, externalCreatedAt: =day, isPublic: true,
        participant: { taxIdType: CNPJ, taxId: "11.222.333/0001-81" }, address: { id: =addr } }
      other: { document: { ref: paper, key: [A, =nr] }, when: =filled(again), name: Other, key: once, externalCreatedAt: =day, isPublic: true,
        participant: { id: p-1 }, address: { ref: place, key: =local } }
`;

describe("records of other rows", () => {
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
      document: { kind: "paper", key: "A, 7" },
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
    const yaml = mappingWith({ columns: "dono: Dono" }).replace("owner: { ", "owner: { when: =filled(dono), ");
    const mapped = mapRows(await load(yaml), [{ Doc: "1", Day: "01/02/2026" }]);
    const problems = problemsOf(mapped[0]);
    expect(problems.map(({ code }) => code)).toEqual(["reference-absent", "reference-absent"]);
    expect(problems.map(({ message }) => message.split(":")[0])).toEqual(['address "home"', 'document "paper"']);
  });

  it("are not found in another input by name alone", async () => {
    const error = await refusal(
      WORKBOOK.replace("participant: { ref: organisation, key: =org }, name", "participant: organisation, name"),
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
    const error = await refusal("version: 2\nnamespace: t\ninputs: { a: { documents: { paper: { fields: {} } } } }\n");
    expect(error).toMatchObject({ code: "mapping-invalid", message: expect.stringContaining("3 mistakes") as string });
  });

  it.each([
    ["to be created cannot have an id", "paper: { key: =file, id: x, participant: { id: a }, address: { id: b } }"],
    ["that exists needs a key or an id", "paper: { mode: existing }"],
    ["that exists has no fields", "paper: { mode: existing, key: a, fields: { a: 1 } }"],
  ])("%s", async (_title, text) => {
    expect((await refusal(`version: 2\nnamespace: t\ninputs:\n  a:\n    documents:\n      ${text}\n`)).code).toBe(
      "mapping-value",
    );
  });
});
