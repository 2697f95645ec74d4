/** The process's exit codes. */
export const ExitCode = {
  /** Nothing needs attention: landed, known, in the future, dismissed, or left by --limit or --until. */
  ok: 0,
  /** A bug, or a failing machine. */
  unexpected: 1,
  /** Wrong usage, settings or mapping; nothing was sent. */
  usage: 2,
  /** A person is needed: invalid, rejected, held, changed, foreign, stranded or unsettled work. */
  person: 3,
  /** The same command can continue: stalled work, an outage, --max-errors, refused credentials. Outweighs `person`. */
  again: 4,
  /** Another process is using the ledger. */
  locked: 5,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
