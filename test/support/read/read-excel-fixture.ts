/** A folder of fixtures/read-excel: a workbook as its parts, and what reading it gives. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadOptions } from "../../../src/model/dialect.js";
import { writeZip, type ZipEntry } from "./write-zip.js";

export interface ExcelFixture {
  name: string;
  /** What makes it worth a case. */
  why: string;
  options?: ReadOptions;
  header: string[];
  headerRow: number | null;
  /** Each is part of the note in its place. */
  notes: string[];
  rows: unknown[];
  kinds?: (string[] | null)[];
}

const folder = join(import.meta.dirname, "../../../fixtures/read-excel");

export function excelFixtures(): ExcelFixture[] {
  return readdirSync(folder).map((name) => ({
    ...(JSON.parse(readFileSync(join(folder, name, "expected.json"), "utf8")) as Omit<ExcelFixture, "name">),
    name,
  }));
}

/** The parts, in the order of their names. */
export function excelFixtureEntries(name: string): ZipEntry[] {
  const parts = join(folder, name, "parts");
  const files = readdirSync(parts, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const entries = files.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { name: path.slice(parts.length + 1).replaceAll("\\", "/"), data: readFileSync(path) };
  });
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export async function excelFixtureBytes(name: string): Promise<Buffer> {
  return writeZip(excelFixtureEntries(name));
}
