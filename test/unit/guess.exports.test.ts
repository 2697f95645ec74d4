/** How a draft reads what programs of many countries export: headers, places, tax ids, times, keys, and which event a column goes with. */
import { join } from "node:path";
import Database from "better-sqlite3";
import ExcelJS from "exceljs";
import { type } from "../support/cli.world.js";
import { allStaged, type Any, draft, draftOf, drafts, has, hasNot, only, rows, text } from "../support/drafts.js";

describe("rows that are none", () => {
  drafts(
    [
      "titles of pages, counts and signatures of one cell are skipped, and told",
      "Guia;Data;Exame;Peso",
      ["L#;2#/03/2026;UREIA;#,5", "LAB SAÚDE - Página 2;;;", "Ana Souza - Técnica;;;", "Gerado em 20/03/2026 10:11"],
      {
        skip: '=blank(data) && matches(fold(guia), "^(lab saude . pagina [0-9]+|ana souza . tecnica|gerado em [0-9]+.[0-9]+.[0-9]+ [0-9]+.[0-9]+)$")',
        said: has("9 of 12 rows would be staged, 3 skipped"),
        yaml: has('# - skip: rows with a single cell are skipped if it is like "LAB SAÚDE - Página 2"'),
      },
    ],
    [
      "a key alone is a row, and a mistake",
      "Guia;Data;Exame;Peso",
      ["Guia L#;2#/03/2026;UREIA;#,5", "Guia L10;;;"],
      { skip: undefined, said: has("9 of 10 rows would be staged;") },
    ],
    [
      "a total is skipped beside a footer",
      "OS;Data;Gerador;Peso (kg)",
      ["OS-#;2#/03/2026;Acme;#,5", "Total geral;;;1.272,00", "Registros: 9;;;"],
      { yaml: hasNot("rowsWithoutEvents"), said: has("9 of 11 rows would be staged, 2 skipped") },
    ],
    [
      "units in the row below are joined to the header",
      "Amostra;Data;pH;Condutividade\n;;;µS/cm",
      "AM-#;2#/03/2026;7,#;12#,5",
      { header: [1, 2], columns: { condutividade_s_cm: { as: "number" } }, said: allStaged },
    ],
  );
});

describe("a file that belongs to another", () => {
  const orders = text(["NumPedido;DataPedido;CNPJ;RazaoSocial", ...rows("700#;2#/03/2026;CNPJ;Acme")]);

  it("puts its events on the documents of the other, in whatever order they are given", async () => {
    const history = text(["Pedido;Status;DataHora", ...rows("700#;{Pago|Enviado};2#/03/2026 10:00", 9)]);
    const { mapping, said, world } = await draftOf({
      "a.csv": history + history.split("\n").slice(1).join("\n"),
      "b.csv": orders,
    });
    expect(mapping.inputs.a.documents).toMatchObject({ num_pedido: { mode: "existing", key: "=pedido" } });
    expect(said).toContain('a: its "Pedido" names the documents of b ("NumPedido")');
    expect(await type(world, "import", "m.yaml", "a.csv", "b.csv", "--sandbox")).toBe(0);
  });
});

describe("dialects", () => {
  it("are pinned in full, so that no later file is read otherwise", async () => {
    const { input } = await draft("Pedido;Data;CNPJ", "P-#;2#/03/2026;CNPJ");
    expect(input.csv).toEqual({ delimiter: ";", quote: '"', escape: '"', trim: false, encoding: "utf-8" });
  });
});

describe("countries and places", () => {
  it.each([
    ["CNPJ", "{Campinas/SP|São Paulo - SP|Rio de Janeiro (RJ)}", ["Campinas SP", "São Paulo SP", "Rio de Janeiro RJ"]],
  ])("a city and its state in one cell come apart, where all cells are so: %s %s", async (id, places, apart) => {
    const header = `Pedido;Data;${id === "CNPJ" ? "CNPJ" : "EIN"};Rua;Cidade/UF`;
    const { world } = await draft(header, `P-#;2#/03/2026;${id};Rua #;${places}`);
    expect(await type(world, "import", "m.yaml", "a.csv", "--sandbox")).toBe(0);
    const ledger = new Database(join(world.cwd, "state/sandbox/ledger.db"), { readonly: true });
    const data = ledger.prepare("SELECT payload FROM registrations WHERE kind = 'address'").pluck().all() as string[];
    ledger.close();
    const found = data.map((one): Any => JSON.parse(one)).map(({ city, countryState }) => `${city} ${countryState}`);
    expect(new Set(found)).toEqual(new Set(apart));
  });

  it("a zip code and its city in one cell come apart", async () => {
    const cells = "{89073 Ulm|D-10115 Berlin|4700-001 Vila Nova}";
    const { input } = await draft("Pedido;Data;CNPJ;Rua;PLZ/Ort;UF", `P-#;2#/03/2026;CNPJ;Rua #;${cells};SP`);
    const at = only(input.addresses);
    const [, pattern = ""] = /^=extract\(plz_ort, "(.*)"\)/.exec(at.city) ?? [];
    const found = cells.slice(1, -1).split("|");
    expect(found.map((cell) => new RegExp(pattern).exec(cell)?.[1])).toEqual(["Ulm", "Berlin", "Vila Nova"]);
    expect(at.zipCode).toBe('=extract(plz_ort, "^([^ ]+) ")');
  });

  drafts(
    [
      "a city does not come apart where one cell is otherwise",
      "Pedido;Data;EIN;Rua;Cidade/UF",
      "P-#;2#/03/2026;12-345678%;Rua #;{Chicago, IL|St. Louis, MO|Winston-Salem NC}",
      { address: { city: "=cidade_uf", countryState: "?" } },
    ],
    [
      "a zip code alone holds no city",
      "Pedido;Data;CNPJ;Rua;CEP;UF",
      "P-#;2#/03/2026;CNPJ;Rua #;13010-000;SP",
      { address: { city: "?", zipCode: "=cep" } },
    ],
    [
      "one country in all cells of its column is the mapping's",
      "Consignment;Collected;Customer;Country",
      "C-#;2#/11/2025 08:30;Acme %;United Kingdom",
      { defaults: { country: "GB", timezone: "Europe/London" }, said: hasNot("which country") },
    ],
    [
      "several are asked about",
      "Consignment;Collected;Customer;Country",
      "C-#;2#/11/2025 08:30;Acme %;{United Kingdom|Ireland}",
      { said: has("which country") },
    ],
    [
      "states that only Brazil has are the country",
      "order;time;customer_city;customer_state;status",
      "P-#;2#/11/2025;City %;{SP|BA|GO};x",
      { defaults: { country: "BR" } },
    ],
  );
});

describe("tax ids and parties", () => {
  drafts(
    [
      "a Spanish CIF beside DNIs, a C.P. and a Población are read as such",
      "Albarán;Fecha;Cliente;NIF;Dirección;C.P.;Población;Provincia",
      "A-#;2#/03/2026;Talleres %;{B12345674|12345678Z|X1234567L};Calle #;2801%;Madrid;Madrid",
      {
        said: allStaged,
        columns: { nif: { as: "taxId", type: "NIF" }, c_p: "C.P." },
        address: { city: "=poblacion", zipCode: "=c_p" },
      },
    ],
    [
      "a number that names an organisation is no quantity, and its owner's id; a VAT may be an amount",
      "Facture;Date;Fournisseur;SIRET;VAT",
      "FA-#;2#/03/2026;Dupont %;{73282932000074|40483304800022|44306184100047};1%,50",
      {
        columns: { siret: { as: "taxId", type: "SIRET" }, vat: { as: "number" } },
        participant: { taxId: "=siret" },
      },
    ],
    [
      "the name before a tax id that says nothing of its party is this party's",
      "CADRI;Gerador;CNPJ/CPF;Emissão;Destinador;CNPJ Destinador",
      "4100#;Acme %;CNPJ;2#/03/2026;Aterro;11.222.333/0001-81",
      {
        participant: { taxId: "=cnpj_cpf", name: "=gerador" },
        participants: { destinador: { taxId: "=cnpj_destinador", name: "=destinador" } },
      },
    ],
  );

  it("documents whose customers stand in a file of their own have these and their addresses", async () => {
    const customers = "Código;Razão Social;CNPJ;Endereço;Nº;Bairro;Cidade;UF";
    const { input, mapping, said, world } = await draftOf({
      "customers.csv": text([customers, ...rows("C00#;Acme #;CNPJ;Rua #;#0;Centro;Rio;RJ", 2)]),
      "orders.csv": text(["Pedido;Cliente;Faturado em", ...rows("P-#;C00{1|2};2#/03/2026")]),
    });
    expect(said).not.toContain("To decide");
    expect(only(input.addresses)).toMatchObject({ key: "=codigo", number: "=no_" });
    expect(only(mapping.inputs.orders.documents)).toMatchObject({
      participant: { ref: "organisation", key: "=cliente" },
      address: { ref: "organisation_address", key: "=cliente" },
    });
    expect(await type(world, "import", "m.yaml", "customers.csv", "orders.csv", "--sandbox")).toBe(0);
  });
});

describe("keys", () => {
  drafts(
    [
      "a unit that happens to tell rows apart is none",
      "Coleta;Data;CNPJ;Qtd;Un",
      "C-{1|1|2|2|3|3|4|4|5};2#/03/2026;CNPJ;#,5;{t|kg}",
      { events: { event: { key: "content" } } },
    ],
    [
      "a description that holds a code names no document beside a number that does",
      "CADRI;Resíduo (Cód.);CNPJ;Emissão",
      "4100#;06050#(*) - Lodos;CNPJ;2#/03/2026",
      { document: { key: "=cadri" } },
    ],
  );
});

describe("events and their times", () => {
  const events = (...names: string[]) => ({
    defaults: expect.anything(),
    ...Object.fromEntries(names.map((name) => [name, expect.anything()])),
  });
  it.each([
    [
      "the creation of a document is one where the others took place in some rows only",
      "Número MTR;Data de Emissão;Data de Recebimento;CNPJ",
      "25#;2#/11/2025;{20/12/2025||};CNPJ",
      ["emissao", "recebimento"],
    ],
    [
      "and is none where another took place in all",
      "Número MTR;Data de Emissão;Data de Recebimento;CNPJ",
      "25#;2#/11/2025;2#/12/2025;CNPJ",
      ["recebimento"],
    ],
  ])("%s", async (_title, header, cells, names) => {
    expect((await draft(header, cells)).input.events).toEqual(events(...names));
  });

  drafts(
    [
      "the time at which a program wrote the row is not when it happened",
      "shipment;facility;status_ts;updated_at;CNPJ",
      "S-{1|1|2|2|3|3};F-%;2025-10-2#T08:00:00Z;2025-11-0#T09:00:00Z;CNPJ",
      { said: has("when did it happen?") },
    ],
    [
      "what goes with an event that did not happen is not sent: a column goes with one that did in each of its rows",
      "Pedido;CNPJ;Abertura;Entrega;Cancelamento;Motivo cancelamento;Peso;Recebido por",
      "P-#;CNPJ;0{1|2|3}/10/2025;{15/10/2025|16/10/2025|};{||17/10/2025};{||desistiu};#,5;{Ana|Eva|}",
      {
        events: {
          cancelamento: { attributes: { private: { "Motivo cancelamento": "=motivo_cancelamento" } } },
          abertura: { attributes: { private: { Peso: "=peso", "Recebido por": "=recebido_por" } } },
        },
        said: hasNot("is not sent from rows that lack"),
      },
    ],
    [
      "where none did, that is told",
      "Pedido;CNPJ;Entrega;Peso;Retorno",
      "P-#;CNPJ;{|16/10/2025|17/10/2025};#,5;{15/10/2025||}",
      { said: has('event Entrega: what it carries of "Peso" is not sent from rows that lack "Entrega"') },
    ],
  );
});

it("a pivot table beside the sheets that it sums up is left out, and said", async () => {
  const book = new ExcelJS.Workbook();
  const orders = rows("P-#;2#/03/2026;#,5").map((row) => row.split(";"));
  book.addWorksheet("Orders").addRows([["Pedido", "Data", "Valor"], ...orders]);
  book.addWorksheet("Pivot").addRows([
    ["Row Labels", "Sum of Valor"],
    ["P-1", 1.5],
    ["P-2", 2.5],
  ]);
  const { mapping, said } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) });
  expect(Object.keys(mapping.inputs)).toEqual(["orders"]);
  expect(said).toContain('sheet "Pivot" of a.xlsx is a pivot table ("Row Labels") and was left out');
});
