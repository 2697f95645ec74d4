/** Compares the keys that a mapping makes with those that made what was sent, before anything is staged (HARD-CASES H25). */
import { changedKeys, formerNamespace, type KeyChange, saveFingerprints } from "../ledger/stage/fingerprints.js";
import type { Mapping } from "../map/mapping.js";
import { RowferryError } from "../model/error.js";
import type { Session } from "./session.js";

/** @throws RowferryError `keys-changed`, naming the kinds */
export function refuseChangedKeys({ database, clock }: Session, mapping: Mapping): void {
  const { namespace, keyMakers } = mapping;
  const former = formerNamespace(database, mapping.path, namespace);
  const changes = changedKeys(database, mapping.name, former ?? namespace, keyMakers);
  const renamed = changes.filter(({ renamedTo }) => renamedTo !== null);
  if (renamed.length > 0) throw labelsChanged(renamed);
  if (changes.length > 0) throw keysChanged(changes, former);
  saveFingerprints(database, mapping.name, namespace, keyMakers, clock.now());
}

function keysChanged(changes: readonly KeyChange[], former: string | null): RowferryError {
  const list = changes.map(({ name, sent, example }) => `${name} (${sent} sent, such as ${example})`).join("; ");
  const why = former === null ? "" : ` The namespace was ${former} before.`;
  return new RowferryError("keys-changed", `The mapping gives other keys to what was sent: ${list}.${why}`);
}

/** The way on is one word in the mapping. */
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
