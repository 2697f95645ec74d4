/** Opens the files of a command in turn, with the inputs that read them. */
import { basename, resolve } from "node:path";
import type { InputStore } from "../ledger/inputs.js";
import { inputOf, parseRowReference } from "../ledger/rows.js";
import { UnreadFile } from "../map/input/match-files.js";
import type { Mapping, MappingInput } from "../map/mapping.js";
import { RowferryError } from "../model/error.js";
import { foldName, listed } from "../model/fold.js";
import { type PipelineEvent, telling } from "../model/summary.js";
import { bytesOf } from "../read/files.js";
import { openInput } from "../read/open-input.js";
import type { Input } from "../read/table.js";
import { counted } from "../report/figures.js";

export interface OpenFilesOptions {
  mapping: Mapping;
  /**
   * As typed. If no input reads a file, that is a mistake if the file was named, but stops no other file if a folder or
   * pattern found it.
   */
  named: readonly string[];
  /** The files that these arguments stand for. */
  paths: readonly string[];
  cwd?: string | undefined;
  /** Null: no ledger. */
  inputs: InputStore | null;
  observe: (event: PipelineEvent) => void;
}

/** Open while its turn lasts. */
export interface OpenedFile {
  path: string;
  /** Null: it cannot be opened. */
  input: Input | null;
  /** Why it cannot be read; null: it can. */
  error: unknown;
  inputs: MappingInput[];
  /** So far; progress counts from here. */
  rows: number;
  /** Progress over all files. `more`: rows of the current table. */
  tell(more: number): void;
}

/** @throws UnreadFile, when nothing but files that no input reads was found */
export async function* openFiles(options: OpenFilesOptions): AsyncGenerator<OpenedFile> {
  const { mapping, named, paths, cwd, observe } = options;
  const total = await bytesOf(paths, cwd);
  const before = { rows: 0, bytes: 0 };
  const passedOver: { path: string; error: UnreadFile }[] = [];
  let share = 0;
  const tellProgress = (rows: number, bytes: number) => {
    // Each sheet of a workbook starts reading at its beginning.
    share = Math.max(share, Math.min(1, (before.bytes + bytes) / Math.max(1, total ?? 1)));
    const counts = { sent: 0, problems: 0, held: 0, retries: 0 };
    const known = total === null ? {} : { share };
    observe({ type: "progress", stage: "reading", done: before.rows + rows, total: null, ...known, ...counts });
  };
  for (const path of paths) {
    const file: OpenedFile = {
      path,
      input: null,
      error: null,
      inputs: [],
      rows: 0,
      tell: (more) => tellProgress(file.rows + more, file.input?.position() ?? 0),
    };
    try {
      file.input = await openInput(path === "-" || cwd === undefined ? path : resolve(cwd, path));
      file.inputs = await perSheet(file.input, await inputsOfFile(mapping, file.input, options.inputs));
    } catch (error) {
      file.error = asGiven(error, path);
    }
    try {
      const unread = file.error === null ? null : whyUnread(mapping, path, file.error);
      if (unread === null || named.includes(path)) yield file;
      else passedOver.push({ path, error: unread });
    } finally {
      await file.input?.close();
    }
    before.rows += file.rows;
    before.bytes += file.input?.bytes ?? 0;
    if (file.input !== null) tellProgress(0, 0);
  }
  const [first] = passedOver;
  if (first === undefined) return;
  if (passedOver.length === paths.length) throw first.error;
  const names = passedOver.map(({ path }) => path);
  const files = counted(passedOver.length, "file");
  telling(observe)(`${files} passed over, because no input of the mapping reads them: ${listed(names, 5)}.`);
}

/** An input that reads several sheets, once for each. */
async function perSheet(file: Input, inputs: readonly MappingInput[]): Promise<MappingInput[]> {
  const each = await Promise.all(
    inputs.map(async (input) => (await file.each(input.read)).map((read) => ({ ...input, read }))),
  );
  return each.flat();
}

/**
 * By its name, or without one by format; a corrected file by the rows that it corrects. @throws RowferryError
 * `mapping-files`.
 */
async function inputsOfFile(mapping: Mapping, input: Input, store: InputStore | null): Promise<MappingInput[]> {
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

/** With the folder: another one may hold a file of the same name. */
export function asGiven(error: unknown, path: string): unknown {
  if (!(error instanceof RowferryError) || !path.endsWith(`/${error.place.file}`)) return error;
  const { code, message, place, hint, cause } = error;
  const Kind = error instanceof UnreadFile ? UnreadFile : RowferryError;
  return new Kind(code, message, { place: { ...place, file: path }, hint, cause });
}

/** The inputs of a file that cannot be opened, or is empty, by its name. @throws RowferryError `mapping-files`. */
export function inputsByName(mapping: Mapping, path: string): MappingInput[] {
  try {
    return path === "-" ? mapping.inputs : mapping.inputsFor(basename(path));
  } catch (error) {
    throw asGiven(error, path);
  }
}

/** Null: some input reads a file of this name. */
function whyUnread(mapping: Mapping, path: string, error: unknown): UnreadFile | null {
  if (error instanceof UnreadFile) return error;
  try {
    inputsByName(mapping, path);
    return null;
  } catch (unread) {
    if (unread instanceof UnreadFile) return unread;
    throw unread;
  }
}

/** Whether the mapping has a use for a column of this name. */
export function readsColumns({ columns }: MappingInput): (heading: string) => boolean {
  const names = new Set(columns.flat().map(foldName));
  return (heading) => names.has(foldName(heading));
}
