/** The archive: what was pruned, a line of JSON each, in one gzip file a month. Only ever appended to; readable by its owner only. */
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createGunzip, gzipSync } from "node:zlib";
import type { JsonObject } from "../model/json.js";

export type ArchivedEntry = JsonObject & { type: "payload" | "cells" | "attempts" };

/** Appends and makes durable. `at`: ms; decides the month. */
export function appendToArchive(folder: string, entries: readonly { at: number; entry: ArchivedEntry }[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const months = new Map<string, string[]>();
  for (const { at, entry } of entries) {
    const month = new Date(at).toISOString().slice(0, 7);
    const lines = months.get(month) ?? [];
    lines.push(JSON.stringify(entry));
    months.set(month, lines);
  }
  for (const [month, lines] of months) {
    const file = openSync(join(folder, `${month}.ndjson.gz`), "a", 0o600);
    try {
      // Gzip members one after the other are one file.
      writeSync(file, gzipSync(`${lines.join("\n")}\n`));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}

/** All entries, oldest month first. A member that a power loss tore ends its file. */
export async function* readArchive(folder: string): AsyncGenerator<ArchivedEntry> {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder).filter((name) => /^\d{4}-\d{2}\.ndjson\.gz$/.test(name));
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
