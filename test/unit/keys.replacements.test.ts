/**
 * A replacement is one unit: nothing of a generation is sent before its predecessor's CANCEL has landed, and nothing without
 * all its events (HARD-CASES H26; findings F86, F88). Judged by the service's timelines.
 */
import Database from "better-sqlite3";
import { createSandbox } from "../../src/sandbox/index.js";
import type { Status } from "../../src/model/summary.js";
import { hurried, jsonOf } from "../support/cli.world.js";
import { addByHand } from "../support/sandbox.world.js";
import { type Office, openOffice, openOfficeAt } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loads, weighings, weighingsWith } from "../support/weighings.js";

/** Key, state and weights of each document, in the order of their creation: `L1 open 1 2`. */
const there = (office: Office) =>
  office.documents().map(({ externalId, state, events }) => {
    const weights = events.flatMap(({ name, body }) => {
      const { attributes } = body["metadata"] as { attributes: { value: string }[] };
      return name === "Weighing" ? attributes.map(({ value }) => value) : [];
    });
    return [externalId, state, ...weights].join(" ");
  });

const replace = async (office: Office, load: string) =>
  expect((await office.type("replace", `load/${load}`, "--reason", "weight")).code).toBe(0);

/** Two weighings of each load, the second of them changed: it has landed as 2, and is 3 now. */
const both = (gross: string, ...names: string[]) => names.flatMap((name) => [`${name} 10 1`, `${name} 20 ${gross}`]);
async function changeAll(office: Office, ...names: string[]) {
  await office.lands("w-1.csv", loads(...both("2", ...names)));
  await office.brought("w-2.csv", loads(...both("3", ...names)));
  for (const name of names) await replace(office, name);
}

it("a replacement whose CANCEL is refused (F88) leaves one live document, says what waits, and goes on when the CANCEL is sent again", async () => {
  const sandbox = createSandbox({ rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  await changeAll(office, "L1");
  const refuse = { kind: "status", status: 422, when: "before" } as const;
  sandbox.setFaults([
    { match: { path: "/documents/{documentId}/events" }, action: refuse },
    { match: { path: "/documents/events" }, nth: 1, action: refuse },
  ]);
  expect(await office.run("resume")).toMatchObject({
    exitCode: 3,
    open: { events: { rejected: 1, held: 2 } },
    problems: [{ code: "cancel-refused", count: 1 }],
  });
  expect(there(office)).toEqual(["L1 open 1 2"]);
  expect((await office.type("status")).out).toContain("rowferry retry --code cancel-refused");
  sandbox.setFaults([]);
  await office.ends(0, "retry --code cancel-refused");
  expect(there(office)).toEqual(["L1 cancelled 1 2", "L1 open 1 3"]);
});

it(
  "a document that somebody else has cancelled is told apart, replaced by the printed commands, and no difference any more",
  long,
  async () => {
    const sandbox = createSandbox({ rate: null });
    const office = await openOfficeAt(sandbox, weighings);
    await office.brought("w-1.csv", loads("L1 10 1"));
    await addByHand(sandbox, office.documents()[0]?.id ?? "", {
      name: "CANCEL",
      externalCreatedAt: new Date(Date.now() - 60_000).toISOString(),
      metadata: { attributes: [{ name: "reason", value: "no longer valid", isPublic: true }] },
    });
    await office.ends(3, "verify", "is cancelled there, open here");
    await replace(office, "L1");
    await office.run("resume");
    const { said } = await office.type("status");
    expect(said).not.toContain("#replaced");
    expect(said).toContain("waits for the CANCEL of load L1, which is to be replaced (rejected) w-1");
    // Generation 2 has yet to be sent: it is not said to be there.
    expect(await office.type("verify")).toMatchObject({ code: 0, out: expect.not.stringContaining("sent again") });
    await office.ends(0, "dismiss --code cancel-refused");
    await office.ends(0, "resume");
    await office.ends(0, "verify");
    expect(there(office)).toEqual(["L1 cancelled 1", "L1 open 1"]);
  },
);

it(
  "replacements by selectors are of every document that an input changed, after a confirmation that says how many",
  long,
  async () => {
    const office = openOffice(weighings);
    await office.brought("w-1.csv", loads(...both("2", "L1", "L2"), "L3 10 x"));
    await office.brought("w-2.csv", loads(...both("3", "L1", "L2"), "L4 10 7"));
    const command = ["replace", "--input", "w-2.csv", "--reason", "weight"];
    const before = there(office);

    for (const selected of [[], ["load/L1", "--input", "w-2.csv"], ["--input", "w-1.csv", "--row", "6"]])
      expect((await office.type("replace", ...selected, "--reason", "weight")).code).toBe(2);
    expect(await office.type(...command, "--dry-run")).toMatchObject({
      code: 0,
      said: expect.stringMatching(/load L1: gen.* 1 \([^)]*\) will be cancelled.*load L2: gen.*Would send/),
    });
    expect(await office.type(...command)).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
    let question = "";
    office.world.ask = (text) => Promise.resolve(((question = text), "1"));
    expect((await office.type(...command)).code).toBe(2);
    expect(question).toContain("This sends 2 documents again with 4 events, and cancels them: load/L1, load/L2.");
    expect((await office.run("resume")).events).toEqual({});
    expect(there(office)).toEqual(before);

    expect(await office.type(...command, "--yes")).toMatchObject({
      code: 0,
      said: expect.stringMatching(/load L1: generation 2.*load L2: generation 2/),
    });
    await office.run("resume");
    const replaced = ["L1 cancelled 1 2", "L2 cancelled 1 2", "L4 open 7", "L1 open 1 3", "L2 open 1 3"];
    expect(there(office)).toEqual(replaced);
  },
);

it("replacements under a --limit (F88) are sent whole, or not begun", long, async () => {
  const office = openOffice(weighings);
  await changeAll(office, "L1", "L2", "L3");
  await office.run("resume", "--limit", "2");
  const inState = (state: string) => there(office).filter((document) => document.includes(state)).length;
  expect([inState("cancelled") > 0, inState("cancelled") < 3, inState("open")]).toEqual([true, true, 3]);
  await office.ends(0, "resume");
  expect(inState("open")).toBe(3);
});

describe("a replacement whose bodies the ledger lacks (F86)", () => {
  const whole = ["L1 cancelled 1 2 3", "L1 open 1 2 4"];

  it("is held, and its predecessor stays, until its rows come again", long, async () => {
    const office = openOffice(weighings);
    await office.brought("w-1.csv", loads("L1 10 1", "L1 20 2"));
    await office.brought("w-2.csv", loads("L1 30 3"));
    const ledger = new Database(office.path("state/sandbox/ledger.db"));
    ledger.exec("UPDATE events SET payload = '' WHERE id < 3");
    ledger.close();
    await office.brought("w-3.csv", loads("L1 30 4"));
    const { out } = await office.type("replace", "load/L1", "--reason", "weight");
    expect(out).toContain("The ledger has lost 2 events of it");
    expect(out.match(/^rowferry .*$/gm)).toEqual(["rowferry import <mapping> <files…> --sandbox"]);
    expect(await office.run("resume")).toMatchObject({ exitCode: 3, open: { events: { held: 4 } } });
    // Nothing that is printed gives up what is missing; the files that have it are named.
    const status = await office.type("status");
    expect(status.said).toMatch(
      /weighing of load L1 waits for its row, imported again w-1\.csv, row \d · content-missing/,
    );
    // Nothing is wrong with the ledger.
    await office.ends(0, "ledger check");
    expect(status.out.match(/^rowferry .*$/gm)).toEqual(["rowferry import m.yaml w-1.csv --sandbox"]);
    expect((await office.type("resume")).out).toMatch(/^4 events wait for something that only you can settle/);
    expect(there(office)).toEqual(["L1 open 1 2 3"]);
    await office.ends(0, "import m.yaml w-1.csv");
    expect(there(office)).toEqual(whole);
  });
});

it("a row that an edited mapping refuses, and a person gave up, leaves the document that it declared to be sent again whole", async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", loads("L1 10 1"));
  office.writeMapping(weighingsWith({ columns: { gross: { header: "Gross", as: "number", min: 5 } } }));
  await office.ends(3, "import m.yaml w.csv");
  await replace(office, "L1");
  await office.ends(0, "dismiss --input w.csv");
  await office.ends(0, "import m.yaml w.csv");
  expect(there(office)).toEqual(["L1 cancelled 1", "L1 open 1"]);
});

describe("a planned replacement that is withdrawn", () => {
  /** What a person is told, but for times and the last run. */
  const told = async (office: Office) => {
    const { open, problems, waiting } = (await jsonOf(office.world, "status")).find(
      ({ type }) => type === "status",
    ) as unknown as Status;
    return { open, problems: problems.map(({ code, count }) => [code, count].join(" ")), waiting };
  };
  const withdraws = (office: Office, name = "load/L1") =>
    office.ends(0, `withdraw --document ${name} --yes`, "1 replacement");

  it.each(
    sampled<[string, string[], string[]]>(
      [
        ["late, unreadable and new", ["L1 10 1", "L1 20 2"], ["L1 15 9", "L1 30 x", "L1 40 4"]],
        ["changed", ["L1 10 1", "L1 20 2"], ["L1 10 1", "L1 20 3"]],
        ["changed with one after it", ["L1 10 1", "L1 20 2"], ["L1 10 5", "L1 20 2", "L1 30 3", "L2 10 1"]],
      ],
      3,
    ),
  )("leaves everything as it was, and can be planned again (%s)", async (_title, before, after) => {
    const office = await openOfficeAt(createSandbox({ rate: null }), weighings);
    await office.brought("w-1.csv", loads(...before));
    await office.brought("w-2.csv", loads(...after));
    const [open, timelines] = [await told(office), there(office)];
    for (let round = 0; round < 2; round++) {
      await replace(office, "L1");
      await withdraws(office);
      expect(await office.run("resume")).toMatchObject({ requests: { sent: 0 } });
      expect(await told(office)).toEqual(open);
      await office.ends(0, "ledger check");
    }
    await office.run("import", "m.yaml", "w-2.csv");
    expect([await told(office), there(office)]).toEqual([open, timelines]);
    await replace(office, "L1");
    await office.run("resume");
    expect(there(office)[0]).toMatch(/^L1 cancelled 1 2/);
    expect(there(office).at(-1)).toMatch(/^L1 open/);
    // Now it was sent.
    expect((await office.type("withdraw", "--document", "load/L1", "--dry-run")).said).not.toContain("replacement");
  });

  it("stays withdrawn in a ledger that is rebuilt from the journal, or put back with it", async () => {
    const office = await openOfficeAt(createSandbox({ rate: null }), weighings);
    const brought = (name: string, ...rows: string[]) => {
      office.writeCsv(name, loads(...rows));
      return office.run("import", "m.yaml", name, "--journal", "journal.jsonl");
    };
    await brought("w-1.csv", "L1 10 1", "L1 20 2");
    await brought("w-2.csv", "L1 10 1", "L1 20 3");
    await replace(office, "L1");
    await office.ends(0, "ledger backup before.db");
    await withdraws(office);
    await office.ends(0, "ledger rebuild journal.jsonl --ledger rebuilt.db");
    const timelines = there(office);
    for (const more of [["--ledger", "rebuilt.db", "--journal", "journal.jsonl"], []])
      for (const file of ["w-1.csv", "w-2.csv"]) {
        const { requests } = await office.run("import", "m.yaml", file, ...more);
        expect(requests.sent).toBe(0);
      }
    expect((await office.type("status", "--ledger", "rebuilt.db")).out).toContain("rowferry replace load/L1");
    await office.ends(0, "ledger restore before.db --journal journal.jsonl");
    expect(await office.run("resume")).toMatchObject({ requests: { sent: 0 } });
    expect(there(office)).toEqual(timelines);
    await replace(office, "L1");
    await office.run("resume");
    expect(there(office)).toEqual(["L1 cancelled 1 2", "L1 open 1 3"]);
  });

  it("leaves what files have said since: another change, the landed text again, a row to give up", long, async () => {
    const office = await openOfficeAt(createSandbox({ rate: null }), weighings);
    await office.brought("w-1.csv", loads("L1 10 1", "L1 20 2", "L1 30 3"));
    await office.brought("w-2.csv", loads("L1 10 5", "L1 20 5", "L1 30 5"));
    await replace(office, "L1");
    office.writeCsv("w-3.csv", loads("L1 10 6", "L1 20 2", "L1 30 5", "L1 40 4", "L2 10 x"));
    await office.run("import", "m.yaml", "w-3.csv", "--max-errors", "0");
    await office.ends(0, "dismiss --row w-3.csv:5");
    await withdraws(office);
    await office.run("resume");
    const { open, problems } = await told(office);
    expect([open.events, problems]).toEqual([{ changed: 2 }, ["changed 2", "number-unreadable 1"]]);
    expect(there(office)).toEqual(["L1 open 1 2 3"]);
    await office.ends(0, "ledger check");
  });

  it("strands its document again", long, async () => {
    const sandbox = createSandbox({ rate: null });
    const office = await openOfficeAt(sandbox, weighings);
    hurried(office.world);
    sandbox.setFaults([
      { match: { method: "POST", path: "/documents/events" }, action: { kind: "drop", when: "after" } },
    ]);
    await office.brought("w-1.csv", loads("L1 10 1"));
    sandbox.setFaults([]);
    await office.brought("w-2.csv", loads("L1 20 2"));
    const open = await told(office);
    expect(open.open.documents).toEqual({ stranded: 1 });
    await replace(office, "L1");
    await withdraws(office);
    await office.run("resume");
    expect(await told(office)).toEqual(open);
    await office.type("resolve", "load/L1", "--document-id", office.documents()[0]?.id ?? "", "--yes");
    await office.run("resume");
    expect(there(office)).toEqual(["L1 open 1 2"]);
  });
});
