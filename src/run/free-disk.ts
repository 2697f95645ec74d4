/** Free disk space: how much there is, and how much staging the files may need. */
import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { bytesOf } from "../read/files.js";
import { grouped } from "../report/figures.js";

/** The free bytes of the disk that holds the path, or will hold it. */
export async function freeBytes(path: string): Promise<number> {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** A ledger takes 644 bytes for a row of 289 (bench/RESULTS.md, growth), and as much again for its log until all is staged. */
const LEDGER_BYTES_A_BYTE = 5;

/** Null: there is enough, as far as the sizes of the files tell, packed ones as they are. */
export async function shortOfDisk(
  paths: readonly string[],
  places: { readonly [what: string]: string | null },
): Promise<string | null> {
  const needed = ((await bytesOf(paths)) ?? 0) * LEDGER_BYTES_A_BYTE;
  for (const [what, path] of Object.entries(places)) {
    const free = path === null ? Number.POSITIVE_INFINITY : await freeBytes(path);
    if (free >= needed) continue;
    const [has, needs] = [Math.floor(free / MEBIBYTE), Math.ceil(needed / MEBIBYTE)].map(mebibytes);
    return `The disk with the ${what} has ${has} free, but these files may need ${needs}. If it fills up, nothing is lost, but the run stops: make room, then type the same command again.`;
  }
  return null;
}

const MEBIBYTE = 2 ** 20;
const mebibytes = (count: number): string => `${grouped(count)} MiB`;
