/** How a draft reads what programs of many countries export: headers, places, tax ids, times, keys, and which event a column goes with. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import ExcelJS from "exceljs";
import { roleOf } from "../../src/guess/words.js";
import { makeCnpj } from "../../scripts/fixtures/tax-ids.js";
import { type } from "../support/cli.world.js";
import { sampled } from "../support/sample.js";
import {
  allStaged,
  type Any,
  draft,
  draftOf,
  drafts,
  has,
  hasNot,
  matches,
  only,
  rows,
  text,
  workbook,
} from "../support/drafts.js";

describe("headers", () => {
  it.each(
    sampled(
      [
        ["Straße u. Hausnr.", "street"],
        ["N° Guía", "document"],
        ["Razón Social Emisor", "name"],
        ["Un", "unit"],
        ["RazaoSocial", "name"],
        ["Matrícula", "code"],
        ["VL_NOTA", "amount"],
        ["dhEmi", "time"],
        ["Email Address", "email"],
        ["IP Address", "email"],
        ["Issue Key", "document"],
        ["Issue id", "document"],
        ["Date of Issue", "created"],
        ["Issue Date", "created"],
        ["Sacado", "name"],
        ["shipper", "name"],
        ["Auftragsmenge", "amount"],
        ["Order Value", "amount"],
        ["Nettowert", "amount"],
        ["Tara (kg)", "amount"],
        ["Gross", "amount"],
        ["Verkaufsbeleg", "document"],
        ["Belegdatum", "time"],
        ["Rechnungsnr.", "document"],
        ["Nº Processo", "document"],
        ["ADDR1", "street"],
        ["ADDRESS1", "street"],
        ["Materialbeleg", "document"],
        ["Material Document", "document"],
        ["Debitor", "name"],
        ["CGC", "taxId"],
        ["Empfänger", "name"],
        ["Producteur", "name"],
        ["Mat.Doc.", "document"],
        ["Chave", "document"],
        ["Atendimento", "document"],
        ["First reply time in minutes", "duration"],
      ],
      2,
    ),
  )("the header %s speaks of a %s", (header, role) => expect(roleOf(header)).toBe(role));
});

describe("rows that are none", () => {
  it("that the draft skips are not told to be read like any other", async () => {
    const total = "Total geral;;;;1.272,00";
    const skipped = await draft("OS;Data;Gerador;Placa;Peso (kg)", "OS-#;2#/03/2026;Acme;A#;#,5", total);
    expect(skipped.said).toContain("9 of 10 rows would be staged, 1 skipped");
    expect(skipped.said).not.toContain("looks like a total");
    const row = await draft("OS;Data;Gerador;Placa;Peso (kg)", "OS-#;2#/03/2026;Acme;A#;#,5", "OS-10;;;;");
    expect(row.said).toContain("Row 11 has only one filled cell");
  });
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
      "rows that only begin with a star are not skipped",
      "Doc;Data;Exame;Peso",
      "{L1|L2|L3|L4|L5|*|L7|L8|L9};2#/03/2026;UREIA;#,5",
      { skip: undefined },
    ],
    [
      "sums of SAP are",
      "Doc;Data;Exame;Peso",
      ["L#;2#/03/2026;UREIA;#,5", "*;;;9,5", "**;;;9,5"],
      { skip: '=blank(data) && (startsWith(fold(doc), "*") || startsWith(fold(doc), "**"))' },
    ],
    [
      "subtotals and pivot tables of Excel, which name their group first, are",
      "Cliente;Doc;Data;Exame;Peso",
      ["Acme;L#;2#/03/2026;UREIA;#,5", "Acme Total;;;;9,5", "Beta Total;;;;9,5", "Total Geral;;;;19"],
      {
        skip: '=(blank(doc) && endsWith(fold(cliente), " total")) || (blank(doc) && startsWith(fold(cliente), "total"))',
        said: has("9 of 12 rows would be staged, 3 skipped"),
      },
    ],
    [
      "a product of such a name is not",
      "Produto;Doc;Data;Exame;Peso",
      ["{Acme|Limpa Total};L#;2#/03/2026;;", "Total Geral;;;;9,5"],
      { skip: '=blank(doc) && startsWith(fold(produto), "total")' },
    ],
    [
      "a footer of Power BI is skipped, whatever its filters say next time",
      "Guia;Data;Exame;Peso",
      ["L#;2#/03/2026;UREIA;#,5", `"Filtros aplicados:\n${"Mês é Março\n".repeat(20)}";;;`],
      { skip: '=blank(data) && matches(fold(guia), "^(filtros aplicados..*)$")', said: has("1 skipped") },
    ],
    [
      "a sum without a word is skipped, and told",
      "Guia;Data;Exame;CNPJ;Valor",
      ["L#;2#/03/2026;UREIA;CNPJ;R$ #,5", ";;;;R$ 49,5"],
      {
        skip: "=blank(guia) && blank(data) && blank(exame) && blank(cnpj)",
        said: matches(/totals are recognised by blank cells only.*9 of 10 rows would be staged, 1 skipped/),
      },
    ],
    [
      "so is one beside the unit that every row has",
      "Guia;Data;Exame;CNPJ;Valor;Un",
      ["L#;2#/03/2026;UREIA;CNPJ;#,5;TON", ";;;;49,5;TON"],
      {
        skip: "=blank(guia) && blank(data) && blank(exame) && blank(cnpj)",
        said: has("9 of 10 rows would be staged, 1 skipped"),
      },
    ],
    [
      "a last row of units alone is none",
      "Guia;Data;Exame;CNPJ;Valor;Un;Tipo",
      ["L#;2#/03/2026;UREIA;CNPJ;#,5;TON;X", ";;;;;TON;X"],
      { skip: undefined },
    ],
    [
      "a last row of a key and an amount is none",
      "Guia;Data;Exame;CNPJ;Valor",
      ["#;2#/03/2026;UREIA;CNPJ;R$ #,5", "10;;;;R$ 49,5"],
      { skip: undefined },
    ],
    [
      "a key alone is a row, and a mistake",
      "Guia;Data;Exame;Peso",
      ["Guia L#;2#/03/2026;UREIA;#,5", "Guia L10;;;"],
      { skip: undefined, said: has("9 of 10 rows would be staged;") },
    ],
    [
      "a total is skipped where a number is the key, whose pattern its word does not fit",
      "Pedido;Data;Gerador;Peso (kg)",
      ["100#;2#/03/2026;Acme;#,5", "Total;;;45,5"],
      {
        skip: '=blank(data) && startsWith(fold(pedido_said), "total")',
        said: has("9 of 10 rows would be staged, 1 skipped"),
      },
    ],
    [
      "a total is skipped beside a footer",
      "OS;Data;Gerador;Peso (kg)",
      ["OS-#;2#/03/2026;Acme;#,5", "Total geral;;;1.272,00", "Registros: 9;;;"],
      { yaml: hasNot("rowsWithoutEvents"), said: has("9 of 11 rows would be staged, 2 skipped") },
    ],
    [
      "a total is skipped beside a footer of two cells, which is skipped, too",
      "OS;Data;Gerador;Placa;Peso (kg)",
      ["OS-#;2#/03/2026;Acme;ABC-#;#,5", "Total geral;;;;1.272,00", "Usuário: ANA;;;;Emitido em 01/04/2026"],
      {
        yaml: has('# - skip: rows with one or two cells are skipped if the first is like "Usuário: ANA"'),
        said: has("9 of 11 rows would be staged, 2 skipped"),
      },
    ],
    [
      "a total is skipped beside an average, which is a mistake",
      "OS;Data;Gerador;Un;Peso (kg)",
      ["OS-#;2#/03/2026;Acme;kg;#,5", ";;;Total:;45,5", ";;;Média:;5,0"],
      { skip: '=blank(os) && startsWith(fold(un), "total")', said: has("9 of 11 rows would be staged, 1 skipped") },
    ],
    [
      "a row of two cells that is no footer is a mistake",
      "Cliente;OS;Data;Placa;Peso (kg)",
      ["Acme {a|b|c};OS-#;2#/03/2026;ABC-#;#,5", "Beta Ltda;;;Pendente;", "Total geral;;;;1.272,00"],
      { skip: '=blank(os) && startsWith(fold(cliente), "total")' },
    ],
    [
      "a total is skipped beside a balance in another column",
      "Data;Histórico;Documento;Valor",
      ["2#/03/2026;{PIX|TED};88377#;#,5", "30/03/2026;SALDO FINAL;;5,00", "TOTAL;;;45,5"],
      { yaml: has("header: Data, as: timestamp"), said: has("9 of 11 rows would be staged, 2 skipped") },
    ],
    [
      "a total is skipped beside a column without a header",
      "Kunde;;Datum;Beleg;Peso",
      ["K%;Acme %;2#/03/2026;B#;#,5", "Gesamtergebnis;;;;45,5"],
      { skip: '=blank(datum) && startsWith(fold(kunde), "gesamtergebnis")' },
    ],
    [
      "sums and headings in a column without a header are skipped, even of groups with one row each",
      ";Type;Date;Num;Amount",
      [";Invoice;2#/03/2026;N-#;#,5", "Acme;;;;", "Total Acme;;;;45,5", "TOTAL;;;;45,5"],
      { skip: "=blank(type_) && blank(date) && blank(num)", said: has("9 of 12 rows would be staged, 3 skipped") },
    ],
    [
      "so is a note below the table there, as QuickBooks writes it",
      ",Date,Type,Num,Name,Amount",
      [
        ",03/2#/2026,Invoice,N-#,Acme %,1#.50",
        "TOTAL,,,,,99.00",
        '"Tuesday, Mar 31, 2026 09:15:12 AM GMT-8 - Accrual Basis"',
      ],
      { skip: "=blank(date) && blank(type_) && blank(num)", said: has("9 of 11 rows would be staged, 2 skipped") },
    ],
    [
      "so is a footer of a short file, though it is long, as Salesforce writes it",
      "Case,Opened Date,Subject",
      [
        "C-#,03/2#/2026,Bin #",
        "Cases by Owner",
        '"Copyright (c) 2000-2026 salesforce.com, inc. All rights reserved."',
        "Confidential Information - Do Not Distribute",
        "Generated By:  Ana Souza  11/3/2025 8:15 AM",
        "Acme Ltda",
      ],
      { said: has("9 of 14 rows would be staged, 5 skipped") },
    ],
    [
      "one column that is blank in sums is not enough, where their words have no header",
      ";Date;Amount",
      [";2#/03/2026;#,5", "Total;;45,5"],
      { skip: undefined },
    ],
    [
      "what stands outside a printed frame is none",
      "+------+------------+----+\n| OS | Data | Peso |",
      ["| OS-# | 2#/03/2026 | #,5 |", "Page 2", "| OS-10 | 20/03/2026 | 3,5 |", "10 rows in set (0.00 sec)"],
      { yaml: hasNot("has no header"), said: has("10 of 12 rows would be staged, 2 skipped") },
    ],
    [
      "a line above the header of a printed list is none of it",
      "Liste 1\n-----------------------------------------\n|Beleg |Datum     |Netto     |\n--------------",
      ["|B-#   |2#.03.2026|   #,500  |", "------------------------------------------"],
      { header: 3, columns: { netto: { as: "number" } } },
    ],
    [
      "units in the row below are joined to the header",
      "Amostra;Data;pH;Condutividade\n;;;µS/cm",
      "AM-#;2#/03/2026;7,#;12#,5",
      { header: [1, 2], columns: { condutividade_s_cm: { as: "number" } }, said: allStaged },
    ],
    [
      "the heading of a group is no row of units, though it stands above dates",
      "Data;Documento;Conta;Peso\nCliente: 100 - Acme;;;",
      ["2#/03/2026;D-#;30%;#,5", "Cliente: 101 - Beta;;;", "30/03/2026;D-10;301;1,5"],
      { header: 1 },
    ],
    [
      "a row of settings above the header is none, though it is wider",
      "EXTF;700;21;Buchungsstapel;12;20260131;1001;20260101;4\nBeleg;Datum;Umsatz;Konto;Text",
      "RE-#;2#.03.2026;#,50;1000#;Miete",
      { header: 2, columns: { beleg: "Beleg", umsatz: { as: "number" } }, said: allStaged },
    ],
    [
      "another table below is none of it, though it is wider",
      "OS;Data;Peso",
      ["OS-#;2#/03/2026;#,5", "OS-10;9/03/2026;1,5", "Outros", "OS;Data;Peso;Destino", "X-1;8/03/2026;2,5;Y"],
      { header: 1, said: has("10 of 13 rows would be staged, 1 skipped") },
    ],
    [
      "years head columns, though the row below them is text",
      "Beleg;Datum;2025;2026;Text",
      "RE-{A|#};{offen|2#.03.2026};{offen|#,5};{offen|#,5};Miete",
      { header: 1 },
    ],
    [
      "a column of blanks needs no word at the end, and one in the middle parts two tables",
      "OS;Data;Peso;;Legenda;",
      "OS-#;2#/03/2026;#,5;;x;",
      { yaml: matches(/^(?![^]*it cannot be read)[^]*# - a: column 4 is blank: what follows may be another table/) },
    ],
  );

  it("a total whose sum the file does not hold is skipped all the same", long, async () => {
    const book = new ExcelJS.Workbook();
    const sheet = book.addWorksheet("Plan1");
    sheet.addRow(["Pedido", "Data", "Cliente", "Valor"]);
    for (const at of [1, 2, 3, 4]) sheet.addRow([`P${at}`, `2${at}/03/2026`, "Acme", at + 0.5]);
    sheet.addRow(["Total", "", "", { formula: "SUM(D2:D5)" }]);
    const { said } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) });
    expect(said).toContain("4 of 5 rows would be staged, 1 skipped");
  });
});

describe("a file that belongs to another", () => {
  const orders = text(["NumPedido;DataPedido;CNPJ;RazaoSocial", ...rows("700#;2#/03/2026;CNPJ;Acme")]);

  it("puts its events on the documents of the other, in whatever order they are given", long, async () => {
    const history = text(["Pedido;Status;DataHora", ...rows("700#;{Pago|Enviado};2#/03/2026 10:00", 9)]);
    const { mapping, said, world } = await draftOf({
      "a.csv": history + history.split("\n").slice(1).join("\n"),
      "b.csv": orders,
    });
    expect(mapping.inputs.a.documents).toMatchObject({ num_pedido: { mode: "existing", key: "=pedido" } });
    expect(said).toContain('a: its "Pedido" names the documents of b ("NumPedido")');
    expect(await type(world, "import", "m.yaml", "a.csv", "b.csv", "--sandbox")).toBe(0);
  });

  it("by its name is read as one input with it, though it has a column more, or has them in another order", async () => {
    const { mapping, check } = await draftOf({
      "loads-1.csv": text(["Pedido;Data;CNPJ", ...rows("A#;2#/03/2026;CNPJ")]),
      "loads-2.csv": text(["Pedido;Data;CNPJ;Obs", ...rows("B#;2#/03/2026;CNPJ;Tubo #")]),
      "loads-3.csv": text(["Data;Pedido;CNPJ", ...rows("2#/03/2026;C#;CNPJ")]),
    });
    expect(mapping.inputs).toMatchObject({
      loads: { files: "loads-*.csv", columns: { obs: { header: "Obs", optional: true } } },
    });
    expect(Object.keys(mapping.inputs)).toHaveLength(1);
    expect(await check("loads-*.csv")).toContain("27 valid");
  });

  it("of rows without a time says how they would get one", long, async () => {
    const items = text(["NumPedido;SKU;Qtd", ...rows("700#;S%;#"), ...rows("700#;S%;1#")]);
    const { mapping, said } = await draftOf({ "a.csv": orders, "b.csv": items });
    expect(mapping.inputs.b.documents).toEqual({ num_pedido: { mode: "existing", key: "=num_pedido" } });
    expect(said).toMatch(/b: to make events of its rows, give them a time; .*`tables:`/);
  });
});

describe("dialects", () => {
  it("are pinned as far as the file shows them, so that no later file is read otherwise", async () => {
    const { input } = await draft("Pedido;Data;CNPJ;Observação", 'P-#;2#/03/2026;CNPJ;"Tubo 5"""');
    expect(input.csv).toEqual({ delimiter: ";", quote: '"', escape: '"', trim: false, encoding: "utf-8" });
  });

  it("pinned as doubled, quotes behind a backslash are refused, and told how to read them", async () => {
    const { world, check } = await draft("Pedido;Data;CNPJ;Obs", 'P-#;2#/03/2026;CNPJ;"Tubo 5"""');
    const next = text(["Pedido;Data;CNPJ;Obs", ...rows('R-#;2#/03/2026;CNPJ;"Tubo \\"5\\" x"')]);
    writeFileSync(join(world.cwd, "a.csv"), next);
    expect(await check()).toContain('write `csv: { escape: "\\\\" }` in the mapping');
  });

  it("are left to detection where the file does not show them, so that the next one may", async () => {
    const { world, input, check } = await draft("Pedido;Data;CNPJ;Obs", "P-#;2#/03/2026;CNPJ;Tubo");
    expect(input.csv).toEqual({ delimiter: ";", quote: '"', trim: false });
    const next = text(["Pedido;Data;CNPJ;Obs", ...rows('R-#;2#/03/2026;CNPJ;"Tubo \\"5\\" de aço"')]);
    writeFileSync(join(world.cwd, "a.csv"), Buffer.from(next, "latin1"));
    const said = await check();
    expect(said).toContain("windows-1252");
    expect(said).toContain('Tubo "5" de aço');
  });
});

describe("files with the same columns", () => {
  it(
    "share a mapping that reads each, whatever its delimiter and encoding, and the row of its header",
    long,
    async () => {
      const header = "Pedido;Data;CNPJ;Obs";
      const lines = (cell: string) => rows(`P-#;2#/03/2026;CNPJ;${cell}`);
      const { world, input, said } = await draftOf({
        "a-1.csv": text([header, ...lines("José")]),
        "a-2.csv": Buffer.from(text([header, ...lines("João")]).replaceAll(";", ","), "latin1"),
        "a-3.csv": text(["Lista;;;", ";;;", header, ...lines("Ana")]),
      });
      expect(input).toMatchObject({ files: "a-*.csv", header: "auto", csv: { quote: '"' } });
      expect(said.match(/9 of 9 rows would be staged/g)).toHaveLength(3);
      expect(await type(world, "check", "m.yaml", "a-1.csv", "a-2.csv", "a-3.csv")).toBe(0);
    },
  );
});

describe("countries and places", () => {
  it.each(
    sampled(
      [
        [
          "CNPJ",
          "{Campinas/SP|São Paulo - SP|Rio de Janeiro (RJ)}",
          ["Campinas SP", "São Paulo SP", "Rio de Janeiro RJ"],
        ],
        [
          "12-345678%",
          "{Chicago, IL|St. Louis, MO|Winston-Salem, NC}",
          ["Chicago IL", "St. Louis MO", "Winston-Salem NC"],
        ],
      ],
      2,
    ),
  )("a city and its state in one cell come apart, where all cells are so: %s %s", async (id, places, apart) => {
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
      "an Estado that all cities share is a status, if it sounds like one",
      "N.º de venta;Fecha de venta;Estado;Comprador;CUIT;Ciudad",
      "20000#;1#/10/2025;Entregado;Ana %;{30712345612|30712345620|30712345639};{Rosario|Salta}",
      { address: { countryState: "?" }, participant: { name: "=comprador" } },
    ],
    [
      "and else a state",
      "N.º de venta;Fecha de venta;Estado;Comprador;CUIT;Ciudad",
      "20000#;1#/10/2025;Santa Fe;Ana %;{30712345612|30712345620|30712345639};{Rosario|Rafaela}",
      { address: { countryState: "=estado" } },
    ],
    [
      "one country in all cells of its column is the mapping's",
      "Consignment;Collected;Customer;Country",
      "C-#;2#/11/2025 08:30;Acme %;United Kingdom",
      { defaults: { country: "GB", timezone: "Europe/London" }, said: hasNot("which country") },
    ],
    [
      "states that only Brazil has are the country",
      "order;time;customer_city;customer_state;status",
      "P-#;2#/11/2025;City %;{SP|BA|GO};x",
      { defaults: { country: "BR" } },
    ],
    [
      "and those that only the United States have",
      "order;time;customer_city;customer_state;status",
      "P-#;2#/11/2025;City %;{MA|PA|SC};x",
      { defaults: { country: "US" } },
    ],
    [
      "a house number with a letter is no number with a unit",
      "Pedido;Kunde;CNPJ;Straße;Hausnr.;Ort;Posten;Data",
      "P-#;A %;CNPJ;Allee;{1a|2|3};Köln;{4b|5|6};2#/03/2026",
      { columns: { hausnr: "Hausnr.", posten: "Posten" }, address: { number: "=hausnr" } },
    ],
  );
});

describe("tax ids and parties", () => {
  it.each(["Pedido;CNPJ;Emissão;Valor", "order_id;customer_cnpj;created_at;amount"])(
    "orders, each of another customer, are documents, not a register of customers: %s",
    async (header) => {
      const lines = rows("P-#;;2#/03/2026 10:00;#,50").map((row, at) =>
        row.replace(";;", `;${makeCnpj(String(10_000_000 + at * 7919))};`),
      );
      const { input } = await draftOf({ "a.csv": text([header, ...lines]) });
      expect(only(input.documents).key).toMatch(/^=(pedido|order_id)$/);
      expect(only(input.participants).key).toBeUndefined();
      const times = Object.values(input.events).flatMap((event: Any) => event.externalCreatedAt ?? []);
      expect(times).toEqual([expect.stringMatching(/^=(emissao|created_at)$/)]);
    },
  );

  drafts(
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
      "a tax id that would also be one of another country is of the country of the others",
      "Guia;NIPC Produtor;NIPC Transportador;Data",
      "G-#;{503876321|500829993|501442600};501442600;2#/03/2026",
      {
        defaults: { country: "PT" },
        columns: { nipc_transportador: { header: "NIPC Transportador", as: "taxId", type: "NIF" } },
      },
    ],
    [
      "a number under the name of one country's tax ids is no other country's",
      "N° BSD;Date de création;Destinataire;Destinataire SIRET;Statut",
      "BSD-#;2#/11/2025;Eco;40483304800022;Traité",
      { defaults: { country: "FR" }, columns: { destinataire_siret: { as: "taxId", type: "SIRET" } } },
    ],
    [
      "tax ids that pandas took for fractions are still tax ids",
      "pedido;data;cnpj",
      "P-#;2#/03/2026;{11222333000181.0|11230252000123.0|}",
      { columns: { cnpj: { as: "taxId", type: "CNPJ" } }, said: hasNot("which country") },
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

  it("documents whose customers stand in a file of their own have these and their addresses", long, async () => {
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
  const each = "{a|a|b|b|c|c|d|d|e}";
  it("a Vorgang is a document where it has more values than events have words", long, async () => {
    const lines = rows("V-#;2%/03/2026;Angelegt", 30);
    const { input } = await draftOf({ "a.csv": text(["Vorgang;Zeitpunkt;Schritt", ...lines, ...lines]) });
    expect(only(input.documents).key).toBe("=vorgang");
  });
  it("a quantity whose header begins like an order is none, beside the document", async () => {
    const { input } = await draft(
      "Verkaufsbeleg;Angelegt am;Name;Auftragsmenge",
      "000000500{1|1|2|2|3|3};2#.03.2026;Kunde %;1#",
    );
    expect(only(input.documents).key).toBe("=verkaufsbeleg");
  });
  it("a docket with a colon is one, beside the number of its entries", async () => {
    const { input } = await draft(
      "docket_no,entry_no,entry_type,party,ein,entered_at",
      "1:26-cv-0100{1|1|1|2|2|2|3|3|3},{1|2|3},{Complaint|Answer|Order},Smith {a|a|a|b|b|b|c|c|c},12-345678{1|1|1|2|2|2|3|3|3},2026-01-1#",
    );
    expect(only(input.documents).key).toBe("=docket_no");
  });
  drafts(
    [
      "neither the name of an organisation nor its number at another is one, where a number of its own is there",
      "N.º e-GAR;Data;NIF;Produtor;Codigo cliente;Estado",
      "PT00#;2#/03/2026;{500000000|501964843|502011475};Prod {a|b|c};C0{0|1|2};{Emitida|Anulada|Fim}",
      { document: { key: "=n_o_e_gar" } },
    ],
    [
      "the number of a line in a history is none, though no two rows share it",
      "id;manifesto;evento;data_hora;usuario",
      "#;MTR{1|1|1|2|2|2|3|3|3};{EMITIDO|COLETADO|RECEBIDO};2#/03/2026 10:00;u%",
      { document: { key: "=manifesto" }, events: { step: { is: ["EMITIDO", "COLETADO", "RECEBIDO"] } }, isDraft: true },
    ],
    [
      "a ticket is one, where each has several rows",
      "Ticket;Opened;Status;Changed At;Company",
      "T-{1|1|1|2|2|2|3|3|3};2{1|1|1|2|2|2|3|3|3}/03/2026;{Open|Work|Done};2#/03/2026 10:00;{A|A|A|B|B|B|A|A|A}",
      { document: { key: "=ticket" }, events: { step: { is: ["Open", "Work", "Done"] } } },
    ],
    [
      "a unit that happens to tell rows apart is none",
      "Coleta;Data;CNPJ;Qtd;Un",
      "C-{1|1|2|2|3|3|4|4|5};2#/03/2026;CNPJ;#,5;{t|kg}",
      { events: { event: { key: "content" } } },
    ],
    [
      "an address of mail names no document",
      "Email;Country;Group;Paid at;Item",
      `${each}@example.com;Land ${each};G${each};2025-10-2# 10:00;{Tea|Mug}`,
      { yaml: hasNot("key: =email") },
    ],
  );
});

describe("events and their times", () => {
  it("are called by what the headers of their columns say", async () => {
    const headers = "Ship Date;Faturado em;delivered_at;Pickup Date/Time;Date of Arrival;Date d'enlèvement";
    const { yaml } = await draft(`Pedido;${headers};CNPJ`, `P-#${";2#/03/2026".repeat(6)};CNPJ`);
    for (const name of ["Ship", "Faturado", "delivered", "Pickup", "Arrival", "enlèvement"])
      expect(yaml).toMatch(new RegExp(`name: ${name}[,\\n]`));
  });

  const events = (...names: string[]) => ({
    defaults: expect.anything(),
    ...Object.fromEntries(names.map((name) => [name, expect.anything()])),
  });
  it.each(
    sampled(
      [
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
      ],
      2,
    ),
  )("%s", async (_title, header, cells, names) => {
    expect((await draft(header, cells)).input.events).toEqual(events(...names));
  });

  const resultOf = (stage: number) => ({
    attributes: { private: { [`Etapa ${stage} - Resultado`]: `=etapa_${stage}_resultado` } },
  });
  drafts(
    [
      "a mark of deleted rows is told, also while no row has it",
      "Doc;Emissao;Valor;D_E_L_E_T_",
      "00#;2#/03/2026;#,5;",
      {
        said: has(
          'skip: "D_E_L_E_T_" may mark deleted rows, which are sent like any others; `skip: =filled(d_e_l_e_t)` leaves them out',
        ),
      },
    ],
    [
      "so is one of true and false",
      "Doc;Emissao;Valor;IsDeleted",
      "00#;2#/03/2026;#,5;{true|false}",
      { said: has("`skip: =is_deleted` leaves them out") },
    ],
    [
      "the number behind a Document Type of invoices is the document's, not a person's",
      "Posting Date;Document Type;Document No.;Customer Name",
      "2#/10/2025;{Invoice|Payment};PS100#;Acme %",
      { document: { key: "=document_no" }, participant: { taxId: "=customer_name" } },
    ],
    [
      "a day beside a column with the same day and its time of day is no second event",
      "Transfer;Date;Date Time;Amount",
      "T-{1|2|3|4|5|6|7|8|9};1#-10-2025;1#-10-2025 08:00:0#.123;#,5",
      { at: ["=date_time"], columns: { date: { as: "date" } } },
    ],
    [
      "a day of something else is an event, though both happened on the same day",
      "Order;Collected;Delivered at",
      "T-#;1#-10-2025;1#-10-2025 08:0#",
      { at: ["=collected", "=delivered_at"] },
    ],
    [
      "one that differs in a row is",
      "Transfer;Date;Date Time;Amount",
      "T-{1|2|3|4|5|6|7|8|9};{11|12|13|14|15|16|17|18|20}-10-2025;1#-10-2025 08:00:0#.123;#,5",
      { at: ["=date", "=date_time"] },
    ],
    [
      "the time at which a program wrote the row is not when it happened",
      "shipment;facility;status_ts;updated_at;CNPJ",
      "S-{1|1|2|2|3|3};F-%;2025-10-2#T08:00:00Z;2025-11-0#T09:00:00Z;CNPJ",
      { at: ["=status_ts"], said: hasNot("when did it happen?") },
    ],
    [
      "columns that begin as a time does go with it, also behind the last one",
      "Processo;CNPJ;Etapa 1 - Data;Etapa 1 - Resultado;Etapa 2 - Data;Etapa 2 - Resultado",
      "P-#;CNPJ;2#/10/2025;OK;{20/11/2025||};{Falha||}",
      { events: { etapa_1: resultOf(1), etapa_2: resultOf(2) } },
    ],
    [
      "what goes with an event that did not happen is not sent: a column goes with one that did in each of its rows",
      "Pedido;CNPJ;Abertura;Entrega;Cancelamento;Motivo cancelamento;Peso;Recebido por",
      "P-#;CNPJ;0{1|2|3}/10/2025;{15/10/2025|16/10/2025|};{||17/10/2025};{||desistiu};#,5;{Ana|Eva|}",
      {
        events: {
          cancelamento: { attributes: { private: { "Motivo cancelamento": "=motivo_cancelamento" } } },
          entrega: { attributes: { private: { "Recebido por": "=recebido_por" } } },
          abertura: { attributes: { private: { Peso: "=peso" } } },
        },
        said: hasNot("are not sent from rows that lack"),
      },
    ],
    [
      "where none did, that is told",
      "Pedido;CNPJ;Entrega;Peso;Retorno",
      "P-#;CNPJ;{|16/10/2025|17/10/2025};#,5;{15/10/2025||}",
      { said: has('event Entrega: its values of "Peso" are not sent from rows that lack "Entrega"') },
    ],
  );
});

it("an Estado without anything else of a place is a status", long, async () => {
  const { input, said } = await draft("Recibo;Pago em;Nome;NIF;Estado", "R-#;0#/10/2025;Ana;NIF;{Pago|Anulado}");
  expect(JSON.stringify(input.addresses ?? {})).not.toContain("=estado");
  expect(said).toContain("No column has the street, city, state");
});

it("a word of events in two spellings is one word, in the spelling that most rows have", long, async () => {
  const { input } = await draft(
    "Leitura;Data;Evento;CNPJ",
    "L-{1|1|1|2|2|2|3|3|3};0#/10/2025;{Lido|ESTIMADO|lido|Lido|Estimado|Aviso|Lido|Estimado|Aviso};CNPJ",
  );
  expect(only(input.events).by).toBe("evento");
  expect(Object.values(input.events).flatMap(({ is = [] }: Any) => is)).toEqual(["Lido", "Estimado", "Aviso"]);
});

it("a word of events that one row in 161 has is no event of its own, and told: it may be a slip", long, async () => {
  const row = (at: number, word: string) =>
    `L-${at >> 1};1${at % 2}/10/2025;${word};${makeCnpj(String(10_000_000 + at))}`;
  const all = Array.from({ length: 160 }, (_, at) => row(at, at % 2 === 0 ? "Coleta" : "Pesagem"));
  const { input, said } = await draftOf({ "a.csv": text(["Carga;Data;Evento;CNPJ", ...all, row(160, "Colleta")]) });
  expect(Object.values(input.events).flatMap(({ is = [] }: Any) => is)).toEqual(["Coleta", "Pesagem"]);
  expect(said).toContain('rows with "Colleta" in "Evento" are errors');
});

it(
  "documents whose owner another sheet holds, and whose place no column holds, are drafted with a place to write",
  long,
  async () => {
    const book = new ExcelJS.Workbook();
    const parties = rows("P0#;Parte #;CPF").map((row) => row.split(";"));
    book.addWorksheet("Partes").addRows([["Cód.", "Parte", "CPF"], ...parties]);
    const orders = rows("{1|2|3}-%;P0#;2#/03/2026").map((row) => row.split(";"));
    book.addWorksheet("Movimentos").addRows([["Processo", "Autor", "Data"], ...orders]);
    const { mapping, said } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) });
    const { documents, addresses } = mapping.inputs.movimentos;
    expect(only(documents)).toMatchObject({ participant: { ref: "organisation", key: "=autor" }, address: "place" });
    expect(addresses.place).toMatchObject({ participant: { ref: "organisation", key: "=autor" }, street: "?" });
    expect(said).toContain("where is it?");
  },
);

it("a pivot table beside the sheets that it sums up is left out, and said", long, async () => {
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

it("a percentage of a workbook has the unit that it has in a CSV file", long, async () => {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("S");
  sheet.addRows([
    ["Ticket", "Umidade"],
    ...rows("T#;0.1#").map((row) => [row.split(";")[0], Number(row.split(";")[1])]),
  ]);
  sheet.getColumn(2).numFmt = "0.00%";
  const { input } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) });
  expect(input.columns.umidade).toEqual({ header: "Umidade", as: "number", units: ["%"] });
});

it("a unit that only number formats show is named, so that another one in the next file is refused", long, async () => {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("S");
  sheet.addRows([
    ["MTR", "Data Coleta", "Peso", "OS", "Valor"],
    ...rows("T#;2#/03/2026").map((row, at) => [...row.split(";"), 1000 + at, 7 + at, 3738.46 + at]),
  ]);
  sheet.getColumn(3).numFmt = '#,##0.0 "kg"';
  sheet.getColumn(4).numFmt = '"OS "0';
  sheet.getColumn(5).numFmt = '0.0,"k"';
  const { input } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) });
  expect(input.columns).toMatchObject({ peso: { as: "number", units: ["kg"] }, os: "OS" });
  expect(input.columns.valor).toEqual({ header: "Valor", as: "number" });
});

it(
  "formulas that nobody has calculated, or that only give errors, hide no other column of their rows",
  long,
  async () => {
    const book = new ExcelJS.Workbook();
    const sheet = book.addWorksheet("S");
    const formulas = [{ formula: "C2*2" }, { formula: "C2/0", result: { error: "#DIV/0!" } }];
    const loads = rows("T#;2#/03/2026").map((row) => [...row.split(";"), 1.5, ...formulas]);
    sheet.addRows([["MTR", "Data Coleta", "Peso", "Dobro", "Parte"], ...loads]);
    const { input, said } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) });
    expect(only(input.documents)).toMatchObject({ key: "=mtr" });
    expect(said).toContain("are not used: Dobro (unreadable so far), Parte (unreadable so far)");
  },
);

it("numbers of a workbook that may have lost the zeros of others in their column are told", async () => {
  const keys = ["001001", 1002, "001003", 1004];
  const cells = keys.map((key, at) => [key, new Date(Date.UTC(2026, 1, 20 + at)), 0.25]);
  const { said } = await draftOf({ "a.xlsx": await workbook([["Romaneio", "Data", "Hora"], ...cells]) });
  expect(said).toContain('Numbers of "Romaneio" have 6 digits with their zeros, such as 001001, but 2 rows have fewer');
});

it("titles above a header that repeats itself tell its columns apart", long, async () => {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("School");
  sheet.addRows([["Records of 2025"], ["Student", null, "Enrollment", null, "Withdrawal", null]]);
  for (const merged of ["A1:F1", "A2:B2", "C2:D2", "E2:F2"]) sheet.mergeCells(merged);
  sheet.addRow(["ID", "Name", "Date", "School", "Date", "Reason"]);
  for (let day = 1; day < 20; day++)
    sheet.addRow([
      `S-${day}`,
      `Ana ${day}`,
      new Date(Date.UTC(2025, 0, day)),
      "North",
      new Date(Date.UTC(2025, 5, day)),
      "Moved",
    ]);
  const { input } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) });
  expect(input.header).toEqual([2, 3]);
  expect(Object.keys(input.events)).toEqual(["defaults", "enrollment", "withdrawal"]);
});

it("a customer's number has the name beside it, and the country of its row", async () => {
  const file = text(["Auftrag;Kunde;Kundenname;Land;Datum", ...rows("A-#;100%;Firma %;{DE|AT|FR};2#.03.2025")]);
  const { input } = await draftOf({ "a.csv": file });
  expect(only(input.participants)).toMatchObject({ countryCode: "=land", taxId: "=kunde", name: "=kundenname" });
});

it("a duration names no document, though other columns follow from it", async () => {
  const cells = Array.from({ length: 20 }, (_, at) => {
    const second = at % 10;
    return `Ana;P${at % 2};2026-10-${at + 10};09:00:0${second};01:29:5${second}`;
  });
  const { yaml } = await draftOf({ "a.csv": text(["User;Project;Start date;Start time;Duration", ...cells]) });
  expect(yaml).not.toContain("key: =duration");
});

it("a document's number of digits is refused where a program writes it as 1021.0 or 1.021: it would be another one", async () => {
  const { input, check, world } = await draft("Pedido;Data;CNPJ", "102#;2#/03/2026;CNPJ");
  expect(input.columns.pedido).toEqual({ header: "Pedido", pattern: "[0-9]{1,}" });
  const next = ["Pedido;Data;CNPJ", ...rows("{1021.0|1.022|10230};2#/03/2026;CNPJ", 3)];
  writeFileSync(join(world.cwd, "a.csv"), text(next));
  expect(await check()).toContain("3 read = 0 skipped + 2 invalid + 1 valid");
});

it("a thousand without a mark is a whole number, so that 1.250 in the next file is refused", async () => {
  const file = text(["Ticket,Data,Sacos,Preço", ...rows("T-#,2#/03/2026,1%50,#.5")]);
  const { input } = await draftOf({ "a.csv": file });
  expect(input.columns).toMatchObject({ sacos: { as: "integer" }, preco: { as: "number" } });
});

it("codes of goods keep the zeros that a later file has; what every night overwrites is neither an event nor sent", async () => {
  const header = "OS;Criado em;EAN;Última visita;Entregue em;Last Modified";
  const { said, input } = await draft(header, "A-#;0#/03/2026;789100#;2#/03/2026;1#/03/2026;2#/04/2026");
  expect(input.columns.ean).toBe("EAN");
  expect(Object.keys(input.events)).toEqual(["defaults", "entregue"]);
  expect(said).toContain("2 of 6 columns of a.csv are not used: Última visita, Last Modified");
});

it("a row's checksum, as Dynamics writes it, is not sent either", async () => {
  const header = "(Do Not Modify) Row Checksum;Order ID;Created On;Account Name";
  const { said } = await draft(header, "aB#c/+==;ORD-#;2026-03-0#;Acme %");
  expect(said).toContain("1 of 4 columns of a.csv is not used: (Do Not Modify) Row Checksum");
});

it("a column in which the day comes first in some cells and the month in others is told", async () => {
  const file = text(["OS;Data;Kg", ...rows("A-#;2#/03/2026;#,5"), ...rows("B-#;03/2#/2026;#,5")]);
  const { said } = await draftOf({ "a.csv": file });
  expect(said.replaceAll(/\s+/g, " ")).toContain(
    '"Data", such as "21/03/2026", is read as text and gives no event its time',
  );
});

describe("what other systems export", () => {
  drafts(
    [
      "a party's code beside its name is not its name",
      "Nota;Emissao;Cliente;Nome;CNPJ",
      "N#;2#/03/2026;00000%;Acme %;CNPJ",
      { participant: { name: "=nome" } },
    ],
    [
      "a code alone still is",
      "Nota;Emissao;Cliente;CNPJ",
      "N#;2#/03/2026;00000%;CNPJ",
      { participant: { name: "=cliente" } },
    ],
    [
      "CGC is a CNPJ or a CPF, whose party the column of names beside it names",
      "Num. Docto.;Nome Fornece;CGC;DT Emissao",
      "00000100#;ACME %;CNPJ;2#/03/2026",
      { columns: { cgc: { as: "taxId" } }, participant: { name: "=nome_fornece", type: matches(/"PERSON"/) } },
    ],
    [
      "the number of a Debitor is no document, though rows share it",
      "Nr.;Verk. an Deb.-Nr.;Verk. an Name;Verk. an Ort;Buchungsdatum;Betrag",
      "VR10#;D1000%;Kunde %;Ulm %;2#.10.25;1.20#,50",
      { document: { key: "=nr" } },
    ],
    [
      "nor is that of a CodCli",
      "CodEmp;NumNfv;CodCli;NomCli;CgcCpf;DatEmi;VlrLiq",
      "1;500#;10%;Acme %;CNPJ;2#/10/2025;1#,50",
      { document: { key: "=num_nfv" }, participant: { name: "=nom_cli" } },
    ],
    [
      "a last name beside a Client Name is told, and a zip code with an apostrophe has no other length",
      "Order;Creation Date;Client Name;Client Last Name;Client Document;UF;City;Street;Postal Code",
      "v#;2026-03-2# 08:15:12Z;Ana;Souza %;CPF;SP;Campinas;Rua %;'13010-00#",
      {
        said: has('its name is "Client Name" alone; "Client Last Name" may be the rest of it'),
        columns: { postal_code: { as: "digits", length: 8 } },
      },
    ],
    [
      "Sage's words are French, whose day comes first",
      "Code journal;Date de pièce;N° pièce;N° compte tiers;Intitulé tiers;Libellé",
      "VTE;0#1025;FA2500#;C0010%;Tiers %;Facture",
      { defaults: { country: "FR", dates: ["ddMMyy"] } },
    ],
    [
      "the times of DB2 are times",
      "Manifest;Event Timestamp;Plant",
      "M#;2025-10-2#-08.15.00.123456;P%",
      { at: ["=event_timestamp"], document: { key: "=manifest" } },
    ],
    [
      "so are a day and a time of day of IBM i, side by side",
      "Manifest;Date;Time;Plant",
      "M#;2025-10-2#;08.15.0#;P%",
      { at: ["=date_at"], said: allStaged },
    ],
    [
      "one word for all rows of a column of types is a word, though it may mean yes",
      "No;Type;A/C;Date;Details",
      "50#;SI;ACME00%;2#/10/2025;Collection",
      { columns: { type_: "Type" } },
    ],
    [
      "amounts below nothing in brackets behind their currency, as Excel's accounting format shows them, are numbers",
      "Inv No,Date,Customer,Amount",
      'INV-#,10/1#/2025,Acme %,"{$(1,203.50)| $1,204.50 }"',
      { columns: { amount: { as: "number" } }, said: allStaged },
    ],
    [
      "milliseconds since 1970 are times, whatever the header says",
      "MSH_10;EVN_2;PV1",
      "M#;17583491#1000;V%",
      { at: ["=evn_2"], columns: { evn_2: { formats: ["UNIX_MS"] } } },
    ],
    [
      "other numbers of thirteen or twelve digits are not",
      "Doc;Data;Codigo;Barras",
      "D#;2#/03/2026;789100000000#;71234567890#",
      { at: ["=data"], columns: { codigo: { header: "Codigo", pattern: "[0-9]{1,}" }, barras: { as: "integer" } } },
    ],
  );

  const lines = (lineOf: (row: number) => string) => Array.from({ length: 60 }, (_, row) => lineOf(row));
  const two = (number: number) => String(number).padStart(2, "0");

  it("a time that most rows of a list lack does not decide when the others happened", async () => {
    const cells = lines((row) => {
      const cancelled = row % 9 === 0 ? `${two(1 + (row % 27))}/10/2025` : "";
      return `00${1000 + (row >> 1)};${two(1 + (row >> 2))}/09/2025;P${row % 7};${row % 2 ? "1" : "UNI"};${cancelled}`;
    });
    const { input, said } = await draftOf({ "a.csv": text(["Numero;Emissao;Produto;Serie;Dt.Canc", ...cells]) });
    expect([input.events.defaults.externalCreatedAt, said]).toEqual(["=emissao", allStaged]);
  });

  const history = lines((row) => {
    const [other, day] = [1 + ((row * 7) % 27), 1 + (row >> 2) + (row % 2)].map(two);
    return `00${1000 + (row >> 1)};${other}/09/2025;${row % 2 ? "IN" : "OUT"};${day}/10/2025`;
  });

  it.each([
    ["Data Admissão", "Evento", "Data Evento"],
    ["Data de Lançamento", "Situação", "Data da Situação"],
    ["Posting Date", "Movement", "Event Date"],
  ])("beside a %s, rows of an %s took place on the %s", async (other, word, day) => {
    const { input, yaml } = await draftOf({ "a.csv": text([`Pedido;${other};${word};${day}`, ...history]) });
    const [at] = Object.keys(input.columns).slice(3);
    expect([input.events.defaults.externalCreatedAt, yaml]).toEqual([`=${at}`, hasNot("decide: when did it happen?")]);
  });

  it("of two days of a row that may each be its event's, a person chooses one", async () => {
    const { yaml } = await draftOf({ "a.csv": text(["Pedido;Data de Lançamento;Tipo;Data da Coleta", ...history]) });
    expect(yaml).toContain("decide: when did it happen?");
  });

  it("where each row of a document names its own place, each event has its own, and where they share one, none", async () => {
    const places = (city: (row: number) => string) =>
      text([
        "Tracking Number,Status,Date,City,State",
        ...lines((row) => `T${row % 7},${row % 2 ? "IN" : "OUT"},2025-10-${two(1 + (row % 28))},${city(row)}`),
      ]);
    const moving = await draftOf({ "a.csv": places((row) => (row % 3 ? "Memphis,TN" : "Albany,NY")) });
    expect(moving.input.events.defaults.address).toBe(moving.input.documents.tracking_number.address);
    const branches = places((row) => (row % 3 ? "Hub 1,TN" : "Hub 2,TN")).replace("City", "Branch");
    const scanned = await draftOf({ "a.csv": branches });
    expect(scanned.input.events.defaults.address).toBe(scanned.input.documents.tracking_number.address);
    const still = await draftOf({ "a.csv": places((row) => (row % 7 < 3 ? "Memphis,TN" : "Albany,NY")) });
    expect(still.input.events.defaults.address).toBeUndefined();
  });

  it("JSON is no key, and a log's offset no zone", async () => {
    const cells = lines((row) => `${row},${1758349191000 + row * 61_007},K${row % 9},"{""id"": ${row}}"`);
    const { yaml, said } = await draftOf({ "a.csv": text(["offset,timestamp,key,value", ...cells]) });
    expect([yaml, said]).toEqual([hasNot("key: =value"), hasNot("which time zone")]);
  });
});

describe("orders whose other columns are filled in their first line only", () => {
  const lines = [
    "#;Ana #;1#,50;2#/03/2026;Caneca;{2|3};9,5;Acme",
    "#;;;;Prato;1;4,5;Acme",
    "#;;;;Copo;1;{2,5|3,5};Acme",
  ];
  const ofOrders = (name: string) =>
    text([
      `${name};Cliente;Total;Pago em;Produto;Qtd;Valor;Marca`,
      ...Array.from({ length: 9 }, (_, at) =>
        lines.slice(0, 1 + (at % 3)).flatMap((line) => rows(line).slice(at, at + 1)),
      ).flat(),
    ]);

  it.each(["Pedido", "Name"])("are grouped by %s, and sums of an order are not sent with its lines", async (name) => {
    const { input, said } = await draftOf({ "a.csv": ofOrders(name) });
    const key = `=${name.toLowerCase()}`;
    expect(input.group).toBe(key);
    expect(only(input.documents).key).toBe(key);
    const { item, ...others } = input.events;
    expect(item).toMatchObject({ each: "row", key: "=produto", externalCreatedAt: "=first(pago_em)" });
    expect(Object.values(item.attributes.private)).toEqual(["=produto", "=qtd", "=valor", "=marca"]);
    expect(JSON.stringify([input.documents, others])).toContain("=total");
    expect(said).toContain("18 of 18 rows would be staged");
  });

  it("are grouped in exports that overlap, by the order and not by its customer", async () => {
    const table = ofOrders("Pedido").replaceAll(
      /^(\d);/gm,
      (_line, order: string) => `C-${Number(order) % 4};${order};`,
    );
    const content = table.replace("Pedido;", "Conta;Pedido;");
    const { input } = await draftOf({ "a1.csv": content, "a2.csv": content });
    expect(input.group).toBe("=pedido");
    expect(input.events.item.attributes.private).not.toHaveProperty("Total");
  });

  it("have lines at their own times, with the words of what happened, where these have some", async () => {
    const table = ofOrders("Pedido").replace("Marca", "Enviado em").replaceAll("Acme", "20/03/2026");
    const { input, said } = await draftOf({ "a.csv": table.replace("Produto", "Evento") });
    const [, ...ofRows] = Object.values(input.events).filter((event: Any) => event.name !== undefined) as Any[];
    expect(ofRows.length).toBeGreaterThan(0);
    for (const event of ofRows)
      expect(event).toMatchObject({ each: "row", externalCreatedAt: "=enviado_em", by: "evento" });
    expect(said).toContain("18 of 18 rows would be staged");
  });

  it("keep an event of the same name beside that of their lines", async () => {
    const { input } = await draftOf({ "a.csv": ofOrders("Pedido").replace("Pago em", "Item em") });
    expect(input.events).toMatchObject({ item: { key: "once" }, item_of_row: { each: "row" } });
  });

  it("are not, where a later line fills them too", async () => {
    const { input } = await draftOf({ "a.csv": ofOrders("Pedido").replaceAll(";;;;", ";Ana;1,5;2026-03-02;") });
    expect(input.group).toBeUndefined();
  });
});

it.each([
  ["Fecha;Descripción;Categoría;Precio;Uds", "2#/03/2026;{Gorra|Bolso|Bota};{Ropa|Piel|Piel};{9,90|59,00|80,00};#"],
  ["Date;Room;Floor;Wing;Temperature", "2#/03/2026;{Sala 12|Sala 14|Sala 21};{A|A|B};{Sur|Norte|Sur};1#,5"],
])(
  "whether a product or a room, from which others follow, names the document is asked: %s",
  async (header, pattern) => {
    const { said } = await draft(header, pattern);
    expect(said).toContain("which column names the document?");
  },
);

it("a column that groups a few rows by chance does not name the document unasked, nor before a number of its own", async () => {
  const { input, said } = await draftOf({
    "a.csv": text(
      ["Nº Auto;Data;Cód. Área;Bairro;Fiscal", "A-1;21/03/2026;77;Santos;Ana", "A-2;22/03/2026;78;Rio;Eva"].concat(
        "A-3;23/03/2026;77;Santos;Ana",
      ),
    ),
  });
  expect(only(input.documents)).toMatchObject({ key: "=no_auto" });
  expect(said).toContain("which column names the document?");
});

it("numbers that agree in the few rows of a document are sent with each row: next month's salary is another", async () => {
  const { input } = await draftOf({
    "a.csv": text(
      [
        "Matrícula;Nome;CPF;Cargo;Líquido;Data Pagamento",
        ...[1, 2, 3].flatMap((month) =>
          rows(`00010#;Ana %;CPF;Analista;{4.444,45|2.810,00};3${month % 2}/0${month}/2026`, 2),
        ),
      ].map((line) => line.replace("31/02", "28/02").replace("30/02", "28/02")),
    ),
  });
  const { events, documents } = input;
  expect(JSON.stringify(documents)).not.toContain("=liquido");
  expect(JSON.stringify(events)).toContain("=liquido");
});

it("where goods go to is neither the country of their owner's tax id nor its address", async () => {
  const { input } = await draft(
    "DU-E;Data Registro;CNPJ Exportador;Exportador;País Destino;Município Destino;UF Destino",
    "D-#;2#/03/2026;CNPJ;Exp %;{China|Chile|Alemanha};{Santos|Rio};{SP|RJ}",
  );
  expect(only(input.participants)).toEqual({ taxId: "=cnpj_exportador", name: "=exportador", type: "COMPANY" });
  expect(JSON.stringify(input.addresses)).not.toContain("destino");
});

it("digits below Kontonummer, or a number of a product, are no quantity: they may begin with zeros in the next file", async () => {
  const { input } = await draft(
    "Order;Datum;Kontonummer;ID_PRODUTO;Bestellte Menge",
    "R-#;2#.03.2026;90445612#;1#;1%0",
  );
  expect(input.columns).toMatchObject({
    kontonummer: "Kontonummer",
    id_produto: "ID_PRODUTO",
    bestellte_menge: { as: "number" },
  });
});

it.each(["Data scadenza", "Vervaldatum", "Dátum splatnosti", "Förfallodag"])(
  "the day on which an invoice is due is none: %s",
  async (header) => {
    const { input, said } = await draft(`Fattura;Emissione;${header}`, "F-#;1#/03/2026;2#/03/2026");
    expect(Object.keys(input.events)).toEqual(["defaults", "emissione"]);
    expect(said).toContain(`events: none is made from "${header}"`);
  },
);

it("the range of a result does not tell the rows of a sample apart", async () => {
  const { input, said } = await draftOf({
    "a.csv": text([
      "SampleID,ReportedDate,Test,Result,RefRange",
      "S1,2026-03-01 14:02,Glucose,5.4,3.9-5.6",
      "S1,2026-03-01 14:02,Sodium,141,135-145",
      "S2,2026-03-01 14:05,Glucose,11.2,3.9-5.6",
      "S2,2026-03-01 14:05,Potassium,4.1,3.5-5.1",
    ]),
  });
  expect(JSON.stringify(input.events)).not.toContain('"key":"=ref_range"');
  expect(said).toContain("what shows that it is the same event?");
});

it("the number of a city is not its name", async () => {
  const { input } = await draft(
    "Pedido;Data;CNPJ;Nome;Endereço;Cód. Município IBGE;Município;UF",
    "P-#;2#/03/2026;CNPJ;Nome %;Rua #;35503%8;{Campinas|Santos|Jundiaí};SP",
  );
  expect(only(input.addresses)).toMatchObject({ city: "=municipio" });
});
