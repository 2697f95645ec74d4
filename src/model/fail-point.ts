/**
 * Points between two durable steps at which a test kills the process, as a power cut would: `ROWFERRY_FAIL_AT=<point>`,
 * or `<point>:<n>` for the nth time it is reached. Off unless that variable is set.
 */
export const failPoints = [
  /** Rows are staged, the transaction has not been committed. */
  "before-staging-commits",
  /** Staged and committed; nothing has been planned. */
  "after-staging-committed",
  /** The plan's states are written; nothing has been sent. */
  "after-planning",
  /** The journal has an entry; the ledger's transaction that it goes before has not been committed. */
  "after-journal",
  /** A request's intent is durable; the request has not left. */
  "after-intent",
  /** The answer is in hand; its outcome has not been written. */
  "before-outcome",
  /** The outcome is durable. */
  "after-outcome",
  /** Everything is sent; the run's files have not been written. */
  "before-run-files",
  /** The run's files are written; the run has not been finished in the ledger. */
  "after-run-files",
] as const;

export type FailPoint = (typeof failPoints)[number];

const reached = new Map<FailPoint, number>();

export function failPoint(point: FailPoint): void {
  const wanted = process.env["ROWFERRY_FAIL_AT"];
  if (wanted === undefined) return;
  const [name, nth = "1"] = wanted.split(":");
  if (name !== point) return;
  const count = (reached.get(point) ?? 0) + 1;
  reached.set(point, count);
  if (count === Number(nth)) process.kill(process.pid, "SIGKILL");
}
