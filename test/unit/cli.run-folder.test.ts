/** What a real run leaves behind: its folder, its log, its report, its file modes. One import of a file with mistakes serves all. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { main } from "../../src/cli/main.js";
import { pipeline } from "../../src/cli/pipeline.js";
import type { World } from "../../src/cli/world.js";
import { systemClock } from "../../src/model/clock.js";
import { ExitCode } from "../../src/model/exit-code.js";
import type { Plan, Summary } from "../../src/model/summary.js";
import { exitCodeOf } from "../../src/run/finish.js";
import { type CollectedStream, collectedStream } from "../support/cli.world.js";

const root = join(import.meta.dirname, "../..");
let cwd = "";
let runFolder = "";
let summary: Summary;

/** The real pipeline in a folder of its own. */
async function run(...argv: string[]) {
  const stdout: CollectedStream = collectedStream();
  const stderr: CollectedStream = collectedStream();
  const world: World = {
    env: {},
    cwd,
    stdout,
    stderr,
    clock: systemClock,
    random: () => 0.5,
    pipeline,
    onSignal: () => () => {},
    exitNow: () => {},
  };
  const paths = argv.map((arg) => (/^(mappings|fixtures)\//.test(arg) ? join(cwd, arg) : arg));
  const code = await main(paths, world);
  return { code, out: stdout.text, err: stderr.text };
}
/** The last line of what it prints with --json. */
async function lastOf<Line>(...argv: string[]) {
  const { out, err } = await run(...argv, "--json");
  return JSON.parse(out.trimEnd().split("\n").at(-1) || expect.fail(err)) as Line;
}

const clean = ["mappings/manifests.yaml", "fixtures/manifests/manifests-2025-09.csv"];
const faulty = ["mappings/manifests.yaml", "fixtures/manifests-faulty/manifests-2025-10.csv"];

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "rowferry-run-"));
  for (const folder of ["mappings", "fixtures/manifests", "fixtures/manifests-faulty"])
    cpSync(join(root, folder), join(cwd, folder), { recursive: true });
  const path = join(cwd, clean[1] ?? "");
  const rows = readFileSync(path, "latin1");
  writeFileSync(path, rows.slice(0, rows.lastIndexOf("\n3100250", 12_000) + 1), "latin1");
  const { code, err } = await run("import", ...faulty, "--log-level", "debug");
  if (code !== ExitCode.person) throw new Error(`the import ended with ${code}: ${err}`);
  runFolder = join(cwd, "state/sandbox/runs", readdirSync(join(cwd, "state/sandbox/runs"))[0] ?? "");
  summary = JSON.parse(readFileSync(join(runFolder, "summary.json"), "utf8")) as Summary;
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

it("the summary names rejected file, receipts, report and log; the rejected file knows its mapping", () => {
  expect(summary.files.map(({ kind }) => kind)).toEqual(["rejected", "receipts", "report", "log"]);
  expect(summary.files[0]?.mapping).toBe(join(cwd, "mappings/manifests.yaml"));
});

it("receipts take the delimiter of the first CSV input", () => {
  const [header] = readFileSync(join(runFolder, "receipts.csv"), "utf8").split("\r\n");
  expect(header?.split(";")).toHaveLength(13);
});

it("the report shows problems by cause with rows, and what is held and why", () => {
  const page = readFileSync(join(runFolder, "report.html"), "utf8");
  for (const section of ["rows", "problems", "held", "records", "requests"]) expect(page).toContain(`id="${section}"`);
  expect(page).toContain("manifests-2025-10.csv, row 19, column &quot;Peso Líquido (kg)&quot;");
  expect(page).toContain("waits for the correction of manifests-2025-10.csv, row");
  expect(page).toContain(`rowferry import ${join(cwd, "mappings/manifests.yaml")}`);
  expect(page).not.toMatch(/undefined|\[object|NaN/);
});

it("`report` makes it again, also while the ledger is in use", long, async () => {
  rmSync(join(runFolder, "report.html"));
  const { code, out } = await run("report");
  expect(code).toBe(ExitCode.ok);
  expect(out).toContain("report.html");
  expect(statSync(join(runFolder, "report.html")).mode & 0o777).toBe(0o600);
  expect((await run("report", "1999-01-01T0000-import")).code).toBe(ExitCode.usage);
});

it("the log tells what was sent and how it was answered, and holds nothing of a person's data (P9)", long, () => {
  const log = readFileSync(join(runFolder, "run.log"), "utf8");
  const lines = log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { [field: string]: unknown });
  expect(lines[0]).toMatchObject({ msg: "begun", command: "import", target: "sandbox" });
  expect(lines.at(-1)).toMatchObject({ msg: "ended", exitCode: 3 });
  const creates = lines.filter(({ kind }) => kind === "create-with-events");
  expect(creates.length).toBe(summary.requests.byKind["create-with-events"]);
  expect(creates[0]).toMatchObject({ status: 201, attempt: 1, requestIds: [expect.stringContaining("x-request-id")] });
  const cells = new TextDecoder("latin1")
    .decode(readFileSync(join(cwd, faulty[1] ?? "")))
    .split(/[;\r\n]+/)
    .map((cell) => cell.replaceAll('"', "").trim())
    // Short words and plain numbers occur anywhere; names, streets, plates and tax ids do not.
    .filter((cell) => cell.length >= 7);
  expect(cells.length).toBeGreaterThan(1000);
  for (const cell of new Set(cells)) expect(log.includes(cell), cell).toBe(false);
  expect(log).not.toContain("Bearer");
});

it(
  "plan --document shows the document's requests in full, with places kept for ids that are not known yet",
  long,
  async () => {
    const plan = await lastOf<{
      exitCode: number;
      preview: { requests: { kind: string; path: string; body: { [field: string]: unknown } }[] };
    }>("plan", ...clean, "--document", "manifest/310025004101");
    // As the import would end: rows of the file before still need a person.
    expect(plan.exitCode).toBe(ExitCode.person);
    const last = plan.preview.requests.at(-1);
    expect(last?.kind).toBe("create-with-events");
    expect(last?.body["document"]).toMatchObject({ externalId: "310025004101", participantId: expect.any(String) });
    expect(JSON.stringify(last?.body["events"])).toMatch(/"deduplicationId":"rf1-[0-9a-f]{40}"/);
    const unknown = await run("plan", ...clean, "--document", "no-such");
    expect(unknown.code).toBe(ExitCode.usage);
  },
);

it(
  "plan counts and shows the empty document and the events that follow it under `shell-first`, as the import sends them",
  long,
  async () => {
    const mapping = readFileSync(join(cwd, "mappings/manifests.yaml"), "utf8");
    const shellFirst = mapping.replace(
      "namespace: demo-waste",
      "namespace: shells\nsettings: { creation: shell-first }",
    );
    writeFileSync(join(cwd, "mappings/shells.yaml"), shellFirst);
    const job = ["mappings/shells.yaml", clean[1] ?? ""];

    const plan = await lastOf<Plan>("plan", ...job, "--document", "manifest/310025004101");
    expect(plan.preview?.requests.slice(-2).map(({ kind }) => kind)).toEqual(["create-document", "append-events"]);

    const { requests } = await lastOf<Summary>("import", ...job);
    expect(plan.requests["create-with-events"]).toBe(0);
    for (const kind of ["create-document", "append-events"]) expect(plan.requests[kind]).toBe(requests.byKind[kind]);
  },
);

it(
  "an error while reading ends the run in the ledger too; status does not take it for one that goes on",
  long,
  async () => {
    const { code, err } = await run("import", "mappings/manifests.yaml", "fixtures/manifests/nix.csv");
    expect(code).toBe(ExitCode.usage);
    expect(err.match(/nix\.csv/g)).toHaveLength(1);
    expect((await run("status")).out).toContain(": not started.");
  },
);

it("a signal that came when all was done has interrupted nothing", () => {
  const stop = new AbortController();
  stop.abort({ exitCode: ExitCode.terminated });
  const nothing = { participants: {}, addresses: {}, documents: {}, events: {}, rows: 0 };
  const ends = (code: "interrupted" | "import-unstaged" | null, open: object = {}, signal = stop.signal) => {
    const stopped = code === null ? null : { code, message: "" };
    return exitCodeOf({ signal, stopped, emptyFiles: [] }, { ...nothing, ...open }, () => false);
  };
  expect(ends(null)).toBe(ExitCode.ok);
  expect(ends(null, { rows: 1 })).toBe(ExitCode.person);
  expect(ends(null, { events: { planned: 1 } })).toBe(ExitCode.terminated);
  expect(ends("interrupted")).toBe(ExitCode.terminated);
  // A file to be imported again needs a person; what can go on outweighs it.
  const { signal } = new AbortController();
  expect(ends("import-unstaged", {}, signal)).toBe(ExitCode.person);
  expect(ends("import-unstaged", { participants: { stalled: 1 } }, signal)).toBe(ExitCode.again);
});

it("`report` of an earlier run shows what stands open now, not what stood open when it ended", long, async () => {
  expect((await run("dismiss", "--input", "manifests-2025-10.csv", "--yes")).code).toBe(ExitCode.ok);
  expect((await run("resume")).code).toBe(ExitCode.person);
  // What waits for a document that no row brings is told, with the command that gives it up.
  const { out } = await run("status");
  expect(out).toMatch(/manifests-2025-10\.csv, row \d+ · reference-unknown/);
  expect(out).toContain("rowferry dismiss --code reference-unknown");
  expect((await run("dismiss", "--code", "reference-unknown", "--yes")).code).toBe(ExitCode.ok);
  expect((await run("resume")).code).toBe(ExitCode.ok);
  expect((await run("report", basename(runFolder))).code).toBe(ExitCode.ok);
  const page = readFileSync(join(runFolder, "report.html"), "utf8");
  for (const section of ["problems", "held"]) expect(page).not.toContain(`id="${section}"`);
  for (const section of ["rows", "records", "requests"]) expect(page).toContain(`id="${section}"`);
  expect(page).not.toContain("correct the rejected file");
});

it("a setting that plan calls cheaper saves an import as many requests as it says", long, async () => {
  const home = cwd;
  onTestFinished(() => void (cwd = home));
  /** Mapping and file, of 30 rows, in a folder with a ledger of its own. */
  const jobIn = (folder: string, creation: string) => {
    cwd = join(home, folder);
    cpSync(join(home, "mappings"), join(cwd, "mappings"), { recursive: true });
    const text = readFileSync(join(home, "mappings/manifests.yaml"), "utf8");
    const settings = `namespace: shells\nsettings: { creation: ${creation} }`;
    writeFileSync(join(cwd, "mappings/shells.yaml"), text.replace("namespace: demo-waste", settings));
    const rows = readFileSync(join(home, clean[1] ?? ""), "latin1").split("\n");
    writeFileSync(join(cwd, "manifests.csv"), rows.slice(0, 31).join("\n"), "latin1");
    return ["mappings/shells.yaml", join(cwd, "manifests.csv")];
  };
  const { requests, cheaper } = await lastOf<Plan>("plan", ...jobIn("shells", "shell-first"));
  const planned = Object.values(requests).reduce((sum, count) => sum + count, 0);
  const sent = (await lastOf<Summary>("import", ...jobIn("with-events", "with-events"))).requests;
  expect(cheaper?.saves).toBeGreaterThan(planned / 10);
  expect(sent.sent - sent.retries).toBe(planned - (cheaper?.saves ?? 0));
});
