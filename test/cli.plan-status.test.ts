import { expect, it } from "vitest";
import type { Plan, Status } from "../src/cli/pipeline.js";
import { testWorld, type } from "./cli.world.js";

const plan: Plan = {
  inputs: [{ input: "march.csv", sheet: null, read: 560, skipped: 6, invalid: 0, known: 0, staged: 554 }],
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
  preview: null,
  doubted: [],
  problems: [],
  waiting: [],
  exitCode: 0,
};

function planned(found: Plan) {
  const world = testWorld({ pipeline: { planImport: () => Promise.resolve(found) } });
  return { world, code: type(world, "plan", "m.yaml", "march.csv") };
}

it("plan shows rows, events, requests as a range where lookups may find participants, and the time at the limit", async () => {
  const { world, code } = planned(plan);
  expect(await code).toBe(0);
  expect(world.stdout.text).toMatch(/march\.csv +560 = +6 \+ +0 \+ +0 \+ +554\n/);
  expect(world.stdout.text).toContain("550 to send, 3 held, 1 that can never be sent");
  expect(world.stdout.text).toContain("114 to 136, at least 5s at the limit");
  expect(world.stdout.text).toContain("Nothing was sent, and the ledger is as it was.");
});

it("plan of known rows needs no request; it ends as the import would", async () => {
  const known = { ...plan.inputs[0], staged: 0, known: 554 } as Plan["inputs"][number];
  const { world, code } = planned({ ...plan, inputs: [known], requests: {}, documents: 0 });
  expect(await code).toBe(0);
  expect(world.stdout.text).toContain("Requests      none");
  expect(await planned({ ...plan, exitCode: 3 }).code).toBe(3);
});

const status: Status = {
  open: { participants: {}, addresses: {}, documents: { stranded: 1 }, events: { held: 91, stalled: 2 }, rows: 21 },
  problems: [{ code: "file-missing", count: 7, example: "march.csv, row 135: \u001b[31mred" }],
  waiting: [
    {
      code: "reference-unknown",
      count: 91,
      row: null,
      example: "march.csv, row 2, step of manifest 1: waits for manifest 9",
    },
  ],
  lastRun: { name: "2026-11-20T0200-import", startedAt: "2026-11-20T02:00:00.000Z", finishedAt: null, exitCode: null },
};

it("status says what is open, why, how the last run ended, and what to type where sending can go on", async () => {
  const world = testWorld({ pipeline: { readStatus: () => Promise.resolve(status) } });
  expect(await type(world, "status")).toBe(0);
  expect(world.stdout.text).toContain("events        91 held, 2 stalled\nrows          21 to correct\n");
  expect(world.stdout.text).toContain("not finished: it goes on, or was killed");
  expect(world.stdout.text).toContain("march.csv, row 135: ␛[31mred");
  expect(world.stdout.text).toMatch(/Waiting +code +for example\n +91 +reference-unknown +march\.csv, row 2/);
  const commands = [...world.stdout.text.matchAll(/^ {2}(rowferry .*)$/gm)].map(([, command]) => command);
  expect(commands).toEqual([
    "rowferry resume --sandbox",
    "rowferry rejects --sandbox",
    "rowferry resolve <document> --document-id <id> --sandbox",
    "rowferry dismiss --code reference-unknown --sandbox",
  ]);
});

it("commands to type name the ledger that this one was told", async () => {
  const world = testWorld({ pipeline: { readStatus: () => Promise.resolve(status) } });
  await type(world, "status", "--ledger", "other/my.db");
  expect(world.stdout.text).toContain("  rowferry resume --sandbox --ledger other/my.db\n");
});

it("status of a ledger at rest says so", async () => {
  const open = { participants: {}, addresses: {}, documents: {}, events: {}, rows: 0 };
  const world = testWorld({
    pipeline: { readStatus: () => Promise.resolve({ open, problems: [], waiting: [], lastRun: null }) },
  });
  await type(world, "status");
  expect(world.stdout.text).toContain("Nothing is open.");
  expect(world.stdout.text).not.toContain("Next:");
});

it("with --json both are one line with a type", async () => {
  const pipeline = { planImport: () => Promise.resolve(plan), readStatus: () => Promise.resolve(status) };
  const world = testWorld({ pipeline });
  await type(world, "plan", "m.yaml", "a.csv", "--json");
  await type(world, "status", "--json");
  const lines = world.stdout.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(lines.map((line) => line.type)).toEqual(["target", "plan", "target", "status"]);
  expect(lines[1]).toEqual({ type: "plan", ...plan });
});
