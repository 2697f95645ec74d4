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
  const { namespace, keyMakers } = mapping;
  const former = formerNamespace(database, mapping.path, namespace);
  const changes = changedKeys(database, mapping.name, former ?? namespace, keyMakers);
  const renamed = changes.filter(({ renamedTo }) => renamedTo !== null);
  if (renamed.length > 0) throw labelsChanged(renamed);
  if (changes.length > 0 && !rekey) throw keysChanged(changes, former);
  if (changes.length > 0 && former !== null) aliasNamespace(database, former, namespace);
  const rekeyed = new Set(changes.map(({ name }) => name));
  saveFingerprints(database, mapping.name, namespace, keyMakers, rekeyed, session.clock.now());
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

/** Not for `--rekey`: the way on is one word in the mapping. */
function labelsChanged(changes: readonly KeyChange[]): RowferryError {
  const last = (name: string | null): string => name?.split("/").at(-1) ?? "";
  const list = changes.map(
    ({ name, renamedTo, sent, example }) => `${name} seems to be ${renamedTo} now (${sent} sent, such as ${example})`,
  );
  const ways = changes.map(({ name, renamedTo }) => `\`was: ${last(name)}\` under ${last(renamedTo)}`);
  return new RowferryError("keys-changed", `Names of documents and events are part of keys: ${list.join("; ")}.`, {
    hint: `Write ${ways.join(", ")}, and nothing is sent twice; \`was: none\` if it is something new. Or give the former name back.`,
  });
}
