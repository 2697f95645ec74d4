/** Every release's ledger opens, its journal rebuilds, and its files give the keys that they gave then: nothing is sent again. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "../../src/cli/pipeline.js";
import type { Summary } from "../../src/model/summary.js";
import { systemClock } from "../../src/model/clock.js";
import { testWorld, type } from "../support/cli.world.js";
import { imports, keysOf } from "../support/releases.js";

const releases = join(import.meta.dirname, "../../fixtures/releases");

/** A folder with the release's mappings and files, and a ledger if one is asked for. */
function folderOf(release: string, withLedger: boolean) {
  const world = testWorld({ pipeline });
  world.clock = { ...systemClock, now: () => world.now };
  cpSync(join(releases, release), world.cwd, { recursive: true });
  const ledger = join(world.cwd, "state", "sandbox", "ledger.db");
  mkdirSync(join(ledger, ".."), { recursive: true, mode: 0o700 });
  if (withLedger) copyFileSync(join(world.cwd, "ledger.db"), ledger);
  return { world, ledger };
}

async function importAll(world: ReturnType<typeof testWorld>, ...flags: string[]) {
  const sent: { known: number | undefined; staged: number | undefined; requests: number | undefined }[] = [];
  for (const [, mapping, file] of imports) {
    world.stdout.text = "";
    const code = await type(world, "import", join(world.cwd, mapping), join(world.cwd, file), "--json", ...flags);
    expect(code, world.out + world.err).toBe(0);
    const { rows, requests } = JSON.parse(world.out.trimEnd().split("\n").at(-1) ?? "") as Partial<Summary>;
    sent.push({ known: rows?.known, staged: rows?.staged, requests: requests?.sent });
  }
  return sent;
}

const nothingNew = [8, 6, 4].map((known) => ({ known, staged: 0, requests: 0 }));

describe.each(readdirSync(releases))("what %s made", (release) => {
  it("its ledger, moved with its journal, knows its files", long, async () => {
    const { world } = folderOf(release, true);
    expect(await type(world, "status")).toBe(0);
    expect(await importAll(world, "--journal", join(world.cwd, "journal.ndjson"))).toEqual(nothingNew);
  });

  it("its journal rebuilds a ledger that knows them", async () => {
    const { world } = folderOf(release, false);
    expect(await type(world, "ledger", "rebuild", join(world.cwd, "journal.ndjson"))).toBe(0);
    expect(await importAll(world)).toEqual(nothingNew);
  });

  it("its files give the keys that they gave then", long, async () => {
    const { world, ledger } = folderOf(release, false);
    await importAll(world);
    expect(keysOf(ledger)).toBe(readFileSync(join(releases, release, "keys.csv"), "utf8"));
  });
});
