/** What a draft is sure of, and what it asks: a question costs a minute, a wrong guess is sent to the service. */
import ExcelJS from "exceljs";
import { tellsTime, zoneOf } from "../../src/guess/words.js";
import { type Any, draft, draftOf, only, rows, text } from "../support/drafts.js";

const place = "Rua;Número;Cidade;UF";
const placed = "Rua %;1%;Campinas;SP";
const events = (input: Any) => Object.values(input.events).flatMap((event: Any) => event.externalCreatedAt ?? []);

describe("time zones", () => {
  it.each([
    ["Criado em (UTC)", "UTC"],
    ["created_at_utc", "UTC"],
    ["Event Time (GMT)", "UTC"],
    ["Data (UTC-5)", "Etc/GMT+5"],
    ["Hora (GMT +03:00)", "Etc/GMT-3"],
    ["Outcome", undefined],
    ["UTC+05:30", undefined],
  ])("the header %s says %s", (header, zone) => expect(zoneOf(header)).toBe(zone));

  it("one that all headers name is the mapping's", async () => {
    const { mapping, said } = await draft(
      "Pedido;CNPJ;Criado em (UTC);Entregue (UTC)",
      "P-#;CNPJ;2#/03/2026;2#/04/2026",
    );
    expect(mapping.defaults.timezone).toBe("UTC");
    expect(said).not.toContain("is assumed from the country");
  });

  it("one that a single header names is that column's", async () => {
    const { mapping, input, said } = await draft("Pedido;CNPJ;Criado;Saída (UTC)", "P-#;CNPJ;2#/03/2026;2#/04/2026");
    expect(mapping.defaults.timezone).toBe("America/Sao_Paulo");
    expect(input.columns.saida_utc.timezone).toBe("UTC");
    expect(said).toContain("not every header names a time zone");
  });

  it.each([
    ["a column of zones", "Data;Fuso", "2#/03/2026 10:00;{-03:00|-04:00}", []],
    ["a country whose zone is not known", "Data", "2#/03/2026 10:00", ["--country", "BO"]],
    ["date and time in UTC beside local times", "Data;Hora UTC;Saída", "2#/03/2026;10:0#;2#/04/2026 11:00", []],
  ])("asked: %s", async (_, header, cells, options) => {
    const file = text([`Pedido;CNPJ;${header}`, ...rows(`P-#;CNPJ;${cells}`)]);
    const { said, mapping } = await draftOf({ "a.csv": file }, ...options);
    expect(said).toContain("which time zone do times belong to?");
    expect(mapping.draft).toBe(true);
  });
});

describe("what did not happen is no event", () => {
  it.each(
    "Promised Date|Data Prometida|Fecha comprometida|Fecha límite|Deadline|Target Date|Requested Delivery Date|Need By Date|Date prévue|Wunschtermin|Data Programada|Data Agendamento|Próxima Revisão|Renewal Date|Fim da Garantia|Contract End Date|Término da Vigência|Best Before|Prev. Entrega|Fecha de Nac.|Aniversário".split(
      "|",
    ),
  )("%s", async (header) => {
    const { input, said } = await draft(`Pedido;CNPJ;Emissão;${header}`, "P-#;CNPJ;2#/03/2025;2#/04/2025");
    expect(events(input)).toEqual(["=emissao"]);
    expect(said).toContain(`none is made of "${header}"`);
  });

  it("days after today are none, whatever the header says", async () => {
    const { input, said } = await draft("Contrato;CNPJ;Início;Término", "C-#;CNPJ;2#/03/2025;2#/04/2{0|1}99");
    expect(events(input)).toEqual(["=inicio"]);
    expect(said).toContain('none is made of "Término"');
  });

  it("a document that was changed has not gone any further", async () => {
    const { input } = await draft("Issue;CNPJ;Created;Updated;Resolved", "I-#;CNPJ;2#/03/2025;2#/05/2025;2#/04/2025");
    expect(events(input)).toEqual(["=resolved"]);
  });
});

describe("a time of day belongs to one date", () => {
  it.each([
    ["Data Saída;Hora Saída;Data Entrega;Hora Entrega", "2#/03/2026;{|09:10|09:20};2#/04/2026;1#:30", "data_saida"],
    ["Hora Saída;Data Saída;Hora Entrega;Data Entrega", "09:1#;2#/03/2026;1#:30;2#/04/2026", "data_saida_at"],
    ["Data Saída;Data Entrega;Hora Saída;Hora Entrega", "2#/03/2026;2#/04/2026;09:1#;1#:30", "data_saida_at"],
  ])("%s", async (header, cells, left) => {
    const { input } = await draft(`Pedido;CNPJ;${header}`, `P-#;CNPJ;${cells}`);
    expect(input.columns.data_entrega_at).toBe('=timestamp(data_entrega + " " + hora_entrega)');
    expect(events(input)).toEqual([`=${left}`, "=data_entrega_at"]);
  });

  it("a date with a few blank hours keeps the others", async () => {
    const lines = rows("P-#;CNPJ;2#/03/2026;{09:10|09:15|09:20}", 8);
    const file = text(["Pedido;CNPJ;Data;Hora", ...lines, "P-9;11.222.333/0001-81;29/03/2026;"]);
    const { input, check } = await draftOf({ "a.csv": file });
    expect(input.columns.data_at).toBe('=timestamp(data + " " + default(hora, "0:00"))');
    expect(await check()).toContain("9 read = 0 skipped + 0 invalid + 9 valid");
  });

  it("a date of a workbook takes a time that is text", async () => {
    const book = new ExcelJS.Workbook();
    const sheet = book.addWorksheet("S");
    sheet.addRow(["Pedido", "Data", "Hora"]);
    for (let day = 1; day < 9; day++) sheet.addRow([`P-${day}`, new Date(Date.UTC(2026, 2, day)), `1${day}:30`]);
    sheet.getColumn(2).numFmt = "dd/mm/yyyy";
    const { input, check } = await draftOf({ "a.xlsx": Buffer.from(await book.xlsx.writeBuffer()) }, "--country", "BR");
    expect(events(input)).toEqual(["=data_at"]);
    expect(await check("a.xlsx")).toContain("externalCreatedAt: 2026-03-01T14:30:00.000Z");
  });
});

describe("digits are times where all of them are, under a header that says so", () => {
  it.each([
    ["Data do Pedido", true],
    ["Opened At", true],
    ["Closed By", false],
    ["Criado por", false],
    ["Issue id", false],
  ])("%s: %s", (header, told) => expect(tellsTime(header)).toBe(told));

  it.each([
    ["Data do Pedido", "4596#", ["EXCEL"]],
    ["Encerrado em", "174{1|2}00000#", ["UNIX"]],
    ["Closed By", "1275#", undefined],
    ["Closed By", "4596#", undefined],
    ["Tag", "{46194|60099|51000}", undefined],
    ["Lote", "2025081#", undefined],
    ["Coleta", "2025081#", undefined],
  ])("%s: %s", async (header, cell, formats) => {
    const { input } = await draft(`Ref;CNPJ;Saída;${header}`, `R-#;CNPJ;2#/03/2026 10:00;${cell}`);
    const column: Any = Object.values(input.columns).at(-1);
    expect([column.as === "timestamp", column.formats]).toEqual([formats !== undefined, formats]);
  });

  it("a day without signs is asked about, where its year may come first", async () => {
    const { mapping, said } = await draft("Pedido;CNPJ;Data Entrega", "P-#;CNPJ;25082#");
    expect(mapping.defaults.dates).toEqual(["yyMMdd"]);
    expect(said).toContain('what is 250821 in "Data Entrega"?');
    const other = await draft("Pedido;CNPJ;Data Entrega", "P-#;CNPJ;{26|05|17}0525");
    expect(other.mapping.defaults.dates).toEqual(["ddMMyy"]);
  });

  it.each([
    ["24/07/2025 às 16:2#", "dd/MM/yyyy 'às' HH:mm"],
    ["24/07/2025 - 16:2#", "dd/MM/yyyy - HH:mm"],
    ["24.07.2025 16:2# Uhr", "dd.MM.yyyy HH:mm 'Uhr'"],
    ["24/07/2025 16h2#", "dd/MM/yyyy H'h'mm"],
    ["07/24/2025 04:2#PM", "MM/dd/yyyy h:mma"],
    ["20250724T16203#Z", "yyyyMMdd'T'HHmmssZZ"],
  ])("%s is read", async (cell, format) => {
    const { mapping } = await draft("Pedido;CNPJ;Data", `P-#;CNPJ;${cell}`);
    expect(mapping.defaults.dates).toEqual([format]);
  });

  it("a time that no format reads is told", async () => {
    const { said } = await draft("Pedido;CNPJ;Emissão;Data Entrega", "P-#;CNPJ;2#/03/2026;24/10/2025 13:1# BRT");
    expect(said).toContain('no known format reads "Data Entrega", such as 24/10/2025 13:11 BRT');
  });
});

describe("the key of a document", () => {
  it("is no number that repeats, unless something follows from it", async () => {
    const { said, input } = await draft("Nota;CNPJ;Data;Valor", "{1|2|3|4|5|6|7|8|8}00;CNPJ;2#/03/2026;#,5");
    expect(said).toContain("which column names the document?");
    expect(only(input.documents).key).toBe("=nota");
  });

  it("is one that repeats where more follows from it than chance explains: the lines of an order", async () => {
    const file = text([
      `Pedido;Data;CNPJ;Item;Qtd`,
      ...Array.from({ length: 12 }, (_, at) => [
        `P-${at};${10 + at}/03/2026;11.222.333/0001-81;A;1`,
        `P-${at};${10 + at}/03/2026;11.222.333/0001-81;B;2`,
      ])
        .flat()
        .slice(6),
    ]);
    const { said, input } = await draftOf({ "a.csv": file });
    expect([only(input.documents).key, said.includes("which column names")]).toEqual(["=pedido", false]);
  });

  it.each([
    ["Filial;Nota Fiscal", "0{1|1|1|1|1|2|2|2|2};90{1|2|3|4|5|1|2|3|4}", ["=filial", "=nota_fiscal"]],
    ["Série;Número NF", "{1|2};90#", ["=serie", "=numero_nf"]],
  ])("may be two columns: %s", async (header, cells, key) => {
    const { said, input } = await draft(`${header};CNPJ;Emissão;Valor`, `${cells};CNPJ;2#/03/2026;#,5`);
    expect(said).toContain("which column names the document?");
    expect(only(input.documents).key).toEqual(key);
    expect(said).toContain("9 of 9 rows would be staged");
  });

  it("is no grade", async () => {
    const { said } = await draft(
      "Registro;CPF;Data;Nota Final",
      "2025#;CPF;2#/03/2026;{9,5|7,0|8,25|9,0|9,5|6,0|5,5|4,0|3,0}",
    );
    expect(said).toContain("which column names the document?");
  });
});

describe("the key of an event", () => {
  const log = (cells: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      cells
        .split("|")
        .map((cell, step) => `C-${at};${10 + at}/03/2026 1${step}:00;${cell.replace("#", String(at * 7 + step))}`),
    ).flat();
  const draftLog = (lines: string[], header: string) =>
    draftOf({
      "a.csv": text([`Contrato;Data/Hora;${header};CNPJ`, ...lines.map((line) => `${line};11.222.333/0001-81`)]),
    });

  it("is no measure that differs by chance", async () => {
    const { input, said } = await draftLog(log("Visita;#|Reparo;#|Visita;#", 9), "Evento;Temperatura");
    expect(Object.values(input.events).map((event: Any) => event.key)).toEqual([undefined, "content", "content"]);
    expect(said).toContain("how is it known to be the same event?");
  });

  it.each([
    ["a number of its own", "Visita;T-#|Reparo;T-#|Visita;T-#", "Ticket", "=ticket"],
    ["one of a few words that never meet in a document", "Visita;Ana|Visita;Eva|Visita;Rui|CLOSE;x", "Quem", "=quem"],
  ])("is %s", async (_, cells, header, key) => {
    const { input } = await draftLog(log(cells, 9), `Evento;${header}`);
    expect(Object.values<Any>(input.events)[1].key).toBe(key);
  });

  it.each([
    ["nine", 9, "=evento"],
    ["three", 3, "content"],
  ])("is that it comes once where documents enough show it: %s", async (_, count, key) => {
    const { input } = await draftLog(log("Coleta;|Entrega;|CLOSE;", count), "Evento;Nota");
    expect(Object.values<Any>(input.events)[1]).toMatchObject({ is: ["Coleta", "Entrega"], key });
  });
});

describe("numbers", () => {
  it("units become that of the header, else one that a person names", async () => {
    const { input } = await draft("Pedido;CNPJ;Data;Peso (t)", "P-#;CNPJ;2#/03/2026;{1,5 t|852 kg}");
    expect(input.columns.peso_t.units).toEqual({ t: 1, kg: 0.001 });
    const { said } = await draft("Pedido;CNPJ;Data;Peso", "P-#;CNPJ;2#/03/2026;{1,5 t|852 kg}");
    expect(said).toContain('in which unit is "Peso" to be sent?');
  });

  it("streets and names with digits are none", async () => {
    const { input } = await draft(
      "Invoice;EIN;Vendor;Address;City;Date",
      "I-#;12-345678%;3M;10# Main St;Austin;03/2#/2026",
    );
    expect(input.columns).toMatchObject({ vendor: "Vendor", address: "Address" });
  });

  it.each([
    ["\t", "20.640", "806"],
    [",", "20.640", "806"],
    [";", '"20,640"', "806"],
  ])("%j: what is %s beside %s is asked, whatever delimits cells", async (delimiter, one, other) => {
    const lines = ["Pedido;CNPJ;Data;Peso", ...rows(`P-#;CNPJ;2#/03/2026;{${one}|${other}}`)];
    const { said } = await draftOf({ "a.csv": text(lines.map((line) => line.replaceAll(";", delimiter))) });
    expect(said).toMatch(/what is 1[.,]234 in "Peso"\?/);
  });
});

describe("parties", () => {
  const invoice = "Nota;CNPJ Emitente;Emitente;Destinatário;Endereço;Cidade;UF;CNPJ Destinatário;Emissão";
  const cells = "90#;11.222.333/0001-81;Acme;Cliente %;Rua %;City %;SP;CNPJ;2#/03/2026";

  it("an address that varies under one tax id is another's, and the owner is asked for", async () => {
    const { input, said } = await draft(invoice, cells);
    expect(only(input.addresses)).toMatchObject({ participant: "destinatario", street: "=endereco" });
    expect(said).toContain("who owns the document?");
  });

  it("an address of another is not the first party's", async () => {
    const { input } = await draft(
      "Note No;Date;CNPJ;Carrier;Producer;Producer Address;Town",
      "N-#;2#/03/2026;CNPJ;Skip %;Dairy;Mill Lane;Leeds",
    );
    expect(only(input.addresses).street).toBe("?");
  });

  it("a carrier owns no document", async () => {
    const { input, said } = await draft(
      `Pedido;CNPJ;${place};CNPJ Transportadora;Data`,
      `P-#;CNPJ;${placed};11.222.333/0001-81;2#/03/2026`,
    );
    expect(only(input.documents).participant).toBe("participant");
    expect(said).not.toContain("who owns");
  });

  it("a second one that some rows lack does not refuse them", async () => {
    const { input, said } = await draft(
      "Processo;CNPJ Órgão;Abertura;CNPJ Vencedor",
      "P-#;CNPJ;2#/03/2026;{|11.222.333/0001-81}",
    );
    expect(input.participants.vencedor.when).toBe("=filled(cnpj_vencedor)");
    expect(said).toContain("9 of 9 rows would be staged");
  });

  it("a CPF or a CNPJ in each row are one", async () => {
    const { input, said } = await draftOf({
      "a.csv": text([
        `Pedido;CPF;CNPJ;Nome;Data`,
        ...rows("P-#;;CNPJ;Acme %;2#/03/2026", 4),
        ...rows("Q-#;CPF;;Ana #;2#/03/2026", 4),
      ]),
    });
    expect(only(input.participants)).toEqual({
      taxIdType: '=iff(filled(cpf), "CPF", "CNPJ")',
      taxId: "=default(cpf, cnpj)",
      name: "=nome",
      type: '=iff(filled(cpf), "PERSON", "COMPANY")',
    });
    expect(Object.keys(input.participants)).toHaveLength(1);
    expect(said).toContain("8 of 8 rows would be staged");
  });
});

describe("what everyone may see", () => {
  it("the reason of a CANCEL is a column of reasons, or asked for", async () => {
    const lines = rows("P-{1|1|2|2|3|3};2#/03/2026;{Coleta|Cancel};CNPJ;(11) 9888-86{11|22|33}", 6);
    const { input, said } = await draftOf({ "a.csv": text(["Pedido;Data;Evento;CNPJ;Telefone", ...lines]) });
    expect(input.events.cancel.attributes.public).toEqual({ reason: "?" });
    expect(said).toContain("why was it cancelled?");
  });

  it.each([
    ["Órgão Público", false],
    ["Público", "=publico"],
  ])("%s", async (header, isPublic) => {
    const { input, said } = await draft(`Pedido;CNPJ;Data;${header}`, "P-#;CNPJ;2#/03/2026;{Sim|Não}");
    expect(input.events.defaults.isPublic).toBe(isPublic);
    expect(said.includes("says which events everyone may see")).toBe(isPublic !== false);
  });
});

describe("what decides for others", () => {
  it("a day above the twelfth decides in its own file only", async () => {
    const { said, mapping } = await draftOf({
      "coletas.csv": text(["Pedido;Data;CNPJ", ...rows("P-#;0#/04/2026;CNPJ")]),
      "tickets.csv": text(["Ticket;Opened;CNPJ", ...rows("T-#;03/2#/2026;CNPJ")]),
    });
    expect(said).toContain("which comes first in a date, day or month?");
    expect(mapping.inputs.tickets.columns.opened.formats ?? mapping.defaults.dates).toEqual(["MM/dd/yyyy"]);
  });

  it("only the tax ids of the country that was asked for are tried", async () => {
    const lines = text(["Comprobante;RUC;Fecha", ...rows("F-#;{20263728999|20053446885|20100070970};2#/03/2026")]);
    const asked = await draftOf({ "a.csv": lines }, "--country", "PE");
    expect(asked.input.columns.ruc).toBe("RUC");
    expect(asked.mapping.defaults).toMatchObject({ country: "PE", timezone: "America/Lima" });
    const open = await draftOf({ "a.csv": lines });
    expect(open.input.columns.ruc).toBe("RUC");
    expect(open.said).toMatch(/which country do .* belong to\?/);
  });

  it.each([
    ["EIN;State", "12-345678%;{PA|MA|SC}", "US", false],
    ["Partita IVA;Provincia", "7471181442#;{RN|TO|RE}", expect.any(String), true],
  ])(
    "states decide no country against a tax id, and alone only where they are called UF: %s",
    async (header, cells, country, isOpen) => {
      const { mapping, input, said } = await draft(`Order;Date;${header}`, `O-#;2#/03/2026;${cells}`);
      expect(mapping.defaults.country).toEqual(country);
      expect(said.includes("which country")).toBe(isOpen);
      if (!isOpen) expect(input.columns.state).toBe("State");
    },
  );

  it("rows of one status are skipped where they have no time, and it is told", async () => {
    const lines = [
      ...rows("P-{1|1|2|2};CNPJ;2#/03/2026;{Visita|Fim};Feito", 8),
      ...rows("P-9#;CNPJ;;Visita;Pendente", 3),
    ];
    const { input, said } = await draftOf({ "a.csv": text(["OS;CNPJ;Data;Etapa;Situação", ...lines]) });
    expect(input.skip).toBe('=fold(situacao) == "pendente" && blank(data)');
    expect(said).toContain('rows without a time whose "Situação" is "Pendente" are skipped');
  });

  it("a header called Constructor hides no tax ids", async () => {
    const { input } = await draft("Obra;Constructor;Data", "O-#;CNPJ;2#/03/2026");
    expect(input.columns.constructor_ ?? input.columns.constructor).toMatchObject({ as: "taxId" });
  });
});
