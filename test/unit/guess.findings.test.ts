/** What a draft says first, what it never takes for an event or a key, and how it reads what people write (F28, F121–F126). */
import ExcelJS from "exceljs";
import { type } from "../support/cli.world.js";
import { makeCnpj } from "../../scripts/fixtures/tax-ids.js";
import { writeZip } from "../support/read/write-zip.js";
import { allStaged, type Any, draft, draftOf, only, rows, text } from "../support/drafts.js";

describe("what is unused or undecided is said first", () => {
  it("columns that nothing uses stand at the head of the file and of the screen (F121)", async () => {
    const { yaml, world } = await draft("CNPJ;Empresa;Menge;Notas", "CNPJ;Acme #;#,5;x#");
    const told = "2 of 4 columns of a.csv are not used: Menge, Notas";
    expect(yaml.split("\n").slice(0, 4).join("\n")).toContain(told);
    expect(world.err.split("\n")[1]).toContain(told);
  });

  it("a mapping without an event is a draft, which import takes to the sandbox only (F121)", async () => {
    const { mapping, world } = await draft("CNPJ;Empresa", "CNPJ;Acme %");
    expect(mapping.draft).toBe(true);
    const env = {
      ROWFERRY_BASE_URL: "http://127.0.0.1:9",
      ROWFERRY_TOKEN_URL: "http://127.0.0.1:9/t",
      ROWFERRY_CLIENT_ID: "a",
      ROWFERRY_CLIENT_SECRET: "b",
    };
    expect(await type({ ...world, env }, "import", "m.yaml", "a.csv")).toBe(2);
    expect(world.err).toContain("what happened, and when?");
  });
});

describe("what is never taken for an event or a key", () => {
  it.each(["Data de Nascimento", "Birth date", "Geburtsdatum", "Validade", "Vencimento", "Due date", "Expiry date"])(
    "%s is no event unless a person says so (F122)",
    async (header) => {
      const { mapping, input, yaml } = await draft(`Matrícula;CPF;Nome;${header}`, "M-#;CPF;Ana #;2#/04/1980");
      expect(input.events).toBeUndefined();
      expect(yaml).not.toContain("externalCreatedAt");
      expect(mapping.draft).toBe(true);
      expect(yaml).toMatch(/# decide: (when did something happen|what happened)/);
      const both = await draft(`Pedido;Data;CPF;Nome;${header}`, "P-#;2#/04/2026;CPF;Ana #;2#/05/1980");
      expect(both.input.events.event.externalCreatedAt).toBe("=data");
    },
  );

  it.each([
    ["Check-out", "1#:3#"],
    ["Telefone", "(11) 9800#-100#"],
    ["SKU", "SKU-#"],
    ["Valor", "100#"],
  ])("%s is no document's key, though no two rows share it (F123)", async (header, cell) => {
    const { yaml, input } = await draft(`${header};Data;CNPJ;Empresa`, `${cell};2#/03/2026;CNPJ;Acme %`);
    expect(input.documents).toBeUndefined();
    expect(yaml).toMatch(/# decide: which column names the document\? none/);
  });

  it("a key that is chosen is listed with its rivals (F123)", async () => {
    const { yaml } = await draft("Pedido;Gaveta;Data;CNPJ", "P-#;L-#;2#/03/2026;CNPJ");
    expect(yaml).toContain('# which column names the document? "Pedido" (no two of 9 rows share it); not "Gaveta"');
  });

  it("values of a column are no events where there are many (F123)", async () => {
    const lines = rows("P-%;1%/03/2026;Situation #;CNPJ", 30);
    const { input } = await draftOf({ "a.csv": text(["Pedido;Data;Status;CNPJ", ...lines, ...lines]) });
    expect(Object.keys(input.events)).toEqual(["defaults", "event"]);
  });

  it("columns of one value follow from every other, so they show no document", async () => {
    const header = "Punto de Venta;Comprobante;Data;Moneda;Cambio;Exento;Tienda";
    const { input } = await draft(header, "%;10#;2#/01/2026;PES;1,00;0,00;Loja");
    expect(only(input.documents).key).toBe("=comprobante");
  });

  it.each([
    ["05/03/2024", 3],
    ["123456789", 2],
  ])("%s in every row is no tax id, though its last digit fits one", async (same, events) => {
    const { input } = await draft("Pedido;Remessa;Data;Peso", `P-#;${same};2#/01/2026;#,5`);
    expect(input.columns.remessa.as).not.toBe("taxId");
    expect(Object.keys(input.events)).toHaveLength(events);
  });
});

describe("totals and footers are skipped, never allowed in (F124, F126)", () => {
  it.each(["Grand Total", "Total", "Subtotal", "Total Geral", "* Summe", "Ergebnis", "TOTAL"])("%s", async (word) => {
    const { input, said } = await draft("Pedido;Data;CNPJ;Peso", "P-#;2#/03/2026;CNPJ;#,5", `${word};;;99,0`);
    expect(input.rowsWithoutEvents).toBeUndefined();
    expect(input.skip).toMatch(/^=blank\(data\) && startsWith\(fold\(pedido\), "/);
    expect(said).toContain("9 of 10 rows would be staged, 1 skipped");
  });

  it.each([
    ["of another width, whose text is another tomorrow", "Pedido", "P-#", "Total de registros: 10"],
    ["among dates", "Emissão", "2#/03/2026", "Summe;;;99,0"],
    ["among numbers", "Volume", "#7,5", "Summe;;;99,0"],
    ["among tax ids", "CNPJ", "CNPJ", "Summe;;;99,0"],
    ["among truth values", "Ativo", "{Sim|Não}", "Summe;;;99,0"],
    ["among states", "UF", "{SP|RJ}", "Summe;;;99,0"],
  ])("a footer %s", async (_, header, cell, footer) => {
    const { said } = await draft(`${header};Número;Entrega;Peso`, `${cell};P-#;2#/04/2026;#,5`, footer);
    expect(said).toContain("9 of 10 rows would be staged, 1 skipped");
  });

  it.each(["Saldo anterior", "Solde en fin de période", "Opening balance", "Balance at end of period", "Kontostand"])(
    "a balance is no row of its own: %s",
    async (balance) => {
      const { input, said } = await draft(
        "Data;Documento;Debito;Credito",
        "2#/01/2026;OP-#;#,50;",
        `${balance};;;500,00`,
      );
      expect(input.columns.data).toEqual({ header: "Data", as: "timestamp" });
      expect(said).toContain("9 of 10 rows would be staged, 1 skipped");
    },
  );

  it("a customer called Total is none", async () => {
    const { input, said } = await draft("Pedido;Cliente;Data;CNPJ", "P-#;Total Energies;2#/03/2026;CNPJ");
    expect([input.skip, said]).toEqual([undefined, allStaged]);
  });

  it("rows without a date are asked about, not let in for ever", async () => {
    const { mapping, yaml } = await draft("Pedido;Entrega;CNPJ", "P-#;2#/03/2026;CNPJ", "P-10;;11.222.333/0001-81");
    expect(mapping.draft).toBe(true);
    expect(yaml).toMatch(/# decide: what are rows without any date \(1 of those seen\)\?/);
  });
});

describe("day and month (F125)", () => {
  const dates = (one: string, other: string) => draft("Pedido;Emissão;Entrega;CNPJ", `P-#;${one};${other};CNPJ`);

  it.each([
    ["03/2#/2026", "MM/dd/yyyy"],
    ["2#/03/2026", "dd/MM/yyyy"],
  ])("the column that is certain decides for its neighbours: %s", async (certain, format) => {
    const { mapping, yaml } = await dates("0#/04/2026", certain);
    expect(mapping.defaults.dates).toEqual([format]);
    expect(yaml).not.toContain("which comes first");
  });

  it("where none is certain, a person is asked", async () => {
    const { yaml, mapping } = await dates("0#/04/2026", "0#/04/2026");
    expect(yaml).toMatch(/# decide: which comes first in a date, day or month\? .*day \(01\/02 is 1 February\); month/);
    expect(mapping.draft).toBe(true);
  });

  it("a column that contradicts its neighbour keeps its own format", async () => {
    const { input, mapping } = await dates("2#/03/2026", "03/2#/2026");
    expect(mapping.defaults.dates).toHaveLength(1);
    expect([input.columns.emissao.formats, input.columns.entrega.formats].filter(Boolean)).toHaveLength(1);
  });

  it("a year of two digits in front is asked about, and taken where it varies less than the day", async () => {
    const { mapping, yaml } = await draft("Order;Date;Qty", "A#;25-02-0#;#");
    expect(mapping.defaults.dates).toEqual(["yy-MM-dd"]);
    expect(yaml).toMatch(/# decide: what is 25-02-01 in "Date"\? 2025-02-01 \(.*\); 2001-02-25/);
  });

  it("dates that a spreadsheet of another country swapped are told, where the others stayed texts", async () => {
    const days = [new Date(Date.UTC(2026, 0, 2)), "2/13/2026", new Date(Date.UTC(2026, 4, 2)), "2/25/2026"];
    const { said } = await draftOf({
      "a.xlsx": await workbook([["Order", "Date"], ...days.map((day, at) => [`A${at}`, day])]),
    });
    expect(said).toContain("may have swapped day and month of the dates");
  });
});

async function workbook(cells: unknown[][], notes: unknown[][] = []) {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("S");
  sheet.addRows(cells);
  if (notes.length > 0) book.addWorksheet("Notes").addRows(notes);
  sheet.getColumn(2).numFmt = "dd/mm/yyyy";
  sheet.getColumn(3).numFmt = "hh:mm";
  return Buffer.from(await book.xlsx.writeBuffer());
}

describe("what a careful eye sees", () => {
  it("repeated headers and page lines are no evidence about the columns", async () => {
    const page = "Page #;;;\nOrder;Date;Customer;Qty\nA#;0#.02.2026;Acme;#,5";
    const { input } = await draftOf({ "pages.csv": text(rows(page, 5)) });
    expect(input.columns).toMatchObject({ date: { as: "timestamp" }, qty: { as: "number" } });
    expect(input.events.event.externalCreatedAt).toBe("=date");
  });

  it.each([
    ["AM and PM beside the time", "Time;AM/PM", "1:15;PM", "18:15"],
    ["a time without colons", "BON_ZEIT;Note", "131500;x", "18:15"],
    ["a time with a point", "Uhrzeit;Note", "13.15;x", "18:15"],
    ["a time with an h", "Heure;Note", "13h15;x", "18:15"],
    ["a duration beside the date", "Stunden;Note", "01:15;x", "05:00"],
  ])("%s", async (_, header, cells, time) => {
    const file = text([`Order;Date;${header}`, ...rows(`A#;02/13/2026;${cells}`)]);
    const { check } = await draftOf({ "a.csv": file }, "--country", "US");
    expect(await check()).toContain(`externalCreatedAt: 2026-02-13T${time}:00.000Z`);
  });

  it.each([
    [
      "times with and without an offset in one column",
      ["Created", "2026-02-13T1#:15:00{Z|}"],
      'some times of "Created" have an offset (or Z); the others are read in the time zone',
    ],
    [
      "numbers with and without a unit",
      ["Date;Rate", "2026-02-1#;{7.5%|0.075}"],
      'some numbers of "Rate" have a unit (%) and others none, such as 0.075',
    ],
    [
      "a time of day whose heading says none",
      ["Date;Ramp", "2026-02-1#;0#:30"],
      '"Ramp" is read as the time of day of "Date"',
    ],
    ...["Time zone", "Zona horaria", "Fuseau horaire", "Fuso orario"].map(
      (zone): [string, [string, string], string] => [
        `a column of time zones: ${zone}`,
        [`Data;${zone}`, "2#/03/2026 10:00;Europe/Berlin"],
        `"${zone}" may say otherwise, and is not used for that`,
      ],
    ),
  ] as [string, [string, string], string][])("told: %s", async (_, [header, pattern], told) => {
    const { said } = await draft(`Pedido;${header};Net`, `A#;${pattern};#.5 kg`);
    expect(said).toContain(told);
    expect(said).not.toContain('"Net" have a unit');
  });

  it("ids that a spreadsheet rounded are told, by guess and by check; codes with zeros in front stay text", async () => {
    const { input, said, check } = await draft("Posten;Tracking;Datum", "00#.123;1234567890123#5000;2026-02-13");
    expect(input.columns).toMatchObject({ posten: "Posten", tracking: "Tracking" });
    const told = 'll numbers of "Tracking" with more than 15 digits end in zeros, such as 123456789012315000';
    expect([said, await check()]).toEqual([expect.stringContaining(told), expect.stringContaining(told)]);
  });

  it("no column is absent because another has its name", async () => {
    const { check } = await draft("Order;Date;Weight;Date;Weight", "A#;2#.03.2026;#,5;2#.03.2026;#,7");
    const checked = await check();
    expect(checked).toContain("5 found, 0 not read");
    expect(checked).not.toContain("absent");
  });

  it("a draft without records does not pass for one that sends something", async () => {
    const { check } = await draft("Posten", "x");
    expect(await check()).toContain("describes no records, so nothing of its rows is sent");
  });
});

describe("what is called like a part of an address, and is none", () => {
  it.each([
    ["in front", "Num;Data;CNPJ;Empresa;Rua", "100#;2#/03/2026;CNPJ;Acme %;Rua %"],
    ["next to the street", "CNPJ;Empresa;Num;Rua;Data", "CNPJ;Acme %;100#;Rua #;2#/03/2026"],
    ["behind the street", "CNPJ;Empresa;Rua;Num;Data", "CNPJ;Acme %;Rua %;100#;2#/03/2026"],
    ["with letters", "CNPJ;Empresa;Rua;Nº;Data", "CNPJ;Acme %;Rua #;NF-9#;2#/03/2026"],
  ])("numbers of documents are no numbers of houses: %s", async (_, header, pattern) => {
    const { input } = await draft(`${header};Cidade;UF`, `${pattern};Rio;RJ`);
    expect(only(input.documents).key).toMatch(/^=(num|no_)$/);
    expect(only(input.addresses).number).toBe("S/N");
  });

  it.each([
    ["behind the street", "Rua;Nº", "Rua %;{0|37|74}"],
    ["in front of it", "No;Street", "{0|37|74};Street %"],
    ["of several forms", "Rua;Número", "Rua {0|1|2|3|4};{12|S/N|14 A|7-9|}"],
  ])("numbers of houses stay: %s", async (_, header, pattern) => {
    const { input } = await draft(`Pedido;Data;CNPJ;${header};Cidade;UF`, `P-#;2#/03/2026;CNPJ;${pattern};Rio;RJ`);
    expect(only(input.addresses).number).toMatch(/^=(default\()?(n|no_|numero)\b/);
  });

  it.each([
    ["BR", "Estado;UF", "{Emitida|Anulada};SP", "=uf"],
    ["BR", "Estado", "{Aberto|Fechado}", "SP"],
    ["MX", "Estado;Provincia", "{Vigente|Anulada};Jalisco", "=provincia"],
    ["US", "State;Provincia", "{Open|Closed};Texas", "=provincia"],
    ["BR", "Estado", "{SP|RJ|MG}", "=estado"],
    ["BR", "Estado", "{São Paulo|Rio de Janeiro|?}", "=estado"],
    ["MX", "Estado", "{Jalisco|Puebla|Jalisco}", "=estado"],
    ["US", "State", "{Colorado|Nevada|TX}", "=state"],
  ])("the state of a document is no state of a country: %s, %s %s", async (country, header, pattern, state) => {
    const lines = rows(`100#;2#/03/2026;CNPJ;Rua %;City %;${pattern}`);
    const file = text([`Pedido;Data;CNPJ;Rua;Cidade;${header}`, ...lines]);
    const { input } = await draftOf({ "a.csv": file }, "--country", country);
    expect(only(input.addresses).countryState).toBe(state);
  });

  it.each(["Lieferant", "Vendor", "Fornecedor", "Proveedor", "Kunde", "Cliente"])(
    "%s beside a tax id is its name (F126)",
    async (header) => {
      const { input } = await draft(`N° facture;Date;CNPJ;${header}`, "F-#;2#/01/2011;CNPJ;Acme %");
      expect(only(input.participants).name).toBe(`=${header.toLowerCase()}`);
      expect(Object.keys(input.documents)).toEqual(["n_facture"]);
    },
  );
});

describe("what people write (F28)", () => {
  it.each([
    ["14-Jan-2011", "d-MMM-yyyy", "en"],
    ["14 fev 2011 08:30", "d MMM yyyy HH:mm", "pt"],
    ["14 ene 2011", "d MMM yyyy", "es"],
    ["3 de dezembro de 2025", "d 'de' MMMM 'de' yyyy", "pt"],
    ["Jan 14, 2011", "MMM d, yyyy", "en"],
    ["1295000000", "UNIX", undefined],
    ["1295000000123", "UNIX_MS", undefined],
    ["{So, 04|Mo, 05|Di, 06|Mi, 07|Do, 08}.01.2026", "EEE, dd.MM.yyyy", "de"],
    ["{Sunday|Monday|Tuesday} January {4|5|6} 2026", "EEEE MMMM d yyyy", "en"],
  ])("%s is a date of its column", async (cell, format, language) => {
    const { input } = await draft("Pedido;Data;CNPJ", `P-#;${cell};CNPJ`);
    expect(input.columns.data).toEqual({ header: "Data", as: "timestamp", formats: [format], language });
  });

  it.each([
    ["2011-01-14 08:30:00.123", "yyyy-MM-dd HH:mm:ss.SSS"],
    ["2011-01-14 08:30:00.1234567", "yyyy-MM-dd HH:mm:ss.u"],
    ["2011-01-14T08:30:00", "yyyy-MM-dd'T'HH:mm:ss"],
    ["20110114", "yyyyMMdd"],
    ["2011/1/14", "yyyy/M/d"],
    ["14/01/11", "dd/MM/yy"],
    ["14.1.2011", "d.M.yyyy"],
    ["2011-01-14T08:30:00.5+02:00", "ISO"],
    ["2026.03.2#.", expect.any(String)],
    ["2#.03.2026.", expect.any(String)],
    ["2#. 3. 2026", expect.any(String)],
    ["2026. 03. 2#.", expect.any(String)],
  ])("%s is read as %s", async (cell, format) => {
    const { mapping, input, said } = await draft("Pedido;Data;CNPJ", `P-#;${cell};CNPJ`);
    expect(input.columns.data).toEqual({ header: "Data", as: "timestamp" });
    expect(mapping.defaults.dates).toEqual([format]);
    expect(mapping.defaults.twoDigitYears).toBe(format === "dd/MM/yy" ? true : undefined);
    expect(Object.keys(input.events)).toContain("event");
    expect(said).toEqual(allStaged);
  });

  it.each([
    ["Data;Hora", "2#/01/2011;0#:30"],
    ["Data;Hora", "1#-fev-2026;0#:30"],
    ["Data;Hora", "1# Feb 2026;0#:30"],
    ["Data;Hora", "1#. Oktober 2026;0#:30"],
    ["Data;Hora", "2#/03/2026;8:1# p. m."],
  ])("date and time in two columns are one moment: %s, %s", async (header, cells) => {
    const { input, said } = await draft(`Pedido;${header};CNPJ`, `P-#;${cells};CNPJ`);
    expect(input.columns.data_at).toContain("timestamp(data");
    expect(input.events.event.externalCreatedAt).toBe("=data_at");
    expect(said).toEqual(allStaged);
  });

  it("so are date and time of a workbook", async () => {
    const cells = rows("P-#;CNPJ").map((line, at) => {
      const [key, tax] = line.split(";");
      return [key, new Date(Date.UTC(2026, 2, at + 1)), (8 + at / 60) / 24, tax];
    });
    const { yaml, check } = await draftOf({ "a.xlsx": await workbook([["Pedido", "Data", "Hora", "CNPJ"], ...cells]) });
    expect(yaml).toContain("externalCreatedAt: =data_at");
    const checked = await check("a.xlsx");
    expect(checked).toContain("9 read = 0 skipped + 0 invalid + 9 valid");
    expect(checked).toContain("externalCreatedAt: 2026-03-01T11:00:00.000Z");
  });

  it("decimal marks of two columns differ, and each is read as it is written", async () => {
    const { input, mapping, said } = await draft("Pedido;Data;CNPJ;Peso;Preço", "P-#;2#/01/2011;CNPJ;1.#00,5#;#.5#");
    expect(mapping.defaults.decimal).toBe(",");
    expect(input.columns.preco).toMatchObject({ as: "number", decimal: "." });
    expect(said).toEqual(allStaged);
  });

  it("a column of which no number tells thousands from fractions is told, by guess and by check (F75)", async () => {
    const { said, check } = await draft("Pedido;Data;CNPJ;Peso;Densidade", "P-#;2#/01/2011;CNPJ;1.#00,5;1.34#");
    expect(said).toContain('all of "Densidade" with a mark are like 1.341, read as a thousand');
    expect(said).not.toContain('"Peso" with a mark');
    const checked = await check();
    expect(checked).toContain('All marked numbers of "Densidade" are like "1.341", which is read as 1341.');
    expect(checked).not.toContain('numbers of "Peso"');
  });

  it("where no column tells, thousands are asked about, naming the columns (F75)", async () => {
    const { mapping, yaml, said } = await draft("Pedido;Data;CNPJ;Peso;Densidade", "P-#;2#/01/2011;CNPJ;#,5;1.34#");
    expect(said).toContain('what is 1.234 in "Densidade"?');
    expect(yaml).toMatch(
      /# decide: what is 1.234 in "Densidade"\? a thousand; a fraction; not a number: such cells are errors/,
    );
    expect(mapping.defaults.grouping).toBe(true);
  });

  it.each([
    ["become one", "#,5 {kg|t}", { kg: 1, t: 1000 }, "# {un|cx}", "un, cx"],
    ["are told apart by their case", "#,5 Mg", ["Mg"], "#,5 {Mg|mg}", "Mg, mg"],
  ])("units %s, or the column stays text and says why", async (_, weight, units, other, none) => {
    const { input, yaml } = await draft("Pedido;Data;CNPJ;Peso;Volumes", `P-#;2#/01/2011;CNPJ;${weight};${other}`);
    expect(input.columns.peso).toMatchObject({ as: "number", units });
    expect(yaml).toContain(`volumes: Volumes # text: no one unit for ${none}; `);
  });

  it("what is no unit at all is text: weeks, codes, names with numbers, ids of which a spreadsheet spoilt some", async () => {
    const key = `352601${"0".repeat(36)}`;
    const { input, said } = await draft(
      "Pedido;Semana;Posição;Posto;Operador;Texto;Chave;Preço;Data;CNPJ",
      `P-#;2026-W0#;#-A#;#-uuid;Op %;VIR #;{3,52601E+43|${key}01|${key}02|${key}03};EUR #,50;2#/03/2026;CNPJ`,
    );
    const posts = { posicao: "Posição", posto: "Posto" };
    const texts = { semana: "Semana", ...posts, operador: "Operador", texto: "Texto", chave: "Chave" };
    expect(input.columns).toMatchObject({ ...texts, preco: { as: "number", units: ["eur"] } });
    expect(said).toContain("its other digits are not in the file");
  });

  it("what programs write for nothing is blank: NaN, \\N", async () => {
    const { mapping, said } = await draft("Pedido;Data;CNPJ;Peso;Nota", "P-#;2#/03/2026;CNPJ;{#|NaN|1};{a|\\N|b|c}");
    expect(mapping.defaults.blank).toEqual(["", "\\N", "NaN"]);
    expect(said).toEqual(allStaged);
    expect(said).toContain('"Data" does not say what happened; write its name in the place of "Event"');
  });

  it.each([
    ["20260301", ["", "00000000"]],
    ["00004711", [""]],
  ])("SAP's 00000000 beside %s", async (other, blank) => {
    const { mapping } = await draft("Beleg;Datum;Storno", `B#;2026022#;{00000000|00000000|${other}}`);
    expect(mapping.defaults.blank).toEqual(blank);
  });

  it.each([
    ["Data/Hora (local)", "Event"],
    ["Data da Coleta (dd/mm/aaaa)", "Coleta"],
  ])("what stands in brackets in a heading of times is no name of an event: %s", async (header, name) => {
    const { yaml } = await draft(`Pedido;${header};CNPJ`, "P-#;01/03/2026 08:1#;CNPJ");
    expect(yaml).toContain(`name: ${name}`);
  });

  it("CPF and CNPJ in one column: the type follows the number", async () => {
    const lines = [...rows("P-#;2#/01/2011;CNPJ;Acme #", 3), ...rows("Q-#;2#/01/2011;CPF;Ana #")];
    const { input, said } = await draftOf({ "a.csv": text(["Pedido;Data;CPF/CNPJ;Cliente", ...lines]) });
    expect(input.columns.cpf_cnpj).toEqual({ header: "CPF/CNPJ", as: "taxId" });
    expect(input.participants.organisation.type).toBe('=iff(cpf_cnpj.type == "CPF", "PERSON", "COMPANY")');
    expect(said).toEqual(allStaged);
  });

  it("a file without a header is read by letters, and its key is asked for", async () => {
    const { input, mapping, said } = await draftOf({ "a.csv": text(rows("P-#;2#/01/2011;CNPJ;#,5")) });
    expect([input.header, only(input.columns), mapping.draft]).toEqual(["none", "A", true]);
    expect(said).toContain("seems to have no header");
    expect(said).toEqual(allStaged);
  });

  it.each([
    ["one column", ["Cor", "azul", "verde", "preto"]],
    ["one row", ["Pedido;Data;CNPJ", ...rows("P-#;2#/01/2026;CNPJ", 1)]],
    ["a header alone", ["Pedido;Data;CNPJ"]],
    ["debit and credit", ["Numéro;Date;Débit;Crédit", ...rows("#;2#/01/2011;#,5;")]],
    ["a pivot", ["Produto;Jan;Fev;Mar", ...rows("Item #;#,1;#,2;#,3")]],
    ["ISO weeks", ["Semana;Peso", ...rows("2026-W0#;#,5")]],
  ])("%s: every column stands in the mapping, and what is open is marked", async (_, lines) => {
    const { input, yaml, mapping } = await draftOf({ "a.csv": text(lines) });
    expect(Object.keys(input.columns)).toHaveLength((lines[0] ?? "").split(";").length);
    expect(mapping.draft === true).toBe(yaml.includes("# decide: "));
  });

  it("three samples stand beside each column", async () => {
    const { yaml } = await draft("Pedido;Data;CNPJ", "P-#;2#/01/2011;CNPJ");
    expect(yaml).toContain("pedido: Pedido # P-1 | P-5 | P-9\n");
  });
});

describe("several files", () => {
  const orders = text(["Pedido;Data;CNPJ", ...rows("P-#;2#/01/2026;CNPJ")]);

  it("of one header are one input; another kind's file fits no pattern of theirs", async () => {
    const other = text(["Ticket;Hora;CNPJ", ...rows("T-#;1#:30;CNPJ")]);
    const { mapping, said } = await draftOf({ "export-1.csv": orders, "export-2.csv": orders, "export-3.csv": other });
    const patterns = Object.values<Any>(mapping.inputs).map((input) => JSON.stringify(input.files));
    expect(patterns.toSorted()).toEqual(['"export-3.csv"', '["export-1.csv","export-2.csv"]']);
    expect(said).not.toContain("fits");
  });

  it("of an archive fit the patterns of their draft", async () => {
    const zip = await writeZip(["orders-1.csv", "orders-2.csv"].map((name) => ({ name, data: orders })));
    const { check } = await draftOf({ "in.zip": zip });
    expect(await check("in.zip")).toContain("2 files: 18 read = 0 skipped + 0 invalid + 18 valid");
  });

  it("a sheet of instructions beside a table is no input", async () => {
    const cells = orders.split("\n").map((line) => line.split(";"));
    const notes = [["Fill in columns A to C."], ["Ask Ana if in doubt."]];
    const { mapping, said } = await draftOf({ "a.xlsx": await workbook(cells, notes) });
    expect(Object.keys(mapping.inputs)).toEqual(["s"]);
    expect(said).toContain('sheet "Notes" of a.xlsx has no row of several cells and was left out');
  });

  it("37 at once, one of them empty, one of them no table: the others are drafted (F25)", async () => {
    const files = Object.fromEntries(Array.from({ length: 35 }, (_, at) => [`lote-${at}.csv`, orders]));
    const { world, input } = await draftOf({ ...files, "empty.csv": "\n", "photo.csv": "%PDF-1.4 no table\n" });
    expect(world.err).toMatch(/^Left out:\n {2}- /);
    expect(input.files).toBe("lote-*.csv");
  });
});

describe("what exports of other programs show", () => {
  it("rows that end early are read, and told, where the program that wrote them ends most so", async () => {
    const { input, said } = await draft(
      "Ticket;Data;Peso;Retorno",
      "T-#;2#/01/2026;12,#",
      "T-0;22/01/2026;1,5;23/01/2026",
    );
    expect(input.csv.shortRows).toBe("blank");
    expect(input.columns.peso).toEqual({ header: "Peso", as: "number" });
    expect(Object.values<Any>(input.events).map(({ when }) => when)).toContain("=filled(retorno)");
    expect(said).toEqual(allStaged);
    expect(said).toContain("9 of 10 rows seen end early");
  });

  it("so are those of a file without a header", async () => {
    const { input, said } = await draftOf({ "a.csv": text(rows("T-#;2#/01/2026;12,#{|;late}")) });
    expect([input.csv.shortRows, input.header, input.columns.d]).toEqual(["blank", "none", "D"]);
    expect(said).toEqual(allStaged);
  });

  it.each([
    ["notes below the table are no rows that end early", ["3 rows", "Printed by Ana", "Page 1"], ""],
    ["a row that is torn is no habit", ["T-0;22/01", "/2026;1,5;x"], "2 cells where the header has 4"],
  ])("%s", async (_, below, told) => {
    const { input, said } = await draft("Ticket;Data;Peso;Nota", "T-#;2#/01/2026;12,#;x", ...below);
    expect(input.csv.shortRows).toBeUndefined();
    expect(said).toContain(told);
  });

  it("a day stays a time where no event is drafted, for the person who writes it", async () => {
    const { input } = await draft("Data;Nota;Peso", `2#/01/2026;${"a note of many words ".repeat(4)}#;#,5`);
    expect([input.events, input.columns.data]).toEqual([undefined, { header: "Data", as: "timestamp" }]);
  });

  it("a day that is no event's time stays a day: an instant of it would be the day before elsewhere", async () => {
    const { input } = await draft("Pedido;CPF;Nome;Data de Nascimento;Admissão", "M-#;CPF;Ana #;2#/04/1980;2#/04/2026");
    expect(input.columns.data_de_nascimento).toEqual({ header: "Data de Nascimento", as: "date" });
    expect(input.columns.admissao).toEqual({ header: "Admissão", as: "timestamp" });
  });

  it.each([
    ["below", "peso_tara", ["Pedido;Data;Peso;;Gerador;", ";;Bruto;Tara;Código;Nome"]],
    ["above", "tara", ["Pedido;Data;;;;", ";;Bruto;Tara;Código;Nome"]],
  ])("names of columns in the row %s are joined to the header", async (_, tare, header) => {
    const { input, said } = await draft(header.join("\n"), "R-#;2#/03/2026;#,5;1,5;C#;Acme #");
    expect([input.header, Object.keys(input.columns)]).toEqual([[1, 2], expect.arrayContaining([tare])]);
    expect(said).toEqual(allStaged);
  });

  it("a column that its header calls tax ids stays one where a third of them are mistyped, and says so", async () => {
    const header = "CT-e;CNPJ Emitente;CNPJ/CPF Destinatário;Destinatário;Endereço;Coleta";
    const bad = [11, 12, 13, 14].map(
      (at) => `CT-${at};${makeCnpj("10000000")};529.982.247-2${at % 5};Ana;Rua A;20/03/2026`,
    );
    const { input, yaml } = await draft(header, "CT-#;CNPJ;CPF;Ana #;Rua #;2#/03/2026", ...bad);
    expect(input.participants.destinatario).toMatchObject({ taxId: "=cnpj_cpf_destinatario", name: "=destinatario" });
    expect(yaml).toMatch(/cnpj_cpf_destinatario:.*% of the cells read so/);
    expect(only(input.addresses)).toMatchObject({ participant: "destinatario", street: "=endereco" });
  });

  it("a delivery list in Spanish: the customer's own name, place and number of delivery note are found", async () => {
    const header = "Nº Remito|Fecha|Transportadora|Cliente|CNPJ Cliente|Domicilio|Localidad|Estado|CP|Importe";
    const { input } = await draft(header, "R-#|2#/03/2026|Sur %|Ana %|CNPJ|Calle %|Santos|SP|11000-00%|$ #,50");
    expect(input.participants.cliente.name).toBe("=cliente");
    expect(only(input.addresses)).toMatchObject({ street: "=domicilio", city: "=localidad", zipCode: "=cp" });
    expect(only(input.documents).key).toBe("=no_remito");
  });

  it("a tax id of a country whose numbers are not known names no document, but its owner", async () => {
    const { input } = await draft("N° de commande;Client;SIRET;Date", "CMD-#;Client %;732 829 320 0007%;2#/03/2026");
    expect(only(input.documents).key).toBe("=n_de_commande");
    expect(only(input.participants)).toMatchObject({ taxIdType: "SIRET", taxId: "=siret", name: "=client" });
  });

  it.each([
    ["DE", "Buchungstag;Betrag;Währung"],
    ["US", "Order date;Amount;Currency"],
    ["ES", "Fecha;Importe;Moneda"],
    ["BR", "Data;Valor;Moeda"],
  ])("where nothing names a country, the words of headers propose %s", async (country, header) => {
    const { mapping } = await draft(header, "2#.03.2026;#,50;EUR");
    expect([mapping.draft, mapping.defaults.country]).toEqual([true, country]);
  });
});
