/**
 * A replacement is one unit: nothing of a generation is sent before its predecessor's CANCEL has landed, and nothing without
 * all its events (HARD-CASES H26; findings F86, F88). Judged by the service's timelines.
 */
import Database from "better-sqlite3";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const row = (load: string, minute: number, gross: string) => [load, `2026-01-01 10:${minute}`, gross];
const file = (...rows: string[][]) => [["Load", "At", "Gross"], ...rows];

/** State and weights of each document, in the order of their creation. */
const there = (office: Office) =>
  office.documents().map(({ externalId, state, events }) => [
    externalId,
    state,
    ...events.flatMap(({ name, body }) => {
      if (name !== "Weighing") return [];
      const { attributes } = body["metadata"] as { attributes: { value: string }[] };
      return attributes.map(({ value }) => value);
    }),
  ]);

/** By somebody else's hand. */
async function cancelAll(sandbox: Sandbox) {
  const authorization = `Basic ${Buffer.from("sandbox:sandbox").toString("base64")}`;
  const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
  const body = "grant_type=client_credentials";
  const token = await sandbox.inject({ method: "POST", path: "/oauth/token", headers, body });
  for (const { id, participantId, addressId } of sandbox.store.documents()) {
    const answer = await sandbox.inject({
      method: "POST",
      path: `/documents/${id}/events`,
      headers: { authorization: `Bearer ${(token.json() as { access_token: string }).access_token}` },
      body: {
        name: "CANCEL",
        isPublic: true,
        externalCreatedAt: new Date(Date.now() - 60_000).toISOString(),
        participantId,
        addressId,
        metadata: { attributes: [{ name: "reason", value: "no longer valid", isPublic: true }] },
      },
    });
    expect(answer.status).toBe(201);
  }
}

const changeAll = async (office: Office, loads: readonly string[]) => {
  office.writeCsv("w-1.csv", file(...loads.flatMap((load) => [row(load, 10, "1"), row(load, 20, "2")])));
  expect((await office.import("w-1.csv")).exitCode).toBe(0);
  office.writeCsv("w-2.csv", file(...loads.flatMap((load) => [row(load, 10, "1"), row(load, 20, "3")])));
  await office.import("w-2.csv");
  for (const load of loads) expect((await office.type("replace", `load/${load}`, "--reason", "weight")).code).toBe(0);
};

it("a replacement whose CANCEL is refused (F88) leaves one live document, says what waits, and goes on when the CANCEL is sent again", async () => {
  const sandbox = createSandbox({ rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  await changeAll(office, ["L1"]);
  const refuse = { kind: "status", status: 422, when: "before" } as const;
  sandbox.setFaults([
    { match: { path: "/documents/{documentId}/events" }, action: refuse },
    { match: { path: "/documents/events" }, nth: 1, action: refuse },
  ]);
  const stopped = await office.run("resume");
  expect(there(office)).toEqual([["L1", "open", "1", "2"]]);
  expect(stopped).toMatchObject({ exitCode: 3, open: { events: { rejected: 1, held: 2 } } });
  expect(stopped.problems).toMatchObject([{ code: "cancel-refused", count: 1 }]);
  const { out } = await office.type("status");
  expect(out).toContain("rowferry retry --code cancel-refused");
  sandbox.setFaults([]);
  expect((await office.run("retry", "--code", "cancel-refused")).exitCode).toBe(0);
  expect(there(office)).toEqual([
    ["L1", "cancelled", "1", "2"],
    ["L1", "open", "1", "3"],
  ]);
});

it("a document that somebody else has cancelled is told apart, replaced by the printed commands, and no difference any more", async () => {
  const sandbox = createSandbox({ rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  await office.brought("w-1.csv", file(row("L1", 10, "1")));
  await cancelAll(sandbox);
  const differing = await office.type("verify");
  expect([differing.code, differing.out]).toEqual([3, expect.stringMatching(/is cancelled there,\s+open here/)]);
  expect((await office.type("replace", "load/L1", "--reason", "cancelled there")).code).toBe(0);
  await office.run("resume");
  const { out } = await office.type("status");
  expect(out).not.toContain("#replaced");
  expect(out).toMatch(/waits for the CANCEL of load L1, which is to be\s+replaced \(rejected\)\s+w-1/);
  // Generation 2 has yet to be sent: it is not said to be there.
  expect(await office.type("verify")).toMatchObject({ code: 0, out: expect.not.stringContaining("sent again") });
  expect((await office.type("dismiss", "--code", "cancel-refused")).code).toBe(0);
  expect((await office.run("resume")).exitCode).toBe(0);
  expect((await office.type("verify")).code).toBe(0);
  expect(there(office)).toEqual([
    ["L1", "cancelled", "1"],
    ["L1", "open", "1"],
  ]);
});

it("replacements by selectors are of every document that an input changed, after a confirmation that says how many; all or none", async () => {
  const office = openOffice(weighings);
  const both = (gross: string) => file(...["L1", "L2"].flatMap((load) => [row(load, 10, "1"), row(load, 20, gross)]));
  await office.brought("w-1.csv", [...both("2"), row("L3", 10, "x")]);
  await office.brought("w-2.csv", [...both("3"), row("L4", 10, "7")]);
  const command = ["replace", "--input", "w-2.csv", "--reason", "weight"];
  const before = there(office);

  expect((await office.type("replace", "--reason", "weight")).code).toBe(2);
  expect((await office.type("replace", "load/L1", "--input", "w-2.csv", "--reason", "weight")).code).toBe(2);
  expect((await office.type("replace", "--input", "w-1.csv", "--row", "6", "--reason", "weight")).code).toBe(2);
  const foreseen = await office.type(...command, "--dry-run");
  expect([foreseen.code, foreseen.out]).toEqual([
    0,
    expect.stringMatching(/load L1: gen[^]* 1 \([^)]*\) will\s+be\s+cancelled[^]*load L2: gen[^]*Would send/),
  ]);
  const refused = await office.type(...command);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("--yes")]);
  let question = "";
  office.world.ask = (text) => Promise.resolve(((question = text), "1"));
  expect((await office.type(...command)).code).toBe(2);
  expect(question).toContain(
    "This cancels 2 documents for 2 changed or late events, and sends them again with 4 events: load/L1, load/L2.",
  );
  expect((await office.run("resume")).events).toEqual({});
  expect(there(office)).toEqual(before);

  const done = await office.type(...command, "--yes");
  expect([done.code, done.out]).toEqual([0, expect.stringMatching(/load L1: generation 2[^]*load L2: generation 2/)]);
  await office.run("resume");
  expect(there(office)).toEqual([
    ["L1", "cancelled", "1", "2"],
    ["L2", "cancelled", "1", "2"],
    ["L4", "open", "7"],
    ["L1", "open", "1", "3"],
    ["L2", "open", "1", "3"],
  ]);
});

it("replacements under --limit (F88) are sent whole, or not begun", async () => {
  for (const limit of ["1", "2", "3", "5"]) {
    const office = openOffice(weighings);
    await changeAll(office, ["L1", "L2", "L3"]);
    await office.run("resume", "--limit", limit);
    const states = there(office).map(([load, state]) => `${load} ${state}`);
    const cancelled = states.filter((state) => state.endsWith("cancelled")).length;
    expect([limit, cancelled > 0, cancelled < 3]).toEqual([limit, true, limit !== "5"]);
    expect([limit, states.filter((state) => state.endsWith("open")).length]).toEqual([limit, 3]);
    expect((await office.run("resume")).exitCode).toBe(0);
    expect(there(office).filter(([, state]) => state === "open")).toHaveLength(3);
  }
});

describe("a replacement of what was pruned (F86)", () => {
  const pruned = async () => {
    const office = openOffice(weighings);
    office.writeCsv("w-1.csv", file(row("L1", 10, "1"), row("L1", 20, "2")));
    await office.import("w-1.csv");
    office.writeCsv("w-2.csv", file(row("L1", 30, "3")));
    await office.import("w-2.csv");
    office.world.now += 400 * 86_400_000;
    expect((await office.type("ledger", "prune", "--keep-for", "1d")).code).toBe(0);
    office.world.now -= 400 * 86_400_000;
    office.writeCsv("w-3.csv", file(row("L1", 30, "4")));
    await office.import("w-3.csv");
    return office;
  };
  const whole = [
    ["L1", "cancelled", "1", "2", "3"],
    ["L1", "open", "1", "2", "4"],
  ];

  it("is sent whole from what was packed", async () => {
    const office = await pruned();
    const { out } = await office.type("replace", "load/L1", "--reason", "weight");
    expect(out).toContain("planned with 3 events");
    expect((await office.run("resume")).exitCode).toBe(0);
    expect(there(office)).toEqual(whole);
  });

  it("is held, and its predecessor stays, until its rows come again where the ledger has no body", async () => {
    const office = await pruned();
    const ledger = new Database(office.path("state/sandbox/ledger.db"));
    ledger.exec("DELETE FROM pages WHERE kind = 'bodies'");
    ledger.close();
    const { out } = await office.type("replace", "load/L1", "--reason", "weight");
    expect(out).toContain("The ledger does not have 2 events of it");
    expect(out.match(/^rowferry .*$/gm)).toEqual(["rowferry import <mapping> <files…> --sandbox"]);
    const held = await office.run("resume");
    expect(held).toMatchObject({ exitCode: 3, open: { events: { held: 4 } } });
    // Nothing that is printed gives up what is missing; the files that have it are named.
    const { out: status } = await office.type("status");
    expect(status).toMatch(
      /weighing of load L1 waits for its row, imported again\s+w-1\.csv, row \d · replacement-incomplete/,
    );
    expect(status.match(/^rowferry .*$/gm)).toEqual(["rowferry import <mapping> w-1.csv --sandbox"]);
    expect((await office.type("resume")).out).toMatch(/^4 events wait for something that only you can settle/);
    expect(there(office)).toEqual([["L1", "open", "1", "2", "3"]]);
    expect((await office.import("w-1.csv")).exitCode).toBe(0);
    expect(there(office)).toEqual(whole);
  });
});
