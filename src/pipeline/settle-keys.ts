/** Compares the keys that a mapping makes with those that made what was sent, before anything is staged (HARD-CASES H25). */
import {
  aliasNamespace,
  changedKeys,
  formerNamespace,
  type KeyChange,
  saveFingerprints,
} from "../ledger/fingerprints.js";
import { rememberFormerRows } from "../ledger/rekey.js";
import type { Mapping } from "../map/mapping.js";
import { RowferryError } from "../model/error.js";
import type { Session } from "./session.js";

export interface RekeyedKinds {
  /** To be called before an input is staged again. @throws RowferryError `keys-changed` where its events cannot be told */
  beforeStaging(contentHash: string, sheet: string | null): void;
}

/** @throws RowferryError `keys-changed`, naming the kinds, unless `rekey` */
export function settleKeys(session: Session, mapping: Mapping, rekey: boolean): RekeyedKinds {
  const { database } = session;
  const { namespace, fingerprints } = mapping;
  const former = formerNamespace(database, mapping.path, namespace);
  const changes = changedKeys(database, mapping.name, former ?? namespace, fingerprints);
  if (changes.length > 0 && !rekey) throw keysChanged(changes, former);
  if (changes.length > 0 && former !== null) aliasNamespace(database, former, namespace);
  const rekeyed = new Set(changes.map(({ name }) => name));
  saveFingerprints(database, mapping.name, namespace, fingerprints, rekeyed, session.clock.now());
  // A namespace alone leaves the documents' own keys as they were; else only their rows tell which is which.
  const documentsChanged = former === null && changes.some(({ name }) => !name.includes("/"));
  return {
    beforeStaging(contentHash, sheet) {
      if (rekeyed.size === 0) return;
      const wasImported = rememberFormerRows(database, contentHash, sheet);
      if (wasImported || !documentsChanged) return;
      throw new RowferryError(
        "keys-changed",
        "The documents' own keys changed, and this file was never imported: its rows cannot be told from those that landed.",
        { hint: "Import the files that were imported before, unchanged, with --rekey first." },
      );
    },
  };
}

function keysChanged(changes: readonly KeyChange[], former: string | null): RowferryError {
  const list = changes.map(({ name, sent, example }) => `${name} (${sent} sent, such as ${example})`).join("; ");
  const why = former === null ? "" : ` The namespace was ${former} before.`;
  return new RowferryError("keys-changed", `The mapping gives other keys to what was sent: ${list}.${why}`);
}
