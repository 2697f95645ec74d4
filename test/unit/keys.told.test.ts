/**
 * Records that claim one key or one identity: told or refused, never the last one in silence (findings F74, F79, F82, F83,
 * F84, F111). Judged by what the commands say and by what is at the service.
 */
import { renameSync } from "node:fs";
import type { Summary } from "../../src/model/summary.js";
import { type Office, openOffice } from "../support/office.js";
import { sampled } from "../support/sample.js";
import { loads, loadsWith, weighings, weighingsWith, weights } from "../support/weighings.js";

const counted = (problems: Summary["problems"]) => problems.map(({ code, count }) => `${count} ${code}`);
const warningsOf = ({ warnings }: Summary) => counted(warnings);
/** Exit code, invalid and staged rows, and the problems of a run that needs a person. */
const refusedBy = ({ exitCode, rows, problems }: Summary) => [exitCode, rows.invalid, rows.staged, counted(problems)];

const { site } = weighings.inputs.weighings.addresses;
const at = { header: "At", as: "timestamp" };
const tax = { header: "CNPJ", as: "taxId", type: "CNPJ" };
const weighing = { name: "Weighing", key: "=at", externalCreatedAt: "=at", isPublic: true };

/** Organisations and their sites by codes of their own, and loads that refer to them. */
const referring = (identity: "first" | "reject") => ({
  namespace: "test",
  defaults: weighings.defaults,
  settings: { identity, addresses: { extendedFields: true } },
  inputs: {
    organisations: {
      files: "org*.csv",
      columns: { code: "Code", tax, name: "Name", street: "Street", zip: "Zip" },
      participants: {
        organisation: { key: "=code", taxIdType: "CNPJ", taxId: "=tax", name: "=name", type: "COMPANY" },
      },
      addresses: {
        site: { ...site, key: "=code", participant: "organisation", street: "=street", zipCode: "=zip" },
      },
    },
    loads: {
      files: "load*.csv",
      columns: { load: "Load", at, code: "Code" },
      documents: {
        load: {
          key: "=load",
          participant: { ref: "organisation", key: "=code" },
          address: { ref: "site", key: "=code" },
        },
      },
      events: { weighing },
    },
  },
});

const orgs = (...rows: string[]) => ["Code,CNPJ,Name,Street,Zip", ...rows];
const alfa = "1,11222333000181,Alfa,Rua A,13000000";
const beta = "1,11444777000161,Beta,Rua B,13000001";
const elsewhere = "1,11222333000181,Alfa,Rua A,13999999";
const withoutZip = "1,11222333000181,Alfa,Rua A,";
const load = (name: string) => ["Load,At,Code", `${name},2026-01-01 10:10,1`];
const zipCodes = (office: Office) => office.addresses().map(({ zipCode }) => zipCode);

describe("one reference key for two records (F74)", () => {
  it(
    "is the first record's under `first`, with a warning, also when the second comes with a later file",
    long,
    async () => {
      const office = openOffice(referring("first"));
      await office.brought("org-1.csv", orgs(alfa));
      await office.brought("load-1.csv", load("L1"));
      expect(warningsOf(await office.brought("org-2.csv", orgs(beta)))).toContain("2 reference-key-twice");
      await office.lands("load-2.csv", load("L2"));
      const [first] = office.participants();
      expect(first?.name).toBe("Alfa");
      expect(office.documents().map(({ participantId }) => participantId)).toEqual([first?.id, first?.id]);
    },
  );
});

describe("an address that is given twice", () => {
  it("with other further fields is told (F79), and the first is used", long, async () => {
    const office = openOffice(referring("first"));
    for (const [name, rows] of [
      ["org-1.csv", [alfa, elsewhere]],
      ["org-2.csv", [elsewhere.replace("999999", "888888")]],
    ] as const)
      expect(warningsOf(await office.brought(name, orgs(...rows)))).toEqual(["1 address-differs"]);
    expect(zipCodes(office)).toEqual(["13000000"]);
  });

  it(
    "with fields that only one of the rows gives has them all, as long as they can be sent; then it is told",
    long,
    async () => {
      for (const rows of [
        [alfa, withoutZip],
        [withoutZip, alfa],
      ]) {
        const office = openOffice(referring("first"));
        expect(warningsOf(await office.brought("org-1.csv", orgs(...rows)))).toEqual([]);
        expect(zipCodes(office)).toEqual(["13000000"]);
      }
      const office = openOffice(referring("first"));
      await office.brought("org-1.csv", orgs(withoutZip));
      expect(warningsOf(await office.brought("org-2.csv", orgs(alfa)))).toEqual(["1 address-differs"]);
    },
  );

  it(
    "goes inline with the further fields with which it is registered, for the service may compare them all",
    long,
    async () => {
      const { settings, ...rest } = referring("first");
      const office = openOffice({ ...rest, settings: { ...settings, references: "inline" } });
      await office.brought("org-1.csv", orgs(alfa));
      office.writeCsv("load-1.csv", load("L1"));
      const { out } = await office.type("plan", "m.yaml", "load-1.csv", "--document", "L1");
      expect(out.match(/"zipCode": ?"13000000"/g)).toHaveLength(2);
    },
  );
});

it.each([
  ["reference key (F74)", beta, "reference-key-twice"],
  ["address with other fields (F111)", elsewhere, "address-differs"],
])("under `reject` the second row of one %s is a problem", long, async (_, row, code) => {
  const office = openOffice(referring("reject"));
  expect(refusedBy(await office.brought("org-1.csv", orgs(alfa, row)))).toEqual([3, 1, 1, [`1 ${code}`]]);
});

describe("a document with two owners (F111)", () => {
  const owned = (identity: "first" | "reject") => ({
    namespace: "test",
    defaults: weighings.defaults,
    settings: { identity },
    inputs: {
      loads: {
        columns: { load: "Load", at, tax },
        participants: { owner: { taxIdType: "CNPJ", taxId: "=tax", name: "=tax", type: "COMPANY" } },
        addresses: { site },
        documents: { load: { key: "=load", participant: "owner", address: "site" } },
        events: { weighing, checked: { ...weighing, name: "Checked", participant: "owner", address: "site" } },
      },
    },
  });
  const header = "Load,At,CNPJ";
  const [one, two] = ["L1,2026-01-01 10:10,11222333000181", "L1,2026-01-01 10:20,11444777000161"];
  /** What is said of the second row, which comes with the first or alone in the next import. */
  const twice = async (identity: "first" | "reject", together: boolean) => {
    const office = openOffice(owned(identity));
    if (!together) await office.brought("1.csv", [header, one]);
    return { office, told: await office.brought("2.csv", together ? [header, one, two] : [header, two]) };
  };

  it.each(sampled([true, false], 2))(
    "keeps the first under `first`, told, and its events that name no participant of their own are the owner's (in one file: %s)",
    async (together) => {
      const { office, told } = await twice("first", together);
      expect(warningsOf(told)).toEqual(["1 document-differs"]);
      const names = new Map(office.participants().map(({ id, name }) => [id, name]));
      const [only, ...others] = office.documents();
      expect(others).toEqual([]);
      expect(
        only?.events.map(({ name, participantId, addressId }) => [
          name,
          names.get(participantId ?? ""),
          addressId === only.addressId,
        ]),
      ).toEqual([
        ["Weighing", "11222333000181", true],
        ["Checked", "11222333000181", true],
        ["Weighing", "11222333000181", true],
        ["Checked", "11444777000161", false],
      ]);
      // The same rows say nothing new.
      expect(await office.import("2.csv")).toMatchObject({ exitCode: 0, rows: { staged: 0 }, open: { events: {} } });
    },
  );

  /** Participants of the events that name none of their own, in order. */
  const weighedBy = (office: Office) => {
    const names = new Map(office.participants().map(({ id, name }) => [id, name]));
    return office.documents().map(({ participantId, events }) => {
      const weighed = events.filter(({ name }) => name === "Weighing");
      return [participantId, ...weighed.map((event) => event.participantId)].map((id) => names.get(id ?? ""));
    });
  };
  const [wrong, right] = ["11222333000181", "11444777000161"];
  const rowsOf = (...owners: string[]) =>
    owners.map((owner, row) => (owner === "unread" ? `L1,xx,${right}` : `L1,2026-01-01 10:${row + 1}0,${owner}`));

  const keyedBy = (key: string, identity: "first" | "last") => {
    const { inputs, ...rest } = owned("first");
    const { weighing: plain, checked } = inputs.loads.events;
    const content = {
      attributes: { public: { Load: "=load" }, private: { At: "=at" } },
      extra: { publicSearch: true, note: { of: ["=load"] } },
      value: 12.5,
    };
    const weighed = { ...plain, ...content, key, ...(key === "content" && { within: "file" }) };
    const events = { weighing: weighed, checked };
    return openOffice({ ...rest, settings: { identity }, inputs: { loads: { ...inputs.loads, events } } });
  };
  const corrections = ["=at", "content"].flatMap((key) => [
    [key, "first", [wrong, wrong]] as const,
    [key, "first", [wrong, right]] as const,
    [key, "last", [wrong, right]] as const,
  ]);

  it.each(sampled(corrections, 3))(
    "corrected in all rows of its file before it is sent, is the owner of all its events (key: %s, %s, %j)",
    async (key, identity, before) => {
      const office = keyedBy(key, identity);
      expect((await office.brought("w.csv", [header, ...rowsOf("unread", ...before)])).exitCode).toBe(3);
      const corrected = [header, ...rowsOf(right, right, right)];
      expect(await office.brought("w.csv", corrected)).toMatchObject({ exitCode: 0, events: { landed: 6 } });
      expect(weighedBy(office)).toEqual([Array(4).fill(right)]);
      const again = await office.brought("again.csv", corrected);
      expect(again).toMatchObject({ exitCode: 0, rows: { staged: 0 }, open: { events: {} } });
      expect(weighedBy(office)).toEqual([Array(4).fill(right)]);
    },
  );

  it.each(sampled(["=at", "content"], 2))(
    "stays where a file of the same name has other rows of it (key: %s)",
    async (key) => {
      const office = keyedBy(key, "first");
      await office.brought("w.csv", [header, ...rowsOf("unread", wrong), `L2,2026-01-01 10:10,${right}`]);
      await office.brought("w.csv", [header, `L1,2026-01-01 10:40,${right}`, `L2,2026-01-01 10:10,${right}`]);
      await office.ends(0, "retry --code row-gone");
      await office.run("resume");
      expect(weighedBy(office)).toEqual(expect.arrayContaining([Array(3).fill(wrong)]));
    },
  );

  it("corrected in one row of a later file, takes the unsent events of the others with it, told", async () => {
    const office = keyedBy("=at", "first");
    const bad = await office.brought("w.csv", [header, ...rowsOf("unread", wrong, right, wrong)]);
    const later = await office.brought("later.csv", [header, ...rowsOf("", right).slice(1)]);
    expect(warningsOf(later)).toEqual(["1 document-differs"]);
    expect(later.warnings).toMatchObject([
      { example: expect.stringMatching(/, and so have 2 unsent events of other rows[.]$/) },
    ]);
    await office.brought("corrected.csv", office.rejectedRows(bad, { xx: "2026-01-01 10:10" }));
    expect(weighedBy(office)).toEqual([Array(5).fill(right)]);
  });

  it.each(sampled([false, true], 2))(
    "makes the second row a problem under `reject` (in one file: %s)",
    async (together) => {
      const { told } = await twice("reject", together);
      expect(refusedBy(told)).toEqual([3, 1, together ? 1 : 0, ["1 document-differs"]]);
    },
  );
});

it("a number in a body is the same with more `places`", async () => {
  const valued = (more: object) =>
    weighingsWith({
      columns: { gross: { header: "Gross", as: "number", ...more } },
      event: { value: "=gross", attributes: {} },
    });
  const office = openOffice(valued({}));
  await office.brought("w.csv", loads("L1 10 100000.5", "L1 20 7"));
  office.writeMapping(valued({ places: 2 }));
  expect(await office.import("w.csv")).toMatchObject({ exitCode: 0, rows: { staged: 0 }, open: { events: {} } });
});

describe("work that would disappear (F82)", () => {
  it("a row that only says again what another row of the import says is counted, and told", long, async () => {
    const office = openOffice(weighings);
    const twice = ["L1 10 1 a", "L1 10 1 b"];
    const summary = await office.brought("w.csv", loadsWith(["Unread"], ...twice, "L2 10 1 c"));
    expect(summary).toMatchObject({ exitCode: 0, rows: { read: 3, staged: 3 }, events: { landed: 2 } });
    expect(warningsOf(summary)).toEqual(["1 row-repeats"]);
    // Tomorrow's full history makes no noise.
    expect(warningsOf(await office.brought("w2.csv", loadsWith(["Unread"], ...twice)))).toEqual([]);
  });

  const named = weighingsWith({ columns: { id: "Id" }, rowId: "=id" });
  const byId = (...rows: string[]) => loadsWith(["Id"], ...rows);

  it("one rowId on two documents of one file is a problem of the second row", long, async () => {
    const office = openOffice(named);
    const summary = await office.brought("w.csv", byId("L1 10 1 r1", "L2 10 2 r1"));
    expect(refusedBy(summary)).toEqual([3, 1, 1, ["1 row-id-twice"]]);
    expect(weights(office)).toEqual(["L1 10 1"]);
  });

  it("a rowId that moves to another document is told before anything is sent", long, async () => {
    const office = openOffice(named);
    await office.brought("w-1.csv", byId("L1 10 1 r1"));
    office.writeCsv("w-2.csv", byId("L2 10 1 r1"));
    expect((await office.type("plan", "m.yaml", "w-2.csv")).err).toContain("load L1");
    expect(warningsOf(await office.import("w-2.csv"))).toEqual(["1 row-moved"]);
  });

  describe.each(sampled(["content", "=gross", "once"], 3))(
    "a rowId whose landed event is edited, with `key: %s`",
    (key) => {
      const event = { key, ...(key === "content" && { within: "file" }) };
      const office = () => openOffice(weighingsWith({ columns: { id: "Id" }, rowId: "=id", event }));
      const told = async (...rows: string[]) => {
        const own = office();
        await own.brought("w-1.csv", byId("L1 10 1 r1", "L2 10 1 r2"));
        const { warnings, problems } = await own.brought("w-2.csv", byId(...rows));
        return [...counted(warnings), ...counted(problems)];
      };
      const is = { "=gross": "1 row-moved", content: "1 row-moved", once: "1 changed" }[key];

      it("is told, because the old event stays", async () => {
        expect(await told("L1 10 2 r1", "L2 10 1 r2")).toEqual([is]);
        expect(await told("L1 10 1 r1", "L2 10 1 r2")).toEqual([]);
      });
    },
  );

  it("a landed number that differs in a digit that no double has is told with both", long, async () => {
    const office = openOffice(weighingsWith({ event: { key: "once", value: "=gross" } }));
    await office.brought("w-1.csv", loads("L1 10 12345678901234567.1"));
    const changed = office.rejectedRows(await office.brought("w-2.csv", loads("L1 10 12345678901234567.2")));
    expect(changed.flat().join(" ")).toContain('value was "12345678901234567.1" and is "12345678901234567.2"');
  });

  it("equal rows that change places, and an edit that never landed, are no moved rows", async () => {
    const event = { key: "content", within: "file" };
    const office = openOffice(weighingsWith({ columns: { id: "Id" }, rowId: "=id", event }));
    await office.brought("w-1.csv", byId("L1 10 1 r1", "L2 10 x r2"));
    const edited = await office.brought("w-2.csv", byId("L1 10 1 r3", "L1 10 1 r1", "L2 10 5 r2"));
    expect([warningsOf(edited), weights(office)]).toEqual([[], ["L1 10 1", "L1 10 1", "L2 10 5"]]);
  });
});

describe("the parts of a group that is interrupted by others", () => {
  const partial: [what: string, event: object, fields: object, whole: number][] = [
    [
      "an attribute of an event for each row",
      { each: "row", attributes: { public: { Gross: "=gross", Sum: "=sum(gross)" } } },
      {},
      4,
    ],
    [
      "an event with a key",
      { key: "once", externalCreatedAt: "=first(at)", attributes: { public: { Gross: "=max(gross)" } } },
      {},
      2,
    ],
    ["a field of the document", { each: "row" }, { n: "=count(gross)" }, 4],
  ];
  it.each(sampled(partial, 3))(
    "send no partial sums in %s, and the whole one once its rows stand together",
    async (_what, event, fields, whole) => {
      const { load: document } = weighings.inputs.weighings.documents;
      const documents = { load: { ...document, fields } };
      const office = openOffice(weighingsWith({ group: "=load", event, documents }));
      office.writeCsv("w.csv", loads("L1 10 1", "L1 20 2", "L2 10 5", "L1 40 4"));
      const { code, out } = await office.type("check", "m.yaml", "w.csv");
      expect([code, out.replaceAll(/\s+/gu, " ")]).toEqual([3, expect.stringContaining("1 invalid + 3 valid")]);
      expect(out).toContain("group-interrupted");
      const summary = await office.brought("w.csv", loads("L1 10 1", "L1 20 2", "L2 10 5", "L1 40 4"));
      expect(summary).toMatchObject({ exitCode: 3, rows: { read: 4, skipped: 0, invalid: 1, known: 0, staged: 3 } });
      expect(counted(summary.problems)).toContain("1 group-interrupted");
      expect(weights(office)).toEqual(["L2 10 5"]);
      const sorted = await office.brought("w.csv", loads("L1 10 1", "L1 20 2", "L1 40 4", "L2 10 5"));
      expect([sorted.exitCode, sorted.open.rows, weights(office).length]).toEqual([0, 0, whole]);
    },
  );

  it("go as they are where nothing is computed over the group", long, async () => {
    const office = openOffice(weighingsWith({ group: "=load", event: { each: "row" } }));
    const summary = await office.brought("w.csv", loads("L1 10 1", "L2 10 5", "L1 40 4"));
    expect([summary.exitCode, weights(office)]).toEqual([0, ["L1 10 1", "L1 40 4", "L2 10 5"]]);
  });
});

describe("`each: row` with one key on two rows of a group (F84)", () => {
  const ticketed = { columns: { ticket: "Ticket" }, group: "=load", event: { key: "=ticket", each: "row" } };
  const brought = (...rows: string[]) =>
    openOffice(weighingsWith(ticketed)).brought("w.csv", loadsWith(["Ticket"], ...rows, "L2 10 9 T1"));

  it("is a problem of its rows where they differ, and the others go on", long, async () => {
    const summary = await brought("L1 10 1 T1", "L1 10 2 T1");
    expect(refusedBy(summary)).toEqual([3, 2, 1, ["2 event-key-twice"]]);
    expect(summary.events).toEqual({ landed: 1 });
  });

  it("is told by its key where it changed, because the row is the group's first one", long, async () => {
    const office = openOffice(weighingsWith(ticketed));
    await office.brought("w.csv", loadsWith(["Ticket"], "L1 10 1 T1", "L1 10 2 T2"));
    const summary = await office.brought("w-2.csv", loadsWith(["Ticket"], "L1 10 1 T1", "L1 10 3 T2"));
    expect(office.rejectedRows(summary).flat().join(" ")).toContain('(w.csv, row 2, key "T2"): attribute');
  });
});

describe("`each: row` with a `rowId` for the whole group", () => {
  const ticketed = {
    columns: { ticket: "Ticket" },
    group: "=load",
    rowId: "=load",
    event: { key: "=ticket", each: "row" },
  };
  const again = async (...rows: string[]) => {
    const office = openOffice(weighingsWith(ticketed));
    await office.brought("w.csv", loadsWith(["Ticket"], "L1 10 1 T1", "L1 10 2 007"));
    const { warnings, problems } = await office.brought("w-2.csv", loadsWith(["Ticket"], ...rows));
    return [...counted(warnings), ...counted(problems)];
  };

  it.each(
    sampled(
      [
        ["told, because the old one stays", ["L1 10 1 T1", "L1 10 2 T9"], ["1 row-moved"]],
        ["a problem if a spreadsheet changed it", ["L1 10 1 T1", "L1 10 2 7"], ["2 key-mangled"]],
        ["told for each of several", ["L1 10 1 T8", "L1 10 2 T9"], ["2 row-moved"]],
        ["nothing to tell if it only has more rows", ["L1 10 1 T1", "L1 10 2 007", "L1 10 3 T9"], []],
      ] as const,
      1,
    ),
  )("one row's new key beside others that stay is %s", async (_title, rows, told) => {
    expect(await again(...rows)).toEqual(told);
  });
});

describe("a correction that changes a key (F83)", () => {
  it("as a spreadsheet changes one is a problem of the row", long, async () => {
    const office = openOffice(weighings);
    const typed = { "12E5": "1200000", "12E6": "1.20E+07", "1-2": "02/jan", MAR3: "2026-03-03" };
    const wrong = ["007", "K1", ...Object.keys(typed)].map((key) => `${key} 10 x`);
    const rejected = await office.brought("w.csv", loads(...wrong));
    const mangled = office.rejectedRows(rejected, { "007": "7", K1: "k1", ...typed, x: "1" });
    expect(counted((await office.brought("w-corrected.csv", mangled)).problems)).toEqual([
      "5 key-mangled",
      "1 cell-damaged",
    ]);
    expect(weights(office)).toEqual([]);
    await office.lands("w-again.csv", office.rejectedRows(rejected, { x: "1" }));
    expect(weights(office).toSorted()).toEqual(wrong.map((row) => row.replace("x", "1")).toSorted());
  });

  it.each([1, 2])(
    "of a row that differs from what has landed ends the difference, also for a replacement, and where %d nights brought the row",
    async (nights) => {
      const office = openOffice(weighings);
      await office.brought("w.csv", loads("L1 10 5"));
      if (nights === 2) await office.brought("w-1.csv", loads("L1 10 77"));
      const changed = await office.brought("w-2.csv", loads("L1 10 77", "L3 20 5"));
      expect(counted(changed.problems)).toEqual(["1 changed"]);
      const corrected = await office.brought("w-corrected.csv", office.rejectedRows(changed, { L1: "L2" }));
      expect(warningsOf(corrected)).toEqual(["1 row-moved"]);
      await office.ends(0, "status", "all is well");
      await office.ends(0, "replace load/L1 --reason wrong --yes");
      await office.ends(0, "resume");
      expect(weights(office).toSorted()).toEqual(["L1 10 5", "L2 10 77", "L3 20 5"]);
      const again = await office.import("w-2.csv");
      expect([again.exitCode, warningsOf(again)]).toEqual([0, ["1 still-wrong-in-source"]]);
    },
  );

  it("as a spreadsheet changes one is taken where a person writes `ok`", long, async () => {
    const office = openOffice(weighings);
    const rejected = await office.brought("w.csv", loads("007 10 x"));
    const meant = office.rejectedRows(rejected, { "007": "7", x: "1", "number-unreadable": "ok" });
    expect(warningsOf(await office.brought("w-corrected.csv", meant))).toContain("1 row-moved");
    expect(weights(office)).toEqual(["7 10 1"]);
  });

  it(
    "holds what is later, and can still be mended, if a spreadsheet changed the key of a row that is still wrong",
    long,
    async () => {
      const office = openOffice(weighings);
      const wrong = await office.brought("w.csv", loads("007 10 1", "007 20 x", "007 30 3"));
      const rows = (mended: object) => office.rejectedRows(wrong, mended as { [cell: string]: string });
      const still = await office.brought("w-1.csv", rows({ "007": "7", x: "y" }));
      expect(still).toMatchObject({ exitCode: 3, open: { rows: 1 } });
      expect(still.problems.map(({ code }) => code)).toContain("key-mangled");
      expect(weights(office)).toEqual(["007 10 1"]);
      for (const rowsNow of [rows({ x: "2" }), office.rejectedRows(still, { "7": "007", y: "2" })])
        await office.lands("w-2.csv", rowsNow);
      expect(weights(office)).toEqual(["007 10 1", "007 20 2", "007 30 3"]);
    },
  );
});

describe("keys that differ only by case, width, leading zeros, dashes or the marks of a number (F71)", () => {
  const nearly = [
    ["7", "007"],
    ["000000000000009565", "9565"],
    ["7", "7.0"],
    ["7.0", "7"],
    ["1021", "1.021"],
    ["K1", "Ｋ1"],
    ["T-1", "T–1"],
  ] as const;
  it.each(sampled(nearly, 2))(
    "are named where they tell events apart, in any order of the files (F83): %s, %s",
    async (first, then) => {
      const office = openOffice(weighingsWith({ columns: { ticket: "Ticket" }, event: { key: "=ticket" } }));
      const rows = (...tickets: string[]) => loadsWith(["Ticket"], ...tickets.map((ticket) => `L1 10 1 ${ticket}`));
      expect(warningsOf(await office.brought("w.csv", rows(first)))).toEqual([]);
      expect(warningsOf(await office.brought("w2.csv", rows(then, "T9")))).toEqual(["1 keys-nearly-equal"]);
    },
  );

  it("are named in the summary, once", long, async () => {
    const office = openOffice(weighings);
    const first = ["K1 10 1", "k1 10 1", "Ｋ1 10 1", "007 10 1", "7 10 1", "8 10 1", "1021.0 10 1"];
    const summary = await office.brought("w.csv", loads(...first));
    expect([summary.exitCode, warningsOf(summary)]).toEqual([0, ["3 keys-nearly-equal", "1 key-has-decimals"]]);
    const next = await office.brought("w2.csv", loads(...first, "08 10 1", "1021 10 1"));
    expect(warningsOf(next)).toEqual(["2 keys-nearly-equal", "1 key-has-decimals"]);
    expect(next.warnings[0]?.example).toContain("08");
  });
});

describe("two rows of one event that differ", () => {
  const twice = ["L1 10 1", "L1 10 2", "L2 10 5"];

  it("are both in the rejected file, and the one lands that alone is kept (F21)", long, async () => {
    const office = openOffice(weighings);
    const summary = await office.brought("w.csv", loads(...twice));
    expect(refusedBy(summary)).toEqual([3, 1, 2, ["1 event-key-twice"]]);
    const [header = [], ...rows] = office.rejectedRows(summary);
    expect(rows.map(([name, , gross]) => `${name} ${gross}`)).toEqual(["L1 1", "L1 2"]);
    const mended = [header, ...rows.filter(([, , gross]) => gross === "2")];
    expect(await office.brought("mended.csv", mended)).toMatchObject({ exitCode: 0, open: { rows: 0, events: {} } });
    expect(weights(office).toSorted()).toEqual(["L1 10 2", "L2 10 5"]);
  });

  it.each(sampled(["1 a", "1 b", "2 a", "2 b", "1 c", "2 c"], 6))(
    "are not asked about again once a person has kept one, when their file comes back (%s)",
    async (told) => {
      const [kept, how] = told.split(" ");
      const office = openOffice(weighings);
      const [header = [], ...rows] = office.rejectedRows(await office.brought("w.csv", loads(...twice)));
      office.writeCsv("kept.csv", [header, ...rows.filter(([, , gross]) => gross === kept)]);
      const decided = { exitCode: 0, open: { rows: 0, events: {} } };
      const files = how === "a" ? ["w.csv", "kept.csv"] : how === "b" ? ["kept.csv", "w.csv"] : ["kept.csv"];
      expect(await office.import(...files)).toMatchObject(decided);
      expect(weights(office).toSorted()).toEqual([`L1 10 ${kept}`, "L2 10 5"]);
      expect(await office.brought("w-2.csv", loads(...twice, "L3 10 7"))).toMatchObject(decided);
      expect(weights(office).toSorted()).toEqual([`L1 10 ${kept}`, "L2 10 5", "L3 10 7"]);
    },
  );

  it("are found by check as by import, over all files (F118)", async () => {
    const office = openOffice(weighings);
    office.writeCsv("a.csv", loads(...twice.slice(0, 1)));
    office.writeCsv("b.csv", loads(...twice.slice(1)));
    const { code, out } = await office.type("check", "m.yaml", "a.csv", "b.csv");
    expect(code).toBe(3);
    expect(out.replaceAll(/\s+/g, " ")).toContain("is given with other content in a.csv, row 2");
  });
});

describe("a copy of a mapping under another file name", () => {
  const plain = weighings.inputs.weighings.documents.load;
  const renamed = (documents: object, more: object = {}) => ({
    ...weighings,
    ...more,
    inputs: { weighings: { ...weighings.inputs.weighings, documents } },
  });

  const { weighing: same } = weighings.inputs.weighings.events;
  const copies: [what: string, copy: object][] = [
    ["label", renamed({ cargo: plain })],
    ["label of its events", weighingsWith({ events: { weighed: same } })],
    ["namespace", renamed({ load: plain }, { namespace: "copy" })],
    ["key of its documents", renamed({ load: { ...plain, key: '=load + "/"' } })],
  ];
  it.each(sampled(copies, 2))(
    "with another %s does not send again what its original has sent of a file, nor of the next night's",
    async (_, copy) => {
      const office = openOffice(weighings);
      const sent = ["L1 10 1", "L1 11 3"];
      await office.brought("w.csv", loads(...sent));
      office.writeMapping(copy);
      renameSync(office.path("m.yaml"), office.path("copy.yaml"));
      for (const added of [[], ["L2 10 2"]]) {
        office.writeCsv("w.csv", loads(...sent, ...added));
        await office.ends(
          2,
          "import copy.yaml w.csv",
          "The mapping m has sent 2 events from this file as load/weighing",
        );
      }
      expect(weights(office)).toEqual(sent);
    },
  );

  it("is refused where it keys an event in another way", long, async () => {
    const office = openOffice(weighings);
    await office.brought("w.csv", loads("L1 10 1"));
    office.writeMapping(weighingsWith({ event: { key: "=gross" } }));
    renameSync(office.path("m.yaml"), office.path("copy.yaml"));
    await office.ends(2, "import copy.yaml w.csv", "load/weighing (1 sent, such as load L1)");
  });

  it("sends them where its documents are said to be others, and nothing where it is a mere copy", long, async () => {
    const office = openOffice(weighings);
    await office.brought("w.csv", loads("L1 10 1"));
    for (const copy of [weighings, renamed({ cargo: { ...plain, was: "none" } })]) {
      office.writeMapping(copy);
      renameSync(office.path("m.yaml"), office.path("copy.yaml"));
      const { code, said } = await office.type("import", "copy.yaml", "w.csv");
      expect(code, said).toBe(0);
    }
    expect(weights(office)).toEqual(["L1 10 1", "L1 10 1"]);
  });
});
