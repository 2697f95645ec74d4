/** Expands the command line's files: patterns, folders and archives. */
import { readdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { glob } from "tinyglobby";
import { RowferryError } from "../model/error.js";
import { OTHER_DATA, READABLE } from "../model/file-endings.js";
import { listed } from "../model/fold.js";
import { withinArchive } from "./open-input.js";
import { missingFile, openFile } from "./opened-file.js";
import { openZip } from "./zip.js";

/**
 * Files in the order of the arguments, each once; those of one pattern, folder or archive by name. `-` stays. An
 * existing file is taken as it is, whatever its name. A folder means the files directly in it, a zip file each
 * table in it (`archive.zip/inner.csv`). @throws RowferryError `file-missing`, `file-pattern-unmatched`.
 */
export async function expandFiles(
  args: readonly string[],
  folder: string = process.cwd(),
  tell: (note: string) => void = () => {},
): Promise<string[]> {
  const files = new Set<string>();
  for (const arg of args) {
    for (const file of await expand(arg, folder, tell)) {
      for (const inner of await membersWithin(file, folder, tell)) files.add(inner);
    }
  }
  return [...files];
}

/** A file within an archive counts as the whole archive. Null: standard input is included. */
export async function bytesOf(paths: readonly string[], folder: string = process.cwd()): Promise<number | null> {
  let total = 0;
  for (const path of paths) {
    if (path === "-") return null;
    const [whole] = await withinArchive(resolve(folder, path));
    const found = await stat(whole).catch(() => null);
    total += found?.size ?? 0;
  }
  return total;
}

async function membersWithin(path: string, folder: string, tell: (note: string) => void): Promise<string[]> {
  const file = /\.zip$/i.test(path) ? await openFile(resolve(folder, path)).catch(() => null) : null;
  if (file === null) return [path];
  try {
    const zip = await openZip(file);
    const members = zip.isWorkbook() ? [] : zip.members();
    const tables = members.filter((name) => READABLE.test(name)).toSorted();
    if (tables.length === 0) return [path];
    const others = members.filter((name) => !READABLE.test(name));
    if (others.length > 0) tell(alsoHolds(path, others));
    return tables.map((name) => `${path}/${name}`);
  } catch {
    return [path];
  } finally {
    await file.close();
  }
}

export const alsoHolds = (where: string, others: readonly string[]): string =>
  `${where} also holds files that are not read: ${listed(others, 5)}.`;

/** What is directly in a folder, by name; `others`: data that cannot be read. Clutter and notes are neither. */
export async function filesWithin(folder: string): Promise<{ readable: string[]; others: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory() && !isClutter(entry.name)).map(({ name }) => name);
  const readable = names.filter((name) => READABLE.test(name)).toSorted();
  return { readable, others: names.filter((name) => !READABLE.test(name) && OTHER_DATA.test(name)).toSorted() };
}

async function expand(arg: string, folder: string, tell: (note: string) => void): Promise<string[]> {
  if (arg === "-") return [arg];
  const found = await stat(resolve(folder, arg)).catch(() => null);
  if (found?.isDirectory()) {
    const { readable, others } = await filesWithin(resolve(folder, arg));
    if (readable.length > 0 && others.length > 0) tell(alsoHolds(arg, others));
    if (readable.length > 0) return readable.map((name) => join(arg, name));
    const but = others.length === 0 ? "" : `, but ${listed(others, 5)}`;
    throw new RowferryError("file-pattern-unmatched", `the folder ${arg} contains no readable file${but}`);
  }
  if (found !== null || (/\.zip\//i.test(arg) && !/[*?]/.test(arg))) return [arg];
  if (!/[*?[\]{}]/.test(arg)) throw new RowferryError("file-missing", missingFile(arg), { place: { file: arg } });
  const files = await glob(arg, { cwd: folder, absolute: isAbsolute(arg), onlyFiles: true, expandDirectories: false });
  const wanted = files.filter((file) => !isClutter(basename(file))).toSorted();
  if (wanted.length > 0) return wanted;
  throw new RowferryError("file-pattern-unmatched", `no file matches ${arg}`);
}

/** Hidden files and Office's lock files. */
function isClutter(name: string): boolean {
  return name.startsWith(".") || name.startsWith("~$");
}
