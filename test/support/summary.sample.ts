/** A summary as a run leaves it, for tests of what is shown and written. */
import type { Summary } from "../../src/model/summary.js";

export function summary(changes: Partial<Summary> = {}): Summary {
  return {
    type: "summary",
    run: "2026-11-20T0200-import",
    command: "import",
    target: { name: "sandbox", baseUrl: "http://127.0.0.1:4010" },
    ledger: "state/sandbox/ledger.db",
    journal: null,
    mapping: "manifests.yaml",
    startedAt: "2026-11-20T02:00:00.000Z",
    finishedAt: "2026-11-20T02:05:30.000Z",
    exitCode: 0,
    stopped: null,
    inputs: [{ input: "march.csv", sheet: null, read: 312, skipped: 2, invalid: 3, known: 100, staged: 207 }],
    rows: { read: 312, skipped: 2, invalid: 3, known: 100, staged: 207 },
    outcomes: {
      landed: 204,
      later: 0,
      waiting: 3,
      toSettle: 0,
      toCorrect: 3,
      toDecide: 0,
      toSend: 0,
      eventless: 0,
      dismissed: 0,
      superseded: 0,
    },
    participants: { registered: 12 },
    addresses: { registered: 15 },
    documents: { open: 200, closed: 7 },
    events: { landed: 404, held: 3 },
    open: { participants: {}, addresses: {}, documents: {}, events: { held: 3 }, rows: 3 },
    requests: {
      sent: 1240,
      byKind: { "create-with-events": 207, "append-events": 1033 },
      retries: 2,
      rateLimited: 0,
      secondsAtLimit: 60.5,
      limit: { rate: 20, burst: 30 },
    },
    problems: [
      { code: "file-missing", count: 3, place: "march.csv, row 17", column: "Peso", example: "no such thing" },
    ],
    warnings: [],
    files: [{ kind: "receipts", path: "state/sandbox/runs/2026-11-20T0200-import/receipts.csv" }],
    ...changes,
  };
}
