/**
 * The archive of pruned data: a line of JSON each, in a gzip file per month. After a tear, the month continues in
 * another file (`2026-11.2.ndjson.gz`). Append-only; readable by its owner only.
 */
import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip, gzipSync } from "node:zlib";
import { RowferryError } from "../../model/error.js";
import type { JsonObject } from "../../model/json.js";
import { openDurableFile, readAt } from "../journal/durable-file.js";

export type ArchivedEntry = JsonObject & { type: "payload" | "cells" | "attempts" };

/** An empty gzip member, written once everything before it is durable: a file with any other end is torn. */
const MARK = gzipSync("");

/** Durable when it returns. `at`: ms, decides the month. @throws RowferryError `archive-not-written` */
export function appendToArchive(folder: string, entries: readonly { at: number; entry: ArchivedEntry }[]): void {
  const months = new Map<string, string[]>();
  for (const { at, entry } of entries) {
    const month = new Date(at).toISOString().slice(0, 7);
    const lines = months.get(month) ?? [];
    lines.push(JSON.stringify(entry));
    months.set(month, lines);
  }
  for (const [month, lines] of months) {
    const path = wholeFile(folder, month);
    try {
      const file = openDurableFile(path);
      try {
        // A sequence of gzip members is one gzip file.
        file.append(gzipSync(`${lines.join("\n")}\n`));
        file.append(MARK);
      } finally {
        file.close();
      }
    } catch (error) {
      const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
      throw new RowferryError("archive-not-written", `The archive could not be written (${reason}).`, {
        place: { file: path },
        cause: error,
      });
    }
  }
}

/** The month's last untorn file, because nothing can be read after a tear. */
function wholeFile(folder: string, month: string) {
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${month}${number === 1 ? "" : `.${number}`}.ndjson.gz`);
    if (!existsSync(path) || endsWhole(path)) return path;
  }
}

function endsWhole(path: string) {
  const { size } = statSync(path);
  if (size === 0) return true;
  return readAt(path, Math.max(0, size - MARK.length), MARK.length).equals(MARK);
}

/** Oldest month first. A file's torn end is left out. */
export async function* readArchive(folder: string): AsyncGenerator<ArchivedEntry> {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder).filter((name) => /^\d{4}-\d{2}(\.\d+)?\.ndjson\.gz$/.test(name));
  for (const name of names.toSorted()) {
    const text = createReadStream(join(folder, name)).pipe(createGunzip());
    try {
      for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
        if (line !== "") yield JSON.parse(line) as ArchivedEntry;
      }
    } catch (error) {
      if (!isTorn(error)) throw error;
    }
  }
}

function isTorn(error: unknown) {
  return (
    error instanceof SyntaxError || (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))
  );
}
