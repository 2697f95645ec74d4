/**
 * The journal: an append-only file, meant for another disk, with intents before calls and ids after them. Each entry is
 * durable before the ledger's transaction commits, so the ledger can be rebuilt from it.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { RowferryError } from "../../model/error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../model/json.js";
import { stripEnd } from "../../model/fold.js";
import { openDurableFile, readAt, refuseMissingFolder } from "./durable-file.js";
import { type LedgerOwner, ownerName } from "../open-ledger.js";

/** What a ledger commits together with the journal's length, and a rebuild carries out. */
export const CHOICES = ["document", "replaced", "unreplaced", "dismissed", "undone", "corrected", "keys"] as const;
/** docs/reference/journal.md describes them. */
const KINDS = ["journal", "intent", "end", "registered", ...CHOICES] as const;

export type JournalEntry = JsonObject & { entry: (typeof KINDS)[number] };

/** Null: torn by a power loss, cut at the beginning, or of a kind that only a later program knows. */
export function entryOf(line: string): JournalEntry | null {
  try {
    const read = JSON.parse(line) as JsonValue;
    return isJsonObject(read) && KINDS.some((kind) => kind === read["entry"]) ? (read as JournalEntry) : null;
  } catch {
    return null;
  }
}

/** Incremented where a program that reads an earlier one would misread it. */
const VERSION = 1;

export interface Journal {
  path: string;
  /** Durable when it returns. @throws RowferryError `journal-not-written` */
  write(...entries: JournalEntry[]): void;
  /** Takes back what it wrote and the ledger did not commit, unless another writer has followed. */
  takeBack(): void;
  /** Takes out what others wrote and did not commit, as `write` does before it writes. In a writing transaction. */
  dropOthers(): void;
  /** To this length, before anything is written. */
  cut(size: number): void;
  /** @throws RowferryError `journal-not-written` where the file was moved, deleted, replaced or cut since */
  refuseMoved(): void;
  /** On the ledger's own disk, where it would be lost with it. */
  besideLedger: boolean;
  close(): void;
}

/**
 * Makes the file if necessary, readable by its owner only. Call inside a writing transaction, also `write`: other writers
 * of this journal do so too, and take back partial writes. `committed`: how many bytes others have written and
 * committed; absent: all that there are. @throws RowferryError `ledger-of-another-target`, `journal-not-written`
 */
export function openJournal(
  path: string,
  ledgerPath: string,
  owner: LedgerOwner,
  committed: () => number = () => Number.POSITIVE_INFINITY,
): Journal {
  const about = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw error instanceof RowferryError ? error : notWritten(path, error);
    }
  };
  const file = about(() => {
    refuseMissingFolder(path);
    refuseAnothers(path, owner);
    return openDurableFile(path);
  });
  let written = 0;
  let last = "";
  const write = (text: string) => {
    about(() => file.append(text));
    last = text;
    written = Math.max(written, file.size());
  };
  // A killed command left them: a living one holds the ledger until it has committed.
  const dropOthers = () => {
    const size = file.size();
    const whole = size > written ? Math.max(written, committed()) : size;
    if (whole < size) about(() => file.cut(whole));
  };
  about(() => {
    // A torn line belonged to a commit that never happened; nothing may follow it.
    const whole = isTornAtBirth(path, owner) ? 0 : endOfLastLine(path, file.size());
    if (whole < file.size()) file.cut(whole);
    if (whole === 0) write(headerOf(owner));
    written = file.size();
  });
  let before = written;
  return {
    path,
    write(...entries) {
      dropOthers();
      write(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    },
    takeBack() {
      if (written <= before || file.size() !== written) return;
      const length = Buffer.byteLength(last);
      if (readAt(path, written - length, length).toString("utf8") === last) about(() => file.cut(before));
    },
    dropOthers,
    cut(size) {
      about(() => file.cut(size));
      before = written = size;
    },
    refuseMoved() {
      const found = about(() => statSync(path, { throwIfNoEntry: false }));
      if ((found?.size ?? 0) >= written) return;
      throw new RowferryError(
        "journal-not-written",
        "The journal was moved, deleted, replaced or cut during this run, so the run stopped.",
        {
          place: { file: path },
          hint: "Put it back, then run `rowferry resume`. If it is lost, make a backup that replaces it: after `rowferry ledger backup <file> --forget-journal`, the next run may begin a new journal.",
        },
      );
    },
    besideLedger: statSync(path).dev === statSync(dirname(ledgerPath)).dev,
    close: () => file.close(),
  };
}

/** `hint`: where the file is no journal. @throws RowferryError `journal-unreadable` */
function journalOwner(path: string, hint: string | undefined): string {
  const unreadable = (message: string, about: { cause?: unknown; hint?: string | undefined }) =>
    new RowferryError("journal-unreadable", message, { place: { file: path }, ...about });
  let first: JournalEntry | null;
  try {
    first = entryOf(firstLine(path));
  } catch (error) {
    throw unreadable("The file cannot be read.", { cause: error, hint });
  }
  const owner = first?.entry === "journal" ? first["owner"] : null;
  if (first === null || typeof owner !== "string") throw unreadable("The file is not a journal.", { hint });
  if (first["version"] !== VERSION)
    throw unreadable(`The journal has version ${String(first["version"])}; this program reads and writes ${VERSION}.`, {
      hint: "Use the program that wrote it, or a later one.",
    });
  return owner;
}

/** @throws RowferryError `ledger-of-another-target`, `journal-unreadable` */
export function refuseAnothers(path: string, owner: LedgerOwner): void {
  requireFile(path);
  if (!statSync(path, { throwIfNoEntry: false })?.size || isTornAtBirth(path, owner)) return;
  requireOwn(path, owner, {
    anothers:
      "Each target needs a journal of its own: name another file with --journal, or at `journal:` in the settings. Keep this one: its own ledger can be rebuilt from it.",
    unreadable:
      "Put the right file back, or name another with --journal, and type the command again. If this is the ledger's own journal, and damaged, make a backup that replaces it: after `rowferry ledger backup <file> --forget-journal`, the next run may begin a new journal elsewhere.",
  });
}

/** Some devices never end, and a pipe may never begin. */
function requireFile(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() === false && !there.isDirectory())
    throw new RowferryError("journal-unreadable", "The journal must be a file; this is a device or a pipe.", {
      place: { file: path },
      hint: "Name a file, preferably on another disk.",
    });
}

/** `hints`: in place of the usual ones. @throws RowferryError `ledger-of-another-target`, `journal-unreadable` */
export function requireOwn(
  path: string,
  owner: LedgerOwner,
  hints: { anothers?: string; unreadable?: string | undefined } = {},
): void {
  requireFile(path);
  const [theirs, mine] = [journalOwner(path, hints.unreadable), ownerName(owner)];
  const message = `This journal belongs to ${theirs}, not to ${mine}.`;
  if (theirs !== mine)
    throw new RowferryError("ledger-of-another-target", message, { place: { file: path }, hint: hints.anothers });
}

/** A power loss during the first line leaves part of it, or zeros. */
function isTornAtBirth(path: string, owner: LedgerOwner) {
  const whole = headerOf(owner);
  if (statSync(path).size >= whole.length) return false;
  const written = stripEnd(readFileSync(path, "utf8"), "\0");
  return whole.startsWith(written);
}

const headerOf = (owner: LedgerOwner) =>
  `${JSON.stringify({ entry: "journal", version: VERSION, owner: ownerName(owner) })}\n`;

const firstLine = (path: string) => readAt(path, 0, 4096).toString("utf8").split("\n", 1)[0] ?? "";

/** In bytes; 0: there is no whole line. */
export function endOfLastLine(path: string, size: number): number {
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - 65_536);
    const last = readAt(path, from, end - from).lastIndexOf(0x0a);
    if (last >= 0) return from + last + 1;
    end = from;
  }
  return 0;
}

function notWritten(path: string, cause: unknown): RowferryError {
  const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  return new RowferryError("journal-not-written", `The journal could not be written (${reason}).`, {
    place: { file: path },
    cause,
  });
}
