/** A service and its ledger. */
export interface Target {
  /** `sandbox`, `env`, or a name from rowferry.config.yaml. */
  name: string;
  /** Without a trailing slash; "" until the embedded sandbox listens. */
  baseUrl: string;
  tokenUrl: string;
  clientId: string;
  /** Reads its file at the first call. @throws RowferryError `settings-unsafe`, `secret-unreadable` */
  clientSecret: () => string;
  scope: string | null;
  clientAuthentication: "basic" | "post";
  /** Null: unthrottled (embedded sandbox only). */
  rate: number | null;
  burst: number;
  /** `redis://…`: shared with other processes; null: this process alone. */
  throttle: string | null;
  maxEventsPerRequest: number;
  maxRequestBytes: number;
  requestIdHeaders: string[];
  ledgerPath: string;
  /** From the settings; absent: only --journal names one. */
  journal?: string;
  /** For runs. */
  stateFolder: string;
}
