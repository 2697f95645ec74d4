/** Many stranded documents: their list, filled in by a person and given back. As typed, against a sandbox on loopback. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { parse } from "csv-parse/sync";
import ExcelJS from "exceljs";
import iconv from "iconv-lite";
import { pipeline } from "../../src/cli/pipeline.js";
import type { Summary } from "../../src/model/summary.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { jsonOf, type TestWorld, testWorld, typed as typedIn } from "../support/cli.world.js";
import { serviceEnv } from "../processes/processes.js";
import { timelinesOf } from "../processes/timelines.js";
import { weighingMapping } from "../nights/simulation/yaml-import.js";

const mapping = weighingMapping({
  event: `
        key: =ticket
        externalCreatedAt: =date
        attributes: { public: { Weight: =kg } }`,
});
const header = "MTR;CNPJ;Ticket;Date;Weight\n";
const rowsOf = (day: number, ...documents: string[]) =>
  documents.map((key, index) => `${key};11222333000181;${day}${index};2026-01-0${day} 10:00;5\n`).join("");
const files = {
  "weighings.yaml": mapping,
  "one.csv": header + rowsOf(1, "M1", "M2", "M3"),
  "two.csv": header + rowsOf(2, "M1", "M2", "M3", "M4"),
};

let sandbox: Sandbox;
let world: TestWorld;

async function open() {
  sandbox = createSandbox({ rate: null });
  world = testWorld({ files, pipeline });
  world.env = serviceEnv(await sandbox.listen({ host: "127.0.0.1", port: 0 }), at("ledger.db"));
  world.clock = {
    now: () => world.now,
    sleep: (ms) => {
      world.now += Math.ceil(ms);
      return Promise.resolve();
    },
  };
}

beforeEach(open);
afterEach(() => sandbox.close());

const at = (name: string) => join(world.cwd, name);

const typed = (...argv: string[]) => typedIn(world, ...argv);
const json = (...argv: string[]) => jsonOf(world, ...argv);

/** While the creates of M1 to M3 are carried out, every answer is lost; the next night they are told to exist. */
async function strandThree() {
  sandbox.setFaults([
    { match: { method: "POST", path: "/documents/events" }, action: { kind: "drop", when: "after" } },
  ]);
  expect(await typed("import", at("weighings.yaml"), at("one.csv"))).toMatchObject({ code: 4 });
  sandbox.setFaults([]);
  const summary = (await json("import", at("weighings.yaml"), at("two.csv"))).find((line) => line.type === "summary");
  expect(summary).toMatchObject({ exitCode: 3, open: { documents: { stranded: 3 }, events: { held: 3 } } });
  return summary as unknown as Summary;
}

const stillOpen = async () => (await json("status")).find((line) => line.type === "status")?.["open"];

/** The ids that a person finds on the service's own screens. */
function idsAtService() {
  const lines = sandbox.dump({ ids: true }).matchAll(/^document "(\w+)" .* id=(\S+) key=/gm);
  return new Map([...lines].map(([, key = "", id = ""]) => [key, id]));
}
const idOf = (key: string) => idsAtService().get(key) ?? "";

const write = (...lines: string[]) => {
  writeFileSync(at("filled.csv"), `${lines.join("\n")}\n`);
  return at("filled.csv");
};

describe("stranded.csv", () => {
  it("lists every stranded document with its evidence, and the summary says what to do with it", async () => {
    const { files: written } = await strandThree();
    const list = written.find(({ kind }) => kind === "stranded")?.path ?? "";
    expect(statSync(list).mode & 0o777).toBe(0o600);
    const text = readFileSync(list, "utf8");
    expect(text.startsWith("\uFEFFdocument;deduplication_id;sent_at;request_ids;waiting_events;document_id\r\n")).toBe(
      true,
    );
    const rows = parse<{ [name: string]: string }>(text, { bom: true, columns: true, delimiter: ";" });
    expect(rows.map(({ document }) => document)).toEqual(["manifest/M1", "manifest/M2", "manifest/M3"]);
    for (const row of rows)
      expect(row).toMatchObject({
        deduplication_id: expect.stringMatching(/^rf1-[0-9a-f]{40}$/),
        sent_at: expect.stringMatching(/^2026-11-20T02:\d\d:\d\d\.\d{3}Z$/),
        waiting_events: "2",
        document_id: "",
      });

    const { out } = await typed("resume");
    expect(out).toMatch(/^rowferry resolve --from state\/.*\/stranded\.csv /m);
    expect(out).toMatch(
      /^rowferry resolve --from \S+\/stranded\.csv --target env.*\n {4}look up each stranded document at the service/m,
    );
  });

  it("says when each creation first left, also where a killed run recorded no attempt", async () => {
    const began = world.now;
    sandbox.setFaults([
      { match: { method: "POST", path: "/documents/events" }, action: { kind: "drop", when: "after" } },
    ]);
    await typed("import", at("weighings.yaml"), at("one.csv"));
    sandbox.setFaults([]);
    const ledger = new Database(at("ledger.db"));
    ledger.exec("UPDATE requests SET result = 'unanswered', attempts = NULL WHERE kind LIKE 'create-w%'");
    ledger.close();
    world.now = began + 8 * 3_600_000;
    await typed("resume");
    const { out } = await typed("status");
    expect(out.replaceAll(/\s+/g, " ")).toMatch(/First sent at 2026-11-20 02:/);
    await typed("rejects");
    const text = readFileSync(at("state/env/rejects/stranded.csv"), "utf8");
    for (const line of text.trimEnd().split("\r\n").slice(1)) expect(line).toMatch(/;2026-11-20T02:[^;]*;/);
  });

  it("is what is left to do where `dismiss` gives nothing up, and `dismiss` says so", async () => {
    await typed("import", at("weighings.yaml"), at("one.csv"));
    const other = ["--ledger", at("other.db")];
    expect(await typed("import", at("weighings.yaml"), at("one.csv"), ...other)).toMatchObject({ code: 3 });
    const { out } = await typed("dismiss", "--code", "foreign-collision", ...other);
    expect(out).toMatch(/^Nothing was dismissed\.\s+What may exist at the service stays open; `rowferry\s+resolve`/);
  });

  it("is what is left to do beside an event of the same code, which says what took its key", async () => {
    await typed("import", at("weighings.yaml"), at("one.csv"));
    const other = ["--ledger", at("other.db")];
    await typed("import", at("weighings.yaml"), at("one.csv"), ...other);
    await typed("resolve", "M1", "--document-id", idOf("M1"), "--yes", ...other);
    const { out: said } = await typed("resume", ...other);
    expect(said.replaceAll(/\s+/g, " ")).toContain("M1: The service already has this deduplicationId, and this ledger");
    const { out } = await typed("dismiss", "--code", "foreign-collision", ...other);
    expect(out).toMatch(/^Dismissed: 1 event\.\s+What may exist at the service stays open; `rowferry\s+resolve`/);
    expect(await json("dismiss", "--code", "foreign-collision", ...other)).toContainEqual(
      expect.objectContaining({ type: "dismissed", events: 0, documents: 0, stranded: 2 }),
    );
  });

  it("is written by `rejects` too, as `status` says, for the documents that are meant", async () => {
    await strandThree();
    expect((await typed("status")).out).toMatch(/^rowferry rejects .*\n {4}write the list of stranded documents/m);
    const { code, out } = await typed("rejects", "--folder", at("out"));
    expect(code).toBe(3);
    expect(out).toMatch(/Stranded: 3 documents\.\n\nrowferry resolve --from out\/stranded\.csv .*\n {4}look up each/);
    const text = readFileSync(at("out/stranded.csv"), "utf8");
    expect(text.split("\r\n")).toHaveLength(5);
    // What opens the input opens the list, also where no file came with the command.
    await typed("resume");
    const folder = readdirSync(at("state/env/runs")).find((name) => name.endsWith("-resume")) ?? "";
    expect(readFileSync(at(`state/env/runs/${folder}/stranded.csv`), "utf8")).toBe(text);
    expect(text).toContain("document;deduplication_id;");
    const one = await json("rejects", "--document", "M2", "--folder", at("one"));
    expect(one.find((line) => line.type === "rejects")).toMatchObject({
      stranded: { path: at("one/stranded.csv"), documents: 1 },
    });
  });

  it("has no document that was replaced", async () => {
    await strandThree();
    expect((await typed("replace", "manifest/M2", "--reason", "not found at the service")).code).toBe(0);
    const found = (await json("rejects", "--folder", at("out"))).find((line) => line.type === "rejects");
    expect(found).toMatchObject({ stranded: { documents: 2 } });
    expect(readFileSync(at("out/stranded.csv"), "utf8")).not.toContain("M2");
  });
});

describe("resolve --from", () => {
  it("gives all their ids after one confirmation; then every timeline is whole (P1)", async () => {
    await typed("import", at("weighings.yaml"), at("one.csv"), at("two.csv"));
    const undisturbed = timelinesOf(sandbox);
    await sandbox.close();
    await open();

    const list = (await strandThree()).files.find(({ kind }) => kind === "stranded")?.path ?? "";
    const ids = idsAtService();
    const filled = readFileSync(list, "utf8").replaceAll(
      /^(manifest\/(\w+);.*;)\r$/gm,
      (_, row: string, key: string) => `${row}${ids.get(key)}\r`,
    );
    writeFileSync(list, filled);
    expect(await typed("resolve", "--from", list)).toMatchObject({
      code: 2,
      err: expect.stringContaining("Not a terminal"),
    });
    const questions: string[] = [];
    world.ask = (question) => Promise.resolve(questions.push(question) > 0 ? "3" : null);
    const { code, out } = await typed("resolve", "--from", list, "--journal", at("journal.ndjson"), "--by", "anna");
    expect([code, questions.length]).toEqual([0, 1]);
    expect(questions[0]).toContain("3 documents get their ids from stranded.csv; this cannot be undone.");
    expect(out).toContain("stranded.csv: 3 resolved.");
    expect(readFileSync(at("journal.ndjson"), "utf8").match(/"anna"/g)).toHaveLength(3);

    expect((await typed("resume")).code).toBe(0);
    expect(await stillOpen()).toMatchObject({ documents: {}, events: {} });
    expect(timelinesOf(sandbox)).toEqual(undisturbed);

    // The same file once more is no mistake.
    expect(await typed("resolve", "--from", list)).toMatchObject({
      code: 0,
      out: expect.stringContaining("0 resolved, 3 had their id already."),
    });
  });

  it("takes the file as spreadsheets save it, and leaves rows without an id", async () => {
    await strandThree();
    const tabs = [
      `observação\tdocument_id\tDocument`,
      `à noite\t${idOf("M1")}\tmanifest/M1`,
      `não achei\t\tmanifest/M2`,
    ];
    writeFileSync(at("filled.csv"), iconv.encode(`${tabs.join("\r\n")}\r\n`, "windows-1252"));
    expect(await typed("resolve", "--from", at("filled.csv"), "--yes")).toMatchObject({
      code: 3,
      out: expect.stringContaining("filled.csv: 1 resolved, 1 left without an id."),
    });
    const commas = ["\uFEFFdocument,document_id,waiting_events", `manifest/M2,${idOf("M2")},2`, "manifest/M3,,2"];
    expect(await json("resolve", "--from", write(...commas), "--yes")).toContainEqual(
      expect.objectContaining({ type: "resolved-from", resolved: [expect.objectContaining({ row: 2 })], blank: 1 }),
    );
    expect(await stillOpen()).toMatchObject({ documents: { stranded: 1 } });
    const workbook = new ExcelJS.Workbook();
    workbook.addWorksheet("stranded").addRows([
      ["document", "document_id", "waiting_events"],
      ["manifest/M3", idOf("M3"), 2],
    ]);
    await workbook.xlsx.writeFile(at("filled.xlsx"));
    expect((await typed("resolve", "--from", at("filled.xlsx"), "--yes")).code).toBe(0);
  });

  it("writes nothing where a row cannot be right, and names each", async () => {
    await strandThree();
    const path = write(
      "document,deduplication_id,document_id",
      `manifest/M1,,${idOf("M1")}`,
      `manifest/M9,,${idOf("M2")}`,
      `manifest/M4,,${idOf("M2")}`,
      "manifest/M2,,one-for-two",
      "manifest/M3,,one-for-two",
      `manifest/M1,,${idOf("M3")}`,
      `manifest/M3,rf1-${"0".repeat(40)},${idOf("M3")}`,
      "manifest/M3,,..",
      `manifest/M2,,${idOf("M4")}`,
    );
    const before = sandbox.store.statistics().requests;
    const lines = await json("resolve", "--from", path, "--yes");
    const refused = lines.find((line) => line.type === "rows-refused")?.["rows"] as { row: number; code: string }[];
    expect(refused.map(({ row, code }) => `${row} ${code}`)).toEqual([
      "2 stranded-file-unusable",
      "3 document-unknown",
      "4 document-not-stranded",
      "5 stranded-file-unusable",
      "6 stranded-file-unusable",
      "7 stranded-file-unusable",
      "8 document-not-stranded",
      "9 identifier-unusable",
      "10 document-not-stranded",
    ]);
    expect(lines.at(-1)).toMatchObject({ type: "error", code: "stranded-file-unusable", exitCode: 2 });
    expect(sandbox.store.statistics().requests).toBe(before);
    const { code, out } = await typed("resolve", "--from", path, "--yes");
    expect([code, out]).toEqual([
      2,
      expect.stringContaining("filled.csv:3  document-unknown · The ledger has no document"),
    ]);
    expect(out.replace(/\s+/g, " ")).toContain(
      "filled.csv:8 document-not-stranded · The row is of another generation of manifest M3",
    );
    expect(await stillOpen()).toMatchObject({ documents: { stranded: 3 } });
  });

  it("needs its columns, once each, and takes nothing beside the file", async () => {
    await strandThree();
    for (const [header_, message] of [
      ["document,id", "filled.csv: there is no column document_id"],
      ["document,document_id,document_id", "filled.csv: two columns are called document_id"],
    ] as const) {
      const path = write(header_, `manifest/M1,${idOf("M1")},`.slice(0, header_ === "document,id" ? -1 : undefined));
      expect(await typed("resolve", "--from", path, "--yes")).toMatchObject({
        code: 2,
        err: expect.stringContaining(message),
      });
    }
    for (const words of [["M1", "--from", "x.csv"], ["--from", "x.csv", "--landed"], ["--landed"]])
      expect((await typed("resolve", ...words)).code).toBe(2);
  });

  it("leaves what the read speaks against, by row, and applies the rest", async () => {
    await strandThree();
    const path = write(
      "document,document_id",
      `manifest/M1,${idOf("M1")}`,
      `manifest/M2,${idOf("M3")}`,
      "manifest/M3,nowhere",
    );
    const { code, out } = await typed("resolve", "--from", path, "--yes");
    expect(code).toBe(3);
    const words = out.replace(/\s+/g, " ");
    expect(words).toMatch(/filled\.csv:3 manifest M2, \S+: deduplicationId is rf1-\w+, but rf1-\w+ was sent/);
    expect(words).toContain("filled.csv:4 manifest M3, nowhere: The service has no document nowhere.");
    expect(out).toContain("1 resolved, 2 left, because the read does not agree.");
    expect(await stillOpen()).toMatchObject({ documents: { stranded: 2 } });
  });

  it("leaves all where Ctrl-C comes between the reads", async () => {
    await strandThree();
    const path = write("document,document_id", ...["M1", "M2", "M3"].map((key) => `manifest/${key},${idOf(key)}`));
    sandbox.setFaults([{ match: { method: "GET" }, action: { kind: "delay", ms: 200 } }]);
    const { faults } = sandbox.store.statistics();
    const ended = typed("resolve", "--from", path, "--yes");
    await expect.poll(() => sandbox.store.statistics().faults - faults).toBeGreaterThan(0);
    world.send("SIGINT");
    expect((await ended).code).toBe(130);
    expect(await stillOpen()).toMatchObject({ documents: { stranded: 3 } });
  });

  it("keeps to the limit over all reads", async () => {
    await strandThree();
    const path = write("document,document_id", ...["M1", "M2", "M3"].map((key) => `manifest/${key},${idOf(key)}`));
    world.env = { ...world.env, ROWFERRY_RATE: "1", ROWFERRY_BURST: "1" };
    const before = world.now;
    expect((await typed("resolve", "--from", path, "--yes")).code).toBe(0);
    expect(world.now - before).toBeGreaterThanOrEqual(1_900);
  });
});
