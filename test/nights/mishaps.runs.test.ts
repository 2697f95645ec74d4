/** Mishaps of runs, played: what the operator does, what is said, what is on the service in the end. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type Office, openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const rows = [
  ["Load", "At", "Gross"],
  ["L1", "2026-01-01 10:00", "5"],
];
const hook = 'printf "%s %s" "$ROWFERRY_EXIT_CODE" "$ROWFERRY_ERROR" > hook.txt';

function open(): Office & { said: () => string; typed: Office["type"]; importing: readonly string[] } {
  const office = openOffice(weighings);
  office.writeCsv("loads.csv", rows);
  return {
    ...office,
    said: () => readFileSync(office.path("hook.txt"), "utf8"),
    typed: (...argv) => office.type(...argv, "--on-finish", hook, "--metrics", office.path("run.prom")),
    importing: ["import", office.path("m.yaml"), office.path("loads.csv")],
  };
}

describe("--on-finish and --metrics run whatever the end (F19)", () => {
  const metrics = (office: Office) => readFileSync(office.path("run.prom"), "utf8");

  it.each([
    ["a file that is not there", ["import", "m.yaml", "gone.csv"], 2],
    ["a mapping that is not there", ["import", "gone.yaml", "loads.csv"], 2],
    ["file and mapping in each other's place", ["import", "loads.csv", "m.yaml"], 2],
    ["a target that nobody knows", ["import", "m.yaml", "loads.csv", "--target", "prod"], 2],
  ])("after %s", async (_, [command = "", ...files], code) => {
    const office = open();
    const argv = files.map((file) => (/\.\w+$/.test(file) ? office.path(file) : file));
    expect((await office.typed(command, ...argv)).code).toBe(code);
    expect(office.said()).toMatch(new RegExp(`^${code} [a-z-]+$`));
    expect(metrics(office)).toMatch(new RegExp(`rowferry_last_run_exit_code\\{[^}]*\\} ${code}\n`));
    expect(metrics(office)).toContain("rowferry_last_run_finished_timestamp_seconds");
    expect(existsSync(office.path("state/sandbox/store.db")) ? office.documents() : []).toEqual([]);
  });

  it("figures that cannot be written are told, and the run, its summary and the hook are as ever", long, async () => {
    const office = open();
    const path = join(office.world.cwd, "not-mounted", "run.prom");
    const { code, out, err } = await office.type(...office.importing, "--on-finish", hook, "--metrics", path);
    expect([code, office.said()]).toEqual([0, "0 "]);
    expect(out).toContain("All is well. 1 event landed");
    expect(err).toMatch(/--metrics was not written: there is no folder \S+not-mounted/);
    expect(existsSync(join(office.world.cwd, "not-mounted"))).toBe(false);
    expect(office.documents()).toHaveLength(1);
    const unusable = await office.type(...office.importing, "--metrics", "x".repeat(300));
    expect([unusable.code, unusable.err]).toEqual([
      0,
      expect.stringMatching(/--metrics was not written: \S+x cannot be used/),
    ]);
  });
});

it(
  "what grows (F99): prune keeps half a year unless told; old runs' folders go, but for those in which a person has worked since",
  long,
  async () => {
    const office = open();
    office.writeCsv("other.csv", ["Load,At,Gross", "L2,2026-01-01 10:00,much"]);
    await office.type(...office.importing);
    await office.type("import", "m.yaml", "other.csv");
    const folders = () => readdirSync(office.path("state/sandbox/runs")).toSorted();
    const [landed = "", rejected = ""] = folders();
    const filesOf = (run: string) => readdirSync(office.path(`state/sandbox/runs/${run}`), { withFileTypes: true });
    const age = (run: string, days: number) => {
      const at = new Date(office.world.now - days * 86_400_000);
      for (const { parentPath, name } of filesOf(run)) utimesSync(join(parentPath, name), at, at);
    };
    for (const run of folders()) age(run, 0);
    await office.ends(0, "ledger prune");
    expect(folders()).toEqual([landed, rejected]);
    office.world.now += 181 * 86_400_000;
    age(landed, 181);
    age(rejected, 181);
    const corrected = filesOf(rejected).find(({ name }) => name.includes(".rejected."));
    const yesterday = new Date(office.world.now - 86_400_000);
    utimesSync(office.path(`state/sandbox/runs/${rejected}/${corrected?.name}`), yesterday, yesterday);
    const { code, out } = await office.type("ledger", "prune");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Removed: folders of 1 run, ") as string });
    expect(folders()).toEqual([rejected]);
    // What a person asks for afterwards is answered all the same.
    expect((await office.type("show", "L1")).out).toContain("landed");
    expect((await office.type("show", landed)).out).toContain("loads.csv");
    expect((await office.type("report", landed)).code).toBe(0);
    expect((await office.run(...office.importing)).rows).toMatchObject({ known: 1, staged: 0 });
  },
);

it("a row that nobody corrects keeps the newest run's folder, and not that of every night since", long, async () => {
  const office = open();
  const wrong = ["Load,At,Gross", "L2,2026-01-01 10:00,much"];
  for (const night of ["one.csv", "two.csv", "three.csv"]) {
    office.writeCsv(night, night === "one.csv" ? wrong : rows);
    await office.type("import", "m.yaml", night);
  }
  const runs = office.path("state/sandbox/runs");
  const [, , newest = ""] = readdirSync(runs).toSorted();
  // The files are of the machine's own time.
  office.world.now = Date.now() + 181 * 86_400_000;
  expect((await office.type("ledger", "prune")).out).toContain("Removed: folders of 2 runs, ");
  expect(readdirSync(runs)).toEqual([newest]);
  expect(readdirSync(join(runs, newest))).toContain("one.rejected.csv");
});

it("the ids that came back in a run that was killed are in the next run's receipts, once", long, async () => {
  const office = open();
  const receiptsOf = (files: { kind: string; path: string }[]) =>
    readFileSync(files.find(({ kind }) => kind === "receipts")?.path ?? "", "utf8").match(/document,load,L\d/g);
  await office.run(...office.importing);
  const ledger = new Database(office.path("state/sandbox/ledger.db"));
  ledger.exec("UPDATE runs SET finished_at = NULL, exit_code = NULL, summary = NULL");
  ledger.close();
  const next = await office.brought("next.csv", ["Load,At,Gross", "L2,2026-01-01 10:00,5"]);
  expect(receiptsOf(next.files)).toEqual(["document,load,L1", "document,load,L2"]);
  const last = await office.brought("last.csv", ["Load,At,Gross", "L3,2026-01-01 10:00,5"]);
  expect(receiptsOf(last.files)).toEqual(["document,load,L3"]);
});

describe("a disk that is not mounted (F98)", () => {
  it.each([
    [
      "journal",
      (office: Office, importing: readonly string[], path: string) => office.type(...importing, "--journal", path),
    ],
    ["backup", (office: Office, _: readonly string[], path: string) => office.type("ledger", "backup", path)],
  ])("no folder is made for a %s: nothing is done until it is there", long, async (name, write) => {
    const office = open();
    if (name === "backup") await office.type(...office.importing);
    const path = office.path("not-mounted/file");
    const before = name === "backup" ? office.documents() : [];
    const { code, err } = await write(office, office.importing, path);
    expect([code, err]).toEqual([2, expect.stringContaining("The folder does not exist")]);
    expect(existsSync(office.path("not-mounted"))).toBe(false);
    expect(existsSync(office.path("state/sandbox/store.db")) ? office.documents() : []).toEqual(before);
    mkdirSync(office.path("not-mounted"));
    expect((await write(office, office.importing, path)).code).toBe(0);
    expect([existsSync(path), office.documents().length]).toEqual([true, 1]);
  });
});
