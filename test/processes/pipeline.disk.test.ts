/** Disks that take nothing more: full, read-only, or without rights (HARD-CASES H33). Real processes. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import {
  type Ended,
  manifests,
  type ProcessOptions,
  rowferry,
  serviceEnv,
  endProcesses,
  killedAt,
} from "./processes.js";
import { expectWhole, type Timelines, undisturbedTimelines } from "./timelines.js";

// Real processes take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
afterAll(endProcesses);

/** Root may write anything, so that what must be refused is tried as nobody. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const unprivileged: { user?: number | undefined } = isRoot ? { user: NOBODY } : {};

let folder: string;
let sandbox: Sandbox;
let env: Record<string, string>;
const ledger = () => join(folder, "state", "ledger.db");

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-disk-"));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  sandbox = createSandbox({ rate: null });
  env = serviceEnv(await sandbox.listen({ host: "127.0.0.1", port: 0 }), ledger());
});

afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], more: Partial<ProcessOptions> = {}): Promise<Ended> =>
  rowferry(args, { cwd: folder, env, ...unprivileged, ...more });
const runImport = (more: Partial<ProcessOptions> = {}) => run(["import", ...manifests], more);
const expectAll = ({ code }: Ended): number => expectWhole(code, sandbox, ledger(), undisturbed);

/** A sentence, what to do, no stack; nothing was sent. */
function expectRefused({ code, stderr }: Ended, sentence: RegExp): void {
  expect(stderr).toMatch(sentence);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/unexpected|^\s+at /m);
  expect(stderr.trim().split("\n").length).toBeGreaterThan(1);
  expect(sandbox.store.documents()).toEqual([]);
}

let undisturbed: Timelines;
let canRun: boolean;

beforeAll(async () => {
  undisturbed = await undisturbedTimelines();
  canRun = (await rowferry(["--version"], { cwd: tmpdir(), env: {}, ...unprivileged })).code === 0;
  if (!canRun) unprivileged.user = undefined;
});

describe("a disk that is full", () => {
  test("ends in a sentence, and the next run loses nothing", async () => {
    const ended = await runImport({ fileBlocks: 900 });
    expect(ended.stderr).toMatch(/could not be written/);
    expect(ended.code).toBe(1);
    expectAll(await runImport());
  });
});

describe("a disk that is full while files are read", () => {
  test("says that nothing was staged and what to type; that sends all of it (F89)", () => expectTold(300));
  test("later in the files too", { tags: ["long"] }, () => expectTold(500));

  async function expectTold(fileBlocks: number): Promise<void> {
    const hook = 'printf "%s %s" "$ROWFERRY_EXIT_CODE" "$ROWFERRY_ERROR" > hook.txt';
    const ended = await run(["import", ...manifests, "--on-finish", hook], { fileBlocks });
    expectRefused(ended, /could not be written/);
    expect(ended.stderr).toMatch(/Nothing of these files was staged.*type the same import again/s);
    expect(ended.stderr).not.toContain("rowferry resume");
    expect(readFileSync(join(folder, "hook.txt"), "utf8")).toBe("1 ledger-not-written");
    expectAll(await runImport());
  }
});

describe("a state that is read-only", () => {
  test("a state folder that nothing can be made in", { tags: ["long"] }, async ({ skip }) => {
    skip(!canRun, "the program cannot be read by an unprivileged user here");
    chmodSync(folder, 0o500);
    expectRefused(await runImport(), /EACCES|could not be written|cannot be opened/);
    chmodSync(folder, 0o700);
    expectAll(await runImport());
  });

  test("a ledger that cannot be written any more", async ({ skip }) => {
    skip(!canRun, "the program cannot be read by an unprivileged user here");
    await runImport({ program: killedAt("after-staging-committed") });
    const state = join(folder, "state");
    const files = readdirSync(state).filter((name) => name.startsWith("ledger.db"));
    expect(files).toContain("ledger.db-wal");
    for (const name of files) chmodSync(join(state, name), 0o400);
    chmodSync(state, 0o500);
    expectRefused(await runImport(), /cannot be (written|opened)|could not be written/);
    chmodSync(state, 0o700);
    // The mode is somebody's wish, which is not for the program to overrule.
    expectRefused(await runImport(), /cannot be (written|opened)|could not be written/);
    expect(files.map((name) => statSync(join(state, name)).mode & 0o777)).toEqual(files.map(() => 0o400));
    for (const name of files) chmodSync(join(state, name), 0o600);
    expectAll(await runImport());
  });

  test("a journal that cannot be written", { tags: ["long"] }, async ({ skip }) => {
    skip(!canRun, "the program cannot be read by an unprivileged user here");
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o500 });
    if (isRoot) chownSync(elsewhere, NOBODY, NOBODY);
    const args = ["import", "--journal", join(elsewhere, "journal.ndjson"), ...manifests];
    expectRefused(await run(args), /journal could not be written/);
    chmodSync(elsewhere, 0o700);
    expectAll(await run(args));
  });
});
