/** How a draft reads what programs of many countries export: headers, places, tax ids, times, keys, and which event a column goes with. */
import { join } from "node:path";
import Database from "better-sqlite3";
import ExcelJS from "exceljs";
import { roleOf } from "../../src/guess/words.js";
import { type } from "../support/cli.world.js";
import { allStaged, type Any, draft, draftOf, only, rows, text } from "../support/drafts.js";

describe("what programs of many countries export", () => {
  it.each([
    ["Straße u. Hausnr.", "street"],
    ["Hausnr.", "number"],
    ["Street No.", "number"],
    ["Num Ext", "number"],
    ["Folio", "document"],
    ["N° Guía", "document"],
    ["Consignment", "document"],
    ["Belegnr.", "document"],
    ["Razón Social Emisor", "name"],
    ["Raison sociale", "name"],
    ["Comuna", "city"],
    ["Town", "city"],
    ["C.P.", "zipCode"],
    ["Un", "unit"],
    ["Unidade", "placeName"],
  ])("the header %s speaks of a %s", (header, role) => expect(roleOf(header)).toBe(role));

  it("one country in all cells of its column is the mapping's", async () => {
    const { mapping, said } = await draft(
      "Consignment;Collected;Customer;Country",
      "C-#;2#/11/2025 08:30;Acme %;United Kingdom",
    );
    expect(mapping.defaults).toMatchObject({ country: "GB", timezone: "Europe/London" });
    expect(said).not.toContain("which country");
    const several = await draft(
      "Consignment;Collected;Customer;Country",
      "C-#;2#/11/2025 08:30;Acme %;{United Kingdom|Ireland}",
    );
    expect(several.said).toContain("which country");
  });

  it.each([
    [
      "CNPJ",
      "CNPJ",
      "{Campinas/SP|São Paulo - SP|Rio de Janeiro (RJ)}",
      ["Campinas SP", "São Paulo SP", "Rio de Janeiro RJ"],
    ],
    ["EIN", "12-345678%", "{Chicago, IL|St. Louis, MO|Winston-Salem NC}", null],
    [
      "EIN",
      "12-345678%",
      "{Chicago, IL|St. Louis, MO|Winston-Salem, NC}",
      ["Chicago IL", "St. Louis MO", "Winston-Salem NC"],
    ],
  ])(
    "a city and its state in one cell come apart, where all cells are so: %s %s %s",
    async (header, id, places, apart) => {
      const { input, world } = await draft(
        `Pedido;Data;${header};Rua;Cidade/UF`,
        `P-#;2#/03/2026;${id};Rua #;${places}`,
      );
      if (apart === null) return expect(only(input.addresses)).toMatchObject({ city: "=cidade_uf", countryState: "?" });
      expect(await type(world, "import", "m.yaml", "a.csv", "--sandbox")).toBe(0);
      const ledger = new Database(join(world.cwd, "state/sandbox/ledger.db"), { readonly: true });
      const data = ledger.prepare("SELECT payload FROM registrations WHERE kind = 'address'").pluck().all() as string[];
      ledger.close();
      const found = data.map((one): Any => JSON.parse(one)).map(({ city, countryState }) => `${city} ${countryState}`);
      expect(new Set(found)).toEqual(new Set(apart));
    },
  );

  it("a Spanish CIF beside DNIs, a C.P. and a Población are read as such", async () => {
    const { input, said } = await draft(
      "Albarán;Fecha;Cliente;NIF;Dirección;C.P.;Población;Provincia",
      "A-#;2#/03/2026;Talleres %;{B12345674|12345678Z|X1234567L};Calle #;2801%;Madrid;Madrid",
    );
    expect(said).toEqual(allStaged);
    expect(input.columns).toMatchObject({ nif: { as: "taxId", type: "NIF" }, c_p: "C.P." });
    expect(only(input.addresses)).toMatchObject({ city: "=poblacion", zipCode: "=c_p" });
  });

  it("a number that names an organisation is no quantity, and its owner's id; a VAT may be an amount", async () => {
    const { input } = await draft(
      "Facture;Date;Fournisseur;SIRET;VAT",
      "FA-#;2#/03/2026;Dupont %;{73282932000074|40483304800022|44306184100047};1%,50",
    );
    expect(input.columns).toMatchObject({ siret: "SIRET", vat: { as: "number" } });
    expect(only(input.participants)).toMatchObject({ taxIdType: "SIRET", taxId: "=siret" });
  });

  it("a unit that happens to tell rows apart is no key", async () => {
    const { input } = await draft("Coleta;Data;CNPJ;Qtd;Un", "C-{1|1|2|2|3|3|4|4|5};2#/03/2026;CNPJ;#,5;{t|kg}");
    expect(input.events.event.key).toBe("content");
  });

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

  it.each([
    ["Ship Date", "Ship"],
    ["Faturado em", "Faturado"],
    ["delivered_at", "delivered"],
    ["Pickup Date/Time", "Pickup"],
    ["Date of Arrival", "Arrival"],
  ])("the event of a column of times %s is called %s", async (header, name) => {
    const { yaml } = await draft(`Pedido;${header};Outra Data;CNPJ`, "P-#;2#/03/2026;2#/04/2026;CNPJ");
    expect(yaml).toMatch(new RegExp(`name: ${name}[,\\n]`));
  });

  it("the number of a protocol is a name, though it has a point", async () => {
    const { input } = await draft("protocolo;evento;data;CNPJ", "2025.00{1|1|2|2|3};{Abertura|Fim};2#/03/2026;CNPJ");
    expect(only(input.documents).key).toBe("=protocolo");
    expect(input.columns.protocolo).toBe("protocolo");
  });

  it("a pivot table beside the sheets that it sums up is left out, and said", async () => {
    const book = new ExcelJS.Workbook();
    book
      .addWorksheet("Orders")
      .addRows([["Pedido", "Data", "Valor"], ...rows("P-#;2#/03/2026;#,5").map((row) => row.split(";"))]);
    book.addWorksheet("Pivot").addRows([
      ["Row Labels", "Sum of Valor"],
      ["P-1", 1.5],
      ["P-2", 2.5],
    ]);
    const { mapping, said } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) });
    expect(Object.keys(mapping.inputs)).toEqual(["orders"]);
    expect(said).toContain('sheet "Pivot" of a.xlsx is a pivot table ("Row Labels") and was left out');
  });

  it("a tax id that would also be one of another country is of the country of the others", async () => {
    const { input, mapping } = await draft(
      "Guia;NIPC Produtor;NIPC Transportador;Data",
      "G-#;{503876321|500829993|501442600};501442600;2#/03/2026",
    );
    expect(mapping.defaults.country).toBe("PT");
    expect(input.columns.nipc_transportador).toEqual({ header: "NIPC Transportador", as: "taxId", type: "NIF" });
  });

  it.each([
    ["PLZ/Ort", "{89073 Ulm|D-10115 Berlin|4700-001 Vila Nova}", "plz_ort", ["Ulm", "Berlin", "Vila Nova"]],
    ["CEP", "13010-000", "cep", null],
  ])("a zip code and its city in one cell come apart: %s", async (header, cells, name, cities) => {
    const { input } = await draft(`Pedido;Data;CNPJ;Rua;${header};UF`, `P-#;2#/03/2026;CNPJ;Rua #;${cells};SP`);
    const at = only(input.addresses);
    if (cities === null) return expect(at).toMatchObject({ city: "?", zipCode: `=${name}` });
    const [, pattern = ""] = /"(.*)"/.exec(at.city) ?? [];
    const found = cells
      .slice(1, -1)
      .split("|")
      .map((cell) => new RegExp(pattern).exec(cell)?.[1]);
    expect([at.city.startsWith(`=extract(${name}, `), found]).toEqual([true, cities]);
    expect(at.zipCode).toBe(`=extract(${name}, "^([^ ]+) ")`);
  });

  it.each([
    ["2025-10-2# 09:15:22 -0400", "yyyy-MM-dd HH:mm:ss ZZZ"],
    ["2025-10-2# 09:15:22 UTC", "yyyy-MM-dd HH:mm:ss z"],
    ["2025-10-2# 09:15:22.12# UTC", "yyyy-MM-dd HH:mm:ss.u z"],
    ["2025-10-2#T09:15:22.000+0000", "ISO"],
    ["2025-10-2# 09:15:22+02:00", "ISO"],
    ["11/2#/2025, 8:15 AM", "M/d/yyyy, h:mm a"],
    ["2#.11.2025, 08:15:30", "d.M.yyyy, H:mm:ss"],
  ])("times as programs export them: %s", async (time, format) => {
    const { mapping, said } = await draft("Order;Paid at;Vendor", `#;${time};V%`);
    expect(mapping.defaults.dates).toEqual([format]);
    expect(said).toEqual(allStaged);
  });

  it("an address of mail names no document", async () => {
    const each = "{a|a|b|b|c|c|d|d|e}";
    const lines = [
      "Email;Country;Group;Paid at;Item",
      `${each}@example.com;Land ${each};G${each};2025-10-2# 10:00;{Tea|Mug}`,
    ] as const;
    const { input } = await draft(...lines);
    expect(Object.values(input.documents ?? {}).map((document: Any) => document.key)).not.toContain("=email");
  });

  it("the name before a tax id that says nothing of its party is this party's", async () => {
    const { input } = await draft(
      "CADRI;Gerador;CNPJ/CPF;Emissão;Destinador;CNPJ Destinador",
      "4100#;Acme %;CNPJ;2#/03/2026;Aterro;11.222.333/0001-81",
    );
    const names = Object.values(input.participants).map((party: Any) => [party.taxId, party.name]);
    expect(names).toEqual([
      ["=cnpj_cpf", "=gerador"],
      ["=cnpj_destinador", "=destinador"],
    ]);
  });

  it("a description that holds a code names no document beside a number that does", async () => {
    const { input } = await draft("CADRI;Resíduo (Cód.);CNPJ;Emissão", "4100#;06050#(*) - Lodos;CNPJ;2#/03/2026");
    expect(only(input.documents).key).toBe("=cadri");
  });

  it("a number under the name of one country's tax ids is no other country's", async () => {
    const { mapping, input } = await draft(
      "N° BSD;Date de création;Destinataire;Destinataire SIRET;Statut",
      "BSD-#;2#/11/2025;Eco;40483304800022;Traité",
    );
    expect(mapping.defaults.country).toBe("FR");
    expect(input.columns.destinataire_siret).toBe("Destinataire SIRET");
  });

  it("the time at which a program wrote the row is not when it happened", async () => {
    const { said } = await draft(
      "shipment;facility;status_ts;updated_at;CNPJ",
      "S-{1|1|2|2|3|3};F-%;2025-10-2#T08:00:00Z;2025-11-0#T09:00:00Z;CNPJ",
    );
    expect(said).toContain("when did it happen?");
  });

  it("a Dutch postcode holds no city", async () => {
    const { input } = await draft(
      "Brief;Laaddatum;CNPJ;Straße;Postcode",
      "N-#;2#/11/2025;CNPJ;Kade #;{1234 AB|3011 XY}",
    );
    expect(only(input.addresses)).toMatchObject({ city: "?", zipCode: "=postcode" });
  });

  it("the creation of a document is an event where the others took place in some rows only", async () => {
    const { input, said } = await draft(
      "Número MTR;Data de Emissão;Data de Recebimento;CNPJ;Classe",
      "25#;2#/11/2025;{20/12/2025||};CNPJ;II A",
    );
    expect(said).not.toContain("is not sent from rows that lack");
    expect(Object.keys(input.events)).toEqual(["defaults", "emissao", "recebimento"]);
    expect(input.events.emissao.attributes.private).toEqual({ Classe: "=classe" });
    const whole = await draft("Número MTR;Data de Emissão;Data de Recebimento;CNPJ", "25#;2#/11/2025;2#/12/2025;CNPJ");
    expect(Object.keys(whole.input.events)).toEqual(["defaults", "recebimento"]);
  });

  it("columns that begin as a time does go with it, also behind the last one", async () => {
    const { input } = await draft(
      "Processo;CNPJ;Etapa 1 - Data;Etapa 1 - Resultado;Etapa 2 - Data;Etapa 2 - Resultado",
      "P-#;CNPJ;2#/10/2025;OK;{20/11/2025||};{Falha||}",
    );
    expect(input.events).toMatchObject({
      etapa_1: { attributes: { private: { "Etapa 1 - Resultado": "=etapa_1_resultado" } } },
      etapa_2: { attributes: { private: { "Etapa 2 - Resultado": "=etapa_2_resultado" } } },
    });
  });

  it("a day that is estimated is no event", async () => {
    const { input } = await draft(
      "order;shipped_at;estimated_delivery_date;CNPJ",
      "P-#;2#/11/2025 10:00;2#/12/2025;CNPJ",
    );
    expect(Object.keys(input.events)).toEqual(["defaults", "shipped"]);
    expect(input.columns.estimated_delivery_date).toMatchObject({ as: "date" });
  });

  it.each([
    ["{SP|BA|GO}", "BR"],
    ["{MA|PA|SC}", "US"],
  ])("states %s that only Brazil has are the country", async (states, country) => {
    const { mapping } = await draft(
      "order;time;customer_city;customer_state;status",
      `P-#;2#/11/2025;City %;${states};x`,
    );
    expect(mapping.defaults.country).toBe(country);
  });

  it("a house number with a letter is no number with a unit", async () => {
    const { input } = await draft(
      "Pedido;Kunde;CNPJ;Straße;Hausnr.;Ort;Posten;Data",
      "P-#;A %;CNPJ;Allee;{1a|2|3};Köln;{4b|5|6};2#/03/2026",
    );
    expect(input.columns).toMatchObject({ hausnr: "Hausnr.", posten: "Posten" });
    expect(only(input.addresses).number).toBe("=hausnr");
  });

  it("what goes with an event that did not happen is not sent: a column goes with one that did in each of its rows", async () => {
    const header = "Pedido;CNPJ;Abertura;Entrega;Cancelamento;Motivo cancelamento;Peso;Recebido por";
    const dates = "0{1|2|3}/10/2025;{15/10/2025|16/10/2025|};{||17/10/2025}";
    const { input, said } = await draft(header, `P-#;CNPJ;${dates};{||desistiu};#,5;{Ana|Eva|}`);
    const carried = Object.entries(input.events).flatMap(([name, event]: Any) =>
      Object.keys(event.attributes?.private ?? {}).map((title) => `${title}: ${name}`),
    );
    expect(carried.toSorted()).toEqual([
      "Motivo cancelamento: cancelamento",
      "Peso: abertura",
      "Recebido por: abertura",
    ]);
    expect(said).not.toContain("is not sent from rows that lack");
    const other = await draft(
      "Pedido;CNPJ;Entrega;Peso;Retorno",
      "P-#;CNPJ;{|16/10/2025|17/10/2025};#,5;{15/10/2025||}",
    );
    expect(other.said).toContain('event Entrega: what it carries of "Peso" is not sent from rows that lack "Entrega"');
  });
});
