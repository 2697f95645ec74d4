import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../../src/cli/commands.js";
import type { Pipeline } from "../../src/cli/pipeline.js";
import { RowferryError } from "../../src/model/error.js";
import type { ImportOptions } from "../../src/run/import.js";
import { folder, type TestWorld, testWorld, type } from "../support/cli.world.js";
import { program } from "./processes.js";
import { summary } from "../support/summary.sample.js";

/** A world in which every import ends with this summary. */
const ending = (changes: Parameters<typeof summary>[0] = {}) =>
  testWorld({ pipeline: { runImport: () => Promise.resolve(summary(changes)) } });
/** A world in which every import does this. */
const importing = (runImport: Pipeline["runImport"]) => testWorld({ pipeline: { runImport } });
/** Types an import with these flags. */
const typeImport = (world: TestWorld, ...flags: string[]) => type(world, "import", "m.yaml", "a.csv", ...flags);

describe("exit codes (DESIGN section 7)", () => {
  it.each([
    ["an unknown command", ["imprt"]],
    ["an unknown flag", ["import", "m.yaml", "a.csv", "--ratte", "3"]],
    ["a missing argument", ["import", "m.yaml"]],
    ["a value that does not fit", ["import", "m.yaml", "a.csv", "--until", "25:00"]],
    ["a surplus argument", ["status", "surplus"]],
  ])("%s ends with 2 and a hint on stderr", async (_what, argv) => {
    const world = testWorld();
    expect(await type(world, ...argv)).toBe(2);
    expect(world.err).toMatch(/^rowferry: .+\n {2}`rowferry .*--help` shows its options\.\n$/);
    expect(world.out).toBe("");
  });

  it("an error with a code ends with the code's exit code: cause, place, remedy", async () => {
    const error = new RowferryError("file-missing", "there is no such file", { place: { file: "a.csv" } });
    const world = importing(() => Promise.reject(error));
    expect(await typeImport(world)).toBe(2);
    expect(world.err).toBe(`rowferry: a.csv: there is no such file\n  ${error.hint}\n`);
    expect(world.out).toBe("");
  });

  it("an unexpected error ends with 1, one sentence and where the log lies; the stack comes with --log-level debug", async () => {
    const fails = () => importing(() => Promise.reject(new TypeError("x is not a function")));
    const world = fails();
    expect(await typeImport(world)).toBe(1);
    expect(world.err).toContain("x is not a function");
    expect(world.err).toContain("state/sandbox/runs/");
    expect(world.err).not.toMatch(/\n\s+at /);
    const curious = fails();
    expect(await typeImport(curious, "--log-level", "debug")).toBe(1);
    expect(curious.err).toMatch(/\n\s+at /);
  });

  it.each([
    ["before the command", ["--no-color", "import", "m.yaml", "a.csv"]],
    ["after it", ["import", "m.yaml", "a.csv", "--no-color"]],
  ])("--no-color %s takes colours away, also where FORCE_COLOR asks for them", async (_where, argv) => {
    const printed = async (words: readonly string[]) => {
      const world = ending({ exitCode: 3 });
      world.env = { FORCE_COLOR: "1" };
      expect(await type(world, ...words)).toBe(3);
      return world.out;
    };
    expect(await printed(["import", "m.yaml", "a.csv"])).toContain("\x1b[");
    expect(await printed(argv)).not.toContain("\x1b[");
  });
});

describe("help (F26)", () => {
  it.each([["-h"], ["--help"], ["help", "import"], ["import", "-h"], ["ledger"], ["ledger", "-h"], ["help", "ledger"]])(
    "%s %s is printed on stdout, and is no mistake",
    async (...argv) => {
      const world = testWorld();
      expect(await type(world, ...argv)).toBe(0);
      expect(world.out).toMatch(/^Usage: rowferry/);
      expect(world.err).toBe("");
    },
  );

  it.each([["imprt"], ["help", "imprt"], ["imprt", "--help"], ["imprt", "-h", "--json"]])(
    "the mistyped %s %s is told with the nearest command, and is no success",
    async (...argv) => {
      const world = testWorld();
      expect(await type(world, ...argv)).toBe(2);
      expect(world.err).toContain("Did you mean import?");
    },
  );

  it("`import --dry-run` is `plan`", async () => {
    const planned: string[] = [];
    const planImport: Pipeline["planImport"] = ({ mappingPath }) => {
      planned.push(mappingPath);
      return Promise.reject(new RowferryError("file-missing", "no file"));
    };
    await type(testWorld({ pipeline: { planImport } }), "import", "m.yaml", "a.csv", "--dry-run");
    expect(planned).toEqual(["m.yaml"]);
  });
});

describe("output (DESIGN section 3)", () => {
  it("target and ledger are said on stderr before anything is sent; target and run come last", async () => {
    const world = ending();
    await typeImport(world);
    expect(world.err).toBe("sandbox · ledger state/sandbox/ledger.db\n");
    expect(world.out).toMatch(/^All is well\. [^]+\n\nsandbox · run 2026-11-20T0200-import\n$/);
  });

  it("cells are shown to a person at a terminal, and hidden in collected output (F24)", async () => {
    const hidden = { code: "number-unreadable", count: 1, place: "a.csv, row 2", column: "Kg" } as const;
    const one = summary({ exitCode: 3, problems: [{ ...hidden, example: '"…" is not a number' }] });
    const open = { participants: {}, addresses: {}, documents: {}, events: {}, rows: 1 };
    const asked: unknown[] = [];
    const readStatus: Pipeline["readStatus"] = (options) => {
      asked.push(options.cells);
      const problems = [{ ...hidden, example: '"12,5O" is not a number' }];
      return Promise.resolve({
        open,
        problems,
        waiting: [],
        unstaged: null,
        isAtWork: false,
        differed: null,
        refused: null,
        restored: null,
        withdrawn: [],
        lastRun: null,
      });
    };
    const [collected, watched] = [false, true].map(() =>
      testWorld({ pipeline: { runImport: () => Promise.resolve(one), readStatus } }),
    ) as [TestWorld, TestWorld];
    await typeImport(collected);
    expect(collected.out).toContain('Kg: "…" is not a number');
    watched.stdout.isTTY = true;
    await typeImport(watched);
    expect(watched.out).toContain('Kg: "12,5O" is not a number');
    expect(asked).toEqual([true]);
  });

  it("--json prints lines with a type; the first names the target, the last is the summary", async () => {
    const world = importing(({ observe }) => {
      observe({ type: "stage", stage: "reading", total: null });
      observe({ type: "notice", level: "info", code: null, message: "windows-1252" });
      return Promise.resolve(summary());
    });
    await typeImport(world, "--json");
    const lines = world.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.map((line) => line.type)).toEqual(["target", "stage", "notice", "summary"]);
    expect(lines[0]).toMatchObject({ target: "sandbox", ledger: join(world.cwd, "state/sandbox/ledger.db") });
    expect(lines.at(-1)).toEqual(summary());
    expect(world.err).toBe("");
  });

  it("--quiet says nothing where all is well, and everything where a person is needed", async () => {
    const world = ending();
    expect(await typeImport(world, "--quiet")).toBe(0);
    expect(world.out + world.err).toBe("");
    const bad = ending({ exitCode: 3 });
    expect(await typeImport(bad, "--quiet")).toBe(3);
    expect(bad.out).toContain("a person is needed");
  });
});

describe("flags reach the pipeline", () => {
  it("with times in milliseconds and the nearest time of day for --until", async () => {
    let seen: ImportOptions | undefined;
    const world = importing((options) => {
      seen = options;
      return Promise.resolve(summary());
    });
    const flags =
      "--rate 5 --burst 2 --max-errors 2% --max-outage 30m --limit 10 --until 06:00 --wait --fresh --journal j.log";
    await type(world, "import", "m.yaml", "a.csv", "b.csv", ...flags.split(" "));
    expect(seen).toMatchObject({
      mappingPath: "m.yaml",
      files: ["a.csv", "b.csv"],
      fresh: true,
      journal: join(world.cwd, "j.log"),
      target: { rate: 5, burst: 2 },
      limits: { maxErrors: "2%", maxOutageMs: 1_800_000, limitDocuments: 10, waitForLock: true },
    });
    const until = new Date(seen?.limits.until ?? 0);
    expect([until.getHours(), until.getMinutes()]).toEqual([6, 0]);
    expect(Math.abs(until.getTime() - world.now)).toBeLessThanOrEqual(86_400_000 / 2);
  });

  it("--until is in the mapping's zone, and a command of one's own runs in the machine's", async () => {
    let until = 0;
    const world = importing(({ limits }) => {
      until = limits.until ?? 0;
      return Promise.resolve(summary());
    });
    writeFileSync(join(world.cwd, "m.yaml"), "defaults: { timezone: Asia/Tokyo }");
    await typeImport(world, "--until", "06:00", "--on-finish", "echo zone $(date +%Z)");
    expect(new Date(until).getUTCHours()).toBe(21);
    expect(world.out + world.err).toMatch(/zone (?!JST)/);
  });

  it.each([
    [-1, -1, "passed 1 h 00 min ago, so this run sends nothing"],
    [-11, -11, "passed 11 h 00 min ago, so this run sends nothing"],
    [-13, 11, null],
    [1, 1, null],
    [13, -11, "passed 11 h 00 min ago, so this run sends nothing"],
  ])("--until of a time that has just passed means that one: %s h from now", async (hours, meant, told) => {
    const limits: (number | undefined)[] = [];
    const world = importing((options) => {
      limits.push(options.limits.until);
      return Promise.resolve(summary());
    });
    world.now = new Date(2026, 10, 20, 2, 0).getTime();
    const until = new Date(world.now + hours * 3_600_000);
    const time = [until.getHours(), until.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
    await typeImport(world, "--until", time);
    expect(world.err).toContain(told === null ? `Starts no new work after ${time} (` : told);
    world.stderr.text = "";
    await typeImport(world, "--until", time, "--quiet");
    expect(world.err).toEqual(told === null ? "" : expect.stringContaining(told));
    expect(limits).toEqual(Array(2).fill(world.now + meant * 3_600_000));
  });

  it("--metrics and --on-finish get what the run did", async () => {
    const world = ending({ exitCode: 3 });
    const code = await typeImport(
      world,
      "--metrics",
      join(world.cwd, "rowferry.prom"),
      "--on-finish",
      'printf "%s %s" "$ROWFERRY_EXIT_CODE" "$ROWFERRY_SUMMARY" > finished.txt; exit 7',
    );
    expect(code).toBe(3);
    expect(readFileSync(join(world.cwd, "rowferry.prom"), "utf8")).toContain("rowferry_last_run_exit_code");
    const path = join(world.cwd, "state/sandbox/runs/2026-11-20T0200-import/summary.json");
    expect(readFileSync(join(world.cwd, "finished.txt"), "utf8")).toBe(`3 ${path}`);
    expect(world.err).toContain("--on-finish command ended with 7");
  });

  it("an --on-finish command that the system refuses to start changes nothing about the run", async () => {
    const world = ending({ exitCode: 3 });
    // Longer than Linux takes as one argument.
    expect(await typeImport(world, "--on-finish", `true #${"x".repeat(200_000)}`)).toBe(3);
    expect(world.err).toContain("--on-finish command could not be run (E2BIG)");
  });

  it("what --on-finish leaves running does not hold up the end, and one that hangs is stopped after ten minutes, or one after a signal", async () => {
    let interrupt = () => {};
    const world = importing(() => {
      interrupt();
      return Promise.resolve(summary());
    });
    const finishing = (hook: string) => typeImport(world, "--quiet", "--on-finish", hook);
    const began = Date.now();
    expect(await finishing("sleep 20 & echo begun")).toBe(0);
    expect(Date.now() - began).toBeLessThan(15_000);
    expect(world.err).toBe("begun\n");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const code = finishing("touch hanging; exec sleep 20");
    await expect.poll(() => existsSync(join(world.cwd, "hanging")), { timeout: 10_000 }).toBe(true);
    await vi.advanceTimersByTimeAsync(600_000);
    expect([await code, world.err]).toEqual([0, expect.stringMatching(/--on-finish .* 10 min, and was stopped/)]);
    interrupt = () => world.send("SIGTERM");
    const hasty = finishing("touch hanging.too; exec sleep 20");
    await expect.poll(() => existsSync(join(world.cwd, "hanging.too")), { timeout: 10_000 }).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await hasty, world.err]).toEqual([0, expect.stringMatching(/--on-finish .* 1 min, and was stopped/)]);
  });

  it.each([
    ["that ignores the signal is stopped all the same", "trap '' TERM; %; while :; do sleep 0.1; done", 0, 3_000],
    [
      "is stopped by a signal with what it has started; the run keeps its own exit code",
      "%; sleep 60; true",
      3,
      10_000,
    ],
  ] as const)("an --on-finish command %s", async (_, hook, exitCode, timeout) => {
    const world = ending({ exitCode });
    const begun = join(world.cwd, "begun");
    const code = typeImport(world, "--on-finish", hook.replace("%", "echo $$ > begun.new; mv begun.new begun"));
    await expect.poll(() => existsSync(begun), { timeout: 10_000 }).toBe(true);
    world.send("SIGTERM");
    const told = expect.stringContaining("--on-finish command was stopped by a signal");
    expect([await code, world.err]).toEqual([exitCode, told]);
    const group = -Number(readFileSync(begun, "utf8"));
    await expect.poll(() => !isRunning(group), { timeout }).toBe(true);
  });
});

/** Negative: a process group. */
function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

describe("signals", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 143],
  ] as const)(
    "%s asks the command to stop and tells it the exit code; a second one ends at once with %i",
    async (name, code) => {
      let reason: unknown;
      const world = importing(({ signal }) => {
        world.send(name);
        reason = signal.reason;
        // A closing terminal says it more than once.
        if (name === "SIGHUP") world.send(name);
        expect(world.exits).toEqual([]);
        world.send(name === "SIGHUP" ? "SIGTERM" : name);
        return Promise.resolve(summary({ exitCode: code, stopped: { code: "interrupted", message: "interrupted" } }));
      });
      expect(await typeImport(world)).toBe(code);
      expect(reason).toEqual({ signal: name, exitCode: code });
      expect(world.exits).toEqual([code]);
      expect(world.out).toContain("rowferry resume --sandbox");
    },
  );

  it.each([
    ["while files are read, nothing is said of calls", { type: "stage", stage: "reading", total: null }, false],
    [
      "once it sends, it is said that calls finish first",
      { type: "forecast", requests: {}, secondsAtLimit: 0, held: 0, deferred: 0 },
      true,
    ],
  ] as const)("%s; what it aborted is no unexpected error", async (_, event, isSaid) => {
    const world = importing(({ observe }) => {
      observe(event);
      world.send("SIGINT");
      return Promise.reject(new DOMException("This operation was aborted", "AbortError"));
    });
    expect(await typeImport(world)).toBe(130);
    expect(world.err.includes("calls under way")).toBe(isSaid);
    expect(world.err).toContain("rowferry resume");
  });
});

describe("help", () => {
  it("`rowferry` alone says what to do next", async () => {
    const world = testWorld();
    expect(await type(world)).toBe(0);
    expect(world.out).toMatch(/Examples:\n {2}rowferry guess /);
  });

  const care = ["backup", "restore", "check", "prune", "rebuild", "rebind"].map((name) => `ledger ${name}`);
  const all = [...commands.map(({ name }) => name), ...care, "sandbox dump"];
  it.each(all)("%s has help with an example, in 80 columns", async (name) => {
    const world = testWorld();
    expect(await type(world, "help", ...name.split(" "))).toBe(0);
    expect(world.out).toContain(`Usage: rowferry ${name}`);
    expect(world.out).toMatch(/Examples?:\n {2}rowferry /);
    for (const line of world.out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("a command that was not called is not loaded, nor what it needs", long, () => {
    const trace = spawnSync(process.execPath, ["--import", loadTrace, program(), "--help"], {
      encoding: "utf8",
    });
    expect(trace.status).toBe(0);
    const loaded = trace.stderr.split("\n").filter((line) => line.startsWith("loaded "));
    expect(loaded.filter((line) => line.includes("/dist/cli/main.js"))).not.toEqual([]);
    const heavy = /\/cli\/commands\/|better-sqlite3|\/zod\/|\/yaml\/|exceljs|undici|prom-client/;
    expect(loaded.filter((line) => heavy.test(line))).toEqual([]);
  });
});

/** Tells every module that is loaded on stderr. */
const hook =
  'export async function load(url, context, next) { process._rawDebug("loaded " + url); return next(url, context); }';
const loadTrace = `data:text/javascript,${encodeURIComponent(
  `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`,
)}`;

it("an older Node is told what is needed, with 2, before anything is loaded (F69)", () => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })";
  const preload = `data:text/javascript,${encodeURIComponent(older)}`;
  const argv = ["--import", preload, "--import", loadTrace, program(), "status"];
  const result = spawnSync(process.execPath, argv, { cwd: folder(), encoding: "utf8" });
  expect(result.status).toBe(2);
  expect(result.stderr).toContain("rowferry: Node 22 or later is needed; this is Node 20.20.2");
  expect(result.stderr).not.toMatch(/loaded .*(main\.js|better-sqlite3)/);
});

it("a removed working folder is told, with 2", () => {
  const script = `rmdir "$PWD" && exec "$0" "$@"`;
  const argv = ["-c", script, process.execPath, program(), "status"];
  const result = spawnSync("sh", argv, { cwd: folder(), encoding: "utf8" });
  expect(result.stderr).toMatch(/^rowferry: The working folder was removed\.\n.+\n$/);
  expect(result.status).toBe(2);
});
