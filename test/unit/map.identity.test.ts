import { load, mapRows, problemsOf, recordsOf } from "../support/map.support.js";

const YAML = (key = "") => `
version: 2
namespace: test
defaults: { country: BR }
inputs:
  rows:
    columns: { land: { header: País, default: BR }, doc_type: Tipo, doc: Doc, called: Nome, street: Rua, nr: Nr, city: Cidade, uf: UF, k: K }
    participants:
      org: { countryCode: =land, taxIdType: =doc_type, taxId: =doc, name: Org, type: COMPANY }
    addresses:
      place: { ${key} participant: org, name: =called, street: =street, number: =nr, city: =city, countryState: =uf, countryCode: =land }
`;

const PLACE = {
  Tipo: "CNPJ",
  Doc: "11.222.333/0001-81",
  Nome: "Pátio",
  Rua: "Rua das Flores",
  Nr: "10",
  Cidade: "São Paulo",
  UF: "SP",
};

async function identities(rows: { [header: string]: string }[], key = "") {
  return recordsOf(mapRows(await load(YAML(key)), rows)).addresses.map(({ identity }) => identity);
}

describe("the identity of an address (HARD-CASES H30)", () => {
  it("is all create fields, without regard to case, accents, white space and compatibility forms", async () => {
    const [first, second] = await identities([
      PLACE,
      { ...PLACE, Nome: "PATIO", Rua: "rua  das ﬂores", Cidade: "SAO PAULO", UF: "são paulo" },
    ]);
    expect(second).toBe(first);
  });

  it.each(["Nome", "Rua", "Nr", "Cidade", "UF"])("differs when %s differs", async (column) => {
    const other = { ...PLACE, [column]: column === "UF" ? "RJ" : "Outra" };
    const [first, second] = await identities([PLACE, other]);
    expect(second).not.toBe(first);
  });

  it("does not confuse neighbouring fields", async () => {
    const [first, second] = await identities([
      { ...PLACE, Rua: "A1", Nr: "0" },
      { ...PLACE, Rua: "A", Nr: "10" },
    ]);
    expect(second).not.toBe(first);
  });

  it("is the key where the mapping gives one", async () => {
    const [first, second, third] = await identities(
      [
        { ...PLACE, K: "1" },
        { ...PLACE, Rua: "Outra", K: "1" },
        { ...PLACE, K: "2" },
      ],
      "key: =k,",
    );
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});

it("a blank tax id whose type and country are its column's is one mistake, not three", async () => {
  const typed = YAML()
    .replace("doc: Doc", "doc: { header: Doc, as: taxId, type: CNPJ }")
    .replace("countryCode: =land, taxIdType: =doc_type, ", "");
  const [mapped] = mapRows(await load(typed), [{ ...PLACE, Doc: "" }]);
  expect(problemsOf(mapped).map(({ column, message }) => [column, message])).toEqual([
    ["Doc", 'blank, but needed for participant "org": taxId'],
  ]);
});

it.each([
  ["of its own column", "=doc_type", { Tipo: "cnpj" }],
  ["written out", "Cnpj", {}],
])("a tax id's type %s is one participant, however its letters are written", async (_title, type, cells) => {
  const yaml = YAML()
    .replace("taxIdType: =doc_type", `taxIdType: ${type}`)
    .replace("participant: org", `participant: { taxIdType: ${type}, taxId: =doc, countryCode: =land }`);
  const { participants, addresses } = recordsOf(mapRows(await load(yaml), [{ ...PLACE, ...cells }]));
  expect(participants).toMatchObject([{ data: { taxIdType: "CNPJ", taxId: "11222333000181" } }]);
  expect(addresses).toMatchObject([{ participant: { by: "natural", key: "2:BR4:CNPJ14:11222333000181" } }]);
});

it("a type that the country does not have is sent as written", async () => {
  const [row] = mapRows(await load(YAML()), [{ ...PLACE, Tipo: "Outro", Doc: "7-1" }]);
  expect(recordsOf([row!]).participants).toMatchObject([{ data: { taxIdType: "Outro", taxId: "7-1" } }]);
});
