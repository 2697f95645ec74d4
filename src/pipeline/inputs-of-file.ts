/** Which inputs of a mapping read an opened file. */
import type { InputStore } from "../ledger/inputs.js";
import { inputOf, parseRowReference } from "../ledger/row-id.js";
import type { Mapping, MappingInput } from "../map/mapping.js";
import type { Input } from "../read/table.js";

/**
 * By its name, and what has none by its kind; a corrected file by the rows it corrects, as far as the ledger knows them.
 * @param store null: there is no ledger to ask. @throws RowferryError `mapping-files`.
 */
export async function inputsOfFile(mapping: Mapping, input: Input, store: InputStore | null): Promise<MappingInput[]> {
  const corrected = await input.corrected();
  if (corrected === null)
    return input.nameless ? mapping.inputsForNameless(input.format) : mapping.inputsFor(input.name);
  const origin = store === null ? null : originOf(corrected.reference, mapping.namespace, store);
  return mapping.inputsFor(input.name, { input: origin, sheet: corrected.sheet });
}

/** The mapping's input that had read the row referred to; null: this ledger has no such row. */
function originOf(text: string | null, namespace: string, store: InputStore): string | null {
  const reference = text === null ? null : parseRowReference(text.replace(/#\d+$/, ""));
  if (reference === null) return null;
  const input = store.get(inputOf(reference.row));
  if (input === null || input.namespace !== namespace) return null;
  return input.contentHash.startsWith(reference.hashPrefix) ? input.mappingInput : null;
}
