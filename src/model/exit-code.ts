/** What the process says to cron, in one number. */
export const ExitCode = {
  /** Nothing needs attention: landed, known, in the future or behind what is, dismissed, left by --limit or --until. */
  ok: 0,
  /** An unexpected failure: a bug, or a machine that failed. */
  unexpected: 1,
  /** Wrong usage, settings or mapping; nothing was sent. */
  usage: 2,
  /** A person is needed: invalid, rejected, held, changed, foreign, stranded or unsettled work. */
  person: 3,
  /** The same command can go on: stalled work, an outage, --max-errors, refused credentials. Wins over `person`. */
  again: 4,
  /** Another process is using the ledger. */
  locked: 5,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
