import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import iconv from "iconv-lite";
import { type TestWorld, testWorld, type, typed } from "../support/cli.world.js";

/** Thirty rows of ten orders with three events each. */
const german = `Order;Customer;Event;Datum;Menge\n${Array.from({ length: 30 }, (_, row) => {
  const job = Math.floor(row / 3) + 1;
  const event = ["Abholung", "Wiegung", "Abgabe"][row % 3];
  return `J-${job};Kunde ${job};${event};${Math.min(10 + row, 28)}.03.2026;${row},5\n`;
}).join("")}`;
const orders = `Ordem;Emissão;Empresa\n${[1, 2, 3, 4].map((at) => `O-${at};0${at}/03/2026;Acme ${at}\n`).join("")}`;

const files = { "jobs.csv": german, "orders.csv": orders };
const worldWith = (more: { [name: string]: string } = {}) => testWorld({ files: { ...files, ...more } });
const textOf = (world: TestWorld, name: string) => readFileSync(join(world.cwd, name), "utf8");

/** Types `guess` in a world with files of orders. */
async function guessed(...argv: string[]) {
  const world = worldWith();
  return { ...(await typed(world, "guess", ...argv)), world };
}

describe("rowferry guess", () => {
  it("writes a mapping that check accepts, says what it would stage, and what can be typed next", long, async () => {
    const world = testWorld();
    const file = "März (1).xlsx";
    const fixture = fileURLToPath(new URL("../../fixtures/organisations/organisations-2025.xlsx", import.meta.url));
    copyFileSync(fixture, join(world.cwd, file));
    expect(await type(world, "guess", file, "-o", "meine Zuordnung.yaml")).toBe(0);
    expect(world.out).toBe("");
    for (const told of [
      `sheet "Listas" of ${file} is hidden and was left out`,
      `${file}, sheet "Coletas": 48 of 48 rows would be staged`,
      "Next: rowferry check 'meine Zuordnung.yaml' 'März (1).xlsx'",
    ])
      expect(world.err).toContain(told);
    expect(await type(world, "check", "meine Zuordnung.yaml", file)).toBe(0);
  });

  it("prints the mapping on stdout and what to look at on stderr, so that > writes a mapping; names every open decision there, and marks its line", async () => {
    const { code, out, err } = await guessed("jobs.csv");
    expect(code).toBe(0);
    expect(out).toMatch(/^# Drafted from jobs\.csv by rowferry guess\.[^]*\nversion: 2\ndraft: true /);
    expect(err).toMatch(/^Review:\n {2}- /);
    const marked = [...out.matchAll(/^ *# decide: (.*?[?])/gm)].map(([, question = ""]) => question);
    expect(marked.length).toBeGreaterThan(1);
    for (const question of marked) expect(err).toContain(question);
  });

  it("takes namespace, country and timezone from the command line", async () => {
    const options = ["--namespace", "acme-jobs", "--country", "de", "--timezone", "Europe/Berlin"];
    const { code, out } = await guessed("jobs.csv", ...options);
    expect(code).toBe(0);
    for (const line of ["namespace: acme-jobs ", "country: DE\n", "timezone: Europe/Berlin\n"])
      expect(out).toContain(line);
    expect(out).not.toContain("decide: which country");
  });

  it(
    "asks for the encoding of a file that is hardly of the West, and takes it from the command line",
    long,
    async () => {
      const world = worldWith();
      const text = Array.from({ length: 9 }, (_, row) => `Н-${row};Казань;0${row + 1}.03.2026;Получено\n`).join("");
      writeFileSync(join(world.cwd, "ru.csv"), iconv.encode(`Номер;Город;Дата;Событие\n${text}`, "windows-1251"));
      const first = await typed(world, "guess", "ru.csv");
      expect(first).toMatchObject({ code: 3, out: "", err: expect.stringContaining('windows-1251 reads "Номер"') });
      const { code, out } = await typed(world, "guess", "ru.csv", "jobs.csv", "--encoding", "cp1251");
      expect(code).toBe(0);
      for (const said of ["encoding: cp1251", "fallbackEncoding: cp1251", "Казань"]) expect(out).toContain(said);
    },
  );

  it("never writes over a file that exists, unless it is told to", async () => {
    const world = worldWith({ "mapping.yaml": "# mine\n" });
    expect(await type(world, "guess", "jobs.csv", "-o", "mapping.yaml")).toBe(2);
    expect(textOf(world, "mapping.yaml")).toBe("# mine\n");
    expect(await type(world, "guess", "jobs.csv", "-o", "mapping.yaml", "--force")).toBe(0);
    expect(textOf(world, "mapping.yaml")).toContain("version: 2");
    expect(await type(world, "guess", "jobs.csv", "--force")).toBe(2);
  });
});

describe("rowferry guess --ask", () => {
  /** Types it at a terminal, where questions are answered by what they hold; all that was asked. */
  async function asked(answers: { [part: string]: string }, ...argv: string[]) {
    const world = worldWith({ "there.yaml": "old\n" });
    const questions: string[] = [];
    world.ask = (question) => {
      questions.push(question);
      return Promise.resolve(Object.entries(answers).find(([part]) => question.includes(part))?.[1] ?? "");
    };
    return { ...(await typed(world, "guess", "orders.csv", "--ask", ...argv)), questions, world };
  }

  it("puts each open decision with its candidates and cells; what is answered is written, the rest stays open", async () => {
    const answers = { "day or month": "2", "which comes first": "2", "who owns": "1" };
    const { code, questions, world } = await asked(answers, "-o", "m.yaml");
    expect(code).toBe(0);
    const yaml = textOf(world, "m.yaml");
    for (const line of ["dates: [ MM/dd/yyyy ]", "decide: which country"]) expect(yaml).toContain(line);
    for (const line of ["decide: which comes first", "decide: who owns"]) expect(yaml).not.toContain(line);
    const owner = questions.find((question) => question.includes("who owns")) ?? "";
    expect(owner).toContain("seen: Acme 1 | Acme 2");
    expect(owner).toMatch(/\n {2}1 {2}"Empresa" {3}.*\n {2}2 {2}one for all rows/);
  });

  it("asks again after an answer that is none of the choices, and each question once more at most", async () => {
    const world = worldWith();
    let tries = 0;
    world.ask = (question) =>
      Promise.resolve(question.includes("which comes first") && tries++ < 2 ? (["9", "x"][tries - 1] ?? "") : "");
    expect(await type(world, "guess", "orders.csv", "--ask")).toBe(0);
    expect(tries).toBe(3);
    expect(world.out).toContain("decide: which comes first");
  });

  it("never asks without a terminal: exit 2, and says so", async () => {
    const { code, out, err } = await guessed("orders.csv", "--ask");
    expect([code, out, err]).toEqual([2, "", expect.stringContaining("Not a terminal")]);
  });
});
