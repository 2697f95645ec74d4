/** Runs the real command line against a judge, in a folder of its own, and reads what its ledger says at the end. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { program } from "../../processes/processes.js";
import type { Judge } from "./service.js";

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
  /** This command, then `resume` for as long as the exit code says that it helps, six times at most. */
  untilSettled(args: string[]): Promise<Ran[]>;
  /** Documents that wait for a person's word about themselves (documentId null) or about events, by their keys. */
  undecided(): { kind: string; key: string; documentId: string | null; doubtful: string[] }[];
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
    const child = spawn(process.execPath, [program(), ...args], { cwd: folder, env });
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
    async untilSettled(args) {
      const runs = [await run(args)];
      // 4: the same command can go on.
      while (runs.at(-1)?.code === 4 && runs.length < 7) runs.push(await run(["resume"]));
      return runs;
    },
    open: () =>
      query(
        `SELECT d.key AS document, s.state, s.reason FROM event_states s JOIN events e ON e.id = s.event_id
         JOIN documents d ON d.id = e.document_id WHERE s.state NOT IN ('landed', 'landed-without-id')`,
      ),
    undecided: () =>
      query<{ kind: string; key: string; documentId: string | null; doubtful: string }>(
        `SELECT d.kind, d.key, x.service_id AS documentId, (SELECT json_group_array('rf1-' || lower(hex(e.deduplication_id)))
           FROM events e JOIN event_states s ON s.event_id = e.id
           WHERE e.document_id = d.id AND s.state = 'stalled' AND s.doubt = 1) AS doubtful
         FROM documents d JOIN document_states x ON x.document_id = d.id
         WHERE x.state = 'stranded' OR x.reason = 'doubt-unsettled' OR EXISTS (SELECT 1 FROM events e
           JOIN event_states s ON s.event_id = e.id WHERE e.document_id = d.id AND s.reason = 'doubt-unsettled')`,
      ).map(({ doubtful, ...rest }) => ({ ...rest, doubtful: JSON.parse(doubtful) as string[] })),
    stranded: () =>
      new Set(
        query<{ key: string }>(
          "SELECT key FROM documents d JOIN document_states s ON s.document_id = d.id WHERE s.state = 'stranded'",
        ).map(({ key }) => key),
      ),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
