/** What the console says first of a ledger, without a server. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { forPage } from "../../src/console/jobs.js";
import {
  createTargets,
  decisionsOf,
  explained,
  filesOf,
  livesOf,
  overviewOf,
  startable,
} from "../../src/console/overview.js";
import { resolveTarget, runImport } from "../../src/index.js";
import { type Code, codes } from "../../src/model/codes.js";
import { solutionOf } from "../../src/model/solution.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { mapping } from "../support/mapping.js";
import { openOffice, openOfficeAt } from "../support/office.js";
import { loads, loadsWith, weighings, weighingsWith } from "../support/weighings.js";

it("times are in the zone of the mapping, also where that comes from the one which it extends", long, async () => {
  const { defaults, ...rest } = weighings;
  const office = openOffice({ ...rest, extends: "base.yaml" });
  writeFileSync(office.path("base.yaml"), mapping({ defaults: { ...defaults, timezone: "America/Sao_Paulo" } }));
  await office.brought("w.csv", ["Load,At,Gross", "A,2026-01-01 10:00,5"]);
  const { cwd, now } = office.world;
  expect(overviewOf("sandbox", createTargets({ cwd, env: {} }), cwd, now)).toMatchObject({
    answer: "All is well.",
    zone: "America/Sao_Paulo",
  });
});

it("a run of the library, which tells nobody how far it is, is known to be at work until it ends", long, async () => {
  const office = openOffice(weighings);
  const { cwd } = office.world;
  office.writeCsv("w.csv", ["Load,At,Gross", "A,2026-01-01 10:00,5"]);
  const lives = () => livesOf(createTargets({ cwd, env: {} }), office.world.now);
  const seen: unknown[] = [];
  const target = resolveTarget({ name: "sandbox", env: {}, cwd });
  const files = [office.path("w.csv")];
  await runImport({ target, mapping: office.path("m.yaml"), files, onEvent: () => seen.push(lives()) });
  expect([seen.at(-1), lives()]).toEqual([{ sandbox: null }, {}]);
});

it("what waits for a document of someone else is not offered to be given up before that is decided", long, async () => {
  const office = await openOfficeAt(createSandbox(), weighings);
  await office.lands("w.csv", loads("A 11 1", "A 12 1"));
  rmSync(office.path("state"), { recursive: true });
  await office.brought("w.csv", loads("A 11 1", "A 12 1"));
  const { cwd, env, now } = office.world;
  const waits = () => overviewOf("env", createTargets({ cwd, env }), cwd, now).waiting;
  expect(waits()).toMatchObject([{ code: "document-stranded", count: 2, canBeGivenUp: false }]);
});

it("a refused file that the page does not list to be imported again is said to be elsewhere", long, async () => {
  const office = openOffice(weighings);
  const { cwd, now } = office.world;
  const isHere = async (folder: string) => {
    mkdirSync(office.path(folder), { recursive: true });
    office.writeCsv(`${folder}/w.csv`, ["Load,At,Gross", "A,2026-01-01 10:00,x", "B,2026-01-01 10:00,5"]);
    await office.ends(3, `import m.yaml ${folder}/w.csv --max-errors 10%`);
    const [{ file, isHere: here } = {}] = overviewOf("sandbox", createTargets({ cwd, env: {} }), cwd, now).waiting;
    const { files } = await startable(cwd);
    return [here, files.includes(file ?? "")];
  };
  expect([await isHere("inbox"), await isHere("inbox/march")]).toEqual([
    [true, true],
    [false, false],
  ]);
});

it("of files, those are offered to be taken back of which `withdraw` can take something back", long, async () => {
  const office = openOffice(weighings);
  const { cwd } = office.world;
  const target = resolveTarget({ name: "sandbox", env: {}, cwd });
  await office.brought("landed.csv", ["Load,At,Gross", "A,2025-01-01 10:00,5"]);
  await office.brought("again.csv", ["Load,At,Gross", "A,2025-01-01 10:00,5", "B,2025-01-01 10:00,5"]);
  await office.brought("wrong.csv", ["Load,At,Gross", "C,2025-01-01 10:00,x", "C,2025-01-02 10:00,5"]);
  await office.brought("later.csv", ["Load,At,Gross", "D,2099-01-01 10:00,5"]);
  await office.brought("late.csv", ["Load,At,Gross", "A,2024-01-01 10:00,5"]);
  await office.brought("given-up.csv", ["Load,At,Gross", "E,2025-01-01 10:00,x"]);
  await office.ends(0, "dismiss --input given-up.csv --yes");
  await office.brought("back.csv", ["Load,At,Gross", "F,2025-01-01 10:00,x"]);
  await office.ends(0, "withdraw --input back.csv --yes");
  const offered: string[] = [];
  for (const { name, run, canTakeBack } of filesOf(target, cwd)) {
    const { code, said } = await office.type("withdraw", "--input", name, "--run", run, "--dry-run");
    const isTakenBack = code === 0 && !said.includes("taken back already");
    expect([name, isTakenBack], said).toEqual([name, canTakeBack]);
    if (canTakeBack) offered.push(name);
  }
  expect(offered).toEqual(["later.csv", "wrong.csv"]);
});

it(
  "of rows after a CLOSE, a replacement is offered to those that it would send: the others took place after it",
  long,
  async () => {
    const of = { by: "what", is: ["weighing"] };
    const { inputs, ...rest } = weighingsWith({ columns: { what: "What" }, event: of });
    const { weighings: input } = inputs;
    const close = { ...input.events["weighing"], ...of, is: ["close"], name: "CLOSE", attributes: {} };
    const office = openOffice({ ...rest, inputs: { weighings: { ...input, events: { ...input.events, close } } } });
    await office.brought(
      "w.csv",
      loadsWith(["What"], "A 10 5 close", "A 30 5 weighing", "B 10 5 weighing", "B 20 5 close"),
    );
    await office.brought("more.csv", loadsWith(["What"], "B 15 5 weighing"));
    const target = resolveTarget({ name: "sandbox", env: {}, cwd: office.world.cwd });
    const { records } = decisionsOf(target, "after-close");
    expect(records.map(({ key, isHelped }) => [key, isHelped])).toEqual([
      ["A", 0],
      ["B", 1],
    ]);
  },
);

it("commands to type and advice to the mapping's author are left out, which the page's reader does not need", () => {
  expect(explained({ code: "value-not-allowed" }).remedy).toBe("Correct the cell.");
  const ofRows = Object.entries(codes).filter(
    ([code, { exit }]) => exit === undefined && solutionOf(code as Code) === "correct",
  );
  const forAuthors = ofRows.filter(([code]) => /`|mapping/.test(explained({ code }).remedy));
  expect(forAuthors.map(([code]) => code)).toEqual([
    "function-failed",
    "group-unclear",
    "time-repeated",
    "reference-key-twice",
    "row-id-twice",
    "keys-nearly-equal",
  ]);
  expect(explained({ code: "document-rejected" }).remedy).toBe(
    "Correct the document's fields in its row and import it again.",
  );
  expect(forPage("Not finished. Nothing is lost; `rowferry resume` continues.")).toBe("Not finished. Nothing is lost.");
  expect(forPage("Write `decimal` under `defaults:`; nothing else is needed.")).toBe(
    "Write `decimal` under `defaults:`; nothing else is needed.",
  );
});
