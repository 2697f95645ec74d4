/** From the arguments of a command line to files: patterns and folders that the shell did not expand. */
import { readdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve } from "node:path";
import { glob } from "tinyglobby";
import { RowferryError } from "../model/error.js";
import { openFile } from "./opened-file.js";
import { isWorkbook, membersOf } from "./packed.js";
import { Zip } from "./zip.js";

/** What a folder is searched for; other files in it are left alone. */
const READABLE = /\.(csv|tsv|tab|txt|psv|xlsx|xlsm)(\.gz|\.zst)?$|\.zip$/i;
/** What is taken from a zip file that holds several files. */
const PACKED = /\.(csv|tsv|tab|txt|psv)$/i;

/**
 * Files in the order of the arguments, those of one pattern or folder by name, each once. `-` stays `-`; a file that
 * exists is taken as it is, whatever characters its name has; a folder stands for the files directly in it.
 * @throws RowferryError `file-missing`, `file-pattern-unmatched`.
 */
export async function expandFiles(args: readonly string[], folder: string = process.cwd()): Promise<string[]> {
  const files = new Set<string>();
  for (const arg of args) {
    for (const file of await expand(arg, folder)) {
      for (const inner of await membersWithin(file, folder)) files.add(inner);
    }
  }
  return [...files];
}

/** A zip file that holds several files stands for those that may be CSV: `archive.zip/inner.csv`. */
async function membersWithin(path: string, folder: string): Promise<string[]> {
  if (!/\.zip$/i.test(path)) return [path];
  const file = await openFile(resolve(folder, path)).catch(() => null);
  if (file === null) return [path];
  try {
    const zip = await Zip.open(file);
    const members = isWorkbook(zip) ? [] : membersOf(zip);
    const tables = members.filter((name) => PACKED.test(name)).toSorted();
    return members.length > 1 && tables.length > 0 ? tables.map((name) => `${path}/${name}`) : [path];
  } catch {
    // Opening it for its rows says what is wrong.
    return [path];
  } finally {
    await file.close();
  }
}

async function expand(arg: string, folder: string): Promise<string[]> {
  if (arg === "-") return [arg];
  const found = await stat(resolve(folder, arg)).catch(() => null);
  if (found?.isDirectory()) {
    const names = await readdir(resolve(folder, arg), { withFileTypes: true });
    const readable = names.filter(
      (entry) => !entry.isDirectory() && READABLE.test(entry.name) && !isClutter(entry.name),
    );
    if (readable.length === 0) throw unmatched(`the folder ${arg} holds no CSV or Excel file`);
    return readable.map(({ name }) => join(arg, name)).toSorted();
  }
  if (found !== null) return [arg];
  if (/\.zip\//i.test(arg) && !/[*?]/.test(arg)) return [arg];
  if (!/[*?[\]{}]/.test(arg))
    throw new RowferryError("file-missing", "there is no such file", { place: { file: arg } });
  const files = await glob(arg, { cwd: folder, absolute: isAbsolute(arg), onlyFiles: true, expandDirectories: false });
  const wanted = files.filter((file) => !isClutter(basename(file))).toSorted();
  if (wanted.length === 0) throw unmatched(`no file fits ${arg}`);
  return wanted;
}

/** Hidden files, and the lock files that Office keeps beside open workbooks. */
function isClutter(name: string): boolean {
  return name.startsWith(".") || name.startsWith("~$");
}

function unmatched(message: string): RowferryError {
  return new RowferryError("file-pattern-unmatched", message);
}
