import { stripVTControlCharacters } from "node:util";
import { nextSteps } from "../../src/report/next-steps.js";
import { createOutput, tell } from "../../src/cli/output.js";
import { printSummary } from "../../src/cli/render/summary.js";
import type { Summary } from "../../src/model/summary.js";
import { collectedStream, testWorld } from "../support/cli.world.js";
import { openOffice } from "../support/office.js";
import { summary } from "../support/summary.sample.js";
import { loads, weighings } from "../support/weighings.js";

function printed(changes: Partial<Summary> = {}, columns = 80) {
  const one = summary(changes);
  const stdout = collectedStream(false, columns);
  tell(
    createOutput({ ...testWorld(), stdout }, {}),
    printSummary(one, one.problems, (path) => path),
  );
  return stdout.text;
}

describe("the closing summary", () => {
  it("shows rows as a sum of what became of each", () => {
    expect(printed()).toContain(
      "Rows       312 = 204 landed + 3 waiting for them + 3 to correct + 100 known + 2\n           skipped\n",
    );
  });

  const { outcomes, open, requests } = summary();
  const noRows = { read: 0, skipped: 0, invalid: 0, known: 0, staged: 0 };
  const noneWaits = { ...outcomes, waiting: 0 };
  const nothing = { events: {}, documents: {}, participants: {}, addresses: {} };
  const resumed = { command: "resume", inputs: [], rows: noRows, events: { landed: 45 } };
  const left = (events: Summary["open"]["events"]) => ({ open: { ...open, rows: 0, events } });
  const away = { code: "service-outage" as const, message: "the service was away for 30 min" };
  const refused = {
    exitCode: 4 as const,
    stopped: { code: "credentials-refused" as const, message: "The service answered 401." },
  };
  const idle = { ...resumed, ...nothing, outcomes: { ...noneWaits, toCorrect: 0 } };
  const known = {
    rows: { ...noRows, read: 6, skipped: 1, known: 5 },
    outcomes: { ...noneWaits, landed: 0, toCorrect: 0 },
    ...nothing,
  };

  it.each<[end: string, changes: Partial<Summary>, first: string]>([
    ["all is well", {}, "All is well. 404 events landed on 207 documents in 5 min 30 s."],
    ["rows to correct, for which others wait", { exitCode: 3 }, "3 rows need you. Nothing is lost; 3 more rows wait."],
    [
      "rows to correct, and nothing waits",
      { exitCode: 3, outcomes: noneWaits, open: { ...open, events: {} } },
      "3 rows need you. Nothing is lost; everything else is done.",
    ],
    [
      "rows to correct, and a limit left some",
      { exitCode: 3, outcomes: { ...noneWaits, toSend: 2 }, open: { ...open, events: { planned: 2 } } },
      "3 rows need you. Nothing is lost; 2 rows are still to send.",
    ],
    [
      "earlier problems, and a limit left some",
      { ...idle, exitCode: 3, open: { ...open, rows: 1, events: { planned: 2 } } },
      "Nothing is lost, but the ledger holds 1 thing that needs you. 2 events left for the next run.",
    ],
    ["known rows", known, "Nothing new: all 5 rows had landed before."],
    [
      "known rows, and earlier problems",
      { ...known, exitCode: 3 },
      "Nothing in these files needs you, but the ledger holds",
    ],
    [
      "an outage",
      { exitCode: 4, stopped: away },
      "Not finished. The service was away for 30 min. Nothing is lost; `rowferry resume`",
    ],
    ["Ctrl-C", { exitCode: 130 }, "Interrupted. Nothing is lost;"],
    [
      "resumed and stopped",
      { ...resumed, ...refused, ...left({ planned: 426 }) },
      "Not finished. The service answered 401. 45 events landed in this run; 426 events still to send. Nothing is lost",
    ],
    [
      "stopped before anything landed",
      { ...resumed, ...refused, events: {}, ...left({ planned: 1, stalled: 2 }) },
      "Not finished. The service answered 401. Nothing landed in this run; 1 event still to send, 2 events in doubt.",
    ],
    [
      "interrupted with a request under way",
      { ...resumed, exitCode: 130, events: { landed: 1 }, ...left({ sending: 1 }) },
      "Interrupted. 1 event landed in this run; 1 event in doubt. Nothing is lost",
    ],
    [
      "nothing to do",
      { ...idle, requests: { ...requests, byKind: {} }, ...left({}) },
      "All is well. There was nothing to send.",
    ],
    [
      "nothing to do yet",
      { ...idle, ...left({ deferred: 1, waiting: 2 }) },
      "All is well. 3 events wait for their time; a later run sends them.",
    ],
    [
      "documents created without events",
      { ...idle, documents: { open: 2 }, requests: { ...requests, byKind: { "create-document": 2 } }, ...left({}) },
      "All is well. 2 documents created in",
    ],
  ])("answers first: %s", (_, changes, first) => {
    expect(printed(changes).replaceAll(/\s+/g, " ").slice(0, first.length)).toBe(first);
  });

  it("shows escapes in cells and answers instead of obeying them (HARD-CASES H35)", () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J\u202Egnp.exe\r\nnext";
    const text = printed({
      problems: [{ code: "file-missing", count: 1, place: evil, column: evil, example: evil }],
      stopped: { code: "interrupted", message: evil },
      inputs: [{ input: evil, sheet: evil, read: 312, skipped: 2, invalid: 3, known: 100, staged: 207 }],
    });
    // oxlint-disable-next-line no-control-regex -- this is what is looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain("␛");
  });
});

describe("the next command", () => {
  it("after a wrong address gives the ledger the corrected one before it goes on", () => {
    const stopped = { code: "service-path-unknown" as const, message: "Check the path of baseUrl." };
    const steps = nextSteps(summary({ exitCode: 4, stopped }), (path) => path);
    expect(steps.map(({ command }) => command).slice(0, 2)).toEqual([
      "rowferry ledger rebind --sandbox",
      "rowferry resume --sandbox",
    ]);
  });

  const rejected = (name: string, mapping: string) => {
    return { kind: "rejected" as const, path: `state/sandbox/runs/x/${name}.rejected.csv`, mapping, correctable: true };
  };

  it("names no file whose rows a correction cannot help, such as late ones", () => {
    const open = { ...summary().open, events: { rejected: 2 } };
    const late = { ...rejected("late", "manifests.yaml"), correctable: false };
    const files = [late, rejected("march", "manifests.yaml")];
    const [step] = nextSteps(summary({ exitCode: 3, open: { ...open, rows: 1 }, files }), (path) => path);
    expect(step?.command).toBe("rowferry import manifests.yaml state/sandbox/runs/x/march.rejected.csv --sandbox");
  });

  it("is to correct and import the rejected file with its own mapping, quoted for the shell", () => {
    const files = [
      rejected("it's March", "manifests.yaml"),
      rejected("of-2025-10", "old.yaml"),
      rejected("b", "old.yaml"),
    ];
    const steps = nextSteps(summary({ exitCode: 3, mapping: null, files }), (path) => path);
    expect(steps.map(({ command }) => command)).toEqual([
      `rowferry import manifests.yaml 'state/sandbox/runs/x/it'\\''s March.rejected.csv' --sandbox`,
      "rowferry import old.yaml state/sandbox/runs/x/of-2025-10.rejected.csv state/sandbox/runs/x/b.rejected.csv --sandbox",
      "rowferry console",
    ]);
  });
});

describe("what earlier files left open", () => {
  it("is only counted beside what these files need, at a terminal too", long, async () => {
    const office = openOffice(weighings);
    office.world.stdout = collectedStream(true);
    await office.brought("monday.csv", loads("A 10 5", "B 10 x", "C 10 y", "D 10 z", "E 2025-13-01T10:00 5"));
    office.writeCsv("tuesday.csv", loads("F 10 w", "A 10 6", "G 10 5"));
    const words = (text: string) => stripVTControlCharacters(text).replace(/\s+/g, " ");
    const said = words((await office.type("import", "m.yaml", "tuesday.csv")).out);
    expect(said).toContain("2 rows need you. Nothing is lost; everything else in these files is done.");
    expect(said).toMatch(/ 1 Gross: \S+ is not a number tuesday\.csv, row 2 · number-unreadable /);
    expect(said).toContain("tuesday.csv, row 3 · changed");
    expect(said).toContain("Earlier imports left 4 more problems.");
    expect(said).not.toContain("monday.csv, row 3");
    expect(said).toContain("rowferry status --sandbox see what earlier imports left open");
    const planned = words((await office.type("plan", "m.yaml", "tuesday.csv")).out);
    expect(planned).toContain("Earlier imports left 4 more problems.");
    // Where these files need nothing, the ledger's problems are what there is to tell.
    const rest = words((await office.type("resume")).out);
    for (const place of ["monday.csv, row 3", "tuesday.csv, row 3"]) expect(rest).toContain(place);
    expect(rest).not.toContain("Earlier imports");
  });

  it("is told of as these files' own where it came back in them", long, async () => {
    const office = openOffice(weighings);
    await office.brought("monday.csv", loads("A 10 5", "B 10 x"));
    await office.brought("tuesday.csv", loads("A 10 6", "B 10 x"));
    const { problems } = await office.brought("wednesday.csv", loads("A 10 6", "C 10 5"));
    expect(problems.map(({ code, count, earlier }) => [code, count, earlier])).toEqual([
      ["number-unreadable", 1, 1],
      ["changed", 1, undefined],
    ]);
  });
});

it("one command that serves two purposes is told with both, each a whole clause", long, async () => {
  const office = openOffice(weighings);
  await office.brought("w.csv", loads("A 20 5"));
  await office.brought("more.csv", loads("A 10 5", "A 20 6"));
  const { out } = await office.type("status");
  expect(out.replace(/\s+/g, " ")).toContain("send it again; rows came too late");
});
