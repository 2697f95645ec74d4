/** The library: its options are checked before anything happens, and its promises about callbacks and aborts hold (F101–F104). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { inspect } from "node:util";
import Database from "better-sqlite3";
import { MockAgent } from "undici";
import {
  loadMapping,
  type PipelineEvent,
  planImport,
  readStatus,
  resolveTarget,
  RowferryError,
  runImport,
  runResume,
  type Target,
  writeReport,
} from "../../src/index.js";
import { folder } from "../support/cli.world.js";

const mapping = "mappings/manifests.yaml";
const files = ["fixtures/manifests/manifests-2025-09.csv"];

let cwd: string;
let target: Target;
beforeEach(() => {
  cwd = folder();
  target = resolveTarget({ name: "sandbox", env: {}, cwd });
});

describe("an option that cannot be is named, with what it may be, before anything happens", () => {
  it.each([
    [
      { limits: { maxErrors: "1.5" } },
      'limits.maxErrors must be a text: a number or a percentage, such as "10" or "2%".',
    ],
    [{ limits: { maxErrors: 5 } }, 'limits.maxErrors must be a text: a number or a percentage, such as "10" or "2%".'],
    [{ limits: { until: Number.NaN } }, "limits.until must be ms since 1970."],
    [{ limits: { limitDocuments: Number.NaN } }, "limits.limitDocuments must be a whole number above 0."],
    [{ limits: { limit: 3 } }, "There is no option limits.limit."],
    [{ onEvents: () => {} }, "There is no option onEvents."],
    [{ onEvent: "log" }, "onEvent must be a function."],
    [{ logger: console.log }, "logger must be a logger such as pino's."],
    [{ dispatcher: {} }, "dispatcher.dispatch must be a function."],
    [{ files: [] }, "files must be a list of at least one path."],
    [{ target: undefined }, "target must be the result of resolveTarget."],
    [
      { target: { name: "sandbox", ledgerPath: "ledger.db", stateFolder: "state" } },
      "target.clientSecret must be a function, as in the result of resolveTarget.",
    ],
  ])("%o", async (wrong, message) => {
    const options = { target, mapping, files, ...wrong } as never;
    for (const run of [runImport, planImport]) {
      const error = await run(options).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RowferryError);
      expect(error).toMatchObject({ code: "usage", message });
    }
    expect(existsSync(target.ledgerPath)).toBe(false);
  });

  it.each<[string, () => unknown, string]>([
    ["readStatus", () => readStatus({} as never), "target must be the result of resolveTarget."],
    ["readStatus without options", () => readStatus(undefined as never), "The options must be an object."],
    ["writeReport", () => writeReport({ target, run: 5 as never }), "run must be a text."],
    ["loadMapping", () => loadMapping(undefined as never), "path must be a text."],
    [
      "resolveTarget",
      () => resolveTarget({ name: "prod", env: {}, cwd }),
      'there is no target "prod"; there are sandbox and env',
    ],
  ])("%s", async (_name, call, message) => {
    const error = await (async () => call())().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RowferryError);
    expect(error).toMatchObject({ message });
  });

  it.each([
    [{ rate: 0 }, "rate must be a number above 0."],
    [{ sandbox: true }, "There is no option sandbox."],
    [{ cwd: "mistyped" }, "cwd must be a folder that exists."],
    [{ cwd: "package.json" }, "cwd must be a folder that exists."],
    [{ env: { ROWFERRY_RATE: 5 as never } }, "env.ROWFERRY_RATE must be a text."],
  ])("of a target: %o", (wrong, message) => {
    const resolve = () => resolveTarget({ env: {}, cwd, ...wrong });
    expect(resolve).toThrow(expect.objectContaining({ code: "usage", message }));
  });
});

it("an error of the system has a code and a hint, too", async () => {
  writeFileSync(join(cwd, "state"), "in the way");
  const error = await runImport({ target, mapping, files }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "path-unusable", message: expect.stringContaining("a part of it is a file") });
  expect(error).toBeInstanceOf(RowferryError);
  await expect(loadMapping("\0")).rejects.toMatchObject({ code: "path-unusable" });
});

it("a file in place of the sandbox's store is not told as damage of the ledger", async () => {
  mkdirSync(join(cwd, "state/sandbox"), { recursive: true });
  writeFileSync(join(cwd, "state/sandbox/store.db"), "not SQLite ".repeat(100));
  const error = await runImport({ target, mapping, files }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "path-unusable", message: expect.stringContaining("store of a sandbox") });
  expect((await runImport({ target, mapping, files, fresh: true })).exitCode).toBe(0);
});

it(
  "two imports into ledgers of one state folder never share a run's folder, where one would replace the other's files",
  long,
  async () => {
    const targets = ["one.db", "two.db"].map((ledger) =>
      resolveTarget({ name: "sandbox", env: {}, cwd, ledger: `state/${ledger}` }),
    );
    const importing = targets.map((own) => runImport({ target: own, mapping, files, logLevel: "silent" }));
    const [one, two] = await Promise.all(importing);
    expect(one?.run).not.toBe(two?.run);
  },
);

it("a callback that throws or rejects stops nothing, and is told once", long, async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  process.on("warning", note);
  const onEvent = () => Promise.reject(new Error("no room in my log"));
  const summary = await runImport({ target, mapping, files, onEvent });
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(summary.rows.read).toBeGreaterThan(0);
  expect(warnings.filter((message) => message.includes("no room in my log"))).toHaveLength(1);
});

it("aborted while files are read, an import rejects with interrupted and has staged nothing", long, async () => {
  const stop = new AbortController();
  stop.abort();
  const imported = runImport({ target, mapping, files, signal: stop.signal });
  await expect(imported).rejects.toMatchObject({ code: "interrupted" });
  expect((await runResume({ target })).rows.read).toBe(0);
});

it("interrupted while it plans, an import ends soon, and its rows are staged", long, async () => {
  const rows = Array.from(
    { length: 800 },
    (_, row) => `T-${row};L-${row};19/11/2025 08:12;92.448.530/0001-15;A;B;C;1;D;SP;E;1;`,
  );
  const [head = ""] = readFileSync("examples/weighings/weighings-2025-11-19.csv", "utf8").split("\n");
  const file = join(cwd, "weighings.csv");
  writeFileSync(file, [head, ...rows].join("\n"));
  const seen: PipelineEvent["type"][] = [];
  const stop = new AbortController();
  const summary = await runImport({
    target,
    mapping: "examples/weighings/weighings.yaml",
    files: [file],
    signal: stop.signal,
    onEvent(event) {
      seen.push(event.type);
      if (event.type === "stage" && event.stage === "planning") setImmediate(() => stop.abort());
    },
  });
  expect([summary.exitCode, summary.open.events["planned"], summary.requests.sent]).toEqual([130, 800, 0]);
  expect(seen).not.toContain("forecast");
});

it("a plan is never among the runs, so that one which is killed leaves none", long, async () => {
  const few = {
    target,
    mapping: "examples/weighings/weighings.yaml",
    files: ["examples/weighings/weighings-2025-11-19.csv"],
  };
  await runImport(few);
  const types = new Set<PipelineEvent["type"]>();
  const seen = new Set<unknown>();
  await planImport({
    ...few,
    onEvent({ type }) {
      if (types.has(type)) return;
      types.add(type);
      const beside = new Database(target.ledgerPath, { readonly: true });
      seen.add(beside.prepare("SELECT group_concat(command) FROM runs").pluck().get());
      beside.close();
    },
  });
  expect([...seen]).toEqual(["import"]);
});

it("a journal of one's own is written, and requests go through a dispatcher of one's own", long, async () => {
  const journal = join(cwd, "elsewhere.jsonl");
  const agent = new MockAgent();
  agent.disableNetConnect();
  const service = resolveTarget({
    name: "env",
    cwd,
    env: {
      ROWFERRY_BASE_URL: "https://service.test",
      ROWFERRY_TOKEN_URL: "https://login.test/token",
      ROWFERRY_CLIENT_ID: "c",
      ROWFERRY_CLIENT_SECRET: "a-secret-of-ours",
    },
  });
  expect(inspect(service) + JSON.stringify(service)).not.toContain("a-secret-of-ours");
  agent.get("https://login.test").intercept({ path: "/token", method: "POST" }).reply(401, { error: "invalid_client" });
  const options = { target: service, mapping, files, dispatcher: agent };
  const summary = await runImport({ ...options, journal: relative(process.cwd(), journal) });
  expect([summary.stopped?.code, summary.exitCode]).toEqual(["credentials-refused", 4]);
  expect(existsSync(journal)).toBe(true);
  // The ledger remembers it for commands that are typed in another folder.
  expect(summary.journal).toBe(journal);
});

it(
  "a logger of one's own gets the lines of run.log, with no cell in them; one that throws or rejects stops nothing (F103)",
  long,
  async () => {
    const lines: string[] = [];
    const take = (fields: object, message: string) => {
      lines.push(`${message} ${JSON.stringify(fields)}`);
      if (lines.length % 5 === 0) throw new Error("a logger that breaks");
      return lines.length % 5 === 1 ? Promise.reject(new Error("a logger that breaks later")) : null;
    };
    const logger = { trace: take, debug: take, info: take, warn: take, error: take };
    const summary = await runImport({ target, mapping, files, logger, logLevel: "silent" });
    expect(summary.requests.sent).toBeGreaterThan(0);
    expect(lines[0]).toMatch(/^begun .*"command":"import"/);
    expect(lines.at(-1)).toMatch(/^ended /);
    expect(lines.filter((line) => line.startsWith("request "))).toHaveLength(summary.requests.sent);
    expect(lines.join("\n")).not.toContain("310025");
  },
);
