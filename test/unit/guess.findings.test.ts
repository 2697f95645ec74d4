/** What a draft says first, what it never takes for an event or a key, and how it reads what people write (F28, F121–F124, F126). */
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
} from "../support/drafts.js";

const skipped = has("9 of 10 rows would be staged, 1 skipped");

describe("what is unused or undecided is said first", () => {
  it("a number of which an organisation has several is not its code, nor is an amount, and is told as unused", async () => {
    const { input, said } = await draft("Ordem;CNPJ;Empresa;Valor", "O#;CNPJ;Acme %;1#,50");
    expect(only(input.participants)).toEqual({ taxId: "=cnpj", name: "=empresa", type: "COMPANY" });
    expect(said).toContain("2 of 4 columns of a.csv are not used: Ordem, Valor");
    const coded = await draft("Valor;Código;CPF;Empresa", "1#,50;C#;CPF;Acme #");
    expect(only(coded.input.participants).key).toBe("=codigo");
  });

  it("columns that nothing uses stand at the head of the file and of the screen (F121)", long, async () => {
    const { yaml, world } = await draft("CNPJ;Empresa;Menge;Notas;Fim", "CNPJ;Acme %;#,5;x#;");
    const told = "3 of 5 columns of a.csv are not used: Menge, Notas, Fim (blank so far)";
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
  const lives = "Data de Nascimento;Birth date;Geburtsdatum;Validade;Vencimento;Due date;Expiry date;Month;Competência";
  const days = ";2#/04/1980".repeat(9);
  const noKey = { documents: undefined, yaml: matches(/# decide: which column names the document\? none/) };
  drafts(
    [
      "days of birth and of expiry, and months, are no events unless a person says so (F122)",
      `Matrícula;CPF;Nome;${lives}`,
      `M-#;CPF;Ana #${days}`,
      { events: undefined, isDraft: true, yaml: matches(/# decide: (when did something happen|what happened)/) },
    ],
    [
      "a telephone number is no document's key, though no two rows share it (F123)",
      "Telefone;Data;CNPJ;Empresa",
      "(11) 9800#-100#;2#/03/2026;CNPJ;Acme %",
      noKey,
    ],
    [
      "the weight of an empty truck is no document's key, though no two rows share it",
      "Senha;Data;CNPJ;Empresa;Tara",
      "{1|2};2#/03/2026;CNPJ;Acme %;710#",
      noKey,
    ],
    [
      "a number of eight digits is a key and no day, if its header says so",
      "Factuurnummer;Factuurdatum;Klant;Bedrag",
      "2025010#;2#-03-2026;Klant %;#,50",
      { document: { key: "=factuurnummer" }, at: ["=factuurdatum"] },
    ],
    [
      "a value of all rows is the last choice",
      "Documento;Nº Doc;Data;CNPJ;Empresa",
      "FT;FT 2026/#;2#/03/2026;CNPJ;Acme %",
      { document: { key: "=no_doc" }, yaml: has('"Documento" (one value in 9 rows)') },
    ],
    [
      "a key that is chosen is listed with its rivals (F123)",
      "Pedido;Gaveta;Data;CNPJ",
      "P-#;L-#;2#/03/2026;CNPJ",
      { yaml: has('# which column names the document? "Pedido" (no two of 9 rows share it); not "Gaveta"') },
    ],
    [
      "what is the same in every row is no tax id, though its last digit fits one",
      "Pedido;Remessa;Data;Peso",
      "P-#;123456789;2#/01/2026;#,5",
      { yaml: hasNot("as: taxId") },
    ],
  );

  it("a number that may begin again every day is one with its day; in one day's file a person decides", async () => {
    const day = (date: string) => text(["Senha;Data;Hora;Peso", ...rows(`#;${date};0#:10;#,5`)]);
    const both = await draftOf({ "a-15.csv": day("15/11/2025"), "a-16.csv": day("16/11/2025") });
    expect(only(both.input.documents).key).toEqual(["=data", "=senha"]);
    const { input, yaml } = await draftOf({ "a-15.csv": day("15/11/2025") });
    expect(only(input.documents).key).toBe("=senha");
    expect(yaml).toMatch(/"Senha" \(no two of 9 rows share it, but it counts from 1.*\); "Data" and "Senha" \(/);
  });

  it("text in braces is none, unless it is a GUID", async () => {
    const lines = rows("2163636#-8B52-9B4A-97B7-50A2C3D4E5F6};2#/03/2026;CNPJ;Acme %;").map(
      (line, at) => `{${line}{"bag":${at}}`,
    );
    const { input, yaml } = await draftOf({ "a.csv": text(["Guid;Data;CNPJ;Empresa;Corpo", ...lines]) });
    expect(only(input.documents).key).toBe("=guid");
    expect(yaml).not.toContain('"Corpo" (no two');
  });
});

describe("totals and footers are skipped, never allowed in (F124, F126)", () => {
  it.each(sampled(["Grand Total", "* Summe"], 2))("%s", async (word) => {
    const { input, said } = await draft("Pedido;Data;CNPJ;Peso", "P-#;2#/03/2026;CNPJ;#,5", `${word};;;99,0`);
    expect(input.rowsWithoutEvents).toBeUndefined();
    expect(input.skip).toMatch(/^=blank\(data\) && startsWith\(fold\(pedido\), "/);
    expect(said).toEqual(skipped);
  });

  it.each(
    sampled(
      [
        ["of another width, whose text is another tomorrow", "Pedido", "P-#", "Total de registros: 10"],
        ["among dates", "Emissão", "2#/03/2026", "Summe;;;99,0"],
      ],
      2,
    ),
  )("a footer %s", async (_, header, cell, footer) => {
    const { said } = await draft(`${header};Número;Entrega;Peso`, `${cell};P-#;2#/04/2026;#,5`, footer);
    expect(said).toEqual(skipped);
  });

  it.each(sampled(["Saldo anterior", "Opening balance"], 2))("a balance is no row of its own: %s", async (balance) => {
    const below = `${balance};;;500,00`;
    const { input, said } = await draft("Data;Documento;Debito;Credito", "2#/01/2026;OP-#;#,50;", below);
    expect(input.columns.data).toEqual({ header: "Data", as: "timestamp" });
    expect(said).toEqual(skipped);
  });

  it.each(sampled(["Qtd. registros", "Quantidade de lançamentos", "Number of rows", "Anzahl Datensätze"], 2))(
    "a count of the rows is no row: %s",
    async (count) => {
      const { said, input } = await draft(
        "Data;Histórico;Documento;Valor;Saldo",
        "2#/03/2026;PIX;88000#;#,50;#,00",
        `${count};9;;;`,
        "Total;;;99,0;",
      );
      expect(said).toContain("9 of 11 rows would be staged, 2 skipped");
      expect(input.columns.data).toEqual({ header: "Data", as: "timestamp" });
    },
  );

  it("nor is a row that is quoted as a whole one of them, as if it were a note", async () => {
    const whole = '"P-10;20/03/2026;11.222.333/0001-81;Rio Verde;1,5"';
    const { input, said } = await draft("Pedido;Data;CNPJ;Cidade;Peso", "P-#;2#/03/2026;CNPJ;Rio;#,5", whole);
    expect(input.skip).toBeUndefined();
    expect(said).toContain("9 of 10 rows would be staged; most of the others: row 11");
  });

  drafts(
    [
      "a customer called Total is none",
      "Pedido;Cliente;Data;CNPJ",
      "P-#;Total Energies;2#/03/2026;CNPJ",
      { skip: undefined, said: allStaged },
    ],
    [
      "rows without a date are asked about, not let in for ever",
      "Pedido;Entrega;CNPJ",
      ["P-#;2#/03/2026;CNPJ", "P-10;;11.222.333/0001-81"],
      { isDraft: true, yaml: matches(/# decide: what are rows without any date \(1 of those seen\)\?/) },
    ],
  );
});

describe("what a careful eye sees", () => {
  drafts(
    [
      "repeated headers and page lines are no evidence about the columns",
      "Page 0;;;\nOrder;Date;Customer;Qty",
      "A#;0#.02.2026;Acme;#,5\nPage #;;;\nOrder;Date;Customer;Qty",
      { columns: { date: { as: "timestamp" }, qty: { as: "number" } }, at: ["=date"] },
    ],
    [
      "times with and without an offset in one column are told",
      "Pedido;Created",
      "A#;2026-02-13T1#:15:00{Z|}",
      { said: has('some times of "Created" have an offset (or Z); the others are read in the time zone') },
    ],
    [
      "numbers with and without a unit are, and not those that have one alike",
      "Pedido;Date;Rate;Net",
      "A#;2026-02-1#;{7.5%|0.075};#.5 kg",
      {
        said: matches(
          /^(?!.*"Net" have a unit).*some numbers of "Rate" have a unit \(%\) and others have none, such as 0.075/,
        ),
      },
    ],
  );

  it.each(["Time zone", "UTC Offset", "Offset"])("a column of time zones is told: %s", async (header) => {
    const { said } = await draft(`Pedido;Data;${header}`, "A#;2#/03/2026 10:00;-03:00");
    expect(said).toContain(`"${header}" may say otherwise, but is not used for that`);
  });

  it(
    "ids that a spreadsheet rounded are told, by guess and by check; codes with zeros in front stay text",
    long,
    async () => {
      const { input, said, check } = await draft("Posten;Tracking;Datum", "00#.123;1234567890123#5000;2026-02-13");
      expect(input.columns).toMatchObject({ posten: "Posten", tracking: "Tracking" });
      const told = 'll numbers of "Tracking" with more than 15 digits end in zeros, such as 123456789012315000';
      expect([said, await check()]).toEqual([has(told), has(told)]);
    },
  );

  it("a draft without records does not pass for one that sends something", async () => {
    const { check } = await draft("Posten", "x");
    expect(await check()).toContain("describes no records, so nothing from its rows is sent");
  });
});

describe("what is called like a part of an address, and is none", () => {
  it.each(
    sampled(
      [
        ["behind the street", "CNPJ;Empresa;Rua;Num;Data", "CNPJ;Acme %;Rua %;100#;2#/03/2026"],
        ["with letters", "CNPJ;Empresa;Rua;Nº;Data", "CNPJ;Acme %;Rua #;NF-9#;2#/03/2026"],
      ],
      2,
    ),
  )("numbers of documents are no numbers of houses: %s", async (_, header, pattern) => {
    const { input } = await draft(`${header};Cidade;UF`, `${pattern};Rio;RJ`);
    expect(only(input.documents).key).toMatch(/^=(num|no_)$/);
    expect(only(input.addresses).number).toBe("S/N");
  });

  it.each(
    sampled(
      [
        ["behind the street", "Rua;Nº", "Rua %;{0|37|74}"],
        ["of several forms", "Rua;Número", "Rua {0|1|2|3|4};{12|S/N|14 A|7-9|}"],
      ],
      2,
    ),
  )("numbers of houses stay: %s", async (_, header, pattern) => {
    const { input } = await draft(`Pedido;Data;CNPJ;${header};Cidade;UF`, `P-#;2#/03/2026;CNPJ;${pattern};Rio;RJ`);
    expect(only(input.addresses).number).toMatch(/^=(default\()?(n|no_|numero)\b/);
  });

  it.each(
    sampled(
      [
        ["BR", "Estado;UF", "{Emitida|Anulada};SP", "=uf"],
        ["BR", "Estado", "{Aberto|Fechado}", "SP"],
        ["MX", "Estado;Provincia", "{Vigente|Anulada};Jalisco", "=provincia"],
        ["BR", "Estado", "{São Paulo|Rio de Janeiro|?}", "=estado"],
        ["US", "State", "{Colorado|Nevada|TX}", "=state"],
      ],
      2,
    ),
  )("the state of a document is no state of a country: %s, %s %s", async (country, header, pattern, state) => {
    const lines = rows(`100#;2#/03/2026;CNPJ;Rua %;City %;${pattern}`);
    const file = text([`Pedido;Data;CNPJ;Rua;Cidade;${header}`, ...lines]);
    const { input } = await draftOf({ "a.csv": file }, "--country", country);
    expect(only(input.addresses).countryState).toBe(state);
  });

  it.each(sampled(["Lieferant", "Cliente"], 2))("%s beside a tax id is its name (F126)", async (header) => {
    const { input } = await draft(`N° facture;Date;CNPJ;${header}`, "F-#;2#/01/2011;CNPJ;Acme %");
    expect(only(input.participants).name).toBe(`=${header.toLowerCase()}`);
    expect(Object.keys(input.documents)).toEqual(["n_facture"]);
  });
});

describe("what people write (F28)", () => {
  const loads = "Pedido;Data;CNPJ;Peso;Densidade";
  it("a column of which no number tells thousands from fractions is told, by guess and by check (F75)", async () => {
    const { said, check } = await draft(loads, "P-#;2#/01/2011;CNPJ;1.#00,5;1.34#");
    const told = 'All numbers with a separator in "Densidade" are like "1.341", which is read as 1341.';
    for (const one of [said, await check()]) {
      expect(one).toContain(told);
      expect(one).not.toContain('with a separator in "Peso"');
    }
  });

  const volumes = "Pedido;Data;CNPJ;Peso;Volumes";
  const spoilt = `352601${"0".repeat(36)}`;
  drafts(
    [
      "where no column tells, thousands are asked about, naming the columns (F75)",
      loads,
      "P-#;2#/01/2011;CNPJ;#,5;1.34#",
      {
        defaults: { grouping: true },
        yaml: has(
          '# decide: what is 1.234 in "Densidade"? a thousand; a fraction; not a number: such cells are errors',
        ),
      },
    ],
    [
      "units become one, or the column stays text and says why",
      volumes,
      "P-#;2#/01/2011;CNPJ;#,5 {kg|t};# {un|cx}",
      {
        columns: { peso: { as: "number", units: { kg: 1, t: 1000 } } },
        yaml: has("volumes: Volumes # text: no single unit for un, cx; "),
      },
    ],
    [
      "what is no unit at all is text: weeks, codes, names with numbers, ids of which a spreadsheet spoilt some",
      "Pedido;Semana;Posição;Posto;Operador;Texto;Chave;Preço;Data;CNPJ",
      `P-#;2026-W0#;#-A#;#-uuid;Op %;VIR #;{3,52601E+43|${spoilt}01|${spoilt}02|${spoilt}03};EUR #,50;2#/03/2026;CNPJ`,
      {
        columns: {
          semana: "Semana",
          posicao: "Posição",
          posto: "Posto",
          operador: "Operador",
          texto: "Texto",
          chave: "Chave",
          preco: { as: "number", units: ["eur"] },
        },
        said: has("the other digits are not in the file"),
      },
    ],
    [
      "what programs write for nothing is blank: NaN, \\N",
      "Pedido;Data;CNPJ;Peso;Nota",
      "P-#;2#/03/2026;CNPJ;{#|NaN|1};{a|\\N|b|c}",
      { defaults: { blank: ["", "\\N", "NaN"] }, said: allStaged },
    ],
    [
      "so are the words of NetSuite, Tableau and pivot tables, also among days",
      "Order;Date;Ship Date;Location;Class",
      "P-#;2026-03-0#;{2026-03-10|- None -};{Null|Main};{(vazio)|A}",
      { defaults: { blank: ["", "Null", "- None -", "(vazio)"] }, columns: { ship_date: { as: "timestamp" } } },
    ],
    [
      "so is SAP's 00000000 among days",
      "Beleg;Datum;Storno",
      "B#;2026022#;{00000000|00000000|20260301}",
      { defaults: { blank: ["", "00000000"] } },
    ],
    [
      "so is 0 among seconds since 1970",
      "Order;Created at;Closed at",
      "P-#;175930#000;{0|0|1759410000}",
      { defaults: { blank: ["", "0"] }, columns: { closed_at: { as: "timestamp", formats: ["UNIX"] } } },
    ],
    [
      "but not beside a column of counts, whose 0 may come in a later file",
      "Order;Created at;Closed at;Boxes",
      "P-#;175930#000;{0|0|1759410000};{2|1}",
      { defaults: { blank: [""] } },
    ],
    [
      "but not among codes",
      "Beleg;Datum;Storno",
      "B#;2026022#;{00000000|00000000|00004711}",
      { defaults: { blank: [""] } },
    ],
    [
      "nor beside a column of codes",
      "Beleg;Datum;Storno;Charge",
      "B#;2026022#;{00000000|20260301};{00000000|00004711}",
      { defaults: { blank: [""] } },
    ],
    [
      "so are the NA of R and the point of SAS among numbers",
      "Beleg;Datum;Menge;Rabatt;Art",
      "B#;2026-02-2#;{1e+05|NA|2.5};{.|1.5};{NA|b}",
      { defaults: { blank: ["", "NA", "."] } },
    ],
    [
      "an id that pandas has made a fraction is whole, as it was in the file before; a version is not",
      "order_id;date;version",
      "8800#.0;2026-02-2#;{1.0|2.0}",
      { columns: { order_id: { as: "integer", decimal: "." }, version: "version" } },
    ],
    [
      "a number with the side of an account, or of a telephone, is no quantity",
      "Doc;Date;Amount;Balance;Caller",
      "D#;2026-02-2#;1,20#.50{ CR|};3#0.00 D;+55119876543#0",
      { columns: { amount: "Amount", balance: "Balance", caller: "Caller" } },
    ],
    [
      "a result below the limit of its test is as deliberate as a number",
      "Sample;Date;Result",
      "S#;2026-02-2#;{0,1#|0,2#|0,3#|0,4#|0,5#|0,6#|0,7#|0,8#|<0,05}",
      { columns: { result: "Result" } },
    ],
    [
      "a time of day with milliseconds belongs to the day beside it",
      "OS;Data;Hora",
      "D#;2026-02-2#;08:15:0#.12#",
      { defaults: { dates: ["yyyy-MM-dd H:mm:ss.u"] }, at: ["=data_at"] },
    ],
    [
      "degrees have a point, and say nothing about the other numbers",
      "OS;Data;Latitude;Longitude;Peso",
      "D#;2#/02/2026;-23.55#;-46.63#;1.20#",
      {
        defaults: { decimal: "," },
        columns: { latitude: { decimal: "." }, longitude: { decimal: "." } },
        yaml: matches(/what is 1\.234 in "Peso"\?/),
      },
    ],
    [
      "times as Crystal Reports and SAS write them are read",
      "Doc;Printed;Weighed",
      "D#;1#/02/2026 12:00:00AM;1#FEB2026:08:15:00",
      {
        defaults: { dates: ["dd/MM/yyyy h:mm:ssa"] },
        columns: { weighed: { formats: ["dMMMyyyy:HH:mm:ss"], language: "en" } },
      },
    ],
    [
      "what stands in brackets in a heading of times is no name of an event",
      "Pedido;Data da Coleta (dd/mm/aaaa);Data/Hora (local);CNPJ",
      "P-#;01/03/2026 08:1#;02/03/2026 08:1#;CNPJ",
      { yaml: matches(/name: Coleta\b(?![^]*name: local)/) },
    ],
    [
      "a name in two columns is said to be half a name",
      "Pratica;Data;Codice Fiscale;Nome;Cognome",
      "P-#;2#/03/2026;RSSMRA85T10A562S;Mario;Rossi",
      { said: has('its name is "Nome" alone; "Cognome" may be the rest of it') },
    ],
    [
      "a Spanish column of both: the first letter tells persons from companies",
      "Factura;Fecha;NIF/CIF;Nombre",
      "E-#;2#/03/2026;12345678Z;Ana\nF-#;2#/03/2026;B58378431;Uno SL",
      { participant: { type: '=iff(matches(nif_cif, "^[0-9KLMXYZ]"), "PERSON", "COMPANY")' }, said: allStaged },
    ],
    [
      "CPF and CNPJ in one column, of which this file has only CNPJ: the next may have both",
      "Pedido;Data;CPF/CNPJ;Cliente",
      "P-#;2#/01/2011;CNPJ;Acme #",
      { participant: { type: '=iff(cpf_cnpj.type == "CPF", "PERSON", "COMPANY")' }, said: allStaged },
    ],
  );

  it("a file without a header is read by letters, and its key is asked for", async () => {
    const { input, mapping, said } = await draftOf({ "a.csv": text(rows("P-#;2#/01/2011;CNPJ;#,5")) });
    expect([input.header, only(input.columns), mapping.draft]).toEqual(["none", "A", true]);
    expect(said).toContain("seems to have no header");
    expect(said).toEqual(allStaged);
  });

  it.each(
    sampled(
      [
        ["one column", ["Cor", "azul", "verde", "preto"]],
        ["a header alone", ["Pedido;Data;CNPJ"]],
      ],
      2,
    ),
  )("%s: every column stands in the mapping, and what is open is marked", async (_, lines) => {
    const { input, yaml, mapping } = await draftOf({ "a.csv": text(lines) });
    expect(Object.keys(input.columns)).toHaveLength((lines[0] ?? "").split(";").length);
    expect(mapping.draft === true).toBe(yaml.includes("# decide: "));
  });
});

it("months head columns of numbers, as days and years do, unless they have months below them", async () => {
  const { input } = await draftOf({ "a.csv": "UC;Cliente;01/2025;2025-02\n1001;Ana;120;130\n1002;Rui;80;\n" });
  expect(input).toMatchObject({ header: 1, columns: { uc: {}, cliente: "Cliente" } });
  const none = await draftOf({ "b.csv": "01/2025;Ana;120\n01/2025;Rui;80\n02/2025;Eva;85\n" });
  expect(none.input.header).toBe("none");
});

it("a single row of values is data, not a header without rows", async () => {
  const { input, said } = await draftOf({ "a.csv": "OS-1;25/03/2026;Aços Ita;Coletado;10,5\n" });
  expect(input.header).toBe("none");
  expect(said).toContain("a.csv seems to have no header (its only row holds values)");
  expect(said).toContain("1 of 1 row would be staged");
});

it("units below a header are joined to it, also where some results are limits", async () => {
  const { input } = await draftOf({
    "a.csv": text(["Amostra;CNPJ;Coleta;DBO;pH", ";;;mg/L;", ...rows("A-#;CNPJ;2#/03/2026;{<2|#,5};7,1")]),
  });
  expect(input.header).toEqual([1, 2]);
  expect(input.columns.dbo_mg_l).toBeDefined();
});

it("a blank column between others is told, for another table may begin behind it", async () => {
  const { said } = await draft("Zähler;Datum;Stand;;Kunde;Ort", "Z#;2#.03.2026;1#;;Kunde #;Köln");
  expect(said).toContain("a: column 4 is blank: what follows may be another table, read with the rows of this one");
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

  it("a text of instructions beside the tables is left out, and told", async () => {
    const letter = "Prezados,\nsegue o arquivo do mês.\nAtenciosamente,\nEquipe\n";
    const { mapping, said } = await draftOf({ "a.csv": orders, "leia.txt": letter });
    expect(Object.keys(mapping.inputs)).toEqual(["a"]);
    expect(said).toContain("leia.txt has no row of several cells and was left out");
  });

  it("37 at once, one of them empty, one of them no table: the others are drafted (F25)", long, async () => {
    const files = Object.fromEntries(Array.from({ length: 35 }, (_, at) => [`lote-${at}.csv`, orders]));
    const { world, input } = await draftOf({ ...files, "empty.csv": "\n", "photo.csv": "%PDF-1.4 no table\n" });
    expect(world.err).toMatch(/^Left out:\n {2}- /);
    expect(input.files).toBe("lote-*.csv");
  });
});

describe("what exports of other programs show", () => {
  drafts(
    [
      "rows that end early are read, and told, where the program that wrote them ends most so",
      "Ticket;Data;Peso;Retorno",
      ["T-#;2#/01/2026;12,#", "T-0;22/01/2026;1,5;23/01/2026"],
      {
        csv: { shortRows: "blank" },
        columns: { peso: { header: "Peso", as: "number" } },
        events: { retorno: { when: "=filled(retorno)" } },
        said: matches(
          /10 of 10 rows would be staged.*9 of 10 rows seen end early|9 of 10 rows seen end early.*10 of 10/,
        ),
      },
    ],
    [
      "a day that is no event's time stays a day: an instant of it would be the day before elsewhere",
      "Pedido;CPF;Nome;Data de Nascimento;Admissão",
      "M-#;CPF;Ana #;2#/04/1980;2#/04/2026",
      { columns: { data_de_nascimento: { as: "date" }, admissao: { as: "timestamp" } } },
    ],
    [
      "names of columns in the row below are joined to the header",
      "Pedido;Data;Peso;;Gerador;\n;;Bruto;Tara;Código;Nome",
      "R-#;2#/03/2026;#,5;1,5;C#;Acme #",
      { header: [1, 2], columns: { peso_tara: expect.anything() }, said: allStaged },
    ],
    [
      "an `Unidade` of measures is no place, whose name it became: the results were sent without it",
      "Amostra;Data;Cliente;CNPJ;Rua;Município;UF;Ensaio;Resultado;Unidade",
      "A-#;2#/03/2026;Acme;CNPJ;Rua A;Campinas;SP;{pH|Cloro|Arsênio};#,5;{|mg/L|UFC/100 mL}",
      { yaml: has("Unidade: =unidade"), address: { name: "=cliente" } },
    ],
    [
      "a number beside its type names the participant: two people of one name were one",
      "Tipo Documento;Número Documento;Nombre;Fecha;Dirección;Ciudad;Radicado",
      "{CC|CE|TI};5212340#;Ana Ruiz;2#/03/2026;Cra 7;Bogotá;R-#",
      { participant: { taxIdType: "=tipo_documento", taxId: "=numero_documento", name: "=nombre" } },
      "--country",
      "CO",
    ],
    [
      "positions without a street are of the events: an address of its own keeps one of them, and sends none",
      "device_id,timestamp,latitude,longitude,speed",
      "T-%,175668840#123,-23.5#,-46.6#,5#.5",
      { yaml: matches(/attributes:[^]*latitude: =latitude/) },
    ],
  );

  it.each(
    sampled(
      [
        ["DE", "Buchungstag;Betrag;Währung"],
        ["US", "Order date;Amount;Currency"],
      ],
      2,
    ),
  )("where nothing names a country, the words of headers propose %s", async (country, header) => {
    const { mapping } = await draft(header, "2#.03.2026;#,50;EUR");
    expect(mapping).toMatchObject({ draft: true, defaults: { country } });
  });
});

describe("rows whose documents another file creates", () => {
  it("the time of their creation, repeated in later rows, is told as unused, and the draft loads", async () => {
    const orders = ["Pedido;CNPJ;Empresa;Pedido em", ...rows("P-#;CNPJ;Acme %;0#/03/2025 10:00")];
    const steps = ["Pedido;CNPJ;Pedido em;Enviado em", ...rows("P-#;CNPJ;0#/03/2025 10:00;{13|14}/03/2025 08:00")];
    const files = { "a.csv": text(orders), "b.csv": text([...steps, ...steps.slice(1).map((row) => `${row}:30`)]) };
    const { mapping, said } = await draftOf(files);
    expect(mapping.inputs.b.documents.pedido).toMatchObject({ mode: "existing", key: "=pedido" });
    expect(said).toContain("1 of 4 columns of b.csv is not used: Pedido em");
  });
});

describe("the name of a participant that the file spells in several ways", () => {
  drafts([
    "is its name: the tax id was sent as the name of all",
    "CNPJ;Razão Social;Pedido;Data",
    "CNPJ;{Padaria Pão D’Ouro Ltda.|PADARIA PAO D'OURO LTDA};P-#;2#/03/2026",
    { participant: { name: "=razao_social" }, said: hasNot("no column has its name") },
  ]);
});

it("errors of a spreadsheet that a draft takes as blank are told", async () => {
  const { said } = await draft("Pedido;Data;CNPJ;Peso", "P-#;2#/03/2026;CNPJ;{#N/A|1,5|2,5}");
  expect(said).toContain('blank: "#N/A": what a spreadsheet writes where it found no value');
});

describe("a header that only says that there is a day", () => {
  drafts(
    ...["Dia", "When", "Tag", "Quando", "Timestamp"].map((header): Parameters<typeof drafts>[number] => [
      `is no event's name: ${header}`,
      `Pedido;CNPJ;Empresa;${header}`,
      "P-#;CNPJ;Acme %;2#/03/2026",
      {
        events: expect.objectContaining({ event: expect.objectContaining({ name: "Event" }) }),
        said: has(`"${header}" does not say what happened`),
      },
    ]),
  );
});
