/** A ledger restored from a copy that is older than what was sent: nothing is doubled, and the journal brings the rest back (H40). */
import { appendFileSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "../../src/cli/pipeline.js";
import { systemClock } from "../../src/model/clock.js";
import type { Summary } from "../../src/model/summary.js";
import { type TestWorld, testWorld, type } from "../support/cli.world.js";

const mapping = `version: 2
namespace: kaelte
defaults: { timezone: Europe/Berlin, dates: ["dd.MM.yyyy HH:mm"], decimal: ",", country: DE }
inputs:
  lieferungen:
    csv: { delimiter: ";" }
    columns: { auftrag: Auftrag, schein: Schein, was: Was, am: { header: Am, as: timestamp } }
    participants: { kunde: { taxIdType: VAT, taxId: DE136695976, name: Nord, type: COMPANY } }
    addresses: { haus: { participant: kunde, name: Haus, street: Kai, number: "1", city: Kiel, countryState: SH } }
    documents: { auftrag: { key: =auftrag, participant: kunde, address: haus } }
    events:
      lieferung: { name: =was, key: =schein, externalCreatedAt: =am, isPublic: false }
`;

const first = "Auftrag;Schein;Was;Am\nA1;S1;Lieferung;01.10.2025 08:00\n";
const all = `${first}A1;S2;Lieferung;01.10.2025 09:00
A2;S3;Lieferung;01.10.2025 09:00
A2;S4;CLOSE;01.10.2025 10:00
`;

/** A world with two nights behind it, and a copy of its ledger from between them. */
async function twoNights() {
  const world = testWorld({ files: { "m.yaml": mapping, "erst.csv": first, "alle.csv": all }, pipeline });
  world.clock = { ...systemClock, now: () => world.now };
  const at = (name: string) => join(world.cwd, name);
  const imported = async (file: string, journal: string, ...flags: string[]) => {
    world.stdout.text = "";
    const code = await type(world, "import", at("m.yaml"), at(file), "--journal", at(journal), "--json", ...flags);
    const last = JSON.parse(world.out.trimEnd().split("\n").at(-1) ?? "") as Partial<Summary>;
    return { code, sent: last.requests?.sent ?? null, known: last.rows?.known ?? null };
  };
  const lose = () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${at("state/sandbox/ledger.db")}${end}`, { force: true });
  };
  expect((await imported("erst.csv", "journal.ndjson")).code).toBe(0);
  expect(await type(world, "ledger", "backup", at("copy.db"))).toBe(0);
  world.now += 60_000;
  expect((await imported("alle.csv", "journal.ndjson")).code).toBe(0);
  return {
    world,
    at,
    lose,
    restore() {
      lose();
      copyFileSync(at("copy.db"), at("state/sandbox/ledger.db"));
    },
    forget: async () => expect(await type(world, "ledger", "backup", at("now.db"), "--forget-journal")).toBe(0),
    rebuild: async (journal: string) => expect(await type(world, "ledger", "rebuild", journal, at("copy.db"))).toBe(0),
    bring: (journal = "journal.ndjson", ...flags: string[]) => imported("alle.csv", journal, ...flags),
  };
}

async function dump(world: TestWorld) {
  world.stdout.text = "";
  await type(world, "sandbox", "dump");
  return world.out;
}

it("a backup that is no ledger is refused by its own name, and the ledger stays", async () => {
  const { world, at } = await twoNights();
  writeFileSync(at("notes.csv"), "Load,At,Gross\n".repeat(20));
  world.stderr.text = "";
  expect(await type(world, "ledger", "restore", at("notes.csv"))).toBe(2);
  expect(world.err).toContain("notes.csv: This file is not a ledger.");
  expect(await type(world, "ledger", "check")).toBe(0);
});

it("a backup of another target's ledger is refused by its own name", async () => {
  const { world, at } = await twoNights();
  const there = {
    BASE_URL: "http://127.0.0.1:9",
    TOKEN_URL: "http://127.0.0.1:9/token",
    CLIENT_ID: "x",
    CLIENT_SECRET: "y",
  };
  for (const [name, value] of Object.entries(there)) world.env[`ROWFERRY_${name}`] = value;
  world.stderr.text = "";
  expect(await type(world, "ledger", "restore", at("copy.db"))).toBe(2);
  expect(world.err).toContain("copy.db: This ledger belongs to ");
});

describe("a ledger older than its journal", () => {
  it("is refused before anything is sent; rebuilt over the copy, it knows all", async () => {
    const { world, at, restore, lose, bring, rebuild } = await twoNights();
    const sent = await dump(world);
    for (const older of [restore, lose]) {
      older();
      world.now += 60_000;
      expect(await bring()).toEqual({ code: 2, sent: null, known: null });
      expect(world.out + world.err).toContain("ledger-behind-journal");
      expect(await dump(world)).toBe(sent);
      lose();
      await rebuild(at("journal.ndjson"));
      expect(await bring()).toEqual({ code: 0, sent: 0, known: 4 });
    }
    expect(await dump(world)).toBe(sent);
  });

  it("that went on all the same has doubled nothing, and takes nothing back that the journal tells of", async () => {
    const { world, at, restore, lose, bring, rebuild, forget } = await twoNights();
    const sent = await dump(world);
    restore();
    await forget();
    world.now += 60_000;
    expect((await bring("other.ndjson")).code).toBe(3);
    expect(await dump(world)).toBe(sent);
    const [, ...lines] = readFileSync(at("other.ndjson"), "utf8").split("\n");
    appendFileSync(at("journal.ndjson"), lines.join("\n"));
    lose();
    await rebuild(at("journal.ndjson"));
    expect(await bring()).toEqual({ code: 0, sent: 0, known: 4 });
    expect(await type(world, "show", "auftrag/A2")).toBe(0);
    expect(world.out).not.toContain("foreign-collision");
    expect(await dump(world)).toBe(sent);
  });

  it("that is lost with its journal: new files land, and a document that began before takes its id from the receipts", async () => {
    const { world, at, lose, bring } = await twoNights();
    const runs = at("state/sandbox/runs");
    const allReceipts = () => readdirSync(runs).map((run) => readFileSync(join(runs, run, "receipts.csv"), "utf8"));
    const receipts = allReceipts();
    const id = /;document;auftrag;A1;\w+;([^;]+);/.exec(receipts.join(""))?.[1] ?? "";
    lose();
    writeFileSync(
      at("alle.csv"),
      "Auftrag;Schein;Was;Am\nA1;S9;Lieferung;01.10.2025 11:00\nA3;S1;Lieferung;01.10.2025 11:00\n",
    );
    expect((await bring("new.ndjson")).code).toBe(3);
    // Also in the minute of the old ledger's last run.
    expect(allReceipts()).toEqual(expect.arrayContaining(receipts));
    expect(await type(world, "resolve", "A1", "--document-id", id, "--yes")).toBe(0);
    expect(await type(world, "resume")).toBe(0);
    const hours = [...(await dump(world)).matchAll(/document "(\w+)"|T(\d\d):/g)].map(([, name, hour]) => name ?? hour);
    expect(hours).toEqual(["A1", "06", "07", "09", "A2", "07", "08", "A3", "09"]);
  });

  it("is none where a journal is new, or the sandbox is emptied", async () => {
    const { world, at, bring, forget } = await twoNights();
    await forget();
    expect(await bring("new.ndjson")).toEqual({ code: 0, sent: 0, known: 4 });
    world.now += 60_000;
    expect((await bring("journal.ndjson", "--fresh")).code).toBe(0);
    world.now += 60_000;
    expect(await bring()).toEqual({ code: 0, sent: 0, known: 4 });
    expect(await dump(world)).toContain("A2");
    expect(readFileSync(at("journal.ndjson"), "utf8")).toContain("landed");
  });
});
