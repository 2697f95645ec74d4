/**
 * A power loss while commits are on their way to the disk: write-ahead log, journal and database are cut or garbled
 * anywhere behind the commit that had returned before the latest request left.
 */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import type { Summary } from "../../src/model/summary.js";
import { rebuildLedger } from "../../src/desk/restore.js";
import { seededRandom } from "../../src/sandbox/index.js";
import { files } from "../nights/simulation/fault-positions.js";
import { createWorld, type World } from "../nights/simulation/world.js";
import { differences, type Timelines } from "./timelines.js";

/** What stands on the disk when the power goes, and how much of it is certain: bytes behind that may be anything. */
export interface Disk {
  ledger: string;
  wal: string;
  journal: string;
  certainWal: number;
  certainJournal: number;
}

export type Damage = { name: string; strike: (disk: Disk) => void };

const PAGE = 4096;
const FRAME = 24 + PAGE;
const WAL_HEADER = 32;

const cut = (path: string, to: number) => truncateSync(path, Math.min(to, statSync(path).size));
/** Replaces bytes from `from` on. */
function garble(path: string, from: number, change: (byte: number, index: number) => number) {
  const bytes = readFileSync(path);
  for (let index = from; index < bytes.length; index += 1) bytes[index] = change(bytes[index] ?? 0, index);
  writeFileSync(path, bytes);
}

/** `share` of the way from what is certain to the end. */
const between = (certain: number, end: number, share: number) => certain + Math.floor((end - certain) * share);
const sizes = (disk: Disk) => ({ wal: statSync(disk.wal).size, journal: statSync(disk.journal).size });
const noise = (seed: number) => {
  const random = seededRandom(seed);
  return () => Math.floor(random() * 256);
};

/** Positions within the uncertain frames: at their borders, beside them, in their headers and pages. */
export const damages: Damage[] = [
  { name: "nothing of the commits under way", strike: (disk) => cut(disk.wal, disk.certainWal) },
  ...[1, 23, 24, 25, 4000, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME + 100].map((more) => ({
    name: `a log cut ${more} bytes behind`,
    strike: (disk: Disk) => cut(disk.wal, disk.certainWal + more),
  })),
  ...[0.25, 0.5, 0.75, 0.999].map((share) => ({
    name: `a log cut at ${share} of the way, and the journal in its last line`,
    strike(disk: Disk) {
      const { wal, journal } = sizes(disk);
      cut(disk.wal, between(disk.certainWal, wal, share));
      cut(disk.journal, Math.max(disk.certainJournal, journal - 7));
    },
  })),
  {
    name: "a log of zeros",
    strike: (disk) => garble(disk.wal, disk.certainWal, () => 0),
  },
  ...[1, 2, 3].map((seed) => ({
    name: `a log of noise, seed ${seed}`,
    strike: (disk: Disk) => garble(disk.wal, disk.certainWal, noise(seed)),
  })),
  {
    name: "a log whose later part was written before the earlier",
    strike: (disk) =>
      garble(disk.wal, disk.certainWal, (byte, index) => (index < disk.certainWal + FRAME + WAL_HEADER ? 0 : byte)),
  },
  {
    name: "one bit of the log",
    strike(disk) {
      const at = between(disk.certainWal, sizes(disk).wal, 0.6);
      garble(disk.wal, disk.certainWal, (byte, index) => (index === at ? byte ^ 4 : byte));
    },
  },
  {
    name: "a whole log, and a journal of zeros",
    strike(disk) {
      // Entries of commits that have returned are certain.
      cut(disk.wal, disk.certainWal);
      garble(disk.journal, disk.certainJournal, () => 0);
    },
  },
  ...[7, 8, 9].map((seed) => ({
    name: `a checkpoint half-way: pages of the log in the database, torn ones among them, seed ${seed}`,
    strike(disk: Disk) {
      const before = statSync(disk.ledger).size;
      const whole = `${disk.ledger}.whole`;
      copyFileSync(disk.ledger, whole);
      copyFileSync(disk.wal, `${whole}-wal`);
      const database = new Database(whole);
      database.pragma("wal_checkpoint(TRUNCATE)");
      database.close();
      const [old, written] = [readFileSync(disk.ledger), readFileSync(whole)];
      const random = noise(seed);
      const pages = Buffer.concat([old, Buffer.alloc(Math.max(0, written.length - old.length))]);
      for (let page = 0; page * PAGE < written.length; page += 1) {
        const changed = !old
          .subarray(page * PAGE, (page + 1) * PAGE)
          .equals(written.subarray(page * PAGE, (page + 1) * PAGE));
        // What the checkpoint does not write stays; of the others some are written, some torn in the middle.
        if (!changed || random() < 80) continue;
        const upTo = random() < 100 ? PAGE / 2 : PAGE;
        written.copy(pages, page * PAGE, page * PAGE, page * PAGE + upTo);
      }
      writeFileSync(disk.ledger, pages.subarray(0, Math.max(before, pages.length - 3 * PAGE)));
      for (const ending of ["", "-wal", "-shm"]) rmSync(`${whole}${ending}`, { force: true });
    },
  })),
];

/** The power goes when request `request` is to leave. @returns what went wrong; empty: nothing */
export async function powerLoss(request: number, damage: Damage, expected: Timelines): Promise<string[]> {
  const disk = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "rowferry-power-"));
  const journal = join(disk, "journal.ndjson");
  const world = createWorld({ journal });
  const where = `request ${request}, ${damage.name}`;
  try {
    let certainWal = 0;
    let certainJournal = 0;
    const inject = world.sandbox.inject.bind(world.sandbox);
    world.sandbox.inject = (sent) => {
      // It has left, so its intent had been committed, and the journal's entry before that.
      certainWal = statSync(`${world.target.ledgerPath}-wal`).size;
      certainJournal = statSync(journal).size;
      return inject(sent);
    };
    await world.run(files, { killAt: { request, when: "before" } });
    const ledger = world.target.ledgerPath;
    damage.strike({ ledger, wal: `${ledger}-wal`, journal, certainWal, certainJournal });
    // Before the first answer not even the rows are certain to be there.
    if (request > 1) await world.resume();
    const last = await world.import(files);
    const broken = compare(world, expected, last);
    broken.push(...(await rebuilt(world, journal, expected, last)));
    return broken.map((what) => `${where}: ${what}`);
  } catch (error) {
    return [`${where}: ${error instanceof Error ? error.stack : String(error)}`];
  } finally {
    await world.close();
    rmSync(disk, { recursive: true, force: true });
  }
}

/** What is not as the undisturbed run would have left it, by the service, the ledger and the summary. */
function compare(world: World, expected: Timelines, { exitCode, open, rows }: Summary) {
  const broken = world.withLedger((database) => checkLedger(database)).flatMap((check) => check.broken);
  broken.push(...differences(exitCode, world.sandbox, world.target.ledgerPath, expected));
  if (open.events["foreign"] !== undefined) broken.push("P5: an event of ours is called foreign");
  const { read, skipped, invalid, known, staged } = rows;
  if (read !== skipped + invalid + known + staged) broken.push(`P7: ${JSON.stringify(rows)}`);
  return broken;
}

/** The journal went through the same power loss: a ledger made from it is as good, and has nothing left to send. */
async function rebuilt(world: World, journal: string, expected: Timelines, before: Summary) {
  world.target.ledgerPath = `${world.target.ledgerPath}.rebuilt`;
  await rebuildLedger(world.target, { journal, backup: null }, world.clock);
  const summary = await world.import(files);
  const broken = compare(world, expected, summary);
  if (before.exitCode === 0 && summary.requests.sent > 0) broken.push(`sends ${summary.requests.sent} requests`);
  return broken.map((what) => `rebuilt from the journal: ${what}`);
}
