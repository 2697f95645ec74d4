/** Many stranded documents: their list, filled in by a person and given back. As typed, against a sandbox on loopback. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { text as textOf } from "node:stream/consumers";
import Database from "better-sqlite3";
import { parse } from "csv-parse/sync";
import iconv from "iconv-lite";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { hurried, jsonOf, sandboxEnv } from "../support/cli.world.js";
import { listening } from "../support/listening.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { loads, weighings } from "../support/weighings.js";
import { timelinesOf } from "../processes/timelines.js";

let sandbox: Sandbox;
let office: Office;

/** Open point 18: a read in a shape of its own shows that the document exists, and no more. */
async function withOtherReads(service: Sandbox, source: string | object): Promise<Office> {
  const { baseUrl, tokenUrl } = await service.listen({ host: "127.0.0.1", port: 0 });
  const server = createServer((request, response) => {
    void (async () => {
      const { method = "", url = "", headers } = request;
      const { authorization = "", "content-type": type = "application/json" } = headers;
      const body = method === "GET" ? null : await textOf(request);
      const given = { method, body, headers: { authorization, "content-type": type } };
      const answer = await fetch(new URL(url, baseUrl), given).catch(() => null);
      if (answer === null) return request.socket.destroy();
      const isRead = method === "GET" && answer.ok && url.includes("/documents/");
      response.writeHead(answer.status, { "content-type": "application/json" });
      return response.end(isRead ? '{"document":{"phase":"open"}}' : await answer.text());
    })();
  });
  const address = `http://127.0.0.1:${await listening(server)}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close();
  });
  const env = sandboxEnv({ baseUrl: address, tokenUrl: `${address}${new URL(tokenUrl).pathname}` });
  return openOffice(source, { env: { ...env, ROWFERRY_RATE: "1000", ROWFERRY_BURST: "1000" }, sandbox: service });
}

async function open(at = openOfficeAt) {
  sandbox = createSandbox({ rate: null });
  office = await at(sandbox, weighings);
  hurried(office.world);
  // The list is written as the files are.
  const write = (name: string, rows: string[][]) =>
    writeFileSync(office.path(name), `${rows.map((row) => row.join(";")).join("\n")}\n`);
  write("one.csv", loads("L1 10 5", "L2 10 5", "L3 10 5"));
  write("two.csv", loads("L1 20 5", "L2 20 5", "L3 20 5", "L4 20 5"));
}

beforeEach(() => open());

const typed: Office["type"] = (...argv) => office.type(...argv);
const json = (...argv: string[]) => jsonOf(office.world, ...argv);
const text = (path: string) => readFileSync(office.path(path), "utf8");

/** Imports the first file; each create is carried out, and its answer lost. */
async function loseAnswers() {
  sandbox.setFaults([
    { match: { method: "POST", path: "/documents/events" }, action: { kind: "drop", when: "after" } },
  ]);
  await office.ends(4, "import m.yaml one.csv");
  sandbox.setFaults([]);
}

/** The next night L1 to L3 are told to exist. @returns the path of their list */
async function strandThree() {
  await loseAnswers();
  const summary = await office.import("two.csv");
  expect(summary).toMatchObject({ exitCode: 3, open: { documents: { stranded: 3 }, events: { held: 3 } } });
  return summary.files.find(({ kind }) => kind === "stranded")?.path ?? "";
}

const stillOpen = async () => (await json("status")).find((line) => line.type === "status")?.["open"];
const stranded = (count: number) => expect.objectContaining({ documents: { stranded: count } });

/** The id that a person finds on the service's own screens. */
const idOf = (key: string) => office.documents().find(({ externalId }) => externalId === key)?.id ?? "";
/** A row of the list with an id. */
const filled = (load: string, from = load) => `load/${load},${idOf(from)}`;

/** Gives back a list of these lines. */
function resolving(...lines: string[]) {
  writeFileSync(office.path("filled.csv"), `${lines.join("\n")}\n`);
  return ["resolve", "--from", "filled.csv", "--yes"];
}

describe("stranded.csv", () => {
  it("lists every stranded document with its evidence, and the summary says what to do with it", long, async () => {
    const list = await strandThree();
    expect(statSync(list).mode & 0o777).toBe(0o600);
    const header = "\uFEFFdocument;deduplication_id;sent_at;request_ids;waiting_events;document_id\r\n";
    expect(readFileSync(list, "utf8").startsWith(header)).toBe(true);
    const rows = parse<{ [name: string]: string }>(readFileSync(list), { bom: true, columns: true, delimiter: ";" });
    expect(rows).toMatchObject(
      ["load/L1", "load/L2", "load/L3"].map((document) => ({
        document,
        deduplication_id: expect.stringMatching(/^rf1-[0-9a-f]{40}$/),
        sent_at: expect.stringMatching(/^2026-11-20T02:\d\d:\d\d\.\d{3}Z$/),
        waiting_events: "2",
        document_id: "",
      })),
    );
    expect((await typed("resume")).out).toMatch(
      /^rowferry resolve --from state\/\S+\/stranded\.csv --target env.*\n {4}look up each stranded document at the service/m,
    );
  });

  it("is written by `rejects` too, as `status` says, for the documents that are meant", long, async () => {
    await strandThree();
    expect((await typed("status")).out).toMatch(/^rowferry rejects .*\n {4}write the list of stranded documents/m);
    // With rows to correct too, one command writes both.
    office.writeCsv("three.csv", loads("L9 10 x"));
    await office.ends(3, "import m.yaml three.csv");
    const { out: both } = await typed("status");
    expect(both.match(/^rowferry rejects/gm)).toHaveLength(1);
    expect(both.replaceAll(/\s+/g, " ")).toContain(
      "correct those and import them; write the list of stranded documents",
    );
    await office.ends(0, "dismiss --row three.csv:2");
    const { code, out } = await typed("rejects", "--folder", "out");
    expect(code).toBe(3);
    expect(out).toMatch(/Stranded: 3 documents\.\n\nrowferry resolve --from out\/stranded\.csv .*\n {4}look up each/);
    expect(text("out/stranded.csv").split("\r\n")).toHaveLength(5);
    // A document that was replaced is on it no more.
    expect((await typed("replace", "load/L2", "--reason", "not found at the service")).code).toBe(0);
    await typed("rejects", "--folder", "out");
    expect(text("out/stranded.csv").match(/load\/\w+/g)).toEqual(["load/L1", "load/L3"]);
  });
});

describe("resolve --from", () => {
  it("gives all their ids after one confirmation; then every timeline is whole (P1)", long, async () => {
    await typed("import", "m.yaml", "one.csv", "two.csv");
    const undisturbed = timelinesOf(sandbox);
    await open();

    const list = await strandThree();
    const given = readFileSync(list, "utf8").replaceAll(/^load\/(\w+);.*;(?=\r$)/gm, (row, load) => row + idOf(load));
    writeFileSync(list, given);
    expect(await typed("resolve", "--from", list)).toMatchObject({
      code: 2,
      err: expect.stringContaining("Not a terminal"),
    });
    const questions: string[] = [];
    office.world.ask = (question) => Promise.resolve(questions.push(question) > 0 ? "3" : null);
    const resolved = await typed("resolve", "--from", list, "--journal", "journal.ndjson", "--by", "anna");
    expect(questions).toEqual([
      expect.stringContaining("3 documents get their ids from stranded.csv; this cannot be undone."),
    ]);
    expect(resolved).toMatchObject({ code: 0, out: expect.stringContaining("stranded.csv: 3 resolved.") });
    expect(text("journal.ndjson").match(/"anna"/g)).toHaveLength(3);

    await office.ends(0, "resume");
    expect(await stillOpen()).toMatchObject({ documents: {}, events: {} });
    expect(timelinesOf(sandbox)).toEqual(undisturbed);

    // The same file once more is no mistake.
    expect(await typed("resolve", "--from", list)).toMatchObject({
      code: 0,
      out: expect.stringContaining("0 resolved, 3 had their id already."),
    });
  });

  it("waits with --wait while an import stages, instead of ending between two documents", long, async () => {
    await strandThree();
    const importing = new Database(office.path("state/env/ledger.db"));
    onTestFinished(() => void importing.close());
    office.world.ask = () => {
      importing.exec("BEGIN IMMEDIATE");
      return Promise.resolve("3");
    };
    const { clock } = office.world;
    const sleep: typeof clock.sleep = (ms, signal) => {
      if (importing.inTransaction && ms === 500) importing.exec("ROLLBACK");
      return clock.sleep(ms, signal);
    };
    office.world.clock = { now: clock.now, sleep };
    const lines = ["L1", "L2", "L3"].map((load) => filled(load));
    const [first = "", ...words] = resolving("document,document_id", ...lines).slice(0, -1);
    expect(await typed(first, ...words, "--wait")).toMatchObject({
      code: 0,
      out: expect.stringContaining("3 resolved"),
    });
  });

  it("takes the file as spreadsheets save it, and leaves rows without an id", long, async () => {
    await strandThree();
    const tabs = [`observação\tdocument_id\tDocument`, `à noite\t${idOf("L1")}\tload/L1`, `não achei\t\tload/L2`];
    writeFileSync(office.path("tabs.csv"), iconv.encode(`${tabs.join("\r\n")}\r\n`, "windows-1252"));
    expect(await typed("resolve", "--from", "tabs.csv", "--yes")).toMatchObject({
      code: 3,
      out: expect.stringContaining("tabs.csv: 1 resolved, 1 left without an id."),
    });
    const commas = resolving("\uFEFFdocument,document_id,waiting_events", `${filled("L2")},2`, "load/L3,,2");
    expect(await json(...commas)).toContainEqual(
      expect.objectContaining({ type: "resolved-from", resolved: [expect.objectContaining({ row: 2 })], blank: 1 }),
    );
    expect(await stillOpen()).toEqual(stranded(1));
    await office.writeExcel("filled.xlsx", ["document,document_id,waiting_events", `${filled("L3")},2`]);
    await office.ends(0, "resolve --from filled.xlsx --yes");
  });

  it("writes nothing where a row cannot be right, and names each", long, async () => {
    await strandThree();
    const wrong = [
      `${filled("L1")},`,
      `${filled("L9", "L2")},`,
      `${filled("L4", "L2")},`,
      "load/L2,one-for-two,",
      "load/L3,one-for-two,",
      `${filled("L1", "L3")},`,
      `${filled("L3")},rf1-${"0".repeat(40)}`,
      "load/L3,..,",
      `${filled("L2", "L4")},`,
    ];
    const command = resolving("document,document_id,deduplication_id", ...wrong);
    const before = sandbox.store.statistics().requests;
    const lines = await json(...command);
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
    const { code, said } = await typed(...command);
    expect(code).toBe(2);
    expect(said).toContain("filled.csv:3 document-unknown · The ledger has no document");
    expect(said).toContain("filled.csv:8 document-not-stranded · The row belongs to another generation of load L3");
    expect(await stillOpen()).toEqual(stranded(3));
  });

  it("needs its columns, once each, and takes nothing beside the file", async () => {
    await office.ends(0, "import m.yaml one.csv");
    for (const [header, message] of [
      ["document,id", "filled.csv: there is no column document_id"],
      ["document,document_id,document_id", "filled.csv: two columns are called document_id"],
    ] as const) {
      const row = header.replace("document", "load/L1").replaceAll(/(document_)?id/g, idOf("L1"));
      expect(await typed(...resolving(header, row))).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    }
    for (const words of [["L1", "--from", "x.csv"], ["--from", "x.csv", "--landed"], ["--landed"]])
      expect((await typed("resolve", ...words)).code).toBe(2);
  });

  it("leaves what the read speaks against, by row, and applies the rest", long, async () => {
    await strandThree();
    const { code, said } = await typed(
      ...resolving("document,document_id", filled("L1"), filled("L2", "L3"), "load/L3,nowhere"),
    );
    expect(code).toBe(3);
    expect(said).toMatch(/filled\.csv:3 load L2, \S+: deduplicationId is rf1-\w+, but rf1-\w+ was sent/);
    expect(said).toContain("filled.csv:4 load L3, nowhere: The service has no document nowhere.");
    expect(said).toContain("1 resolved, 2 left, not confirmed by a read.");
    expect(await stillOpen()).toEqual(stranded(2));
  });

  it("asks about ids whose reads show only that their documents exist, in whatever shape", long, async () => {
    await open(withOtherReads);
    await strandThree();
    const words = resolving("document,document_id", filled("L1"), filled("L2"), "load/L3,nowhere").slice(0, -1);
    office.world.ask = (question) => Promise.resolve(/For 2 of them, the read shows only/.test(question) ? "2" : null);
    expect((await typed(...words)).said).toContain("2 resolved, 1 left, not confirmed by a read.");
    expect(await stillOpen()).toEqual(stranded(1));
  });

  it("leaves an id that the read could not confirm", long, async () => {
    await strandThree();
    const refusal = { kind: "status", status: 400, when: "before" } as const;
    sandbox.setFaults([{ match: { method: "GET", path: "/documents/{id}" }, nth: 2, action: refusal }]);
    const { code, said } = await typed(...resolving("document,document_id", filled("L1"), filled("L2")));
    expect([code, said]).toEqual([3, expect.stringContaining("the read could not confirm it")]);
    expect(said).toContain("1 resolved, 1 left");
    expect(await stillOpen()).toEqual(stranded(2));
  });
});
