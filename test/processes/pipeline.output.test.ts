/**
 * Nobody is there to read: a disk that takes no more of what is printed, a terminal that is closed. What is under way goes on,
 * or is let to finish; an answer cut off would strand a document (P11, HARD-CASES H33). Real processes.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { installed } from "./installation.js";
import { manifests } from "./processes.js";

const here = installed();
const read = (name: string) => readFileSync(here().path(name), "utf8");

describe("a disk that takes no more of what is printed", () => {
  beforeEach(({ skip }) => skip(!existsSync("/dev/full"), "this system has no /dev/full"));

  test("progress that cannot be written changes nothing", long, async () => {
    const ended = await here().import({ shell: "exec 2>/dev/full" });
    expect(ended.stdout).toContain("All is well.");
    expect(await here().expectWhole(ended)).toBe(0);
  });

  test("a summary that cannot be written is told, and is no success; the rows have landed", long, async () => {
    const full = { shell: "exec >/dev/full" };
    const { code, stderr } = await here().import(full);
    expect(stderr).toMatch(/^rowferry: the output could not be written: ENOSPC/m);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
    expect(await here().expectWhole({ code: 0, stderr })).toBe(0);
    const status = await here().run(["status", "--json"], full);
    expect([status.code, status.stderr]).toEqual([1, expect.stringContaining("could not be written")]);
  });
});

describe("a terminal that is closed", () => {
  /** SIGHUP, and once more while it ends. */
  async function hangUp(pid: number) {
    process.kill(pid, "SIGHUP");
    await wait(5);
    try {
      process.kill(pid, "SIGHUP");
    } catch {
      // It has ended already.
    }
  }

  test("means nothing where none was watched, as under nohup", long, async () => {
    const ended = await here().runUntil(60, ({ child }) => void hangUp(child.pid ?? 0), ["import", ...manifests]);
    expect(await here().expectWhole(ended)).toBe(0);
  });

  test("lets calls under way finish, and the next run goes on", long, async ({ skip }) => {
    skip(spawnSync("script", ["--version"]).status !== 0, "this system has no `script`, which makes a terminal");
    const [pid, out] = [here().path("pid"), here().path("out")];
    const inner = `"echo \\$\\$ > ${pid}; exec $(printf '%q ' "$@") > ${out}"`;
    const { ended } = here().start(["import", ...manifests], { shell: `exec script -qefc ${inner} /dev/null` });
    while (here().requests() < 60) await wait(1);
    await hangUp(Number(read("pid")));
    expect((await ended).code).toBe(143);
    expect(here().sandbox.store.documents().length).toBeLessThan(66);
    expect(await here().expectWhole(await here().import())).toBe(0);
  });
});

describe("a pipe", () => {
  // `exec` keeps the program as the shell's own process, so that its exit code is what is awaited.
  const piped = async (args: string[], reader: string) => {
    const done = here().path("done");
    const shell = `exec > >(${reader} > "${here().path("out")}"; touch "${done}")`;
    const { code, stderr } = await here().run(args, { shell });
    await vi.waitFor(() => expect(existsSync(done)).toBe(true), 20_000);
    return { code, stderr, text: read("out") };
  };

  test.for([
    ["whose reader is slow gets all that was printed (F16)", "sleep 0.7; cat", Number.POSITIVE_INFINITY],
    ["that is closed early ends the command quietly", "head -c 1000", 1000],
  ] as const)("%s", async ([, reader, length]) => {
    const { stdout } = await here().run(["schema"], { shell: `exec > "${here().path("whole")}"` });
    expect(stdout).toBe("");
    const whole = read("whole");
    expect(whole.length).toBeGreaterThan(100_000);
    expect(await piped(["schema"], reader)).toEqual({ code: 0, stderr: "", text: whole.slice(0, length) });
  });
});
