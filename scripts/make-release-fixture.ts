/**
 * Keeps what this version makes, so that every later one is held against it (test/unit/releases.test.ts): a ledger, a journal,
 * the mappings and files they come from, and the key of every event. `npx tsx scripts/make-release-fixture.ts` after a build;
 * once a version is released, its folder is never made anew.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imports, keysOf } from "../test/support/releases.js";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const kept = join(root, "fixtures", "releases", version);
const folder = mkdtempSync(join(tmpdir(), "rowferry-release-"));
const command = join(root, "dist", "cli", "rowferry.js");
const rowferry = (...words: string[]) =>
  execFileSync(process.execPath, [command, ...words], { cwd: folder, env: { HOME: folder }, stdio: "inherit" });

rmSync(kept, { recursive: true, force: true });
mkdirSync(kept, { recursive: true });
for (const [example, mapping, file] of imports) {
  for (const name of [mapping, file]) {
    cpSync(join(root, "examples", example, name), join(folder, name));
    cpSync(join(folder, name), join(kept, name));
  }
  rowferry("import", mapping, file, "--journal", "journal.ndjson");
}
rowferry("ledger", "backup", join(kept, "ledger.db"));
cpSync(join(folder, "journal.ndjson"), join(kept, "journal.ndjson"));
writeFileSync(join(kept, "keys.csv"), keysOf(join(kept, "ledger.db")));
rmSync(folder, { recursive: true });
