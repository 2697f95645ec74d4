/** A service to import into, and the ledger that belongs to it (DESIGN section 3, Targets). */
export interface Target {
  /** `sandbox`, `env`, or a name from rowferry.config.yaml. */
  name: string;
  /** Without a trailing slash. For the embedded sandbox known only once it listens: "". */
  baseUrl: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string | null;
  clientAuthentication: "basic" | "post";
  /** Requests per second; null: unthrottled (embedded sandbox only). */
  rate: number | null;
  burst: number;
  /** `redis://…`: one budget shared with other processes; null: this process alone. */
  throttle: string | null;
  maxEventsPerRequest: number;
  maxRequestBytes: number;
  requestIdHeaders: string[];
  ledgerPath: string;
  /** Where its journal is kept, from the settings file; absent: only where --journal names one. */
  journal?: string;
  /** Folder of this target's runs and archive. */
  stateFolder: string;
}
