import { RowferryError } from "../../src/model/error.js";
import { bind, load, mappingWith, mapRows, recordsOf, row } from "../support/map.support.js";
import { workedMs } from "../support/cpu.js";

function inputText(name: string, text: string) {
  return `  ${name}: { ${text}, columns: { k: K, doc: { header: Doc, as: taxId, type: CPF }, n: N }, participants: { p: { key: =k, taxId: =doc, name: =n, type: PERSON } } }\n`;
}

function twoInputs(first: string, second: string) {
  return `version: 2\nnamespace: t\ndefaults: { country: BR }\ninputs:\n${inputText("a", first)}${inputText("b", second)}`;
}

function caught(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (error instanceof RowferryError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the input that reads a file", () => {
  it("is the one whose pattern fits, whatever the letters' case and the folder", async () => {
    const mapping = await load(twoInputs('files: "*manifest*.csv"', 'files: ["weigh?.csv", "*.tsv"]'));
    expect(mapping.inputsFor("/in/2026-MANIFESTOS.CSV").map(({ name }) => name)).toEqual(["a"]);
    expect(mapping.inputsFor("weigh1.csv").map(({ name }) => name)).toEqual(["b"]);
  });

  it("must be one: none, or two, are errors that name the inputs", async () => {
    const mapping = await load(twoInputs('files: "*.csv"', 'files: "b*.csv"'));
    expect(caught(() => mapping.inputsFor("b.csv"))).toMatchObject({
      code: "mapping-files",
      message: expect.stringContaining("a and b") as string,
      hint: expect.stringContaining("tell them apart in one input") as string,
    });
    expect(caught(() => mapping.inputsFor("c.xlsx"))).toMatchObject({ code: "mapping-files" });
  });

  it("may be several for the sheets of one workbook", async () => {
    const mapping = await load(twoInputs("excel: { sheet: A }", "excel: { sheet: B }"));
    for (const file of ["x.xlsx", "x.xltm", "x.xlsx.gz"])
      expect(mapping.inputsFor(file).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(caught(() => mapping.inputsFor("x.csv"))).toMatchObject({ code: "mapping-files" });
  });

  it("matches patterns in time proportional to their length", async () => {
    const mapping = await load(twoInputs(`files: "${"*a".repeat(40)}"`, 'files: "b.csv"'));
    const started = workedMs();
    expect(caught(() => mapping.inputsFor(`${"a".repeat(5000)}c`))).toMatchObject({ code: "mapping-files" });
    expect(workedMs() - started).toBeLessThan(300);
  });
});

describe("a header", () => {
  const yaml = mappingWith({
    columns:
      "peso: { header: [Peso, 'Peso (kg)'] }\nobs: { header: Obs, optional: true }\nplaca: { header: [Placa, Veículo] }",
    attributes: "Kg: =peso, Note: =obs, Old: =placa",
  });

  it("matches whatever the white space, case and accents", async () => {
    const mapping = await load(yaml);
    const header = [" DOC", "day", "PESO (KG) ", "veiculo"];
    const [mapped] = bind(mapping, header).map([{ ...row(2, header, {}), cells: ["1", "01/02/2026", "5", "ABC"] }]);
    expect(recordsOf(mapped === undefined ? [] : [mapped]).events[0]?.attributes.map(({ value }) => value)).toEqual([
      "5",
      "ABC",
    ]);
  });

  it("matches whether its apostrophes are straight or curly, which look the same on a screen", async () => {
    const mapping = await load(mappingWith({ columns: `city: "Commune d'arrivée"`, attributes: "A: =city" }));
    const header = ["Doc", "Day", "Commune d’arrivée"];
    const mapped = bind(mapping, header).map([{ ...row(2, header, {}), cells: ["1", "01/02/2026", "Lyon"] }]);
    expect(recordsOf(mapped).events[0]?.attributes[0]?.value).toBe("Lyon");
  });

  it("that lacks columns is refused naming each, with the nearest header; optional ones read as blank", async () => {
    const mapping = await load(yaml);
    const error = caught(() => bind(mapping, ["Doc", "Dai", "Peso"]));
    expect(error).toMatchObject({ code: "column-missing", place: { file: "rows.csv" } });
    expect(error.message).toContain('"Day"; the nearest is "Dai"');
    expect(error.message).toContain('"Placa" (or "Veículo")');
    expect(error.message).not.toContain("Obs");
    expect(caught(() => bind(mapping, ["Doc\tDay\tPeso"])).hint).toContain("csv: { delimiter }");
  });

  it("that lacks a column is told no other one as the nearest: a word apart is another column", async () => {
    const mapping = await load(mappingWith({ columns: "from: From Email Address", attributes: "From: =from" }));
    const { message } = caught(() => bind(mapping, ["Doc", "Day", "To Email Address"])) as Error;
    expect(message).toContain('"From Email Address"');
    expect(message).not.toContain("nearest");
    const near = caught(() => bind(mapping, ["Doc", "Day", "To Email Address", "Form Email Adress"])) as Error;
    expect(near.message).toContain('the nearest is "Form Email Adress"');
  });

  it("in which two columns fit one name is refused; the exact spelling decides where there is one", async () => {
    const mapping = await load(yaml);
    expect(caught(() => bind(mapping, ["Doc", "Day", "PESO", "peso", "Placa"]))).toMatchObject({
      code: "column-ambiguous",
    });
    expect(caught(() => bind(mapping, ["Doc", "Day", "Peso", "Placa", "Veículo"]))).toMatchObject({
      code: "column-ambiguous",
    });
    expect(caught(() => bind(mapping, ["Doc", "Day", "Peso", "Peso", "Placa"]))).toMatchObject({
      code: "column-ambiguous",
    });
    expect(bind(mapping, ["Doc", "Day", "PESO", "Peso", "Placa"]).unmapped).toEqual(["PESO"]);
  });

  it("with two columns for one name is refused with what mends that case", async () => {
    const set = mappingWith({ columns: 'all: { headers: "Teor *" }', attributes: '"Teor A": =doc, "*": =all' });
    const hintOf = async (of: string, ...header: string[]) => {
      const mapping = await load(of);
      return caught(() => bind(mapping, ["Doc", "Day", ...header])).hint;
    };
    expect(await hintOf(yaml, "PESO", "peso", "Placa")).toContain("exactly as in the file");
    expect(await hintOf(yaml, "Peso", "Placa", "Veículo")).toContain("exactly one of the headers");
    expect(await hintOf(set, "Teor A")).toContain("rename the attribute");
    expect(await hintOf(set, "Teor B", "Teor B")).toContain("nth: 2 of 2");
    const visibilities = 'attributes: { public: { "*": =all }, private: { "*": =mg } }';
    const sets = mappingWith({
      columns: 'all: { headers: "Teor *" }\nmg: { headers: "* mg" }',
      event: visibilities,
    }).replace(/ +attributes:\n +public:\n +\{ {2}\}\n/u, "");
    expect(await hintOf(sets, "Teor A mg", "Teor B")).toContain("under `except`");
    expect(bind(await load(sets), ["Doc", "Day", "Teor A", "B mg"]).unmapped).toEqual([]);
    const nth = mappingWith({ columns: "o: { header: Obs, nth: 1 of 2 }", attributes: "A: =o" });
    expect(await hintOf(nth, "Obs")).toContain("`nth`");
  });

  describe("of which several columns are the same", () => {
    const twins = mappingWith({
      columns: "first_obs: { header: Obs, nth: 1 of 2 }\nsecond_obs: { header: Obs, nth: 2 of 2 }",
      attributes: "One: =first_obs, Two: =second_obs",
    });
    const read = async (header: string[], cells: string[]) =>
      recordsOf(bind(await load(twins), header).map([{ ...row(2, header, {}), cells }])).events[0]?.attributes;

    it("gives each by its number, from the left", async () => {
      expect(await read(["Doc", "Obs", "Day", "OBS"], ["1", "a", "01/02/2026", "b"])).toMatchObject([
        { name: "One", value: "a" },
        { name: "Two", value: "b" },
      ]);
    });

    it("is refused where there are more or fewer than the mapping says: which is which cannot be told", async () => {
      const mapping = await load(twins);
      for (const header of [
        ["Doc", "Day", "Obs"],
        ["Doc", "Day", "Obs", "Obs", "Obs"],
      ])
        expect(caught(() => bind(mapping, header))).toMatchObject({
          code: "column-ambiguous",
          message: expect.stringContaining(`is column 1 of 2 called "Obs", and the file has ${header.length - 2}`),
        });
      expect(caught(() => bind(mapping, ["Doc", "Day"]))).toMatchObject({ code: "column-missing" });
    });

    it("cannot be the third of two, and another number is another key (H25)", async () => {
      await expect(load(twins.replace("2 of 2", "3 of 2"))).rejects.toMatchObject({
        message: expect.stringContaining("asks for more columns than there are"),
      });
      const keyed = (nth: string) => load(mappingWith({}).replace("doc: Doc", `doc: { header: Nr, nth: ${nth} }`));
      const [one, other] = [await keyed("1 of 2"), await keyed("2 of 2")];
      expect([...one.keyMakers.fingerprints.keys()]).not.toEqual([]);
      expect([...one.keyMakers.fingerprints.values()]).not.toEqual([...other.keyMakers.fingerprints.values()]);
    });
  });

  it("has unmapped columns, those of rejected files not counted", async () => {
    const mapping = await load(yaml);
    expect(
      bind(mapping, ["Doc", "Day", "Peso", "Placa", "Extra", "rowferry_row", "rowferry_code", ""]).unmapped,
    ).toEqual(["Extra"]);
  });
});

describe("a file that another locale wrote", () => {
  const told = async (day: readonly string[], kg: readonly string[]) => {
    const mapping = await load(mappingWith({ columns: "kg: { header: Kg, as: number }", attributes: "Kg: =kg" }));
    return () =>
      mapRows(
        mapping,
        day.map((one, at) => ({ Doc: `D${at}`, Day: one, Kg: kg[at] ?? "" })),
      );
  };

  it.each([
    ["Day", ["01/02/2025", "02/13/2025", "02/14/2025"], ["1", "2", "3"]],
    ["Kg", ["01/02/2025", "02/02/2025", "03/02/2025", "04/02/2025"], ["1,250", "12.5", "1,234.5", "1.250"]],
  ])("is refused as a whole, because %s is misread where it only seems to fit", async (column, day, kg) => {
    expect(caught(await told(day, kg))).toMatchObject({ code: "locale-differs", place: { column } });
  });

  it.each([
    ["a single slip", ["01/02/2025", "02/13/2025"], ["1", "2.5"]],
    ["cells that fit as they are", ["02/13/2025", "02/14/2025", "15/02/2025"], ["1.5", "2.5", "3,5"]],
  ])("is not told by %s", async (_, day, kg) => {
    expect(await told(day, kg)).not.toThrow();
  });
});
