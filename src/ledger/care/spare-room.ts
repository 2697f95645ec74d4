/**
 * Room on a disk for the answers to calls under way, should it fill up: a document whose id came back and found no room
 * would be stranded.
 */
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";

/** An outcome takes up to 32 KiB of a ledger's log, and 0.5 KiB of a journal (bench/RESULTS.md). */
const BYTES = { ledger: 2 ** 21, journal: 2 ** 17 };

const LEAST_BYTES = 2 ** 15;

/** On a disk that is nearly full, as much as there is. */
function takeOne(file: string, bytes: number): void {
  try {
    // One that a killed run left; and a link is never followed.
    rmSync(file, { force: true });
    // Some file systems keep no room for zeros.
    writeFileSync(file, randomBytes(bytes), { mode: 0o600, flag: "wx" });
  } catch {
    rmSync(file, { force: true });
    if (bytes > LEAST_BYTES) takeOne(file, bytes / 2);
  }
}

/** Taken by the first write. `journal`: null: none. */
export function createSpareRoom(paths: { ledger: string; journal: string | null }) {
  const files = (["ledger", "journal"] as const).flatMap((what) => {
    const path = paths[what];
    return path === null ? [] : [{ file: `${path}.spare`, bytes: BYTES[what] }];
  });
  let isTaken = false;
  let failure: { error: unknown } | null = null;

  function take(): void {
    isTaken = true;
    for (const { file, bytes } of files) takeOne(file, bytes);
  }

  /** In a folder that is read-only by now, the next run removes them. */
  function giveBack(): void {
    if (!isTaken) return;
    for (const { file } of files)
      try {
        rmSync(file, { force: true });
      } catch {}
  }

  function failed(error: unknown): void {
    failure ??= { error };
    giveBack();
  }

  return {
    /** For what begins a call: once a write has failed, none begins. @throws the first failure */
    begin<Result>(write: () => Result): Result {
      if (failure !== null) throw failure.error;
      if (!isTaken) take();
      try {
        return write();
      } catch (error) {
        failed(error);
        throw error;
      }
    },

    /** For the answer of a call, which must not be lost. */
    end(write: () => void): void {
      try {
        write();
      } catch (error) {
        failed(error);
        write();
      }
    },

    close: giveBack,
  };
}
