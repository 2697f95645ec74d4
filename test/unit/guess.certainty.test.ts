/** What a draft is sure of, and what it asks: a question costs a minute, a wrong guess is sent to the service. */
import { allStaged, type Any, draft, draftOf, drafts, has, hasNot, only, rows, text } from "../support/drafts.js";

it("the tax id of one person does not take the name of another beside it", async () => {
  const { input, said } = await draft("Matrícula;Aluno;CPF do Responsável;Data", "M-#;Ana #;CPF;2#/03/2026");
  expect(only(input.participants)).toMatchObject({ name: "=cpf_do_responsavel" });
  expect(said).toContain("participant responsavel: no column has its name");
});

it("a tax id beside two names is told to be of either", async () => {
  const { input, said } = await draft("Pedido;Remetente;Destinatário;CNPJ;Data", "P-#;Acme %;Beta %;CNPJ;2#/03/2026");
  expect(only(input.participants)).toMatchObject({ name: "=remetente" });
  expect(said).toContain('participant organisation: its name is "Remetente"; it may be "Destinatário" instead');
});

it("a CPF that lost two zeros stays one, though it passes as a CNPJ without five", async () => {
  const { input } = await draft("Matrícula;Nome;CPF;Ingresso", "M-#;Ana #;{123456797|124248624|125040504};2#/03/2026");
  expect(input.columns.cpf).toMatchObject({ as: "taxId", type: "CPF" });
});

describe("what did not happen is no event", () => {
  it("whatever word its header has for that, in five languages", long, async () => {
    const headers = [
      "Promised Date;Deadline;Target Date;Requested Delivery Date;Need By Date;Renewal Date;Contract End Date;Best Before",
      "Data Prometida;Data Programada;Data Agendamento;Próxima Revisão;Fim da Garantia;Término da Vigência;Prev. Entrega",
      "Fecha comprometida;Fecha límite;Fecha de Nac.;Aniversário;Date prévue;Wunschtermin",
    ].join(";");
    const count = headers.split(";").length;
    const cells = `P-#;CNPJ;2#/03/2025${";2#/04/2025".repeat(count)}`;
    const { input, said } = await draft(`Pedido;CNPJ;Emissão;${headers}`, cells);
    expect(input.events).toEqual({
      defaults: expect.anything(),
      emissao: expect.objectContaining({ externalCreatedAt: "=emissao" }),
    });
    expect(said).toContain('none is made from "Promised Date"');
  });

  drafts([
    "days after today are none, whatever the header says",
    "Contrato;CNPJ;Início;Término",
    "C-#;CNPJ;2#/03/2025;2#/04/2{0|1}99",
    { at: ["=inicio"], said: has('none is made from "Término"') },
  ]);
});

describe("the key of a document", () => {
  const asked = has("which column names the document?");
  drafts(
    [
      "is no number that repeats, unless something follows from it",
      "Nota;CNPJ;Data;Valor",
      "{1|2|3|4|5|6|7|8|8}00;CNPJ;2#/03/2026;#,5",
      { said: asked, document: { key: "=nota" } },
    ],
    [
      "is the document's number, not that of its lines, whose words say nothing of what happened",
      "Pos;Beleg;Material;Kunde;Datum",
      "0000{1|2|3}0;{A|A|A|B|B|B|C|C|C}1;M#;K{1|1|1|2|2|2|3|3|3};2#.03.2025",
      { document: { key: "=beleg" }, yaml: hasNot("by: pos") },
    ],
    [
      "is one that repeats where more follows from it than chance explains: the lines of an order",
      "Pedido;Data;CNPJ;Item;Qtd",
      "P-#;1#/03/2026;11.222.333/0001-81;A;1\nP-#;1#/03/2026;11.222.333/0001-81;B;2",
      { document: { key: "=pedido" }, said: hasNot("which column names") },
    ],
    [
      "may be two columns, of which one repeats",
      "Filial;Nota Fiscal;CNPJ;Emissão;Valor",
      "0{1|1|1|1|1|2|2|2|2};90{1|2|3|4|5|1|2|3|4};CNPJ;2#/03/2026;#,5",
      { said: asked, document: { key: ["=filial", "=nota_fiscal"] } },
    ],
    [
      "that zeros fill up is refused without them, since spreadsheets drop them",
      "OS;Data;CNPJ;Peso",
      ["0000#;2#/03/2026;CNPJ;#,5", "Total;;;99,5"],
      { columns: { os: { pattern: "[0-9]{5,}" } }, said: has("9 of 10 rows would be staged, 1 skipped") },
    ],
  );
});

describe("the key of an event", () => {
  const log = (cells: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      cells
        .split("|")
        .map((cell, step) => `C-${at};${10 + at}/03/2026 1${step}:00;${cell.replace("#", String(at * 7 + step))}`),
    ).flat();

  it.each([
    ["no measure that differs by chance, and is asked for", "Visita;#|Reparo;#|Visita;#", "Temperatura", 9, "content"],
    ["a number of its own", "Visita;T-#|Reparo;T-#|Visita;T-#", "Ticket", 9, "=ticket"],
    ["a word that never comes twice in a document", "Visita;Ana|Visita;Eva|Visita;Rui|CLOSE;x", "Quem", 9, "=quem"],
    ["that it comes once, where documents enough show it", "Coleta;|Entrega;|CLOSE;", "Nota", 9, "=evento"],
    ["not that it comes once, where few show it", "Coleta;|Entrega;|CLOSE;", "Nota", 3, "content"],
  ])("is %s", async (_, cells, header, count, key) => {
    const lines = log(cells, count).map((line) => `${line};11.222.333/0001-81`);
    const { input, said } = await draftOf({ "a.csv": text([`Contrato;Data/Hora;Evento;${header};CNPJ`, ...lines]) });
    expect(Object.values<Any>(input.events)[1].key).toBe(key);
    if (header === "Temperatura") expect(said).toContain("what shows that it is the same event?");
  });
});

describe("numbers", () => {
  const weight = "P-#;CNPJ;2#/03/2026;{1,5 t|852 kg}";
  drafts(
    [
      "units become that of the header",
      "Pedido;CNPJ;Data;Peso (t)",
      weight,
      { columns: { peso_t: { units: { t: 1, kg: 0.001 } } } },
    ],
    [
      "else one that a person names",
      "Pedido;CNPJ;Data;Peso",
      weight,
      { said: has('in which unit should "Peso" be sent?') },
    ],
    [
      "streets and names with digits are none",
      "Invoice;EIN;Vendor;Address;City;Date",
      "I-#;12-345678%;3M;10# Main St;Austin;03/2#/2026",
      { columns: { vendor: "Vendor", address: "Address" } },
    ],
  );

  it.each([
    ["\t", "20.640"],
    [";", '"20,640"'],
  ])("%j: what is %s beside 806 is asked, whatever delimits cells", async (delimiter, one) => {
    const lines = ["Pedido;CNPJ;Data;Peso", ...rows(`P-#;CNPJ;2#/03/2026;{${one}|806}`)];
    const { said } = await draftOf({ "a.csv": text(lines.map((line) => line.replaceAll(";", delimiter))) });
    expect(said).toMatch(/what is 1[.,]234 in "Peso"\?/);
  });
});

describe("parties", () => {
  drafts(
    [
      "an address that varies under one tax id is another's, and the owner is asked for",
      "Nota;CNPJ Emitente;Emitente;Destinatário;Endereço;Cidade;UF;CNPJ Destinatário;Emissão",
      "90#;11.222.333/0001-81;Acme;Cliente %;Rua %;City %;SP;CNPJ;2#/03/2026",
      { address: { participant: "destinatario", street: "=endereco" }, said: has("who owns the document?") },
    ],
    [
      "numbers that are no valid tax ids name none, and degrees in words are no latitude",
      "Protocolo;CPF;Nome;Lat;Data",
      `P-#;***.10#.456-**;Ana #;23°3#'15"S;2#/03/2026`,
      {
        participant: { taxId: "=nome" },
        said: has('too few of "CPF" are valid, such as ***.101.456-**, so it names no participant'),
      },
    ],
    [
      "a second one that some rows lack does not refuse them",
      "Processo;CNPJ Órgão;Abertura;CNPJ Vencedor",
      "P-#;CNPJ;2#/03/2026;{|11.222.333/0001-81}",
      { participants: { vencedor: { when: "=filled(cnpj_vencedor)" } }, said: allStaged },
    ],
    [
      "a CPF or a CNPJ in each row are one",
      "Pedido;CPF;CNPJ;Nome;Data",
      "P-#;;CNPJ;Acme %;2#/03/2026\nQ-#;CPF;;Ana #;2#/03/2026",
      {
        participant: {
          taxIdType: '=iff(filled(cpf), "CPF", "CNPJ")',
          taxId: "=default(cpf, cnpj)",
          type: '=iff(filled(cpf), "PERSON", "COMPANY")',
        },
        said: allStaged,
      },
    ],
  );
});

describe("what everyone may see", () => {
  drafts(
    [
      "the reason of a CANCEL is a column of reasons, or asked for",
      "Pedido;Data;Evento;CNPJ;Telefone",
      "P-{1|1|2|2|3|3};2#/03/2026;{Coleta|Cancel};CNPJ;(11) 9888-86{11|22|33}",
      { events: { cancel: { attributes: { public: { reason: "?" } } } }, said: has("why was it cancelled?") },
    ],
    [
      "is told by a column that says so",
      "Pedido;CNPJ;Data;Público",
      "P-#;CNPJ;2#/03/2026;{Sim|Não}",
      { events: { defaults: { isPublic: "=publico" } }, said: has("decides which events everyone can see") },
    ],
  );
});

describe("what decides for others", () => {
  const peru = "F-#;{20263728999|20053446885|20100070970};2#/03/2026";
  drafts(
    [
      "only the tax ids of the country that was asked for are tried",
      "Comprobante;RUC;Fecha",
      peru,
      { columns: { ruc: "RUC" }, defaults: { country: "PE", timezone: "America/Lima" } },
      "--country",
      "PE",
    ],
    [
      "without one, the country is asked for",
      "Comprobante;RUC;Fecha",
      peru,
      { columns: { ruc: "RUC" }, said: expect.stringMatching(/which country do .* belong to\?/) },
    ],
    [
      "states decide no country against a tax id",
      "Order;Date;EIN;State",
      "O-#;2#/03/2026;12-345678%;{PA|MA|SC}",
      { defaults: { country: "US" }, columns: { state: "State" }, said: hasNot("which country") },
    ],
    [
      "rows of one status are skipped where they have no time, and it is told",
      "OS;CNPJ;Data;Etapa;Situação",
      ["P-{1|1|2|2};CNPJ;2#/03/2026;{Visita|Fim};Feito", ...rows("P-9#;CNPJ;;Visita;Pendente", 3)],
      {
        skip: '=fold(situacao) == "pendente" && blank(data)',
        said: has('rows without a time whose "Situação" is "Pendente" are skipped'),
      },
    ],
  );
});
