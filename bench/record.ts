/**
 * Writing down one batch of ten events, durably: its intent before the call and its outcome after it, each against a bare
 * write and fsync in the same folder; and how much write-ahead log an outcome costs.
 * `tsx bench/record.ts [--batches 300] [--rows 100000]`.
 */
import { closeSync, fsyncSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { figure, median, withTemporaryFolder } from "./harness.js";
import { EVENTS_A_DOCUMENT, offlineSession, stageAndPlan, writeManifests, writeMapping } from "./manifests.js";
import { recordLandings } from "../src/run/evidence.js";

const GOAL = 2.5;
const WAL_GOAL_BYTES = 32 * 1024;
const PAGE_BYTES = 4096;

const { values } = parseArgs({
  options: { batches: { type: "string", default: "300" }, rows: { type: "string", default: "100000" } },
});

await withTemporaryFolder(async (folder) => {
  const mapping = await writeMapping(folder);
  const file = join(folder, "rows.csv");
  const ledger = join(folder, "ledger.db");
  await writeManifests(file, 0, Number(values.rows));
  const session = await offlineSession(ledger);
  await stageAndPlan(session, mapping, [file]);
  const { database, requests, work, run } = session;
  database.pragma("wal_autocheckpoint = 0");
  const bare = openSync(join(folder, "bare"), "w");
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const times = { intent: [] as number[], outcome: [] as number[], bare: [] as number[] };
  const walOf = { intent: [] as number[], outcome: [] as number[] };
  const wal = () => statSync(`${ledger}-wal`).size;
  const timed = (list: number[], act: () => void) => {
    const begun = performance.now();
    act();
    list.push(performance.now() - begun);
  };
  database.pragma("wal_checkpoint(TRUNCATE)");
  let done = 0;
  for (const document of work.openDocuments()) {
    if (done++ >= Number(values.batches)) break;
    const planned = work.events(document);
    const ids = planned.map(({ id }) => id);
    if (ids.length !== EVENTS_A_DOCUMENT) throw new Error(`${ids.length} events in a document`);
    const intent = { runId: run.id, kind: "create-with-events", subject: "document" as const, subjectId: document };
    const now = session.clock.now();
    let request = 0;
    const before = wal();
    timed(times.intent, () => {
      request = requests.begin({ ...intent, events: ids, creates: true }, now) ?? 0;
    });
    const between = wal();
    const attempt = { number: 1, startedAt: now, durationMs: 80, status: 201, failure: null, error: null };
    timed(times.outcome, () => {
      requests.end(request, "accepted", { ...attempt, requestIds: [crypto.randomUUID()], inDoubt: false }, now, (t) => {
        t.opened(document, crypto.randomUUID(), ids, now);
        const receipts = planned.map(() => ({ eventId: crypto.randomUUID(), targetDocumentId: null }));
        recordLandings(t, planned, receipts, null, now);
      });
    });
    walOf.intent.push(between - before);
    walOf.outcome.push(wal() - between);
    timed(times.bare, () => {
      writeSync(bare, page);
      fsyncSync(bare);
    });
  }
  closeSync(bare);
  await session.close();

  const ms = (list: number[]) => median(list);
  const kib = (list: number[]) => (median(list) / 1024).toFixed(1);
  for (const name of ["intent", "outcome"] as const) {
    const ratio = ms(times[name]) / ms(times.bare);
    figure(
      ratio <= GOAL,
      `${name} of ${EVENTS_A_DOCUMENT} events: ${ms(times[name]).toFixed(2)} ms = ${ratio.toFixed(2)} × a bare write and fsync ` +
        `(${ms(times.bare).toFixed(2)} ms), goal ≤ ${GOAL}`,
    );
  }
  figure(
    median(walOf.outcome) <= WAL_GOAL_BYTES,
    `write-ahead log: outcome ${kib(walOf.outcome)} KiB, goal ≤ 32; intent ${kib(walOf.intent)} KiB`,
  );
});
