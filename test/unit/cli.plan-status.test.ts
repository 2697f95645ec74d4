import type { Plan } from "../../src/model/summary.js";
import { testWorld, type } from "../support/cli.world.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { openOffice, openOfficeAt } from "../support/office.js";
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

it(
  "plan counts a row in the future as that, also where it is the first with its participant; the import agrees",
  long,
  async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", loads("A 2099-01-01T10:00 5", "B 10 5"));
    const { out } = await office.type("plan", "m.yaml", "w.csv");
    expect(out).toContain("Rows       2 = 1 to send + 1 in the future\n");
    const { out: sent } = await office.type("import", "m.yaml", "w.csv");
    expect(sent).toContain("Rows       2 = 1 landed + 1 in the future\n");
  },
);

it.each([
  [null, "it is still reading its files, or was killed", "still working, or killed"],
  [true, "reading is still reading its files. Nothing needs you.", "still working."],
  [false, "reading was stopped before its rows were staged", "killed."],
])(
  "status says of an unfinished import whether it works, where the system shows it: %s",
  async (isAtWork, said, last) => {
    const readStatus = () =>
      Promise.resolve({
        open: { participants: {}, addresses: {}, documents: {}, events: { planned: 2 }, rows: 0 },
        problems: [],
        waiting: [],
        unstaged: { name: "reading", exitCode: null },
        isAtWork,
        differed: null,
        refused: null,
        restored: null,
        withdrawn: [],
        lastRun: { name: "reading", startedAt: "2026-11-20T02:00:00.000Z", finishedAt: null, exitCode: null },
      });
    const world = testWorld({ pipeline: { readStatus } });
    expect(await type(world, "status")).toBe(0);
    const text = world.stdout.text.replace(/\s+/g, " ");
    expect(text).toContain(said);
    expect(text).toContain(last);
    expect(text.includes("rowferry resume")).toBe(isAtWork !== true);
  },
);

it("addresses of a participant that the service refused are in no forecast: they are not sent before it", async () => {
  const sandbox = createSandbox({ rate: null });
  const office = await openOfficeAt(sandbox, weighings);
  const refuse = { kind: "status", status: 422, when: "before" } as const;
  sandbox.setFaults([{ match: { method: "POST", path: "/participants" }, action: refuse }]);
  await office.brought("w.csv", loads("L1 10 1"));
  await office.ends(0, "resume --dry-run", "Would send nothing.");
});
