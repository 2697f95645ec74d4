/** Real processes, killed with SIGKILL half-way and run again (P1, P4; DESIGN section 1). */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failPoints } from "../src/model/fail-point.js";
import { createSandbox, type EventRecord, type Sandbox } from "../src/sandbox/index.js";

// The processes work in a folder of their own, from which the loader would not be found by name.
const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const root = fileURLToPath(new URL("..", import.meta.url));
const manifests = ["mappings/manifests.yaml", "fixtures/manifests/manifests-2025-09.csv"].map((path) =>
  join(root, path),
);

let folder: string;
let sandbox: Sandbox;
let env: Record<string, string>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-kill-"));
  sandbox = createSandbox({ rate: null });
  const { baseUrl, tokenUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  env = {
    PATH: process.env["PATH"] ?? "",
    ROWFERRY_BASE_URL: baseUrl,
    ROWFERRY_TOKEN_URL: tokenUrl,
    ROWFERRY_CLIENT_ID: "sandbox",
    ROWFERRY_CLIENT_SECRET: "sandbox",
    ROWFERRY_LEDGER: join(folder, "ledger.db"),
    ROWFERRY_RATE: "400",
    ROWFERRY_BURST: "40",
  };
});

afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Exit code, or null when it was killed once the sandbox had seen `killAfter` requests. */
function rowferry(
  args: string[],
  killAfter: number | null = null,
  more: { env?: Record<string, string>; fileBlocks?: number } = {},
): Promise<number | null> {
  const cli = join(root, "src/cli/main.ts");
  const command = [process.execPath, "--import", loader, cli, ...args];
  const limited = ["bash", "-c", `ulimit -f ${more.fileBlocks}; trap '' XFSZ; exec "$@"`, "bash", ...command];
  const [program = "", ...rest] = more.fileBlocks === undefined ? command : limited;
  const child = spawn(program, rest, { cwd: folder, env: { ...env, ...more.env }, stdio: "ignore" });
  const watch = setInterval(() => {
    if (killAfter !== null && sandbox.store.statistics().requests >= killAfter) child.kill("SIGKILL");
  }, 1);
  return new Promise((resolve) => {
    child.on("exit", (code) => {
      clearInterval(watch);
      resolve(code);
    });
  });
}

/** Timelines by the documents' external ids, without generated ids. */
function timelines(of: Sandbox): Map<string, string[]> {
  const events = ({ name, at, deduplicationId }: EventRecord) => `${at} ${name} ${deduplicationId}`;
  return new Map(of.store.documents().map((document) => [document.externalId ?? "", document.events.map(events)]));
}

/** Keys of documents that are stranded, and of those whose relation to a stranded one cannot be sent. */
function stranded(): { keys: Set<string>; waiting: Set<string> } {
  const ledger = new Database(env["ROWFERRY_LEDGER"] ?? "", { readonly: true });
  const keys = ledger
    .prepare<[], string>(
      "SELECT key FROM documents d JOIN document_states s ON s.document_id = d.id WHERE s.state = 'stranded'",
    )
    .pluck()
    .all();
  const waiting = ledger
    .prepare<[], string>(
      `SELECT DISTINCT d.key FROM event_states s JOIN events e ON e.id = s.event_id JOIN documents d ON d.id = e.document_id
       WHERE s.state = 'held' AND s.reason = 'document-stranded'`,
    )
    .pluck()
    .all();
  ledger.close();
  return { keys: new Set(keys), waiting: new Set(waiting) };
}

let undisturbed: Map<string, string[]>;

/** Every timeline is that of the undisturbed run, but what waits for a person; nothing is doubled. */
function expectWhole(code: number | null): void {
  const lost = stranded();
  expect(code).toBe(lost.keys.size > 0 ? 3 : 0);
  const result = timelines(sandbox);
  for (const [key, events] of undisturbed) {
    const found = result.get(key) ?? [];
    const whole = !lost.keys.has(key) && !lost.waiting.has(key);
    expect(found, key).toEqual(whole ? events : events.slice(0, found.length));
  }
  expect(sandbox.store.documents()).toHaveLength(result.size);
  expect([...sandbox.store.twinParticipants(), ...sandbox.store.doubledAddresses()]).toEqual([]);
}

describe("an import killed with SIGKILL and run again", () => {
  test("an undisturbed run, for comparison, ends well", async () => {
    expect(await rowferry(["import", ...manifests])).toBe(0);
    undisturbed = timelines(sandbox);
    expect(undisturbed.size).toBe(66);
  });

  // In registrations, at the first creates, and among the documents.
  test.each([10, 110])(
    "after %i requests leaves the timelines of an undisturbed run",
    async (requests) => {
      expect(await rowferry(["import", ...manifests], requests)).toBeNull();
      const code = await rowferry(["import", ...manifests]);
      expectWhole(code);
      expect(await rowferry(["resume"])).toBe(code);
    },
    60_000,
  );

  test("at every named point between two durable steps, one after the other, loses and doubles nothing", async () => {
    // Requests are counted over a run: registrations come first, then documents.
    const points = failPoints.map((point) => (/intent|outcome/.test(point) ? `${point}:20` : point));
    for (const point of points) {
      const killed = await rowferry(["import", ...manifests], null, { env: { ROWFERRY_FAIL_AT: point } });
      expect(killed, point).toBeNull();
    }
    expectWhole(await rowferry(["import", ...manifests]));
  }, 120_000);
});

describe("two imports at once (H33)", () => {
  test("the second ends with exit code 5, or waits for the first", async () => {
    const first = rowferry(["import", ...manifests], null, { env: { ROWFERRY_RATE: "60", ROWFERRY_BURST: "10" } });
    while (sandbox.store.statistics().requests === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const [refused, waited] = await Promise.all([rowferry(["resume"]), rowferry(["resume", "--wait"])]);
    expect([refused, await first, waited]).toEqual([5, 0, 0]);
  });
});

describe("a disk that is full (H33)", () => {
  test("ends in a sentence, and the next run loses nothing", async () => {
    const code = await rowferry(["import", ...manifests], null, { fileBlocks: 900 });
    expect(code).toBe(1);
    expectWhole(await rowferry(["import", ...manifests]));
  });
});
