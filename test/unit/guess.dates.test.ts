/** How a draft reads days, times and their zones (F28, F125): what people and programs write, and what it asks. */
import {
  allStaged,
  type Any,
  draft,
  draftOf,
  drafts,
  has,
  hasNot,
  matches,
  rows,
  text,
  workbook,
} from "../support/drafts.js";
import { sampled } from "../support/sample.js";

describe("time zones", () => {
  const asked = { isDraft: true, said: has("which time zone do times belong to?") };
  drafts(
    [
      "one that all headers name is the mapping's",
      "Pedido;CNPJ;Criado em (UTC);Entregue (UTC)",
      "P-#;CNPJ;2#/03/2026;2#/04/2026",
      { defaults: { timezone: "UTC" }, said: hasNot("is assumed from the country") },
    ],
    [
      "one that a single header names is that column's",
      "Pedido;CNPJ;Criado;Saída (UTC)",
      "P-#;CNPJ;2#/03/2026;2#/04/2026",
      {
        defaults: { timezone: "America/Sao_Paulo" },
        columns: { saida_utc: { timezone: "UTC" } },
        said: has("not every header names a time zone"),
      },
    ],
    [
      "asked: a country whose zone is not known",
      "Pedido;CNPJ;Data",
      "P-#;CNPJ;2#/03/2026 10:00",
      asked,
      "--country",
      "BO",
    ],
    [
      "asked: date and time in UTC beside local times",
      "Pedido;CNPJ;Data;Hora UTC;Saída",
      "P-#;CNPJ;2#/03/2026;10:0#;2#/04/2026 11:00",
      asked,
    ],
  );
});

it("a point may part hours and minutes, as in Spain and Finland", async () => {
  const { input, check } = await draft(
    "Pedido;CIF;Ingreso;Alta",
    "P-#;B12345674;1#-ene-2026 {1|13}.05;2#.01.2026 9.3%",
  );
  expect(input.columns).toMatchObject({
    ingreso: { formats: ["d-MMM-yyyy H.mm"], language: "es" },
    alta: { as: "timestamp" },
  });
  expect(await check()).toContain("externalCreatedAt: 2026-01-11T00:05:00.000Z");
});

it("an account 1.1.01 is no day of 2001, and 1.1.26 is one of this year", async () => {
  const { input } = await draftOf({
    "a.csv": "Conta;Data;Baixa\n1.1.01;01/10/2025;1.1.26\n1.1.02;28/02/2025;1.2.26\n",
  });
  expect(input.columns).toMatchObject({ conta: "Conta", baixa: { as: "timestamp" } });
});

describe("a time of day belongs to one date", () => {
  const joined = { data_entrega_at: '=timestamp(data_entrega + " " + hora_entrega)' };
  drafts(
    [
      "that stands before it, and a blank one to none",
      "Pedido;CNPJ;Data Saída;Hora Saída;Data Entrega;Hora Entrega",
      "P-#;CNPJ;2#/03/2026;{|09:10|09:20};2#/04/2026;1#:30",
      { columns: joined, at: ["=data_saida", "=data_entrega_at"] },
    ],
    [
      "a second one of a day is told",
      "OS;CNPJ;Data;Entrada;Saída",
      "P-#;CNPJ;2#/03/2026;09:1#;1#:30",
      { at: ["=data_at"], said: has('"Saída", such as "11:30", is read as text and gives no event its time') },
    ],
    [
      "that stands elsewhere, if it is the only one",
      "OS;CNPJ;Data;Placa;Hora",
      "P-#;CNPJ;2#/03/2026;ABC1D2#;09:1#",
      { at: ["=data_at"] },
    ],
    [
      "times in several forms are told",
      "OS;CNPJ;Data;Hora",
      "P-#;CNPJ;2#/03/2026;{09:10|09:15:30}",
      { at: ["=data"], said: has('"Hora", such as "09:10", is read as text and gives no event its time') },
    ],
    ...[
      ["7.1# Uhr", "H.mm 'Uhr'"],
      ["{1|11}.1#pm", "h.mma"],
      ["{1|11}.1# am", "h.mm a"],
    ].map(([time, clock]): [string, string, string, Record<string, unknown>] => [
      `${time} is one, not a number whose point would be the decimal mark of all others`,
      "OS;CNPJ;Data;Início;Qtd",
      `P-#;CNPJ;2#/03/2026;${time};1.03#`,
      { at: ["=data_at"], defaults: { dates: [`dd/MM/yyyy ${clock}`], decimal: ",", grouping: true } },
    ]),
    [
      "a few blank ones keep the others",
      "Pedido;CNPJ;Data;Hora",
      ["P-#;CNPJ;2#/03/2026;{09:10|09:15|09:20}", "P-10;11.222.333/0001-81;29/03/2026;"],
      { columns: { data_at: '=timestamp(data + " " + default(hora, "0:00"))' }, said: allStaged },
    ],
  );
});

describe("digits are times where all of them are, under a header that says so", () => {
  it.each(
    sampled(
      [
        ["Data do Pedido", "4596#", ["EXCEL"]],
        ["Encerrado em", "174{1|2}00000#", ["UNIX"]],
        ["Closed By", "4596#", undefined],
        ["Lote", "2025081#", undefined],
      ],
      3,
    ),
  )("%s: %s", async (header, cell, formats) => {
    const { input } = await draft(`Ref;CNPJ;Saída;${header}`, `R-#;CNPJ;2#/03/2026 10:00;${cell}`);
    const column: Any = Object.values(input.columns).at(-1);
    expect([column.as === "timestamp", column.formats]).toEqual([formats !== undefined, formats]);
  });

  const day = "Pedido;CNPJ;Data Entrega";
  const dates = (format: string, more: object = {}) => ({ defaults: { dates: [format] }, ...more });
  drafts(
    [
      "a day without signs is asked about, where its year may come first",
      day,
      "P-#;CNPJ;25082#",
      dates("yyMMdd", { said: has('what is 250821 in "Data Entrega"?') }),
    ],
    [
      "a time that no format reads is told",
      "Pedido;CNPJ;Emissão;Data Entrega",
      "P-#;CNPJ;2#/03/2026;24/10/2025 13:1# BRT",
      { said: has('"Data Entrega", such as "24/10/2025 13:11 BRT", is read as text and gives no event its time') },
    ],
    [
      "nor are the numbers of goods or persons, whose parts are no days",
      "Pedido;CNPJ;Emissão;NCM;SSN",
      "P-#;CNPJ;2#/03/2026;3915.1#.00;123-45-671#",
      { said: hasNot("gives no event its time") },
    ],
    [
      "numbers between more points than a date has are none",
      "Pedido;CNPJ;Emissão;Rede",
      "P-#;CNPJ;2#/03/2026;10.0.12.#",
      { said: hasNot("gives no event its time") },
    ],
    [
      "cells that are no dates are told where they are too many",
      "Pedido;CNPJ;Emissão;Data Entrega",
      "P-#;CNPJ;2#/03/2026;{24/10/2025|25/10/2025|a combinar}",
      {
        said: has('"Data Entrega", such as "a combinar", is read as text and gives no event its time'),
      },
    ],
    [
      "so are the fourteen digits of HL7, which no header tells",
      "Message;MSH.7;CNPJ",
      "M-#;20260{3|4}2#081530;CNPJ",
      dates("yyyyMMddHHmmss"),
    ],
    ["but not a day and a counter", "Message;Ref;Data;CNPJ", "M-#;2026032#00000#;2#/03/2026;CNPJ", dates("dd/MM/yyyy")],
    ["as DBeaver writes it", day, "P-#;CNPJ;2025-10-1# 13:10:00.000 -0300", dates("yyyy-MM-dd HH:mm:ss.u ZZZ")],
    [
      "24:00 among times of day, as a workbook holds it and 25:30, is not blank",
      "Pedido;CNPJ;Data;Hora saída",
      "P-#;CNPJ;2#/03/2026;{07:00:00|08:00:00|09:00:00|10:00:00|1900-01-01T00:00:00|1900-01-01T01:30:00|12:00:00}",
      { defaults: expect.objectContaining({ blank: [""] }) },
    ],
    [
      "the day of the epoch is no day, in whatever zone a program wrote it, and is told",
      "Order,Created,Delivered,Closed",
      "P-#,2026-03-0# 08:15,{2026-03-1# 08:15|1970-01-01 00:00},{2026-03-2# 08:15|1969-12-31 21:00}",
      {
        defaults: { blank: ["", "1969-12-31 21:00", "1970-01-01 00:00"] },
        said: has('blank: "1969-12-31 21:00", "1970-01-01 00:00": no day, but what programs write where there is none'),
      },
    ],
    [
      "but may be a birthday among others of such years",
      "Order,Created,Birthday",
      "P-#,2026-03-0#,{1970-01-01|1968-05-04}",
      { defaults: { blank: [""] } },
    ],
    [
      "one such day is enough",
      "Order,Created,Delivered",
      [
        "P-#,2026-03-0#,2026-03-1#",
        ...Array.from({ length: 300 }, (_, at) => `Q-${at},2026-03-01,2026-03-11`),
        "R-1,2026-03-01,1900-01-01",
      ],
      { defaults: { blank: ["", "1900-01-01"] } },
    ],
    [
      "numbers that may be times without their zeros are told",
      "Pedido;CNPJ;Data;Hora",
      "P-#;CNPJ;2026030#;{83000|93015|101500}",
      { said: has('"Hora", such as "83000", is read as number and gives no event its time') },
    ],
    [
      "times of day that a workbook holds as durations are told",
      "Pedido;CNPJ;Data;Hora",
      "P-#;CNPJ;2#/03/2026;{PT7H14M|PT8H|PT9H5M}",
      { said: has('"Hora", such as "PT7H14M", is read as text and gives no event its time') },
    ],
    [
      "a form without digits, as Protheus writes it, is blank",
      day,
      "P-#;CNPJ;{10/10/2025|  /  /    |13/10/2025}",
      dates("dd/MM/yyyy", { said: allStaged }),
    ],
  );
});

describe("day and month (F125)", () => {
  const two = "Pedido;Emissão;Entrega;CNPJ";
  drafts(
    [
      "the column that is certain decides for its neighbours, month first",
      two,
      "P-#;0#/04/2026;03/2#/2026;CNPJ",
      { defaults: { dates: ["MM/dd/yyyy"] }, yaml: hasNot("which comes first") },
    ],
    [
      "where none is certain, a person is asked",
      two,
      "P-#;0#/04/2026;0#/04/2026;CNPJ",
      {
        isDraft: true,
        yaml: matches(/# decide: which comes first in a date, day or month\? .*day \(01\/02 is 1 February\); month/),
      },
    ],
    [
      "the month comes first in the draft of the country that writes so",
      "Order;Date;Customer;Amount",
      "P-#;0#/04/2026;Acme %;#.50",
      { isDraft: true, defaults: { country: "US", dates: ["MM/dd/yyyy"] } },
    ],
    [
      "a year of two digits in front is asked about, and taken where it varies less than the day",
      "Order;Date;Qty",
      "A#;25-02-0#;#",
      {
        defaults: { dates: ["yy-MM-dd"] },
        yaml: matches(/# decide: what is 25-02-01 in "Date"\? 2025-02-01 \(.*\); 2001-02-25/),
      },
    ],
  );

  it("a column that contradicts its neighbour keeps its own format", async () => {
    const { input, mapping } = await draft(two, "P-#;2#/03/2026;03/2#/2026;CNPJ");
    expect(mapping.defaults.dates).toHaveLength(1);
    expect([input.columns.emissao.formats, input.columns.entrega.formats].filter(Boolean)).toHaveLength(1);
  });
});

describe("what people and programs write (F28)", () => {
  it.each(
    sampled(
      [
        ["AM and PM beside the time", "Time;AM/PM", "1:15;PM", "18:15"],
        ["a time without colons", "BON_ZEIT;Note", "131500;x", "18:15"],
        ["a time with an h", "Heure;Note", "13h15;x", "18:15"],
        ["a duration beside the date", "Stunden;Note", "01:15;x", "05:00"],
      ],
      3,
    ),
  )("%s", async (_, header, cells, time) => {
    const file = text([`Order;Date;${header}`, ...rows(`A#;02/13/2026;${cells}`)]);
    const { check } = await draftOf({ "a.csv": file }, "--country", "US");
    expect(await check()).toContain(`externalCreatedAt: 2026-02-13T${time}:00.000Z`);
  });

  it.each(
    sampled(
      [
        ["1#MAR26 13:45", "dMMMyy HH:mm", "en"],
        ["Mar-1#-26", "MMM-d-yy", "en"],
        ["3 de dezembro de 2025", "d 'de' MMM 'de' yyyy", "pt"],
        ["3 de mar. de 2025", "d 'de' MMM 'de' yyyy", "pt"],
        ["1# {Jan|June|Sept|Sept.|September} 2025", "d MMM yyyy", "en"],
        ["1#. {Mrz|März|Sep|Mär|Jun|Juni} 2025", "d. MMM yyyy", "de"],
        ["{So, 04|Mo, 05|Di, 06|Mi, 07|Do, 08}.01.2026", "EEE, dd.MM.yyyy", "de"],
        ["1#-JAN-26 11.39.00.000000 PM", "d-MMM-yy h.mm.ss.u a", "en"],
        ["1#-JAN-26 11.39.00.000000 PM -03:00", "d-MMM-yy h.mm.ss.u a ZZ", "en"],
        ["1#/Jan/2026:09:15:22 -0300", "d/MMM/yyyy:HH:mm:ss ZZZ", "en"],
        ["1# jan 2026, 09:15", "d MMM yyyy, HH:mm", "en"],
        ["October 1#, 2025 at 9:15 AM", "MMM d, yyyy 'at' h:mm a", "en"],
        ["{Mon|Tue|Wed} Jan {05|06|07} 09:15:22 2026", "EEE MMM d HH:mm:ss yyyy", "en"],
        ["3 de dezembro de 2025 11:3# hs.", "d 'de' MMM 'de' yyyy HH:mm 'hs.'", "pt"],
        ["{Mon, 05|Tue, 06|Wed, 07|Thu, 08} Jan 2026 23:39:00 -0300", "EEE, d MMM yyyy HH:mm:ss ZZZ", "en"],
      ],
      3,
    ),
  )("%s is a date of its column", async (cell, format, language) => {
    const { input } = await draft("Pedido;Data;CNPJ", `P-#;${cell};CNPJ`);
    expect(input.columns.data).toEqual({ header: "Data", as: "timestamp", formats: [format], language });
  });

  it.each(
    sampled(
      [
        ["{26|05|17}0525", "ddMMyy"],
        ["24/07/2025 às 16:2#", "dd/MM/yyyy 'às' HH:mm"],
        ["24/07/2025 à 16:2#", "dd/MM/yyyy 'à' HH:mm"],
        ["24.07.2025 16:2#:05 UTC", "dd.MM.yyyy HH:mm:ss z"],
        ["202507241#0005-0300", "yyyyMMddHHmmssZZZ"],
        ["07/24/2025 04:2#PM", "MM/dd/yyyy h:mma"],
        ["2#032026", "ddMMyyyy"],
        ["2011-01-14T08:30:00", "yyyy-MM-dd'T'HH:mm:ss"],
        ["2026.03.2#.", expect.any(String)],
        ["2025-10-2# 09:15:22 -0400", "yyyy-MM-dd HH:mm:ss ZZZ"],
        ["2025-10-2#T09:15:22.000+0000", "ISO"],
        ["2#/03/2026 09:15:22 -03:00", "dd/MM/yyyy HH:mm:ss ZZ"],
        ["2#/03/2026 09:15:22-03:00", "dd/MM/yyyy HH:mm:ssZZ"],
        ["09:15:22 2#/03/2026", "HH:mm:ss dd/MM/yyyy"],
        ["09:15 03/2#/2026", "HH:mm MM/dd/yyyy"],
        ["2#/03/2026 às 09:15:22", "dd/MM/yyyy 'às' HH:mm:ss"],
        ["2#/03/2026 à 09h15", "dd/MM/yyyy 'à' H'h'mm"],
        ["2#/03/2026 09.15.22", "dd/MM/yyyy H.mm.ss"],
        ["2026032#0915", "yyyyMMddHHmm"],
        ["2026/03/2# 1:05:33 PM GMT-3", "yyyy/MM/dd h:mm:ss a Z"],
        ["2026年3月2#日", "yyyy年M月d日"],
        ["2#/03/2026 às 09h15", "dd/MM/yyyy 'às' H'h'mm"],
        ["2#/03/2026 09:15h", "dd/MM/yyyy HH:mm'h'"],
      ],
      3,
    ),
  )("%s is read as %s", async (cell, format) => {
    const { mapping, input, said } = await draft("Pedido;Data;CNPJ", `P-#;${cell};CNPJ`);
    expect(input.columns.data).toEqual({ header: "Data", as: "timestamp" });
    expect(mapping.defaults.dates).toEqual([format]);
    expect(mapping.defaults.twoDigitYears).toBe(/(?<!y)yy(?!y)/.test(String(format)) ? true : undefined);
    expect(Object.keys(input.events)).toContain("event");
    expect(said).toEqual(allStaged);
  });

  it.each(["2#.12.24, 0#:56", "2#/12/24, 8:1#", "12/2#/24, 8:1# PM"])(
    "years of two digits are read as browsers and phones write them: %s",
    async (cell) => {
      const { input, said } = await draft("Pedido;Datum;CNPJ", `P-#;${cell};CNPJ`);
      expect(input.columns.datum).toMatchObject({ as: "timestamp" });
      expect(said).toEqual(allStaged);
    },
  );

  it("which comes first, day or month, is asked where the time of day stands before both", async () => {
    const { said } = await draft("Pedido;Data;CNPJ", "P-#;09:15 0#/03/2026;CNPJ");
    expect(said).toContain("which comes first in a date, day or month?");
  });

  it.each([["2#/01/2011;0#:30"], ["1#. Oktober 2026;0#:30"], ["2#/03/2026;8:1# p. m."]])(
    "date and time in two columns are one moment: %s",
    async (cells) => {
      const { input, said } = await draft("Pedido;Data;Hora;CNPJ", `P-#;${cells};CNPJ`);
      expect(input.columns.data_at).toContain("timestamp(data");
      expect(input.events.event.externalCreatedAt).toBe("=data_at");
      expect(said).toEqual(allStaged);
    },
  );

  it("so are date and time of a workbook", long, async () => {
    const cells = rows("P-#;CNPJ").map((line, at) => {
      const [key, tax] = line.split(";");
      return [key, new Date(Date.UTC(2026, 2, at + 1)), (8 + at / 60) / 24, tax];
    });
    const { check } = await draftOf({ "a.xlsx": await workbook([["Pedido", "Data", "Hora", "CNPJ"], ...cells]) });
    const checked = await check("a.xlsx");
    expect(checked).toContain("9 read = 0 skipped + 0 invalid + 9 valid");
    expect(checked).toContain("externalCreatedAt: 2026-03-01T11:00:00.000Z");
  });
});
