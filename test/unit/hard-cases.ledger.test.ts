/** The ledger's hard cases: H9, H21 to H27 (HARD-CASES). */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { MappedRow } from "../../src/model/records.js";
import { checkLedger } from "../../src/ledger/care/check/check.js";
import { writeRejects } from "../../src/desk/files.js";
import {
  at,
  dismiss,
  faults,
  file,
  fileOf,
  imported,
  lost,
  open,
  replace,
  world,
} from "../nights/simulation/hard-case.js";
import { eventRow } from "../nights/simulation/story-rows.js";
import { importText, weighingMapping } from "../nights/simulation/yaml-import.js";

const timelines = () => world.documents().map(({ events }) => events.length);
const count = (table: string) =>
  world.withLedger((database) => database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get());
const all = (minute: number) => ["M1", "M2", "M3"].map((document) => ({ document, minute }));

it(
  "H9: a correction, in doubt, to a later time or another document does not move timelines further than what landed",
  long,
  async () => {
    open();
    const link = (minute: number, document: string) => ({
      document: "M1",
      minute,
      key: "l",
      name: "RELATED",
      related: { document, bidirectional: true },
    });
    await imported(...all(10));
    faults({ nth: 1, times: 50, action: lost });
    await imported(link(20, "M2"));
    faults();
    expect((await imported(link(40, "M3"))).open.events).toEqual({ changed: 1 });
    expect((await imported(...all(30))).events).toEqual({ landed: 3 });
  },
);

it("H21: two kinds of document with one number are two documents, with two keys", long, async () => {
  open();
  const manifest = eventRow({ row: 2, document: "123", minute: 10 });
  const invoice = JSON.stringify({ ...manifest, row: 3 }).replaceAll('"manifest"', '"invoice"');
  const summary = await world.import([fileOf([manifest, JSON.parse(invoice) as MappedRow])]);
  expect(summary.events).toEqual({ landed: 2 });
  const { documents } = await world.show("123");
  expect(documents.map(({ kind }) => kind)).toEqual(["invoice", "manifest"]);
  expect(new Set(documents.map(({ documentId }) => documentId)).size).toBe(2);
  const keys = documents.flatMap(({ events }) => events.map(({ deduplicationId }) => deduplicationId));
  expect(new Set(keys).size).toBe(2);
});

describe("H22: equal rows under `key: content`", () => {
  const byContent = weighingMapping({
    event: `
        key: content
        within: file
        externalCreatedAt: =date
        attributes: { public: { Weight: =kg } }`,
  });
  const brought = (name: string, text: string) => importText(world, byContent, name, text);
  const header = "MTR,CNPJ,Ticket,Date,Weight\n";
  const twin = "M1,11222333000181,1,2026-01-01 10:00,5\n";
  /** Without its document's key a row holds nothing (H14). */
  const broken = twin.replace("M1,", ",");

  /** The rejected file that `rejects` writes now, with that key. */
  async function corrected() {
    const { files } = await writeRejects(world.target, {}, join(world.target.stateFolder, "rejects"));
    expect(files).toHaveLength(1);
    const [{ path } = expect.fail("no file")] = files;
    return { name: basename(path), text: readFileSync(path, "utf8").replaceAll(/^,/gm, "M1,") };
  }

  it("are as many events as rows, and the same file again, or longer, adds only what is new", long, async () => {
    open();
    expect((await brought("a.csv", header + twin + twin)).events).toEqual({ landed: 2 });
    const same = await brought("b.csv", header + twin + twin + twin);
    expect([same.rows.known, same.events]).toEqual([2, { landed: 1 }]);
    expect(timelines()).toEqual([3]);
  });

  it("a corrected row that becomes a twin of one that landed is another event, not a known one", long, async () => {
    open();
    const first = await brought("a.csv", header + twin + broken + broken);
    expect([first.events, first.rows.invalid]).toEqual([{ landed: 1 }, 2]);
    const { name, text } = await corrected();
    const second = await brought(name, text);
    expect([second.rows.staged, second.exitCode]).toEqual([2, 0]);
    expect(timelines()).toEqual([3]);
    const copy = await brought(`copy-${name}`, `${text}\n`);
    expect([copy.rows.known, copy.requests.sent]).toEqual([2, 0]);
  });

  it("a corrected row counts the twins of its file that were known", long, async () => {
    open();
    await brought("a.csv", header + twin);
    expect((await brought("b.csv", header + twin + broken)).rows).toMatchObject({ known: 1, invalid: 1 });
    const { name, text } = await corrected();
    const second = await brought(name, text);
    expect([second.rows.staged, second.events]).toEqual([1, { landed: 1 }]);
    expect(timelines()).toEqual([2]);
  });
});

describe("H23: a hold ends", () => {
  it("when a valid row of the same rowId arrives, though its event key differs", long, async () => {
    const byTicket = weighingMapping({
      input: "    rowId: =id",
      event: `
        key: =ticket
        externalCreatedAt: =date
        attributes: { public: { Weight: =kg } }`,
    });
    const header = "Id,MTR,CNPJ,Ticket,Date,Weight\n";
    const bad = "r1,M1,11222333000181,1,2026-01-01 10:00,five\n";
    const later = "r2,M1,11222333000181,2,2026-01-01 11:00,6\n";
    open();
    const held = await importText(world, byTicket, "a.csv", header + bad + later);
    expect([held.open.events, held.open.rows, held.exitCode]).toEqual([{ held: 1 }, 1, 3]);
    const other = bad.replace("five", "5").replace(",1,", ",77,");
    const summary = await importText(world, byTicket, "b.csv", header + other);
    expect([summary.events, summary.open.rows, summary.exitCode]).toEqual([{ landed: 2 }, 0, 0]);
  });

  it(
    "a dismissal of a refused event stays in force too, also when its own file is staged again, and a correction takes it back",
    long,
    async () => {
      open();
      const refusing = file(...at(10), "M1 20 key=t weight=0 bad", ...at(30));
      const refused = await world.import([refusing]);
      expect(refused.open.events).toEqual({ held: 1, rejected: 1 });
      expect(dismiss({ input: refusing.name, row: ["3"] })).toMatchObject({
        events: 1,
      });
      const again = await world.import([refusing]);
      expect([again.open.events, again.exitCode]).toEqual([{}, 0]);
      expect(timelines()).toEqual([2]);
      const corrected = await imported("M1 40 key=t weight=9");
      expect(corrected.events).toEqual({ landed: 1 });
    },
  );
});

it("H24: the nightly full history costs no request, no row of its own but a link, and no cells", long, async () => {
  open();
  const rows = Array.from({ length: 40 }, (_, index) => ({ document: `M${index % 8}`, minute: index }));
  await imported(...rows);
  const counts = () => ["rows", "events", "pages WHERE kind = 'cells'", "problems"].map(count);
  const before = counts();
  const full = file(...rows.toReversed());
  const night = await world.import([full]);
  expect([night.rows.known, night.requests.sent, night.exitCode]).toEqual([40, 0, 0]);
  expect(counts()).toEqual(before);
  expect([count("row_events"), count("pages WHERE kind = 'known'")]).toEqual([40, 1]);
  for (const row of [2, 17, 41]) {
    const [shown] = (await world.show(`${full.name}:${row}`)).rows;
    expect(shown).toMatchObject({ fate: "known", events: [{ state: "landed" }] });
    expect(shown?.events[0]?.rows).toContain(`${full.name}, row ${row}`);
  }
  expect((await world.show(`${full.name}:42`)).rows).toEqual([]);
  expect(night.warnings).toEqual([]);
});

describe("H26: generations", () => {
  it("a receipt counts only within its generation: what landed in the first is sent in the second", async () => {
    open();
    await imported(...at(10));
    await replace("M1");
    const summary = await world.resume();
    expect(summary.events).toEqual({ landed: 2 });
    expect(timelines()).toEqual([2, 1]);
    const [first, second] = (await world.show("M1")).documents;
    expect(first?.deduplicationId).not.toBe(second?.deduplicationId);
    expect(first?.events[0]?.deduplicationId).not.toBe(second?.events[0]?.deduplicationId);
  });

  it("a known row follows its event into the next generation, where it is open again", long, async () => {
    open();
    const rows = [...at(10), "M2 10"];
    await imported(...rows);
    const known = file(...rows);
    await world.import([known]);
    await replace("M1");
    const fateOf = async (row: number) => (await world.show(`${known.name}:${row}`)).rows[0]?.fate;
    expect([await fateOf(2), await fateOf(3)]).toEqual(["staged", "known"]);
    const again = await world.import([known]);
    expect(again.rows).toMatchObject({ read: 2, known: 1, staged: 1 });
    expect(again.events).toEqual({ landed: 2 });
    expect(world.withLedger(checkLedger).filter(({ broken }) => broken.length > 0)).toEqual([]);
  });
});

it("H27: unsent work of an input is replaced when the input is staged again; what was sent stays", long, async () => {
  open();
  const future = 60 * 24 * 3650;
  const first = file(...at(10), { document: "M1", minute: future, name: "Weighing" });
  await world.import([first]);
  const edited = file(...at(10), { document: "M1", minute: future, name: "Sorting" });
  const again = await world.import([{ ...edited, name: first.name, contentHash: first.contentHash }]);
  expect(again.rows).toMatchObject({ read: 2, known: 1, staged: 1 });
  const events = (await world.show("M1")).documents[0]?.events;
  expect(events?.map(({ name, state }) => [name, state])).toEqual([
    ["Weighing", "landed"],
    ["Sorting", "deferred"],
  ]);
  expect(timelines()).toEqual([1]);
});
