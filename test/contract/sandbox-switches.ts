/**
 * The sandbox in every reading that its switches offer, and what the suite finds in each: all readings of the sandbox as
 * it is, and for every switch those that it changes. Written by `npm run contract:learn`.
 */
import { readFileSync } from "node:fs";
import type { SandboxOptions } from "../../src/sandbox/index.js";

type Readings = Readonly<Record<string, string | readonly string[]>>;

export const READINGS_FILE = new URL("sandbox-readings.json", import.meta.url);

export const AS_IT_IS = "as it is";

export const SWITCHES: Readonly<Record<string, SandboxOptions>> = {
  [AS_IT_IS]: {},
  "twins of one natural key": { twinParticipants: true },
  "the six address fields only": { strictAddresses: true },
  "batches kept in part": { partialBatches: true },
  "empty batches refused": { emptyBatch: "refuse" },
  "at most 30 events": { maxEvents: 30 },
  "at most 40,000 bytes": { maxBytes: 40_000 },
  "links at the service's time": { linkTime: "server" },
  "early mirrors refused": { earlyMirrors: "refuse" },
  "mirrors on closed documents refused": { closedMirrors: "refuse" },
  "relations to itself refused": { selfRelation: "refuse" },
  "a propagated CLOSE closes": { propagatedClose: "close" },
  "a propagated CLOSE refused": { propagatedClose: "refuse" },
  "propagation to targets": { propagateToTargets: true },
  "a reason of blanks refused": { blankReason: "refuse" },
  "inline data that differ refused": { inlineDiffers: "refuse" },
  "identities compared in all fields": { identityFields: "all" },
  "addresses of the event's participant only": { addressOwner: "participant" },
  "foreign participants refused": { foreign: "refuse" },
  "order checked before duplicates": { checks: "order-first" },
  "keys scoped to the document": { keyScope: "document" },
  "keys of documents and events shared": { sharedKeys: true },
  "keys shared within the document": { sharedKeys: true, keyScope: "document" },
  "externalId unique": { uniqueExternalId: true },
  "Retry-After told": { retryAfter: true },
  "errors without messages": { terseErrors: true },
  "addresses in pages": { pageSize: 2 },
  "tokens good for two seconds": { tokenTtl: 2 },
  "scopes that a client may ask for": {
    credentials: ["sandbox", "second"].map((name) => ({
      clientId: name,
      clientSecret: name,
      dataset: name,
      scopes: ["read", "documents"],
    })),
  },
};

/** What the suite finds in the sandbox under a switch. */
export function readingsUnder(title: string): Readings {
  const found = JSON.parse(readFileSync(READINGS_FILE, "utf8")) as Record<string, Readings>;
  return { ...found[AS_IT_IS], ...found[title] };
}
