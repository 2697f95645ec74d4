/** What comes after the first correction: rows that come again, in corrected files and in tomorrow's export (HARD-CASES H23). */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "../../src/cli/pipeline.js";
import { openLedgerReadOnly } from "../../src/ledger/open-ledger.js";
import { rowsOfCause, rowsToCorrect } from "../../src/ledger/views/causes.js";
import { systemClock } from "../../src/model/clock.js";
import type { Summary } from "../../src/model/summary.js";
import { type TestWorld, testWorld, type } from "../support/cli.world.js";

const mapping = (settings: string) => `version: 2
namespace: kaelte
${settings}
defaults: { timezone: Europe/Berlin, dates: ["dd.MM.yyyy HH:mm"], decimal: ",", country: DE }
inputs:
  lieferungen:
    csv: { delimiter: ";" }
    columns: { auftrag: Auftrag, schein: Schein, am: { header: Am, as: timestamp }, menge: { header: Menge, as: number }, status: Status }
    skip: =status == "Entwurf"
    participants: { kunde: { taxIdType: VAT, taxId: DE136695976, name: Nord, type: COMPANY } }
    addresses: { haus: { participant: kunde, name: Haus, street: Kai, number: "1", city: Kiel, countryState: SH } }
    documents: { auftrag: { key: =auftrag, participant: kunde, address: haus } }
    events:
      lieferung: { name: Lieferung, key: =schein, externalCreatedAt: =am, isPublic: false,
                   attributes: { private: { Menge: =menge } } }
`;

const header = "Auftrag;Schein;Am;Menge;Status";
const night = `${header}
A1;S1;01.10.2025 08:00;1;
A1;S2;01.10.2025 09:00;viel;
A1;S3;01.10.2025 10:00;3;
`;

/** A world that has imported `rows` as `nacht-1.csv`. */
async function firstNight(rows = night, settings = "") {
  const world = testWorld({ files: { "m.yaml": mapping(settings) }, pipeline });
  world.clock = { ...systemClock, now: () => world.now };
  await put(world, "nacht-1.csv", rows);
  return world;
}

/** Imports the text as a file of that name. */
async function put(world: TestWorld, name: string, text: string) {
  const file = join(world.cwd, name);
  writeFileSync(file, text);
  world.stdout.text = "";
  const code = await type(world, "import", join(world.cwd, "m.yaml"), file, "--json");
  const { rows, open, events } = JSON.parse(world.out.trimEnd().split("\n").at(-1) ?? "") as Summary;
  return { code, rows, open: open.rows, held: open.events["held"] ?? 0, landed: events["landed"] ?? 0 };
}

/** What `rejects` writes now, by file. */
async function rejected(world: TestWorld) {
  const folder = join(world.cwd, `rejects-${world.now}-${Math.random()}`);
  await type(world, "rejects", "--folder", folder);
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

const firstOf = async (world: TestWorld) => Object.values(await rejected(world))[0] ?? "";

async function shown(world: TestWorld, what: string) {
  world.stdout.text = "";
  await type(world, "show", what);
  return world.out;
}

const settled = { code: 0, open: 0, held: 0 };

describe("a corrected row", () => {
  it("that the mapping leaves out is given up, and what waited for it goes", async () => {
    const world = await firstNight();
    const file = (await firstOf(world)).replace("viel;;", "viel;Entwurf;");
    expect(await put(world, "k.csv", file)).toMatchObject({ ...settled, rows: { skipped: 1 }, landed: 1 });
    expect(await shown(world, "nacht-1.csv:3")).toContain("since corrected by k.csv, row 2");
    expect(await put(world, "nacht-2.csv", `${night}A2;S9;01.10.2025 10:00;3;\n`)).toMatchObject({
      ...settled,
      landed: 1,
    });
  });

  it("that is wrong again is mended in the same file, also where its event cannot be told", async () => {
    const world = await firstNight(night.replace("S2;", ";"));
    const file = await firstOf(world);
    expect(await put(world, "k.csv", file.replace("viel", "mehr"))).toMatchObject({ code: 3, open: 1, held: 1 });
    const mended = file.replace("A1;;", "A1;S2;").replace("viel", "2");
    expect(await put(world, "k2.csv", mended)).toMatchObject({ ...settled, landed: 2 });
    expect(await shown(world, "k.csv:2")).toContain("since corrected by k2.csv, row 2");
  });

  it("that is corrected once more, under another key, while it still waits is sent once", async () => {
    const two = night.replace("A1;S1;01.10.2025 08:00;1", "A1;S1;01.10.2025 08:00;eins");
    const world = await firstNight(two);
    const file = await firstOf(world);
    expect(await put(world, "k.csv", file.replace("viel", "2"))).toMatchObject({ code: 3, open: 1, held: 2 });
    const again = file.replace("S2;", "S2b;").replace("viel", "2").replace("eins", "1");
    expect(await put(world, "k2.csv", again)).toMatchObject({ ...settled, landed: 3 });
    expect(await shown(world, "auftrag/A1")).toMatch(/\[S2b\] +landed/);
    expect(await shown(world, "auftrag/A1")).not.toContain("[S2]");
  });

  it("may be divided in two", async () => {
    const world = await firstNight();
    const [columns = "", row = ""] = (await firstOf(world)).split(/\r?\n/);
    const halves = ["S2a", "S2b"].map((key) => row.replace("S2", key).replace("viel", "2"));
    expect(await put(world, "k.csv", [columns, ...halves, ""].join("\n"))).toMatchObject({ ...settled, landed: 3 });
  });

  it("that was too short is not taken for corrected by being saved, however often", async () => {
    const world = await firstNight(night.replace("09:00;viel;", "09:00;2"));
    for (const name of ["k1.csv", "k2.csv", "k3.csv"]) {
      expect(await put(world, name, await firstOf(world))).toMatchObject({ code: 3, open: 1, landed: 0 });
    }
  });

  it("that today's export has overtaken is told as changed, and not as applied when that export comes again", async () => {
    const world = await firstNight();
    const file = (await firstOf(world)).replace("viel", "2");
    const today = night.replace("viel", "7");
    expect(await put(world, "nacht-2.csv", today)).toMatchObject({ ...settled, landed: 2 });
    expect(await put(world, "k.csv", file)).toMatchObject({ code: 3 });
    expect(await put(world, "nacht-2.csv", today)).toMatchObject({ ...settled, rows: { known: 3 } });
    expect(world.out).not.toContain("the correction applies");
    expect(await shown(world, "nacht-2.csv:3")).not.toContain("since corrected");
  });

  for (const [how, delimiter] of [
    ["tabs", "\t"],
    ["commas", ","],
  ] as const) {
    it(`is known by its own column alone, in front, with ${how}`, async () => {
      const world = await firstNight();
      const lines = (await firstOf(world)).replace("viel", "2").split(/\r?\n/).slice(0, 2);
      const cells = lines.map((line) => line.split(";").slice(0, 6));
      const moved = cells.map((row) => [row[5], ...row.slice(0, 5)].join(delimiter));
      expect(await put(world, "k.csv", `${moved.join("\n")}\n`)).toMatchObject({ ...settled, landed: 2 });
    });
  }
});

describe("a wrong row that comes again in tomorrow's export", () => {
  it("is to be corrected once", async () => {
    const world = await firstNight();
    expect(await put(world, "nacht-2.csv", `${night}A1;S4;01.10.2025 11:00;4;\n`)).toMatchObject({ open: 1, held: 2 });
    const files = await rejected(world);
    expect(Object.keys(files)).toEqual(["nacht-2.rejected.csv"]);
    expect(await shown(world, "nacht-1.csv:3")).toMatch(/since superseded by nacht-2\.csv,\s+row 3/);
    const mended = (files["nacht-2.rejected.csv"] ?? "").replace("viel", "2");
    expect(await put(world, "k.csv", mended)).toMatchObject({ ...settled, landed: 3 });
    expect(await put(world, "nacht-3.csv", `${night}A1;S5;01.10.2025 12:00;5;\n`)).toMatchObject({
      ...settled,
      landed: 1,
    });
  });

  it.each([
    ["late", "A1;S0;01.10.2025 07:00;1;\n", "late"],
    ["changed", "A1;S1;01.10.2025 08:00;7;\n", "changed"],
    ["refused by the service", "A1;S5;02.10.2025 08:00;1;nowhere\n", "service-refused"],
  ] as const)("is in one rejected file, the newest night's, where it is %s", async (_what, wrong, code) => {
    const good = `${header}\nA1;S1;01.10.2025 08:00;1;\n`;
    const world = await firstNight(good);
    const link = "{ document: { id: =status }, bidirectional: false }";
    const related = `name: RELATED, key: once, externalCreatedAt: =am, isPublic: false, relatedDocument: ${link}`;
    writeFileSync(
      join(world.cwd, "m.yaml"),
      mapping("").replace("    events:\n", `    events:\n      bezug: { when: =filled(status), ${related} }\n`),
    );
    for (const day of [2, 3, 4]) {
      const rows = `${wrong}${"\n".repeat(day)}`;
      await put(world, `nacht-${day}.csv`, code === "changed" ? `${header}\n${rows}` : `${good}${rows}`);
    }
    const files = await rejected(world);
    expect(Object.keys(files)).toEqual(["nacht-4.rejected.csv"]);
    expect(files["nacht-4.rejected.csv"]?.split(code)).toHaveLength(2);
    const runs = join(world.cwd, "state/sandbox/runs");
    const written = readdirSync(join(runs, readdirSync(runs).toSorted().at(-1) ?? ""));
    expect(written.filter((name) => name.includes(".rejected."))).toEqual(["nacht-4.rejected.csv"]);
    const database = openLedgerReadOnly(join(world.cwd, "state/sandbox/ledger.db"), null);
    const cause = { code, column: null, mistake: null };
    expect(rowsOfCause(database, cause)).toHaveLength(1);
    expect(rowsToCorrect(database).size).toBe(code === "service-refused" ? 1 : 0);
    database.close();
    if (code !== "service-refused") return;
    const mended = (files["nacht-4.rejected.csv"] ?? "").replace("S5", "S6").replace("nowhere", "");
    expect(await put(world, "k.csv", mended)).toMatchObject({ ...settled, landed: 1 });
  });

  it("is corrected by yesterday's rejected file, also where its event cannot be told", async () => {
    const bad = night.replace("S2;", ";");
    const world = await firstNight(bad);
    const file = await firstOf(world);
    await put(world, "nacht-2.csv", `${bad}A1;S4;01.10.2025 11:00;4;\n`);
    const mended = file.replace("A1;;", "A1;S2;").replace("viel", "2");
    expect(await put(world, "k.csv", mended)).toMatchObject({ ...settled, landed: 3 });
  });

  it("is two rows where one import brings it twice", async () => {
    const world = await firstNight();
    const twice = night.replace(/A1;S2.*\n/, (row) => row + row);
    expect(await put(world, "nacht-2.csv", twice)).toMatchObject({ open: 2, held: 1 });
  });
});

describe("a row that could not be placed, under `unplacedRows: hold`,", () => {
  const unplaced = night.replace("A1;S2;", ";S2;");
  const hold = "settings: { unplacedRows: hold }";

  it("goes on holding what is later in its input while its corrections are wrong", async () => {
    const world = await firstNight(unplaced, hold);
    const file = await firstOf(world);
    expect(await put(world, "k.csv", file.replace("viel", "mehr"))).toMatchObject({ open: 1, held: 1, landed: 0 });
    const mended = file.replace(";S2;", "A1;S2;").replace("viel", "2");
    expect(await put(world, "k2.csv", mended)).toMatchObject({ ...settled, landed: 2 });
  });

  it("goes on holding it when it comes again tomorrow", async () => {
    const world = await firstNight(unplaced, hold);
    const later = unplaced.replace(/A1;S3.*\n/, "");
    expect(await put(world, "nacht-2.csv", later)).toMatchObject({ open: 1, held: 1, landed: 0 });
  });
});
