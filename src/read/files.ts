/** Expands the command line's files: patterns, folders and archives. */
import { readdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { glob } from "tinyglobby";
import { RowferryError } from "../model/error.js";
import { READABLE } from "../model/file-endings.js";
import { listed } from "../model/fold.js";
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
    for (const file of await expand(arg, folder)) {
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
    const whole = resolve(folder, path);
    const found = await stat(whole)
      .catch(() => stat(whole.replace(/(\.zip)\/.*/i, "$1")))
      .catch(() => null);
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
    if (others.length > 0) tell(`${path} also holds files that are not read: ${listed(others, 5)}.`);
    return tables.map((name) => `${path}/${name}`);
  } catch {
    return [path];
  } finally {
    await file.close();
  }
}

async function expand(arg: string, folder: string): Promise<string[]> {
  if (arg === "-") return [arg];
  const found = await stat(resolve(folder, arg)).catch(() => null);
  if (found?.isDirectory()) {
    const entries = await readdir(resolve(folder, arg), { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    const readable = names.filter((name) => READABLE.test(name) && !isClutter(name));
    if (readable.length > 0) return readable.map((name) => join(arg, name)).toSorted();
    throw new RowferryError("file-pattern-unmatched", `the folder ${arg} holds no CSV or Excel file`);
  }
  if (found !== null || (/\.zip\//i.test(arg) && !/[*?]/.test(arg))) return [arg];
  if (!/[*?[\]{}]/.test(arg)) throw new RowferryError("file-missing", missingFile(arg), { place: { file: arg } });
  const files = await glob(arg, { cwd: folder, absolute: isAbsolute(arg), onlyFiles: true, expandDirectories: false });
  const wanted = files.filter((file) => !isClutter(basename(file))).toSorted();
  if (wanted.length > 0) return wanted;
  throw new RowferryError("file-pattern-unmatched", `no file fits ${arg}`);
}

/** Hidden files and Office's lock files. */
function isClutter(name: string): boolean {
  return name.startsWith(".") || name.startsWith("~$");
}
