import type { Plan, Status } from "../../src/model/summary.js";
import { testWorld, type } from "../support/cli.world.js";
import { openOffice } from "../support/office.js";
import { summary } from "../support/summary.sample.js";
import { loads, weighings } from "../support/weighings.js";

const plan: Plan = {
  inputs: [{ input: "march.csv", sheet: null, read: 560, skipped: 6, invalid: 0, known: 0, staged: 554 }],
  outcomes: { ...summary().outcomes, landed: 0, toCorrect: 0, toDecide: 1, toSend: 550 },
  requests: {
    "lookup-participant": 22,
    "create-participant": 22,
    "create-address": 26,
    "create-document": 0,
    "create-with-events": 66,
  },
  secondsAtLimit: 5.3,
  documents: 66,
  events: { ready: 550, held: 3, deferred: 0, refused: 1 },
  cheaper: null,
  preview: null,
  doubted: [],
  problems: [],
  waiting: [],
  warnings: [],
  exitCode: 0,
};

function planned(found: Plan) {
  const world = testWorld({ pipeline: { planImport: () => Promise.resolve(found) } });
  return { world, code: type(world, "plan", "m.yaml", "march.csv") };
}

it("plan answers first: events, requests as a range where lookups may find participants, and the time at the limit", async () => {
  const { world, code } = planned(plan);
  expect(await code).toBe(0);
  expect(world.out).toMatch(
    /^Would send 550 events on 66 documents with 114 to 136 requests: 5 s at the\nlimit\. Nothing was sent\.\n/,
  );
  expect(world.out).toContain("Rows       560 = 3 waiting for them + 1 to decide + 550 to send + 6 skipped\n");
  expect(world.out).toContain("550 to send, 3 held, 1 that can never be sent\n");
  expect(world.out).toContain("rowferry import m.yaml march.csv --sandbox\n");
});

it("plan counts a row in the future as that, also where it is the first with its participant; the import agrees", async () => {
  const office = openOffice(weighings);
  office.writeCsv("w.csv", loads("A 2099-01-01T10:00 5", "B 10 5"));
  const { out } = await office.type("plan", "m.yaml", "w.csv");
  expect(out).toContain("Rows       2 = 1 to send + 1 in the future\n");
  const { out: sent } = await office.type("import", "m.yaml", "w.csv");
  expect(sent).toContain("Rows       2 = 1 landed + 1 in the future\n");
});

it("plan names the line to change, the file, what it saves and what it costs; nothing where nothing saves enough", async () => {
  const setting = { setting: "creation: with-events", mapping: "m.yaml", saves: 14_700, secondsAtLimit: 2208 };
  const requests = { "create-document": 14_700, "append-events": 44_171 };
  const { world, code } = planned({ ...plan, requests, secondsAtLimit: 2942, cheaper: setting });
  expect(await code).toBe(0);
  expect(world.out.replace(/\s+/g, " ")).toContain(
    'Cheaper "creation: with-events" under settings in m.yaml would save 14,700 of 58,871 requests: 37 min at the limit instead of 49 min. If the answer to a creation is lost,',
  );
  const without = planned(plan);
  await without.code;
  expect(without.world.stdout.text).not.toContain("Cheaper");
});

const status: Status = {
  open: { participants: {}, addresses: {}, documents: { stranded: 1 }, events: { held: 91, stalled: 2 }, rows: 21 },
  problems: [
    { code: "file-missing", count: 7, place: "march.csv, row 135", column: "Peso", example: "\u001b[31mred" },
    { code: "late", count: 2, place: "march.csv, row 9", column: null, example: "weighing of manifest 1" },
  ],
  waiting: [
    {
      code: "reference-unknown",
      count: 91,
      row: null,
      place: "march.csv, row 2",
      column: null,
      example: "step of manifest 1 waits for manifest 9",
    },
  ],
  unstaged: null,
  isAtWork: null,
  restored: null,
  withdrawn: [{ input: "a.csv", rows: 2 }],
  lastRun: { name: "2026-11-20T0200-import", startedAt: "2026-11-20T02:00:00.000Z", finishedAt: null, exitCode: null },
};

it.each([
  [null, "it is still reading its files, or was killed", "still working, or killed"],
  [true, "reading is still reading its files. Nothing needs you.", "still working."],
  [false, "reading was stopped before its rows were staged", "killed."],
])(
  "status says of an unfinished import whether it works, as far as the system shows it: %s",
  async (isAtWork, said, last) => {
    const open = { participants: {}, addresses: {}, documents: {}, events: { planned: 2 }, rows: 0 };
    const lastRun = { name: "reading", startedAt: "2026-11-20T02:00:00.000Z", finishedAt: null, exitCode: null };
    const found = { ...status, open, problems: [], waiting: [], withdrawn: [], isAtWork, lastRun };
    const readStatus = () => Promise.resolve({ ...found, unstaged: { name: "reading", exitCode: null } });
    const world = testWorld({ pipeline: { readStatus } });
    expect(await type(world, "status")).toBe(0);
    const text = world.stdout.text.replace(/\s+/g, " ");
    expect(text).toContain(said);
    expect(text).toContain(last);
    expect(text.includes("rowferry resume")).toBe(isAtWork !== true);
  },
);

it("status says what needs a person, what is wrong and where, how the last run ended, and what to type", async () => {
  const world = testWorld({ pipeline: { readStatus: () => Promise.resolve(status) } });
  expect(await type(world, "status")).toBe(0);
  const { text } = world.stdout;
  expect(text).toMatch(/^sandbox: 22 things need you\. Nothing is lost\.\n/);
  expect(text).toContain("Events     91 held, 2 stalled\nRows       21 to correct\n");
  expect(text).toMatch(/To correct: .*\n {2}7 {2}Peso: ␛\[31mred\n {5}march\.csv, row 135 · file-missing\n/);
  expect(text).toMatch(/To decide: .*\n {2}2 {2}weighing of manifest 1\n {5}march\.csv, row 9 · late\n/);
  expect(text).toMatch(
    /Waiting: .*\n {2}91 {2}step of manifest 1 waits for manifest 9\n {6}march\.csv, row 2 · reference-unknown/,
  );
  expect(text).toContain("a.csv: 2 rows were taken back. Importing the file stages them again.\n");
  expect(text).toMatch(/Last run 2026-11-20T0200-import, .*: still working, or killed\.\n/);
  const commands = [...world.out.matchAll(/^(rowferry .*)$/gm)].map(([, command]) => command);
  expect(commands).toEqual([
    "rowferry resume --sandbox",
    "rowferry rejects --sandbox",
    "rowferry replace <document> --reason <text> --sandbox",
    "rowferry dismiss --code late --sandbox",
    "rowferry resolve <document> --document-id <id> --sandbox",
    "rowferry console",
    "rowferry import <mapping> <files…> --sandbox",
    "rowferry dismiss --code reference-unknown --sandbox",
  ]);
});
