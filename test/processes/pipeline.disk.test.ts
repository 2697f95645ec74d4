/** Disks that take nothing more: full, read-only, or without rights (HARD-CASES H33). Real processes. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { installed } from "./installation.js";
import { type Ended, killedAt, manifests, type ProcessOptions, program, rowferry, shortWaits } from "./processes.js";

/** Root may write anything, so that what must be refused is tried as nobody. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const unprivileged: { user?: number | undefined } = isRoot ? { user: NOBODY } : {};

const here = installed({ ledger: "state/ledger.db", preload: [shortWaits] });
let canRun: boolean;
beforeAll(async () => {
  canRun = (await rowferry(["--version"], { cwd: tmpdir(), env: {}, ...unprivileged })).code === 0;
  if (!canRun) unprivileged.user = undefined;
});
beforeEach(() => isRoot && chownSync(here().folder, NOBODY, NOBODY));

const runImport = (more: Partial<ProcessOptions> = {}, ...flags: string[]) =>
  here().import({ ...unprivileged, ...more }, ...flags);

/** A sentence, what to do, no stack; nothing was sent. */
function expectRefused({ code, stderr }: Ended, sentence: RegExp) {
  expect(stderr).toMatch(sentence);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/unexpected|^\s+at /m);
  expect(stderr.trim().split("\n").length).toBeGreaterThan(1);
  expect(here().sandbox.store.documents()).toEqual([]);
}

describe("a disk that is full", () => {
  test("while it is sent ends in a sentence, and the next run loses nothing", long, async () => {
    const ended = await runImport({ fileBlocks: 900 });
    expect(ended.stderr).toMatch(/could not be written/);
    expect(ended.code).toBe(1);
    await here().expectWhole(await runImport());
  });

  test(
    "while it is sent strands no document: there is room for the answers to calls under way",
    long,
    async ({ skip }) => {
      const state = here().path("state");
      mkdirSync(state);
      const mount = (size: string) => spawnSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", state]).status === 0;
      skip(!mount("size=6000k"), "nothing may be mounted here");
      try {
        here().sandbox.setFaults([{ action: { kind: "delay", ms: 200 } }]);
        const ended = await here().import();
        expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("the disk is full")]);
        expect(here().sandbox.store.documents().length).toBeGreaterThan(5);
        expect(readdirSync(state)).not.toContain("ledger.db.spare");
        here().sandbox.setFaults([]);
        mount("remount,size=60m");
        expect(await here().expectWhole(await here().import())).toBe(0);
      } finally {
        spawnSync("umount", [state]);
      }
    },
  );

  test("while files are read says that nothing was staged and what to type (F89)", () => expectNothingStaged(250));
  test("and what it says to type sends all of it", long, async () => {
    await expectNothingStaged(250);
    await here().expectWhole(await runImport());
  });

  test("lets a person see how it stands, says what could not be done, and prune works", long, async () => {
    await runImport();
    await here().run(["ledger", "backup", "good.db"], unprivileged);
    const typed = async (line: string) => {
      const { code, stdout, stderr } = await here().run(line.split(" "), { ...unprivileged, fileBlocks: 0 });
      return [code, stdout + stderr];
    };
    for (const line of ["status", "runs", "ledger check"]) expect((await typed(line))[0], line).toBe(0);
    expect(await typed("ledger backup bad.db")).toEqual([
      1,
      expect.stringMatching(/bad.db: The backup could not be written: the disk is full/),
    ]);
    expect(await typed("ledger restore good.db")).toEqual([
      1,
      expect.stringMatching(
        /state.ledger.db: The ledger could not be written: the disk is full.*\n.*Nothing was changed/,
      ),
    ]);
    const { code, stderr } = await here().run(["verify"], { ...unprivileged, fileBlocks: 100 });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/ledger could not be written: the disk is full/i)]);
    expect(await typed("ledger prune --keep-for 1d")).toEqual([
      0,
      expect.stringMatching(/^Removed: folders of 0 runs/),
    ]);
    await here().expectWhole(await runImport());
  });

  test("names the file that could not be written, and leaves no part of it", long, async () => {
    writeFileSync(here().path("a.csv"), "Load,At\nA,2026-01-01 10:00\n");
    for (const [line, name] of [
      ["init made", "made/rowferry.config.yaml"],
      ["guess a.csv -o drafted.yaml", "drafted.yaml"],
    ] as const) {
      const { code, stderr } = await here().run(line.split(" "), { ...unprivileged, fileBlocks: 0 });
      expect([code, stderr], line).toEqual([1, expect.stringContaining(name)]);
      expect(existsSync(here().path(name)), name).toBe(false);
    }
  });

  test("so that not even what is there can be overwritten: the ledger stays usable", long, async ({ skip }) => {
    skip(spawnSync("prlimit", ["--version"]).status !== 0, "no prlimit here");
    await runImport();
    const [ledger, folder] = [here().ledger, join(dirname(program()), "..", "ledger")];
    // As `withdraw` or `replace`, on a disk that fills up once it has begun (copy-on-write, a quota).
    const decision = `
      import { spawnSync } from "node:child_process";
      import { openLedgerOfAnyone } from ${JSON.stringify(join(folder, "open-ledger.js"))};
      import { holdLedger } from ${JSON.stringify(join(folder, "care", "lock.js"))};
      process.on("SIGXFSZ", () => {});
      const database = openLedgerOfAnyone(${JSON.stringify(ledger)});
      const hold = await holdLedger(database, { wait: false });
      spawnSync("prlimit", ["--pid", String(process.pid), "--fsize=0:"]);
      hold.release();
      database.close();`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", decision], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect((await here().run(["ledger", "check"])).stderr).toBe("");
    await here().expectWhole(await runImport());
  });

  async function expectNothingStaged(fileBlocks: number) {
    const hook = 'printf "%s %s" "$ROWFERRY_EXIT_CODE" "$ROWFERRY_ERROR" > hook.txt';
    const ended = await runImport({ fileBlocks }, "--on-finish", hook);
    expectRefused(ended, /could not be written/);
    expect(ended.stderr).toMatch(/No row of these files was staged.*type the same import again/s);
    expect(ended.stderr).not.toMatch(/rowferry resume|--on-finish command/);
    expect(readFileSync(here().path("hook.txt"), "utf8")).toBe("1 ledger-not-written");
  }
});

describe("a state that is read-only", () => {
  beforeEach(({ skip }) => skip(!canRun, "the program cannot be read by an unprivileged user here"));
  const sentence = /EACCES|cannot be (written|opened)|could not be written/;

  test("a state folder that nothing can be made in", long, async () => {
    chmodSync(here().folder, 0o500);
    expectRefused(await runImport(), sentence);
    chmodSync(here().folder, 0o700);
    await here().expectWhole(await runImport());
  });

  test(
    "folders that nothing can be made in or removed from, since a run began, do not change how it ends",
    long,
    async () => {
      const started = here().start(["import", ...manifests], unprivileged);
      while (here().requests() < 30) await wait(1);
      const allow = (mode: number) => ["state", "state/env"].forEach((folder) => chmodSync(here().path(folder), mode));
      allow(0o500);
      const ended = await started.ended;
      allow(0o700);
      expect({ stranded: await here().expectWhole(ended), stderr: ended.stderr }).toEqual({
        stranded: 0,
        stderr: expect.not.stringContaining("EACCES"),
      });
    },
  );

  test("a ledger that cannot be written any more", long, async () => {
    await runImport({ program: killedAt("after-staging-committed") });
    const state = here().path("state");
    const files = readdirSync(state).filter((name) => name.startsWith("ledger.db"));
    expect(files).toContain("ledger.db-wal");
    const allow = (mode: number) => {
      for (const name of files) chmodSync(here().path(`state/${name}`), mode);
    };
    allow(0o400);
    chmodSync(state, 0o500);
    expectRefused(await runImport(), sentence);
    chmodSync(state, 0o700);
    // The mode is somebody's wish, which is not for the program to overrule.
    expectRefused(await runImport(), sentence);
    expect(files.map((name) => statSync(here().path(`state/${name}`)).mode & 0o777)).toEqual(files.map(() => 0o400));
    allow(0o600);
    await here().expectWhole(await runImport());
  });

  test("a ledger at rest, which even reading has to write, in words of ours", long, async () => {
    await runImport();
    chmodSync(here().path("state"), 0o500);
    const { stderr } = await here().run(["status"], unprivileged);
    chmodSync(here().path("state"), 0o700);
    expect(stderr).toContain("cannot be opened: the file, the -wal or -shm next to it, or the folder is not writable.");
  });

  test(
    "a folder in which nobody may write, from which status is to read: no restore is wanted",
    long,
    async ({ skip }) => {
      skip(!canRun, "nobody cannot run the program");
      expect((await runImport()).code).toBe(0);
      chmodSync(here().path("state"), 0o500);
      const { code, stderr } = await here().run(["status"], unprivileged);
      chmodSync(here().path("state"), 0o700);
      expect([code, stderr.replace(/\s+/g, " ")]).toEqual([
        1,
        expect.stringContaining("copy the ledger (with its -wal"),
      ]);
      expect(stderr).not.toContain("restore");
    },
  );

  test("a journal that cannot be written", long, async () => {
    const elsewhere = here().path("elsewhere");
    mkdirSync(elsewhere, { mode: 0o500 });
    if (isRoot) chownSync(elsewhere, NOBODY, NOBODY);
    const journal = ["--journal", `${elsewhere}/journal.ndjson`];
    expectRefused(await runImport({}, ...journal), /journal could not be written/);
    chmodSync(elsewhere, 0o700);
    await here().expectWhole(await runImport({}, ...journal));
  });

  test("a journal that cannot be written: nothing was decided, so the command is to be typed again", long, async () => {
    await runImport();
    const elsewhere = here().path("elsewhere");
    mkdirSync(elsewhere, { mode: 0o500 });
    if (isRoot) chownSync(elsewhere, NOBODY, NOBODY);
    const line = ["replace", "310025004102", "--reason", "x", "--yes", "--journal", `${elsewhere}/journal.ndjson`];
    const { code, stderr } = await here().run(line, unprivileged);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/journal could not be.*\n.*Nothing was changed.*again/)]);
    expect(stderr).not.toContain("rowferry resume");
  });
});
