/**
 * The contract suite against the sandbox: it passes as it is and with every switch, and each switch changes the readings
 * that are written down for it. All cases under every switch: `npm run contract -- --every-switch`. That the suite bites
 * is shown by `npm run mutate`.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "../../src/sandbox/index.js";
import { idOf } from "./case.js";
import { report } from "./report.js";
import { RULES } from "./rules.js";
import {
  against,
  failures,
  FAST,
  FULL_BUCKETS,
  OF_A_FULL_BUCKET,
  OF_AN_INSTANT,
  OF_THE_LIMITER,
} from "./sandbox-run.js";
import { AS_IT_IS, readingsUnder, SWITCHES } from "./sandbox-switches.js";
import { SUITE } from "./suite.js";

/** Of each switch; `npm run contract -- --every-switch` has them all. */
const MOST_CHANGED = 8;
const OF_THE_CLOCK = SUITE.filter((each) => each.needs.includes("clock"));
const folder = mkdtempSync(join(tmpdir(), "contract-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the contract suite", () => {
  const cited = new Set(SUITE.flatMap((each) => each.rules));

  it.each(RULES.filter((rule) => rule.untested === null).map((rule) => rule.id))(
    "has a positive and a negative case for: %s",
    (id) => {
      const kinds = SUITE.filter((each) => each.rules.includes(id)).map((each) => each.kind);
      expect(new Set(kinds)).toEqual(new Set(["positive", "negative"]));
    },
  );

  it("cites only rules of the specification and open points", () => {
    const known = new Set(RULES.map((rule) => rule.id));
    const points = new Set(Array.from({ length: 41 }, (_each, index) => `Open point ${index + 1}`));
    const isOwn = (id: string) => id.startsWith("Sandbox: ");
    expect([...cited].filter((id) => !known.has(id) && !points.has(id) && !isOwn(id))).toEqual([]);
    expect(RULES.filter((rule) => rule.untested !== null && cited.has(rule.id))).toEqual([]);
  });

  it("names every case once", () => {
    const names = SUITE.map(idOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe("the sandbox keeps the contract", () => {
  const usual = readingsUnder(AS_IT_IS);
  const { [AS_IT_IS]: _, ...switched } = SWITCHES;

  it("as it is", long, async () => {
    expect(failures(await against({ profile: { readings: usual } }))).toEqual([]);
  });

  it.each(Object.entries(switched))("with the switch, in what it changes: %s", async (title, options) => {
    const readings = readingsUnder(title);
    const changed = SUITE.filter((each) => !each.last && String(readings[idOf(each)]) !== String(usual[idOf(each)]));
    expect(changed.length).toBeGreaterThan(0);
    const cases = changed.filter((_each, index) => index % Math.ceil(changed.length / MOST_CHANGED) === 0);
    expect(failures(await against({ options, profile: { readings } }, cases))).toEqual([]);
  });

  it("as it is, to the very instant and the last token of a bucket", async () => {
    const profile = { readings: usual };
    expect(failures(await against({ stillClock: true, profile }, OF_AN_INSTANT))).toEqual([]);
    for (const bucket of FULL_BUCKETS)
      expect(failures(await against({ ...bucket, profile }, OF_A_FULL_BUCKET))).toEqual([]);
  });

  it("with all switches at once", long, async () => {
    const options = Object.assign({}, ...Object.values(SWITCHES)) as object;
    expect(failures(await against({ options }))).toEqual([]);
  });

  it("with the limiter on and the suite keeping its pace", long, async () => {
    const cases = SUITE.filter((each) => !OF_THE_LIMITER.includes(each) && !each.needs.includes("still-clock"));
    const results = await against({ limit: { rate: 800, burst: 160 } }, cases);
    expect(failures(results)).toEqual([]);
    expect(report(results)).toMatch(new RegExp(`\n${cases.length} passed, 0 failed, 0 skipped\n$`));
  });

  it("as to its limiter, five times as fast, with Retry-After and without (Limits, Errors: 429)", long, async () => {
    const results = await against({ limit: FAST }, OF_THE_LIMITER);
    expect(failures(results)).toEqual([]);
    expect(results.every((result) => result.outcome === "passed")).toBe(true);
    const cases = OF_THE_LIMITER.filter((each) => each.rules.includes("Errors: 429"));
    const [, told] = await against({ options: { retryAfter: true }, limit: FAST }, cases);
    expect(told).toMatchObject({ outcome: "passed", reading: expect.stringContaining(", Retry-After") as string });
  });

  it("as to its limiter at another rate and burst (open point 20)", long, async () => {
    expect(failures(await against({ limit: { rate: 60, burst: 12 } }, OF_THE_LIMITER))).toEqual([]);
  });

  it("at the specification's own 20 requests per second and burst of 30 (Limits)", long, async () => {
    const cases = OF_THE_LIMITER.filter((each) => each.rules.includes("Limits: burst"));
    expect(failures(await against({ limit: { rate: 20, burst: 30 } }, cases))).toEqual([]);
  });

  it("kept in a file as in memory", long, async () => {
    const storage = { file: join(folder, "store.db") };
    const profile = { readings: readingsUnder(AS_IT_IS) };
    expect(failures(await against({ options: { storage }, profile }))).toEqual([]);
  });

  it("without control and second credential, naming the capabilities that were missing", long, async () => {
    const results = await against({ withControl: false, withSecond: false });
    expect(failures(results)).toEqual([]);
    const missing = results.flatMap((result) => (result.outcome === "not run" ? result.missing : []));
    expect(new Set(missing)).toEqual(new Set(["control", "clock", "still-clock", "second-credential", "rate-limit"]));
    expect(report(results)).toContain("capabilities that were missing: ");
  });

  const ofAnyClock = SUITE.filter((each) => !OF_THE_CLOCK.includes(each));

  it("when its clock is an hour ahead of ours", long, async () => {
    expect(failures(await against({ options: { clockOffset: 3_600_000 } }, ofAnyClock))).toEqual([]);
  });

  it("when its clock is an hour behind ours", long, async () => {
    expect(failures(await against({ options: { clockOffset: -3_600_000 } }, ofAnyClock))).toEqual([]);
  });
});

describe("scripts/contract.ts", () => {
  /** Runs the script for the rules of GET /documents against a sandbox. */
  async function script(...more: string[]): Promise<{ code: number; stdout: string }> {
    const sandbox = createSandbox({ rate: null });
    const { baseUrl, tokenUrl } = await sandbox.listen();
    const flags = ["--token-url", tokenUrl, "--client-id", "sandbox", "--client-secret", "sandbox", "--unthrottled"];
    const args = ["--import", "tsx", "scripts/contract.ts", baseUrl, ...flags, "--only", "GET /documents", ...more];
    try {
      return await new Promise((resolve) => {
        execFile(process.execPath, args, (error, stdout) => resolve({ code: Number(error?.code ?? 0), stdout }));
      });
    } finally {
      await sandbox.close();
    }
  }

  it("ends with the sums, and with exit code 0 when nothing failed", long, async () => {
    const { code, stdout } = await script();
    expect(stdout).toMatch(/\n\d+ passed, 0 failed, 0 skipped\n$/);
    expect(code).toBe(0);
  });

  it("names the case whose reading is not the profile's, and ends with exit code 1", long, async () => {
    const profile = join(folder, "profile.json");
    const id = "GET /documents/{id}: reads an existing document";
    writeFileSync(profile, JSON.stringify({ readings: { [id]: "something else" } }));
    const { code, stdout } = await script("--profile", profile);
    expect(stdout).toContain("FAILED   + reads an existing document");
    expect(code).toBe(1);
  });
});
