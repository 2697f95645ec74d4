/** Finds the inputs that read an opened file. */
import { basename } from "node:path";
import type { InputStore } from "../ledger/inputs.js";
import { inputOf, parseRowReference } from "../ledger/rows.js";
import { UnreadFile } from "../map/input/match-files.js";
import type { Mapping, MappingInput } from "../map/mapping.js";
import { listed } from "../model/fold.js";
import type { Input } from "../read/table.js";
import type { PipelineEvent } from "../model/summary.js";
import { bytesOf } from "../read/files.js";
import { counted } from "../report/figures.js";

/**
 * By its name, or without one by format; a corrected file by the rows that it corrects. `store` null: no ledger.
 * @throws RowferryError `mapping-files`.
 */
export async function inputsOfFile(mapping: Mapping, input: Input, store: InputStore | null): Promise<MappingInput[]> {
  const corrected = await input.corrected();
  if (corrected === null)
    return input.nameless ? mapping.inputsForNameless(input.format) : mapping.inputsFor(input.name);
  const origin = store === null ? null : originOf(corrected.reference, mapping.namespace, store);
  return mapping.inputsFor(input.name, { input: origin, sheet: corrected.sheet });
}

/** The input that read the referenced row; null: the row is unknown. */
function originOf(text: string | null, namespace: string, store: InputStore): string | null {
  const reference = text === null ? null : parseRowReference(text.replace(/#\d+$/, ""));
  if (reference === null) return null;
  const input = store.get(inputOf(reference.row));
  if (input === null || input.namespace !== namespace) return null;
  return input.contentHash.startsWith(reference.hashPrefix) ? input.mappingInput : null;
}

/**
 * A file that a folder or a pattern found and no input of the mapping reads stops no other file; one that was named by
 * itself, or is found alone, is a mistake.
 */
export function createPassedOver(named: readonly string[], tell: (message: string) => void) {
  const all: { path: string; error: UnreadFile }[] = [];
  return {
    /** @throws the error, if it is another one or the file was named by itself */
    add(path: string, error: unknown): null {
      if (!(error instanceof UnreadFile) || named.includes(path)) throw error;
      all.push({ path, error });
      return null;
    },
    /** @throws the first error, when nothing else was found */
    end(found: number): void {
      const [first] = all;
      if (first === undefined) return;
      if (all.length === found) throw first.error;
      const names = listed(
        all.map(({ path }) => basename(path)),
        5,
      );
      tell(`${counted(all.length, "file")} passed over, which no input of the mapping reads: ${names}.`);
    },
  };
}

/** Why no input reads a file of this name; null: one does. */
export function whyUnread(mapping: Mapping, path: string): UnreadFile | null {
  try {
    mapping.inputsFor(basename(path));
    return null;
  } catch (error) {
    if (error instanceof UnreadFile) return error;
    throw error;
  }
}

/** Progress over all files of a command. */
export interface ReadingProgress {
  /** `rows`: of the current file so far. */
  tell(input: Input, rows: number): void;
  next(input: Input, rows: number): void;
}

export async function createReadingProgress(
  paths: readonly string[],
  observe: (event: PipelineEvent) => void,
  folder?: string,
): Promise<ReadingProgress> {
  const total = await bytesOf(paths, folder);
  const before = { rows: 0, bytes: 0 };
  let share = 0;
  const observed = (rows: number, bytes: number) => {
    // Each sheet of a workbook starts reading at its beginning.
    share = Math.max(share, Math.min(1, (before.bytes + bytes) / Math.max(1, total ?? 1)));
    const counts = { sent: 0, problems: 0, held: 0, retries: 0 };
    const known = total === null ? {} : { share };
    observe({ type: "progress", stage: "reading", done: before.rows + rows, total: null, ...known, ...counts });
  };
  return {
    tell: (input, rows) => observed(rows, input.position()),
    next(input, rows) {
      before.rows += rows;
      before.bytes += input.bytes;
      observed(0, 0);
    },
  };
}
