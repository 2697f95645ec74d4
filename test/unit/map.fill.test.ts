/** `fill: down`: lists that name a customer once for all of its rows. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "../../src/cli/pipeline.js";
import { testWorld, type } from "../support/cli.world.js";
import { draftOf, text } from "../support/drafts.js";
import { bind, headerOf, load, mapRows, mappingWith, problemsOf, recordsOf, row } from "../support/map.support.js";

const HEADER = "Customer;Doc;Day;Kg";
const FILLED = mappingWith({
  input: 'skip: =blank(day)\ncsv: { delimiter: ";" }',
  columns: "customer: { header: Customer, fill: down }\nkg: Kg",
  attributes: "Customer: =customer, Kg: =kg",
})
  .replace("doc: Doc", "doc: { header: Doc, fill: down }")
  .replace("key: once", "key: =kg");

const said = (mapped: ReturnType<typeof mapRows>) =>
  recordsOf(mapped.filter(({ outcome }) => outcome.fate !== "skipped")).events.map(
    ({ document, attributes }) => `${document.key} ${attributes.map(({ value }) => value).join(" ")}`,
  );

describe("a column that fills down", () => {
  it("gives blank cells the value above", async () => {
    const mapped = mapRows(await load(FILLED), [
      { Customer: "Acme", Doc: "1", Day: "01/02/2026", Kg: "1" },
      { Day: "02/02/2026", Kg: "2" },
      { Doc: "2", Day: "03/02/2026", Kg: "4" },
      { Kg: "9" },
      { Customer: "Beta", Doc: "3", Day: "03/02/2026", Kg: "5" },
      { Day: "04/02/2026", Kg: "6" },
    ]);
    expect(said(mapped)).toEqual(["1 Acme 1", "1 Acme 2", "2 Acme 4", "3 Beta 5", "3 Beta 6"]);
  });

  it("knows nothing of rows below one with another number of cells, until it is filled again", async () => {
    const mapping = await load(FILLED);
    const header = headerOf(mapping, [{ Customer: "", Doc: "", Day: "", Kg: "" }]);
    const long = row(3, header, { Customer: "Acme", Doc: " Ltd", Day: "3", Kg: "01/02/2026" });
    long.problems = [{ code: "row-long", message: "", hint: null, column: null }];
    const [, , unclear, clear] = bind(mapping, header).map([
      row(2, header, { Customer: "Zeta", Doc: "9", Day: "01/02/2026" }),
      long,
      row(4, header, { Day: "02/02/2026" }),
      row(5, header, { Customer: "Beta", Doc: "4", Day: "03/02/2026", Kg: "5" }),
    ]);
    expect(problemsOf(unclear)[0]).toMatchObject({ code: "value-above", column: "Customer" });
    expect(clear?.outcome.fate).toBe("valid");
  });

  it("knows nothing below a formula without a result, which may have named another group", async () => {
    const mapping = await load(FILLED);
    const header = headerOf(mapping, [{ Customer: "", Doc: "", Day: "", Kg: "" }]);
    const unread = row(3, header, { Doc: "2", Day: "02/02/2026", Kg: "1" });
    unread.problems = [{ code: "formula-without-value", message: "", hint: null, column: "Customer" }];
    const [, broken, below] = bind(mapping, header).map([
      row(2, header, { Customer: "Acme", Doc: "1", Day: "01/02/2026" }),
      unread,
      row(4, header, { Doc: "3", Day: "03/02/2026" }),
    ]);
    expect(problemsOf(broken)).toMatchObject([{ code: "formula-without-value" }]);
    expect(problemsOf(below)[0]).toMatchObject({ code: "value-above", column: "Customer" });
  });

  it("takes the value of a formula above, and not the formula, which would count anew in a rejected workbook", async () => {
    const mapping = await load(FILLED);
    const header = headerOf(mapping, [{ Customer: "", Doc: "", Day: "", Kg: "" }]);
    const [first, second] = [2, 3].map((at) =>
      row(at, header, { Customer: at === 2 ? "Acme" : "", Doc: "1", Day: "01/02/2026" }),
    );
    const look = (formula: string) => header.map((name) => (name === "Customer" ? { formula } : null));
    Object.assign(first ?? {}, { looks: look('IF(B1=1,"Acme","")') });
    Object.assign(second ?? {}, { looks: look('IF(B1=1,"","")') });
    bind(mapping, header).map([first, second].filter((one) => one !== undefined));
    const at = header.indexOf("Customer");
    expect([second?.cells[at], second?.looks?.[at]]).toEqual(["Acme", null]);
  });

  it("keeps a typed cell's kind in rows that otherwise hold texts: a number is no text with a decimal mark", async () => {
    const mapping = await load(FILLED.replace("kg: Kg", "kg: { header: Kg, as: number, fill: down }"));
    const header = headerOf(mapping, [{ Customer: "", Doc: "", Day: "", Kg: "" }]);
    const mapped = bind(mapping, header).map([
      row(2, header, { Customer: "Acme", Doc: "1", Day: "01/02/2026", Kg: "1.250" }, { Kg: "number" }),
      row(3, header, { Day: "02/02/2026" }),
    ]);
    expect(said(mapped)).toEqual(["1 Acme 1.25", "1 Acme 1.25"]);
  });

  it.each([
    ["is skipped, be it a sum or a row that is cancelled", { Customer: "Beta", Doc: "3", Kg: "3" }],
    ["begins another group, and leaves the inner one blank", { Customer: "Beta", Day: "02/02/2026", Kg: "3" }],
  ])("takes no value of the group before where a row above %s", async (_, between) => {
    const [first, , after, last] = mapRows(await load(FILLED), [
      { Customer: "Acme", Doc: "1", Day: "01/02/2026", Kg: "1" },
      between,
      { Day: "03/02/2026", Kg: "4" },
      { Customer: "Gama", Doc: "5", Day: "04/02/2026", Kg: "5" },
    ]);
    expect(problemsOf(after)[0]).toMatchObject({ code: "value-above" });
    expect([first, last].map((mapped) => mapped?.outcome.fate)).toEqual(["valid", "valid"]);
  });

  it("is not read as it is by another column of the mapping, whose blanks would be gone", async () => {
    const mapping = await load(
      FILLED.replace("kg: Kg", "kg: Kg\n      named: Customer").replace("Kg: =kg", "Kg: =named"),
    );
    expect(() => mapRows(mapping, [{ Customer: "Acme", Doc: "1", Day: "01/02/2026", Kg: "1" }])).toThrow(
      '"Customer" fills down in one column of the mapping, and not in column "named"',
    );
  });

  it("shows the values in the rejected file, whose rows are no neighbours", long, async () => {
    const world = testWorld({ pipeline });
    const write = (name: string, content: string) => writeFileSync(join(world.cwd, name), content);
    write("m.yaml", FILLED);
    write("a.csv", text([HEADER, "Acme;1;01/02/2026;1", ";;32/02/2026;2", "Beta;2;01/02/2026;3", ";;33/02/2026;4"]));
    expect(await type(world, "import", "m.yaml", "a.csv", "--fresh")).toBe(3);
    const [rejected = ""] = globSync("state/sandbox/runs/*/a.rejected.csv", { cwd: world.cwd });
    const lines = readFileSync(join(world.cwd, rejected), "utf8");
    expect(lines).toContain("\nAcme;1;32/02/2026;2;");
    expect(lines).toContain("\nBeta;2;33/02/2026;4;");
    // A cell that a person clears is blank, and not the row above's.
    write("b.rejected.csv", lines.replace("Acme;1;32", "Acme;1;02").replace("Beta;2;33", ";2;02"));
    expect(await type(world, "import", "m.yaml", "b.rejected.csv")).toBe(0);
    world.stdout.text = "";
    await type(world, "sandbox", "dump");
    expect(world.out.match(/"Customer"[^}]*"(?:Acme|Beta)"/g)).toHaveLength(3);
  });

  it("is a decision of a draft where the first columns are filled in the first row of each group", long, async () => {
    const lines = ["Acme;A-1;01/02/2026 08:00;Coleta", ";;02/02/2026 08:00;Pesagem", ";A-2;13/02/2026 08:00;Coleta"];
    const more = [";;14/02/2026 08:00;Pesagem", "Beta;A-3;03/02/2026 08:00;Coleta", ";;04/02/2026 08:00;Pesagem"];
    const drafted = await draftOf({ "a.csv": text(["Cliente;Pedido;Data Evento;Evento", ...lines, ...more]) });
    expect(drafted.input.columns).toMatchObject({
      cliente: { header: "Cliente", fill: "down" },
      pedido: { header: "Pedido", fill: "down" },
      evento: "Evento",
    });
    expect(Object.values(drafted.input.documents)).toMatchObject([{ key: "=pedido" }]);
    const asked = 'does a blank cell of "Cliente", "Pedido" mean the value above?';
    expect(drafted.said).toContain(asked);
    const remarks = await draftOf({ "a.csv": text(["Obs.;Pedido;Data Evento;Evento", ...lines, ...more]) });
    expect(remarks.said).not.toContain("mean the value above?");
  });
});
