/** Runs the real command line against a judge, in a folder of its own, and reads what its ledger says at the end. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "better-sqlite3";
import { root } from "./inputs.js";
import type { Judge } from "./service.js";

// The processes work in a folder of their own, from which the loader would not be found by name.
const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

export interface Ran {
  args: string[];
  /** Null: it was ended after `timeoutMs`. */
  code: number | null;
  output: string;
  ms: number;
}

export interface Client {
  folder: string;
  run(args: string[]): Promise<Ran>;
  /** `import`, then `resume` for as long as the exit code says that it helps, six times at most. */
  importUntilSettled(args: string[]): Promise<Ran[]>;
  /** `kind state reason`, with the documents' external ids, of all that is not done. */
  open(): { document: string; state: string; reason: string | null }[];
  stranded(): Set<string>;
  remove(): void;
}

export function createClient(judge: Judge, options: { rate: number; burst: number; timeoutMs?: number }): Client {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-judge-"));
  const ledgerPath = join(folder, "ledger.db");
  const env = {
    PATH: process.env["PATH"] ?? "",
    ROWFERRY_BASE_URL: judge.baseUrl,
    ROWFERRY_TOKEN_URL: judge.tokenUrl,
    ROWFERRY_CLIENT_ID: "judged",
    ROWFERRY_CLIENT_SECRET: "not:easily/guessed%",
    ROWFERRY_LEDGER: ledgerPath,
    ROWFERRY_RATE: String(options.rate),
    ROWFERRY_BURST: String(options.burst),
  };

  function run(args: string[]): Promise<Ran> {
    const started = performance.now();
    const child = spawn(process.execPath, ["--import", loader, join(root, "src/cli/main.ts"), ...args], {
      cwd: folder,
      env,
    });
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (output += text.toString()));
    const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs ?? 180_000);
    return new Promise((resolve) => {
      child.on("close", (code) => {
        clearTimeout(timer);
        resolve({ args, code, output, ms: Math.round(performance.now() - started) });
      });
    });
  }

  function query<T>(sql: string): T[] {
    const ledger = new Database(ledgerPath, { readonly: true });
    try {
      return ledger.prepare<[], T>(sql).all();
    } finally {
      ledger.close();
    }
  }

  return {
    folder,
    run,
    async importUntilSettled(args) {
      const runs = [await run(["import", ...args])];
      // 4: the same command can go on.
      while (runs.at(-1)?.code === 4 && runs.length < 7) runs.push(await run(["resume"]));
      return runs;
    },
    open: () =>
      query(
        `SELECT d.key AS document, s.state, s.reason FROM event_states s JOIN events e ON e.id = s.event_id
         JOIN documents d ON d.id = e.document_id WHERE s.state NOT IN ('landed', 'landed-without-id')`,
      ),
    stranded: () =>
      new Set(
        query<{ key: string }>(
          "SELECT key FROM documents d JOIN document_states s ON s.document_id = d.id WHERE s.state = 'stranded'",
        ).map(({ key }) => key),
      ),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
