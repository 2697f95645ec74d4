/**
 * The contract suite against the sandbox: it passes as it is and with every switch of open-points.md, and a sandbox
 * with one rule switched off fails at a case of that very rule, so the suite is known to bite.
 */
import { execFile } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { createSandbox, ruleNames } from "../src/sandbox/index.js";
import type { RuleName, SandboxOptions } from "../src/sandbox/index.js";
import type { ContractCase } from "./contract/case.js";
import { RULES } from "./contract/rules.js";
import type { CaseResult, RunOptions } from "./contract/run-cases.js";
import { runCases } from "./contract/run-cases.js";
import { report } from "./contract/report.js";
import { ServiceUnderTest } from "./contract/service.js";
import { SUITE } from "./contract/suite.js";

type Limit = { rate: number; burst: number } | null;

/** Five times the real rate, so that the limiter's cases take seconds and not a minute. */
const FAST: Limit = { rate: 100, burst: 30 };
const OF_THE_LIMITER = SUITE.filter((each) => each.needs.includes("rate-limit"));
const OF_THE_CLOCK = SUITE.filter((each) => each.needs.includes("clock"));

interface Setting {
  options?: SandboxOptions;
  limit?: Limit;
  withControl?: boolean;
  withSecond?: boolean;
  run?: RunOptions;
}

/** Runs cases against a sandbox of their own. */
async function against(setting: Setting, cases: readonly ContractCase[] = SUITE): Promise<CaseResult[]> {
  const limit = setting.limit ?? null;
  const sandbox = createSandbox({
    rate: limit?.rate ?? null,
    ...(limit && { burst: limit.burst }),
    ...setting.options,
  });
  const { baseUrl, tokenUrl, controlUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  const service = new ServiceUnderTest({
    baseUrl,
    tokenUrl,
    controlUrl: setting.withControl === false ? null : controlUrl,
    credential: { clientId: "sandbox", clientSecret: "sandbox" },
    secondCredential: setting.withSecond === false ? null : { clientId: "second", clientSecret: "second" },
    limit,
    seed: "test",
  });
  try {
    return await runCases(cases, service, setting.run);
  } finally {
    await service.close();
    await sandbox.close();
  }
}

function failures(results: readonly CaseResult[]): string[] {
  return results.flatMap((result) =>
    result.outcome === "failed" ? `${result.contractCase.rule}: ${result.contractCase.title}: ${result.message}` : [],
  );
}

/** All readings found for a rule, in one text. */
function readings(results: readonly CaseResult[], rule: string): string {
  const found = results.flatMap((result) =>
    result.outcome === "passed" && result.contractCase.rule === rule ? (result.reading ?? []) : [],
  );
  return found.join(" | ");
}

describe("the contract suite", () => {
  const cited = new Set(SUITE.map((each) => each.rule));

  it.each(RULES.filter((rule) => rule.untested === null).map((rule) => rule.id))(
    "has a positive and a negative case for: %s",
    (id) => {
      const kinds = SUITE.filter((each) => each.rule === id).map((each) => each.kind);
      expect(new Set(kinds)).toEqual(new Set(["positive", "negative"]));
    },
  );

  it("cites only rules of the specification and open points 1 to 31", () => {
    const known = new Set(RULES.map((rule) => rule.id));
    const points = new Set(Array.from({ length: 31 }, (_each, index) => `Open point ${index + 1}`));
    expect([...cited].filter((id) => !known.has(id) && !points.has(id))).toEqual([]);
    expect(RULES.filter((rule) => rule.untested !== null && cited.has(rule.id))).toEqual([]);
  });

  it("names every case once", () => {
    const names = SUITE.map((each) => `${each.rule}: ${each.title}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe("the sandbox keeps the contract", () => {
  it("as it is, with the limiter on and the suite keeping its pace", async () => {
    const cases = SUITE.filter((each) => !OF_THE_LIMITER.includes(each));
    const results = await against({ limit: { rate: 800, burst: 160 } }, cases);
    expect(failures(results)).toEqual([]);
    expect(report(results)).toMatch(new RegExp(`\n${cases.length} passed, 0 failed, 0 skipped\n$`));
  });

  it("as to its limiter, five times as fast (Limits, Errors: 429)", async () => {
    const results = await against({ limit: FAST }, OF_THE_LIMITER);
    expect(failures(results)).toEqual([]);
    expect(results.every((result) => result.outcome === "passed")).toBe(true);
  });

  it("at the specification's own 20 requests per second and burst of 30 (Limits)", async () => {
    const cases = OF_THE_LIMITER.filter((each) => each.rule === "Limits: burst");
    expect(failures(await against({ limit: { rate: 20, burst: 30 } }, cases))).toEqual([]);
  });

  it("kept in SQLite as in memory", async () => {
    expect(failures(await against({ options: { storage: { file: ":memory:" } } }))).toEqual([]);
  });

  it("without control and second credential, naming the capabilities that were missing", async () => {
    const results = await against({ withControl: false, withSecond: false });
    expect(failures(results)).toEqual([]);
    const missing = results.flatMap((result) => (result.outcome === "not run" ? result.missing : []));
    expect(new Set(missing)).toEqual(new Set(["control", "clock", "second-credential", "rate-limit"]));
    expect(report(results)).toContain("capabilities that were missing: ");
  });

  it("when its clock is an hour ahead of or behind ours", async () => {
    for (const clockOffset of [3_600_000, -3_600_000]) {
      const cases = SUITE.filter((each) => !OF_THE_CLOCK.includes(each));
      expect(failures(await against({ options: { clockOffset } }, cases))).toEqual([]);
    }
  });

  /** Every switch with the open point whose reading it turns, and words of that reading. */
  const switches: readonly [title: string, options: SandboxOptions, rule: string, found: RegExp][] = [
    ["twins of one natural key", { twinParticipants: true }, "Open point 2", /a twin is created/],
    ["the six address fields only", { strictAddresses: true }, "Open point 4", /refused on create/],
    ["batches kept in part", { partialBatches: true }, "Open point 9", /before the failing event is kept/],
    ["at most 30 events", { maxEvents: 30 }, "Open point 10", /150 events: 413/],
    ["at most 40,000 bytes", { maxBytes: 40_000 }, "Open point 10", /64 KiB: 413/],
    ["links at the service's time", { linkTime: "server" }, "Open point 11", /at the service's time/],
    ["early mirrors refused", { earlyMirrors: "refuse" }, "Open point 11", /refused with 400/],
    ["tokens good for two seconds", { tokenTtl: 2 }, "Open point 12", /expires_in 2/],
    ["order checked before duplicates", { checks: "order-first" }, "Open point 19", /order first/],
    ["keys scoped to the document", { keyScope: "document" }, "Open point 22", /scope: document/],
    ["errors without messages", { terseErrors: true }, "Endpoints, Events 4", /no message/],
    ["externalId unique", { uniqueExternalId: true }, "Open point 26", /must be unique/],
    ["foreign participants refused", { foreign: "refuse" }, "Open point 28", /refused with 403/],
    ["addresses in pages", { pageSize: 2 }, "Open point 21", /a page of 2/],
  ];
  it.each(switches)("with the switch: %s", async (_title, options, rule, found) => {
    const results = await against({ options });
    expect(failures(results)).toEqual([]);
    expect(readings(results, rule)).toMatch(found);
  });

  it("with the switch: Retry-After", async () => {
    const cases = OF_THE_LIMITER.filter((each) => each.rule === "Errors: 429");
    const results = await against({ options: { retryAfter: true }, limit: FAST }, cases);
    expect(failures(results)).toEqual([]);
    expect(readings(results, "Errors: 429")).toMatch(/, Retry-After/);
  });

  it("with the switches: rate and burst", async () => {
    expect(failures(await against({ limit: { rate: 60, burst: 12 } }, OF_THE_LIMITER))).toEqual([]);
  });

  it("with all switches at once", async () => {
    const options = Object.assign({}, ...switches.map(([, each]) => each)) as SandboxOptions;
    expect(failures(await against({ options }))).toEqual([]);
  });
});

/** Runs the script for the rules of GET /documents against a sandbox. */
async function script(options: SandboxOptions): Promise<{ code: number; stdout: string }> {
  const sandbox = createSandbox({ rate: null, ...options });
  const { baseUrl, tokenUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  const flags = ["--token-url", tokenUrl, "--client-id", "sandbox", "--client-secret", "sandbox", "--unthrottled"];
  const args = ["--import", "tsx", "scripts/contract.ts", baseUrl, ...flags, "--only", "GET /documents"];
  try {
    return await new Promise((resolve) => {
      execFile(process.execPath, args, (error, stdout) => resolve({ code: Number(error?.code ?? 0), stdout }));
    });
  } finally {
    await sandbox.close();
  }
}

describe("scripts/contract.ts", () => {
  it("ends with the sums, and with exit code 0 when nothing failed", async () => {
    const { code, stdout } = await script({});
    expect(stdout).toMatch(/\n3 passed, 0 failed, 0 skipped\n$/);
    expect(code).toBe(0);
  });

  it("names the case that failed, and ends with exit code 1", async () => {
    const { code, stdout } = await script({ mutations: ["documents.not-found"] });
    expect(stdout).toContain("FAILED   - an id nobody was given is answered 404");
    expect(code).toBe(1);
  });
});

/** The rule whose own cases must notice that the sandbox no longer keeps it. */
const CAUGHT_BY: Readonly<Record<RuleName, string>> = {
  "participant.natural-key": "Participant natural key",
  "participant.snapshot-on-create": "POST /participants",
  "participant.snapshot-only-on-create": "Participant",
  "participant.read-by-id": "GET /participants/{id}",
  "participant.not-found": "GET /participants/{id}",
  "address.snapshot-on-create": "POST /participants/{participantId}/addresses",
  "address.of-one-participant": "Address",
  "address.participant-must-exist": "POST /participants/{participantId}/addresses",
  "address.geography-on-create": "geography",
  "address.geography-on-list": "geography",
  "dataset.own-fields": "What the service does 4",
  "dataset.foreign-fields": "What the service does 4",
  "dataset.street-masked": "What the service does 4",
  "dataset.documents-scoped": "Authentication 2",
  "documents.immutable": "What the service does 3",
  "documents.not-found": "GET /documents/{id}",
  "documents.key-unique": "POST /documents",
  "events.name-required": "Event",
  "events.is-public-required": "Endpoints, Events 10",
  "events.attribute-is-public": "Event",
  "events.one-participant": "Endpoints, Events 1",
  "events.one-address": "Endpoints, Events 1",
  "events.inline-creates": "Endpoints, Events 1",
  "events.inline-finds": "Endpoints, Events 1",
  "events.references-exist": "What the service does 2",
  "events.single-identity": "Endpoints, Events 2",
  "batch.identity-participant": "Endpoints, Events 3",
  "batch.identity-address": "Endpoints, Events 3",
  "batch.not-both": "Endpoints, Events 4",
  "batch.not-neither": "Endpoints, Events 4",
  "batch.message": "Endpoints, Events 4",
  "batch.same-schema": "Endpoints, Events 5",
  "batch.entry-per-event": "POST /documents/events",
  "target.creates-document": "Endpoints, Events 6",
  "target.reported": "Endpoints, Events 6",
  "order.before-now": "Limits 3",
  "order.not-before-last": "Endpoints, Events 7",
  "keys.unique": "Endpoints, Events 8",
  "keys.never-replayed": "Endpoints, Events 8",
  "keys.conflict-code": "Errors: 409 duplicate",
  "cancel.reason": "Endpoints, Events 9",
  "cancel.reason-not-empty": "Endpoints, Events 9",
  "cancel.reason-lowercase": "Endpoints, Events 9",
  "cancel.message": "Endpoints, Events 9",
  "cancel.blocks": "States: CANCEL",
  "cancel.after-close": "States: CANCEL",
  "close.blocks": "States: CLOSE",
  "close.allows-related": "States: CLOSE",
  "related.mirror": "Endpoints, Events 10",
  "related.bidirectional-default": "Endpoints, Events 10",
  "related.mirror-name": "Endpoints, Events 10",
  "related.is-public-required": "Endpoints, Events 10",
  "related.one-way-refuses": "Endpoints, Events 10",
  "related.one-way-writes-once": "Endpoints, Events 10",
  "related.same-dataset": "Endpoints, Events 10",
  "related.not-cancelled": "States: RELATED to a cancelled document",
  "propagation.copies": "Endpoints, Events 11",
  "propagation.one-level": "Endpoints, Events 11",
  "propagation.no-value": "Endpoints, Events 11",
  "custom.fallback": "Events 2",
  "auth.required": "Authentication 1",
  "auth.known-token": "Authentication 4",
  "auth.expired-token": "Authentication 3",
  "auth.expired-gateway-body": "Authentication 3",
  "auth.client-secret": "Open point 12",
  "auth.grant-type": "Open point 12",
  "errors.envelope": "Errors: envelope",
  "errors.item-id": "Errors: envelope",
  "errors.item-timestamp": "Errors: envelope",
  "errors.request-id": "Errors: request id",
  "limits.sustained": "Limits: sustained",
  "limits.burst": "Limits: burst",
  "limits.per-client": "Limits: sustained",
};

describe("the contract suite bites", () => {
  const catches: string[] = [];
  afterAll(() => {
    // Which case caught which mutation is worth reading when a rule is added.
    if (process.env["CONTRACT_CATCHES"]) process.stdout.write(`${catches.join("\n")}\n`);
  });

  it("knows every rule that the sandbox can switch off", () => {
    expect(Object.keys(CAUGHT_BY).toSorted()).toEqual([...ruleNames].toSorted());
  });

  it.each([...ruleNames])("a sandbox without %s is caught", async (mutation) => {
    const cases = SUITE.filter((each) => each.rule === CAUGHT_BY[mutation]);
    const limit = mutation.startsWith("limits.") ? FAST : null;
    const results = await against(
      { options: { mutations: [mutation] }, limit, run: { untilFirstFailure: true } },
      cases,
    );
    const [caught] = failures(results);
    catches.push(`${mutation} <- ${String(caught)}`);
    expect(caught, `no case of "${CAUGHT_BY[mutation]}" noticed`).toBeDefined();
  });
});
