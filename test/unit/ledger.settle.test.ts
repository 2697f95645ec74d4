/** What a person decides: dismiss, retry, resolve, replace. */
import { selectOpen } from "../../src/ledger/decide/selection.js";
import { findDocument } from "../../src/ledger/documents-named.js";
import { rowsOfCause } from "../../src/ledger/views/causes.js";
import { createOpenRowReader } from "../../src/ledger/views/open-rows.js";
import { retry } from "../../src/ledger/decide/dismiss.js";
import { rebuildLedger } from "../../src/desk/restore.js";
import { showRuns } from "../../src/desk/status.js";
import { runRetry } from "../../src/desk/decide.js";
import { resolveNamed } from "../support/decide.js";
import { collectReportData } from "../../src/report/html/collect-report-data.js";
import { checkResolve } from "../../src/desk/resolve.js";
import { createWorkStore } from "../../src/ledger/work.js";
import { deduplicationIdOf, dismiss, open, replace, world } from "../nights/simulation/hard-case.js";
import { eventRow, START } from "../nights/simulation/story-rows.js";
import { lostAnswers } from "../nights/simulation/world.js";
import { addByHand } from "../support/sandbox.world.js";
import { sandboxTransport } from "../nights/simulation/sandbox-transport.js";
import { unthrottled } from "../../src/submit/throttle.js";

const resolveOptions = () => ({
  clock: world.clock,
  random: () => 0.5,
  transport: sandboxTransport(world.sandbox, world.clock),
  throttle: unthrottled,
});
const retrying = () => ({
  ...resolveOptions(),
  target: world.target,
  signal: new AbortController().signal,
  observe: () => {},
  fresh: false,
  journal: null,
  limits: { waitForLock: false },
});
const openDocuments = () => world.look((database) => createWorkStore(database).countOpenDocuments());
const check = (document: string, documentId: string) =>
  world.clock.run(checkResolve(world.target, { document, documentId }, resolveOptions()));

/** @returns the id that nobody knows */
async function strand(options: Parameters<typeof open>[0] = {}): Promise<string> {
  open(options);
  world.setFaults(lostAnswers());
  const summary = await world.bring("a", ["M1 10", "M1 20"]);
  expect(summary.documents).toEqual({ stranded: 1 });
  world.setFaults([]);
  return world.documents()[0]?.id ?? "";
}

it("a document is found by its key or kind/key, whatever slashes stand in the key", long, async () => {
  open();
  await world.bring(
    "a",
    ["2026/17", "17", "/"].map((document, row) => eventRow({ row, document, minute: 10 })),
  );
  const find = (name: string) => world.withLedger((database) => findDocument(database, name).key);
  for (const key of ["2026/17", "17", "/"]) expect([find(key), find(`manifest/${key}`)]).toEqual([key, key]);
  for (const name of ["manifest/", "2026", "manifest/2026", "/17"])
    expect(() => find(name)).toThrow(expect.objectContaining({ code: "document-unknown" }));
});

describe("dismiss", () => {
  it(
    "of what fits nothing that is open is a mistake, told with what is open; so is a retry, which begins no run",
    long,
    async () => {
      open();
      await world.bring("a", ["M1 10 bad"]);
      const nothing = expect.objectContaining({ code: "usage", hint: expect.stringContaining("1 of service-refused") });
      const unknown = expect.objectContaining({ message: expect.stringMatching(/^(There is|The ledger has) no /) });
      for (const [selectors, said] of [
        [{ code: "row-gone" }, nothing],
        [{ document: "M9" }, unknown],
        [{ input: "b.csv" }, unknown],
        [{ run: "no-such-run" }, unknown],
      ] as const) {
        expect(() => dismiss(selectors)).toThrow(said);
        await expect(runRetry({ ...retrying(), selectors })).rejects.toEqual(said);
      }
      expect(showRuns(world.target, 9).map(({ command }) => command)).toEqual(["import"]);
    },
  );

  it(
    "of a row releases what it held, and of a document gives up what is wrong, not what waits (H23)",
    long,
    async () => {
      open();
      await world.bring("a", ["M1 10 invalid", "M1 20", "M2 10 invalid", "M2 20"]);
      expect(dismiss({ input: "a.csv", row: ["2"] })).toMatchObject({ rows: 1, events: 0 });
      expect(dismiss({ document: "manifest/M2" })).toMatchObject({ rows: 1, events: 0, left: 1 });
      const summary = await world.resume();
      expect(summary.events).toEqual({ landed: 2 });
      expect(summary.exitCode).toBe(0);
    },
  );

  it(
    "of what something else has sent, or of what the plan has refused, leaves no document with unfinished work",
    long,
    async () => {
      open();
      await world.bring("a", ["M1 5"]);
      const [document] = world.documents();
      const externalCreatedAt = new Date(START + 10 * 60_000).toISOString();
      const deduplicationId = deduplicationIdOf("M1", 10);
      await addByHand(world.sandbox, document?.id ?? "", { name: "Weighing", externalCreatedAt, deduplicationId });
      await world.bring("b", ["M1 10", "M2 10 OUTPUT target=B1", "M2 20", "M3 20 OUTPUT target=B1"]);
      expect(dismiss({ code: "foreign-collision" }).events).toBe(1);
      const summary = await world.resume();
      expect(summary.open.events).toEqual({ rejected: 1 });
      expect(openDocuments()).toBe(0);
    },
  );

  it("leaves what is in doubt: it may have landed", long, async () => {
    open();
    world.setFaults(lostAnswers());
    await world.bring("a", ["M1 10"]);
    expect(dismiss({ input: "a.csv", row: ["2"] })).toMatchObject({ events: 0, left: 1 });
  });

  it(
    "of a participant leaves every row of its documents to be corrected, with what the service said",
    long,
    async () => {
      open();
      world.setFaults([
        { match: { method: "POST", path: "/participants" }, action: { kind: "status", status: 400, when: "before" } },
      ]);
      await world.bring("a", ["M1 10", "M1 20", "M2 10"]);
      const said = world.withLedger((database) =>
        rowsOfCause(database, { code: "service-refused", column: null, mistake: null }).map((id) =>
          createOpenRowReader(database)
            .withGroup(id)
            .map(({ row, problems }) => [row, problems.map(({ code }) => code)]),
        ),
      );
      expect(said.flat()).toEqual([2, 3, 4].map((row) => [row, ["service-refused"]]));
    },
  );

  it("of a participant stays, whatever is tried again after it (H23)", long, async () => {
    open();
    world.setFaults([
      { match: { method: "POST", path: "/participants" }, action: { kind: "status", status: 400, when: "before" } },
    ]);
    await world.bring("a", ["M1 10"]);
    expect(dismiss({ input: "a.csv", row: ["2"] })).toMatchObject({ participants: 1, events: 1 });
    expect(() => dismiss({ input: "a.csv", row: ["2"] })).toThrow(expect.objectContaining({ code: "already-done" }));
    expect(world.withLedger((database) => retry(database, selectOpen(database, {}), world.clock.now()))).toMatchObject({
      refused: 0,
    });
    const summary = await world.resume();
    expect([summary.requests.sent, summary.problems, summary.exitCode]).toEqual([0, [], 0]);
    // A later row needs that participant: then it is to be had again.
    world.setFaults([]);
    const later = await world.bring("b", ["M2 10"]);
    expect([later.open.events, later.exitCode]).toEqual([{ held: 1 }, 3]);
    expect(world.withLedger((database) => retry(database, selectOpen(database, {}), world.clock.now()))).toMatchObject({
      refused: 1,
    });
    expect(await world.resume()).toMatchObject({ events: { landed: 1 }, exitCode: 0 });
  });

  it("of a stranded document leaves it as it is, with what is in doubt and what waits, until a person finds its id", async () => {
    const id = await strand({ journal: true });
    await world.bring("b", ["M1 30"]);
    const { journal, target, clock } = world;
    const left = async () => {
      const { exitCode, open: of } = await world.resume();
      return [exitCode, of.documents, of.events];
    };
    const before = await left();
    expect(before).toEqual([3, { stranded: 1 }, { stranded: 2, held: 1 }]);
    for (const selectors of [{ row: ["a.csv:2"] }, { input: "a.csv" }, { code: "document-stranded" }])
      expect(dismiss(selectors).documents, "only by its name").toBe(0);
    dismiss({ row: ["b.csv:2"] }, true);
    expect(await left()).toEqual(before);

    expect(dismiss({ document: "M1" })).toMatchObject({ documents: 1, events: 1, left: 0, stranded: 0 });
    const nothing = [0, {}, {}];
    expect(await left()).toEqual(nothing);
    world.loseLedger();
    await clock.run(rebuildLedger(target, { journal: journal ?? "", backup: null }, clock));
    expect(await left(), "also in a rebuilt ledger").toEqual(nothing);
    dismiss({ document: "M1" }, true);
    expect((await left())[1]).toEqual({ stranded: 1 });
    dismiss({ document: "M1" });
    await world.bring("a", ["M1 10", "M1 20"]);
    expect(await left(), "also when its rows come again").toEqual(nothing);

    resolveNamed(target, { ...(await check("M1", id)), documentId: id }, clock, { by: "anna", journal });
    const found = await world.resume();
    expect([found.exitCode, found.events]).toEqual([0, { "landed-without-id": 2 }]);
  });

  it("works while another process holds the ledger's lock", long, async () => {
    open();
    await world.bring("a", ["M1 10 invalid", "M1 20"]);
    world.withLedger(() => expect(dismiss({ row: ["2"] }).rows).toBe(1));
  });
});

describe("resolve (H5)", () => {
  it(
    "of another document's id is spoken against by the read, and refused where that document is ours",
    long,
    async () => {
      await strand();
      await world.bring("b", ["M2 10"]);
      const other = (await world.show("M2")).documents[0]?.documentId ?? "";
      await expect(check("M1", other)).rejects.toMatchObject({ code: "document-not-stranded" });
      world.withLedger((database) => database.exec("DELETE FROM document_states WHERE service_id = '" + other + "'"));
      expect((await check("M1", other)).findings.some(({ agrees }) => !agrees)).toBe(true);
    },
  );
});

describe("replace (H26)", () => {
  it(
    "takes another externalId where the mapping says so, for a service that takes each once (open-points 26)",
    long,
    async () => {
      open({ sandbox: { uniqueExternalId: true } });
      const rows = ["M1 10"];
      await world.bring("a", rows);
      await replace("M1");
      expect((await world.resume()).exitCode).toBe(3);
      // The mapping is mended, the same file imported again, and what was refused is tried again.
      const settings = { replacementExternalId: "{externalId}/{generation}" };
      await world.bring("a", rows, { settings });
      world.withLedger((database) => retry(database, selectOpen(database, {}), world.clock.now()));
      expect((await world.resume()).exitCode).toBe(0);
      await replace("M1");
      expect((await world.resume()).exitCode).toBe(0);
      const documents = world.documents().map(({ externalId, state }) => `${externalId} ${state}`);
      expect(documents).toEqual(["M1 cancelled", "M1/2 cancelled", "M1/3 open"]);
      expect((await world.bring("a", rows, { settings })).requests.sent).toBe(0);
    },
  );

  it(
    "of a stranded document goes on without it: the stranded one stays, and waits for nobody any more",
    long,
    async () => {
      open();
      world.setFaults(lostAnswers());
      await world.bring("a", ["M1 10"]);
      world.setFaults([]);
      const { replaced } = await replace("M1");
      expect(replaced).toMatchObject([{ cancels: false, staysStranded: true, events: 1 }]);
      const summary = await world.resume();
      expect(summary.exitCode).toBe(0);
      expect((await world.show("M1")).documents.map(({ state, reason }) => [state, reason])).toEqual([
        ["stranded", "replaced"],
        ["open", null],
      ]);
      const report = world.look((database) => collectReportData(database, summary, 2));
      expect([report.stranded.total, openDocuments()]).toEqual([0, 0]);
    },
  );

  it("is refused where nothing exists to be replaced", async () => {
    open();
    await world.bring("a", ["M1 ? invalid", "M1 5"]);
    await expect(replace("M1")).rejects.toMatchObject({ code: "document-not-replaceable" });
    await expect(replace("M7")).rejects.toMatchObject({ code: "document-unknown" });
  });
});

it("selectors narrow each other, and name by run, input, row, document and code", long, async () => {
  open();
  const first = await world.bring("a", ["M1 ? invalid", "M2 ? invalid"]);
  await world.bring("b", ["4: M1 5 invalid"]);
  const rows = (selectors: Parameters<typeof selectOpen>[1]) =>
    world.withLedger((database) => selectOpen(database, selectors).rows.length);
  expect(rows({})).toBe(3);
  expect(rows({ run: first.run })).toBe(2);
  expect(rows({ input: "b.csv" })).toBe(1);
  expect(rows({ document: "M1" })).toBe(2);
  expect(rows({ document: "manifest/M1", input: "a.csv" })).toBe(1);
  expect(rows({ row: ["3"] })).toBe(1);
  expect(rows({ code: "value-unmapped" })).toBe(3);
  expect(rows({ code: "late" })).toBe(0);
});
