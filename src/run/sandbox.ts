/** The sandbox as a target: listens on loopback for as long as the session lives; store and ledger lie together. */
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LedgerOwner } from "../ledger/open-ledger.js";
import type { Target } from "../model/target.js";

/** The embedded sandbox: its address is known only while it listens. */
export const isEmbedded = (target: Target): boolean => target.name === "sandbox" && target.baseUrl === "";

export function ownerOf(target: Target): LedgerOwner {
  return { target: target.name, baseUrl: isEmbedded(target) ? null : target.baseUrl, clientId: target.clientId };
}

/** The store lies beside the ledger: one without the other would make every known row a foreign collision. */
export const sandboxStorePath = (target: Target): string => join(dirname(target.ledgerPath), "store.db");

/** The caller holds the ledger's lock. `fresh`: empties store and ledger first. */
export async function openEmbeddedSandbox(
  target: Target,
  fresh: boolean,
  closing: (() => Promise<void> | void)[],
): Promise<Target> {
  mkdirSync(dirname(target.ledgerPath), { recursive: true, mode: 0o700 });
  if (fresh) {
    for (const path of [sandboxStorePath(target), target.ledgerPath]) {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    }
  }
  // A run against a service has no need of one.
  const { createSandbox } = await import("../sandbox/index.js");
  const sandbox = createSandbox({ storage: { file: sandboxStorePath(target) }, rate: null });
  closing.push(() => sandbox.close());
  const { baseUrl, tokenUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  return { ...target, baseUrl, tokenUrl, clientId: "sandbox", clientSecret: "sandbox" };
}
