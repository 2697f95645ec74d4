/** The sandbox as a target: listens on loopback during the session, with its store next to the ledger. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LedgerOwner } from "../ledger/open-ledger.js";
import { RowferryError } from "../model/error.js";
import { makeFolder } from "../model/make-folder.js";
import type { Target } from "../model/target.js";
import type { Later } from "./closing.js";

/** Its address is known only while it listens. */
export const isEmbedded = (target: Target): boolean => target.name === "sandbox" && target.baseUrl === "";

export function ownerOf(target: Target): LedgerOwner {
  return { target: target.name, baseUrl: isEmbedded(target) ? null : target.baseUrl, clientId: target.clientId };
}

/** The caller holds the ledger's lock. `fresh`: empties store and ledger first. */
export async function openEmbeddedSandbox(target: Target, fresh: boolean, later: Later): Promise<Target> {
  const folder = dirname(target.ledgerPath);
  makeFolder(folder);
  // Beside the ledger: one without the other would make every known row a foreign collision.
  const store = join(folder, "store.db");
  if (fresh) {
    for (const path of [store, target.ledgerPath]) {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
    }
  }
  // Only rehearsals need it.
  const { createSandbox } = await import("../sandbox/index.js");
  const sandbox = opened(store, () => createSandbox({ storage: { file: store }, rate: null }));
  later(() => sandbox.close());
  const { baseUrl, tokenUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  return { ...target, baseUrl, tokenUrl, clientId: "sandbox", clientSecret: () => "sandbox" };
}

/** The file there belongs to another program, or to an older version. */
function opened<Sandbox>(store: string, open: () => Sandbox): Sandbox {
  try {
    return open();
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    // SQLite's would be taken for one of the ledger.
    const isNoStore = "code" in cause && cause.code === "SQLITE_NOTADB";
    if ("code" in cause && !isNoStore) throw cause;
    const message = isNoStore ? `${store} is not the store of a sandbox` : cause.message;
    const hint = "Move it away, or type the import with --fresh: it begins a new sandbox, with a new ledger.";
    throw new RowferryError("path-unusable", message, { cause, ...(isNoStore ? { hint } : {}) });
  }
}
