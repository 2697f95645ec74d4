/** A journal holds all that was ever said to be in it: full disks and limits (F10, P1; HARD-CASES H33). */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { openJournal } from "../../src/ledger/journal/journal.js";
import { installed } from "./installation.js";
import { shortWaits } from "./processes.js";

const here = installed({ ledger: "state/env/ledger.db", preload: [shortWaits] });

/** KiB: more than these imports' ledgers need. */
const LIMIT = 8_192;

describe("under a file-size limit that the journal reaches", () => {
  // Among the registrations and among the documents.
  test.each([500, 30_001])("after %i more bytes it alone brings back all that was sent", long, async (room) => {
    const journal = here().path("journal.ndjson");
    const { door, env, folder, ledger } = here();
    openJournal(journal, folder, {
      target: "env",
      baseUrl: door.baseUrl,
      clientId: env["ROWFERRY_CLIENT_ID"] ?? "",
    }).close();
    const header = readFileSync(journal, "utf8");
    const entry = (padding: string) => `{"entry":"end","at":0,"padding":"${padding}"}\n`;
    const length = LIMIT * 1024 - room - header.length - entry("").length;
    writeFileSync(journal, header + entry("x".repeat(length)));
    const first = await here().import({ fileBlocks: LIMIT }, "--journal", journal);
    expect([first.code, first.stderr]).toEqual([1, expect.stringContaining("journal could not be written")]);
    const text = readFileSync(journal, "utf8");
    expect(text.endsWith("\n"), "no tear is left").toBe(true);
    for (const line of text.trimEnd().split("\n")) expect(() => JSON.parse(line) as unknown).not.toThrow();

    for (const ending of ["", "-wal", "-shm"]) rmSync(ledger + ending, { force: true });
    expect((await here().run(["ledger", "rebuild", journal])).code).toBe(0);
    const last = await here().import({}, "--journal", journal);
    await here().expectWhole(last);
    expect(last.stdout + last.stderr).not.toContain("foreign");
  });
});
