/**
 * Nobody is there to read: a disk that takes no more of what is printed, a terminal that is closed. What is under way goes on,
 * or is let to finish; an answer cut off would strand a document (HARD-CASES H33). Real processes.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { endProcesses, manifests, type ProcessOptions, rowferry, serviceEnv, startRowferry } from "./processes.js";
import { expectWhole, type Timelines, undisturbedTimelines } from "./timelines.js";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
afterAll(endProcesses);

const long = { tags: ["long"] };

let folder: string;
let ledger: string;
let sandbox: Sandbox;
let env: Record<string, string>;
let undisturbed: Timelines;

beforeAll(async () => {
  undisturbed = await undisturbedTimelines();
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-output-"));
  ledger = join(folder, "ledger.db");
  sandbox = createSandbox({ rate: null });
  env = serviceEnv(await sandbox.listen({ host: "127.0.0.1", port: 0 }), ledger);
});

afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const options = (more: Partial<ProcessOptions> = {}): ProcessOptions => ({
  cwd: folder,
  ...more,
  env: { ...env, ...more.env },
});
const runImport = (more: Partial<ProcessOptions> = {}) => rowferry(["import", ...manifests], options(more));

describe("a disk that takes no more of what is printed", () => {
  test("progress that cannot be written changes nothing", long, async ({ skip }) => {
    skip(!existsSync("/dev/full"), "this system has no /dev/full");
    const { code, stdout } = await runImport({ shell: "exec 2>/dev/full" });
    expect(stdout).toContain("All is well.");
    expect(expectWhole(code, sandbox, ledger, undisturbed)).toBe(0);
  });

  test("a summary that cannot be written is told, and is no success; the rows have landed", async ({ skip }) => {
    skip(!existsSync("/dev/full"), "this system has no /dev/full");
    const { code, stderr } = await runImport({ shell: "exec >/dev/full" });
    expect(stderr).toMatch(/^rowferry: the output could not be written: ENOSPC/m);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
    expect(expectWhole(0, sandbox, ledger, undisturbed)).toBe(0);
    const status = await rowferry(["status", "--json"], options({ shell: "exec >/dev/full" }));
    expect([status.code, status.stderr]).toEqual([1, expect.stringContaining("could not be written")]);
  });
});

describe("a terminal that is closed", () => {
  /** Sends SIGHUP to the program, twice, once the sandbox has seen so many requests. */
  const hangUpAfter = (requests: number, pid: () => number | undefined) => {
    let sent = false;
    const watch = setInterval(() => {
      const to = sandbox.store.statistics().requests >= requests ? pid() : undefined;
      if (sent || to === undefined) return;
      sent = true;
      process.kill(to, "SIGHUP");
      setTimeout(() => {
        try {
          process.kill(to, "SIGHUP");
        } catch {
          // It has ended already.
        }
      }, 5);
    }, 1);
    return () => clearInterval(watch);
  };

  test("means nothing where none was watched, as under nohup", long, async () => {
    const { child, ended } = startRowferry(["import", ...manifests], options());
    const end = hangUpAfter(60, () => child.pid);
    const { code } = await ended.finally(end);
    expect(expectWhole(code, sandbox, ledger, undisturbed)).toBe(0);
  });

  test("lets calls under way finish, and the next run goes on", long, async ({ skip }) => {
    skip(spawnSync("script", ["--version"]).status !== 0, "this system has no `script`, which makes a terminal");
    const pidFile = join(folder, "pid");
    const inner = `"echo \\$\\$ > ${pidFile}; exec $(printf '%q ' "$@") > ${join(folder, "out")}"`;
    const { ended } = startRowferry(
      ["import", ...manifests],
      options({ shell: `exec script -qefc ${inner} /dev/null` }),
    );
    const pid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : undefined);
    const end = hangUpAfter(60, pid);
    const { code } = await ended.finally(end);
    expect(code).toBe(143);
    expect(sandbox.store.documents().length).toBeLessThan(66);
    expect(expectWhole((await runImport()).code, sandbox, ledger, undisturbed)).toBe(0);
  });
});

describe("a pipe", () => {
  // `exec` keeps the program as the shell's own process, so that its exit code is what is awaited.
  const piped = async (args: string[], reader: string) => {
    const [out, read] = [join(folder, "out"), join(folder, "read")];
    const { code, stderr } = await rowferry(args, options({ shell: `exec > >(${reader} > ${out}; touch ${read})` }));
    await vi.waitFor(() => expect(existsSync(read)).toBe(true), 20_000);
    return { code, stderr, text: readFileSync(out, "utf8") };
  };
  const large = async () => {
    const { stdout } = await rowferry(["schema"], options({ shell: `exec > ${join(folder, "whole")}` }));
    expect(stdout).toBe("");
    const text = readFileSync(join(folder, "whole"), "utf8");
    expect(text.length).toBeGreaterThan(100_000);
    return text;
  };

  test("whose reader is slow gets all that was printed (F16)", async () => {
    expect(await piped(["schema"], "sleep 0.7; cat")).toEqual({ code: 0, stderr: "", text: await large() });
  });

  test("that is closed early ends the command quietly", async () => {
    expect(await piped(["schema"], "head -c 1000")).toEqual({
      code: 0,
      stderr: "",
      text: (await large()).slice(0, 1000),
    });
  });
});
