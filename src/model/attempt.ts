/** One try of a call to the service, as it is answered, recorded and shown. */
export interface ServiceError {
  status: number;
  /** In order; empty: the body held none. */
  codes: string[];
  /** Shortened to 500 characters; null: none. */
  message: string | null;
  /** Up to 4 KiB. */
  raw: string;
}

export interface Attempt {
  /** From 1. */
  number: number;
  /** In ms, this machine's clock. */
  startedAt: number;
  durationMs: number;
  /** Null: no answer (see `failure`). */
  status: number | null;
  /** `ECONNRESET`, `headers-timeout` …; null: there was an answer. */
  failure: string | null;
  error: ServiceError | null;
  /** Likely request ids (open point 15), as `name: value`. */
  requestIds: string[];
  /** The attempt may have taken effect. */
  inDoubt: boolean;
}
