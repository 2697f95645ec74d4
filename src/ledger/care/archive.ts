/**
 * The archive: what was pruned, a line of JSON each, in one gzip file a month; a further one (`2026-11.2.ndjson.gz`) where a
 * tear ends the last. Only ever appended to; readable by its owner only.
 */
import { closeSync, createReadStream, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip, gzipSync } from "node:zlib";
import { RowferryError } from "../../model/error.js";
import type { JsonObject } from "../../model/json.js";
import { openDurableFile } from "../journal/durable-file.js";

export type ArchivedEntry = JsonObject & { type: "payload" | "cells" | "attempts" };

/** An empty gzip member, written when what stands before it is durable: a file that ends otherwise ends in a tear. */
const MARK = gzipSync("");

/** Appends and makes durable. `at`: ms; decides the month. @throws RowferryError `archive-not-written` */
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
        // Gzip members one after the other are one file.
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

/** The month's file that may be appended to: nothing is read behind a tear. */
function wholeFile(folder: string, month: string): string {
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${month}${number === 1 ? "" : `.${number}`}.ndjson.gz`);
    if (!existsSync(path) || endsWhole(path)) return path;
  }
}

function endsWhole(path: string): boolean {
  const { size } = statSync(path);
  if (size === 0) return true;
  const file = openSync(path, "r");
  try {
    const end = Buffer.alloc(MARK.length);
    return readSync(file, end, 0, end.length, Math.max(0, size - end.length)) === end.length && end.equals(MARK);
  } finally {
    closeSync(file);
  }
}

/** All entries, oldest month first. What a power loss tore ends its file, and the next goes on. */
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

function isTorn(error: unknown): boolean {
  return (
    error instanceof SyntaxError || (error instanceof Error && "code" in error && String(error.code).startsWith("Z_"))
  );
}
