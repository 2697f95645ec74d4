import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testWorld, type TestWorld, type } from "../support/cli.world.js";

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));

/** A world with one fixture file in it; its name. */
function withFixture(folder: string, file: string) {
  const world = testWorld();
  copyFileSync(join(fixtures, folder, file), join(world.cwd, file));
  return { world, file };
}

const jobs = Array.from({ length: 30 }, (_, row) => {
  const job = Math.floor(row / 3) + 1;
  const event = ["Abholung", "Wiegung", "Abgabe"][row % 3];
  return `J-${job};Kunde ${job};${event};${10 + row}.03.2026;${row},5`;
}).map((line) => line.replace(/;(3\d|4\d)\.03/, ";28.03"));
const german = `Order;Customer;Event;Datum;Menge\n${jobs.join("\n")}\n`;

describe("rowferry guess", () => {
  it("writes a mapping that check accepts, and says what it would stage", async () => {
    const { world, file } = withFixture("organisations", "organisations-2025.xlsx");
    expect(await type(world, "guess", file, "-o", "mapping.yaml")).toBe(0);
    expect(world.out).toBe("");
    expect(world.err).toContain(`sheet "Listas" of ${file} is hidden and was left out`);
    expect(world.err).toContain(`${file}, sheet "Coletas": 48 of 48 rows would be staged`);
    expect(world.err).toContain("Written to mapping.yaml.");
    expect(world.err).toContain(`Next: rowferry check mapping.yaml ${file}`);
    expect(await type(world, "check", "mapping.yaml", file)).toBe(0);
  });

  it("names the next command so that it can be typed, whatever the files are called", async () => {
    const world = testWorld({ files: { "fracht März (1).csv": german } });
    expect(await type(world, "guess", "fracht März (1).csv", "-o", "meine Zuordnung.yaml")).toBe(0);
    expect(world.err).toContain("Next: rowferry check 'meine Zuordnung.yaml' 'fracht März (1).csv'");
  });

  it("prints the mapping on stdout and what to look at on stderr, so that > writes a mapping", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    expect(await type(world, "guess", "jobs.csv")).toBe(0);
    expect(world.out).toMatch(/^# Drafted from jobs\.csv by rowferry guess\./);
    expect(world.out).toContain("\nversion: 2\n");
    expect(world.err).toMatch(/^Look at:\n {2}- /);
  });

  it("takes namespace, country and timezone from the command line", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    const options = ["--namespace", "acme-jobs", "--country", "de", "--timezone", "Europe/Berlin"];
    expect(await type(world, "guess", "jobs.csv", ...options)).toBe(0);
    for (const line of ["namespace: acme-jobs ", "country: DE\n", "timezone: Europe/Berlin\n"])
      expect(world.out).toContain(line);
    expect(world.out).not.toContain("decide: which country");
    for (const wrong of [
      ["--country", "Germany"],
      ["--timezone", "Berlin"],
      ["--namespace", ""],
    ])
      expect(await type(world, "guess", "jobs.csv", ...wrong)).toBe(2);
  });

  it("names every open decision on the screen, and marks its line in the file", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    expect(await type(world, "guess", "jobs.csv")).toBe(0);
    const marked = [...world.out.matchAll(/^ *# decide: (.*?[?])/gm)].map(([, question = ""]) => question);
    expect(marked.length).toBeGreaterThan(1);
    for (const question of marked) expect(world.err).toContain(question);
    expect(world.out).toContain("\ndraft: true ");
  });

  it("never writes over a file that exists, unless it is told to", async () => {
    const world = testWorld({ files: { "jobs.csv": german, "mapping.yaml": "# mine\n" } });
    expect(await type(world, "guess", "jobs.csv", "-o", "mapping.yaml")).toBe(2);
    expect(readFileSync(join(world.cwd, "mapping.yaml"), "utf8")).toBe("# mine\n");
    expect(await type(world, "guess", "jobs.csv", "-o", "mapping.yaml", "--force")).toBe(0);
    expect(readFileSync(join(world.cwd, "mapping.yaml"), "utf8")).toContain("version: 2");
  });

  it("looks at rows from all over a long file: a format that comes late is met", async () => {
    const lines = Array.from({ length: 4500 }, (_, row) => {
      const day = String(1 + (row % 28)).padStart(2, "0");
      return `J-${Math.floor(row / 3)};C-${Math.floor(row / 3) % 50};${["in", "weighed", "out"][row % 3]};${row < 3000 ? `${day}.03.2026` : `2026-03-${day}`}`;
    });
    const world = testWorld({ files: { "jobs.csv": `Order;Customer;Event;Day\n${lines.join("\n")}\n` } });
    expect(await type(world, "guess", "jobs.csv")).toBe(0);
    expect(world.out).toMatch(/dates: \["?dd\.MM\.yyyy"?, "?yyyy-MM-dd"?\]/);
  });

  it("of a file with nothing to map it leaves the columns, and says what is open", async () => {
    const world = testWorld({ files: { "colours.csv": "Colour;Size\nred;L\nblue;M\n" } });
    expect(await type(world, "guess", "colours.csv")).toBe(0);
    expect(world.out).toContain("colour: Colour # red | blue\n");
    expect(world.err).toContain("2 of 2 columns of colours.csv are not used: Colour, Size");
    expect(world.out).toContain("draft: true");
  });

  it("a file that is none is refused where there is no other", async () => {
    const world = testWorld({ files: { "empty.csv": "" } });
    expect(await type(world, "guess", "empty.csv")).not.toBe(0);
    expect(world.out).toBe("");
  });
});

describe("rowferry guess --ask", () => {
  const orders = `Ordem;Emissão;Empresa\n${[1, 2, 3, 4].map((at) => `O-${at};0${at}/03/2026;Acme ${at}`).join("\n")}\n`;

  /** Answers by what the question holds; all that was asked. */
  function terminal(world: TestWorld, answers: { [part: string]: string }) {
    const asked: string[] = [];
    world.ask = (question) => {
      asked.push(question);
      const [, answer = ""] = Object.entries(answers).find(([part]) => question.includes(part)) ?? [];
      return Promise.resolve(answer);
    };
    return asked;
  }

  it("puts each open decision with its candidates and cells; what is answered is written, the rest stays open", async () => {
    const world = testWorld({ files: { "orders.csv": orders } });
    const asked = terminal(world, { "day or month": "2", "which comes first": "2", "who owns": "1" });
    expect(await type(world, "guess", "orders.csv", "--ask", "-o", "m.yaml")).toBe(0);
    const yaml = readFileSync(join(world.cwd, "m.yaml"), "utf8");
    expect(yaml).toContain("dates: [MM/dd/yyyy]");
    expect(yaml).not.toContain("decide: which comes first");
    expect(yaml).not.toContain("decide: who owns");
    expect(yaml).toContain("decide: which country");
    const owner = asked.find((question) => question.includes("who owns")) ?? "";
    expect(owner).toContain("seen: Acme 1 | Acme 2");
    expect(owner).toMatch(/\n {2}1 {2}"Empresa" {3}.*\n {2}2 {2}one for all rows/);
  });

  it("asks again after an answer that is none of the choices, and each question once more at most", async () => {
    const world = testWorld({ files: { "orders.csv": orders } });
    let tries = 0;
    world.ask = (question) =>
      Promise.resolve(question.includes("which comes first") && tries++ < 2 ? (["9", "x"][tries - 1] ?? "") : "");
    expect(await type(world, "guess", "orders.csv", "--ask")).toBe(0);
    expect(tries).toBe(3);
    expect(world.out).toContain("decide: which comes first");
  });

  it("asks nothing where the file to write is there already", async () => {
    const world = testWorld({ files: { "orders.csv": orders, "m.yaml": "old\n" } });
    const asked = terminal(world, {});
    expect(await type(world, "guess", "orders.csv", "--ask", "-o", "m.yaml")).toBe(2);
    expect(asked).toEqual([]);
    expect(world.err).toContain("the file exists");
  });

  it("without answers it writes what it writes unasked", async () => {
    const world = testWorld({ files: { "orders.csv": orders } });
    world.ask = () => Promise.resolve("");
    expect(await type(world, "guess", "orders.csv", "--ask")).toBe(0);
    const unasked = testWorld({ files: { "orders.csv": orders } });
    expect(await type(unasked, "guess", "orders.csv")).toBe(0);
    expect(world.out).toBe(unasked.out);
  });

  it("never asks without a terminal: exit 2, and says so", async () => {
    const world = testWorld({ files: { "orders.csv": orders } });
    expect(await type(world, "guess", "orders.csv", "--ask")).toBe(2);
    expect(world.err).toContain("Not a terminal");
    expect(world.out).toBe("");
  });
});

it("a draft that no command would read is not written: exit 2, with the files as its cause", async () => {
  const header = Array.from({ length: 2000 }, (_, at) => `Messwert ${at} ${"der Anlage ".repeat(5)}`).join(";");
  const world = testWorld({ files: { "wide.csv": `${header}\n${"1;".repeat(1999)}1\n` } });
  expect(await type(world, "guess", "wide.csv", "-o", "mapping.yaml")).toBe(2);
  expect(world.err).toMatch(/^rowferry: The draft would have \d+ characters/);
  expect(world.err).toContain("Guess from fewer files");
  expect(existsSync(join(world.cwd, "mapping.yaml"))).toBe(false);
});

describe("rowferry init with files", () => {
  it("guesses mapping.yaml into the folder, and keeps one that is there", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    expect(await type(world, "init", "work", "jobs.csv")).toBe(0);
    const path = join(world.cwd, "work/mapping.yaml");
    const first = readFileSync(path, "utf8");
    expect(first).toContain("version: 2");
    expect(await type(world, "init", "work", "jobs.csv")).toBe(0);
    expect(world.out).toContain("kept  work/mapping.yaml");
    expect(readFileSync(path, "utf8")).toBe(first);
  });

  it("takes a file in the place of the folder: `init data.csv` works here", async () => {
    const world = testWorld({ files: { "jobs.csv": german } });
    expect(await type(world, "init", "jobs.csv")).toBe(0);
    expect(readFileSync(join(world.cwd, "mapping.yaml"), "utf8")).toContain("version: 2");
  });
});
