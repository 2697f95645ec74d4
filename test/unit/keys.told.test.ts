/**
 * Records that claim one key or one identity: told or refused, never the last one in silence (findings F74, F79, F82, F83,
 * F84, F111). Judged by what the commands say and by what is at the service.
 */
import type { Summary } from "../../src/model/summary.js";
import { jsonOf } from "../support/cli.world.js";
import { type Office, openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

const codesOf = (summary: Summary) => ({
  problems: summary.problems.map(({ code, count }) => [code, count]),
  warnings: summary.warnings.map(({ code, count }) => [code, count]),
});

const addsUp = ({ rows }: Summary) => rows.read === rows.skipped + rows.invalid + rows.known + rows.staged;

/** Organisations and their sites by codes of their own, and loads that refer to them. */
const referring = (identity: "first" | "last" | "reject") => ({
  namespace: "test",
  defaults: weighings.defaults,
  settings: { identity, addresses: { extendedFields: true } },
  inputs: {
    organisations: {
      files: "org*.csv",
      columns: {
        code: "Code",
        tax: { header: "CNPJ", as: "taxId", type: "CNPJ" },
        name: "Name",
        street: "Street",
        zip: "Zip",
      },
      participants: {
        organisation: { key: "=code", taxIdType: "CNPJ", taxId: "=tax", name: "=name", type: "COMPANY" },
      },
      addresses: {
        site: {
          key: "=code",
          participant: "organisation",
          name: "Site",
          street: "=street",
          number: "1",
          city: "Campinas",
          countryState: "SP",
          countryCode: "BR",
          zipCode: "=zip",
        },
      },
    },
    loads: {
      files: "load*.csv",
      columns: { load: "Load", at: { header: "At", as: "timestamp" }, code: "Code" },
      documents: {
        load: {
          key: "=load",
          participant: { ref: "organisation", key: "=code" },
          address: { ref: "site", key: "=code" },
        },
      },
      events: { weighing: { name: "Weighing", key: "=at", externalCreatedAt: "=at", isPublic: true } },
    },
  },
});

const alfa = ["1", "11222333000181", "Alfa", "Rua A", "13000000"];
const beta = ["1", "11444777000161", "Beta", "Rua B", "13000001"];
const orgHeader = ["Code", "CNPJ", "Name", "Street", "Zip"];
const load = (name: string, code = "1", minute = 10) => [
  ["Load", "At", "Code"],
  [name, `2026-01-01 10:${minute}`, code],
];

function ownerNames(office: Office) {
  const names = new Map(office.participants().map(({ id, name }) => [id, name]));
  return office.documents().map(({ participantId }) => names.get(participantId ?? ""));
}

describe("one reference key for two records (F74)", () => {
  it("is the first record's under `first`, with a warning, in one file and from one import to the next", async () => {
    for (const together of [true, false]) {
      const office = openOffice(referring("first"));
      const first = await office.brought("org-1.csv", [orgHeader, alfa, ...(together ? [beta] : [])]);
      if (!together) {
        await office.brought("load-1.csv", load("L1"));
        office.writeCsv("org-2.csv", [orgHeader, beta]);
      }
      const told = together ? first : await office.import("org-2.csv");
      expect(codesOf(told).warnings).toContainEqual(["reference-key-twice", 2]);
      expect((await office.brought("load-2.csv", load("L2"))).exitCode).toBe(0);
      expect(new Set(ownerNames(office))).toEqual(new Set(["Alfa"]));
    }
  });

  it("makes the second row a problem under `reject`", async () => {
    const office = openOffice(referring("reject"));
    const summary = await office.brought("org-1.csv", [orgHeader, alfa, beta]);
    expect(summary).toMatchObject({ exitCode: 3, rows: { invalid: 1, staged: 1 } });
    expect(codesOf(summary).problems).toEqual([["reference-key-twice", 1]]);
  });

  it("follows the correction of its own row", async () => {
    const office = openOffice(referring("first"));
    office.writeCsv("org.csv", [orgHeader, alfa]);
    await office.type("plan", office.path("m.yaml"), office.path("org.csv"));
    const wrong = await office.brought("org.csv", [orgHeader, "1,11222333000182,Alfa,Rua A,13000000"]);
    const mended = office
      .rejectedRows(wrong)
      .map((row) => row.map((cell) => (cell === "11222333000182" ? "11444777000161" : cell)));
    expect(codesOf(await office.brought("org-corrected.csv", mended)).warnings).toEqual([]);
    await office.brought("load-1.csv", load("L1"));
    expect(office.participants().map(({ taxId }) => taxId)).toEqual(["11444777000161"]);
  });
});

describe("an address that is given twice", () => {
  it("with other further fields is told (F79), and the first is used", async () => {
    const office = openOffice(referring("first"));
    expect(
      codesOf(await office.brought("org-1.csv", [orgHeader, alfa, ["1", ...alfa.slice(1, 4), "13999999"]])).warnings,
    ).toEqual([["address-differs", 1]]);
    expect(office.addresses().map(({ zipCode }) => zipCode)).toEqual(["13000000"]);
    expect(
      codesOf(await office.brought("org-2.csv", [orgHeader, ["1", ...alfa.slice(1, 4), "13888888"]])).warnings,
    ).toEqual([["address-differs", 1]]);
  });

  it("is a problem of the second row under `reject` (F111)", async () => {
    const office = openOffice(referring("reject"));
    const summary = await office.brought("org-1.csv", [orgHeader, alfa, ["1", ...alfa.slice(1, 4), "13999999"]]);
    expect(summary).toMatchObject({ exitCode: 3, rows: { invalid: 1, staged: 1 } });
    expect(codesOf(summary).problems).toEqual([["address-differs", 1]]);
  });

  it("with fields that only one of the rows gives has them all, as long as they can be sent; then it is told", async () => {
    const office = openOffice(referring("first"));
    const without = ["1", ...alfa.slice(1, 4), ""];
    for (const rows of [
      [alfa, without],
      [without, alfa],
    ]) {
      const fresh = openOffice(referring("first"));
      expect(codesOf(await fresh.brought("org-1.csv", [orgHeader, ...rows])).warnings).toEqual([]);
      expect(fresh.addresses().map(({ zipCode }) => zipCode)).toEqual(["13000000"]);
    }
    office.writeCsv("org-1.csv", [orgHeader, without]);
    office.writeCsv("org-2.csv", [orgHeader, alfa]);
    await office.import("org-1.csv");
    expect(codesOf(await office.import("org-2.csv")).warnings).toEqual([["address-differs", 1]]);
  });
});

describe("a document with two owners (F111)", () => {
  const owned = (identity: "first" | "reject") => ({
    namespace: "test",
    defaults: weighings.defaults,
    settings: { identity },
    inputs: {
      loads: {
        columns: {
          load: "Load",
          at: { header: "At", as: "timestamp" },
          tax: { header: "CNPJ", as: "taxId", type: "CNPJ" },
        },
        participants: { owner: { taxIdType: "CNPJ", taxId: "=tax", name: "=tax", type: "COMPANY" } },
        addresses: { site: { ...weighings.inputs.weighings.addresses.site, participant: "owner" } },
        documents: { load: { key: "=load", participant: "owner", address: "site" } },
        events: {
          weighing: { name: "Weighing", key: "=at", externalCreatedAt: "=at", isPublic: true },
          checked: {
            name: "Checked",
            key: "=at",
            externalCreatedAt: "=at",
            isPublic: true,
            participant: "owner",
            address: "site",
          },
        },
      },
    },
  });
  const rows = [
    ["Load", "At", "CNPJ"],
    ["L1", "2026-01-01 10:10", "11222333000181"],
    ["L1", "2026-01-01 10:20", "11444777000161"],
  ];

  it("keeps the first under `first`, told, and its events that name no participant of their own are the owner's", async () => {
    for (const together of [true, false]) {
      const office = openOffice(owned("first"));
      const first = await office.brought("1.csv", together ? rows : rows.slice(0, 2));
      office.writeCsv("2.csv", [rows[0] ?? [], rows[2] ?? []]);
      const told = together ? first : await office.import("2.csv");
      expect(codesOf(told).warnings).toEqual([["document-differs", 1]]);
      const names = new Map(office.participants().map(({ id, name }) => [id, name]));
      const [only, ...others] = office.documents();
      expect(others).toEqual([]);
      expect(only?.events.map(({ name, participantId }) => [name, names.get(participantId ?? "")])).toEqual([
        ["Weighing", "11222333000181"],
        ["Checked", "11222333000181"],
        ["Weighing", "11222333000181"],
        ["Checked", "11444777000161"],
      ]);
      const owner = only?.addressId;
      expect(only?.events.map(({ addressId }) => addressId === owner)).toEqual([true, true, true, false]);
      // The same rows say nothing new.
      const again = await office.import(together ? "1.csv" : "2.csv");
      expect(again).toMatchObject({ exitCode: 0, rows: { staged: 0 }, open: { events: {} } });
    }
  });

  it("makes the second row a problem under `reject`, in one file and from one import to the next", async () => {
    for (const together of [true, false]) {
      const office = openOffice(owned("reject"));
      const first = await office.brought("1.csv", together ? rows : rows.slice(0, 2));
      office.writeCsv("2.csv", [rows[0] ?? [], rows[2] ?? []]);
      const second = together ? first : await office.import("2.csv");
      expect(second).toMatchObject({ exitCode: 3, rows: { invalid: 1 } });
      expect(codesOf(second).problems).toEqual([["document-differs", 1]]);
    }
  });
});

describe("work that would disappear (F82)", () => {
  it("a row that only says again what another row of the import says is counted, and told", async () => {
    const office = openOffice(weighings);
    const summary = await office.brought("w.csv", [
      "Load,At,Gross,Unread",
      "L1,2026-01-01 10:10,1,a",
      "L1,2026-01-01 10:10,1,b",
      "L2,2026-01-01 10:10,1,c",
    ]);
    expect(summary).toMatchObject({ exitCode: 0, rows: { read: 3, staged: 3 }, events: { landed: 2 } });
    expect(codesOf(summary).warnings).toEqual([["row-repeats", 1]]);
    // Tomorrow's full history makes no noise.
    expect(
      codesOf(
        await office.brought("w2.csv", ["Load,At,Gross,Unread", "L1,2026-01-01 10:10,1,a", "L1,2026-01-01 10:10,1,b"]),
      ).warnings,
    ).toEqual([]);
  });

  const named = {
    ...weighings,
    inputs: {
      weighings: {
        ...weighings.inputs.weighings,
        columns: { ...weighings.inputs.weighings.columns, id: "Id" },
        rowId: "=id",
      },
    },
  };
  const idHeader = ["Id", "Load", "At", "Gross"];

  it("one rowId on two documents of one file is a problem of the second row", async () => {
    const office = openOffice(named);
    const summary = await office.brought("w.csv", [idHeader, "r1,L1,2026-01-01 10:10,1", "r1,L2,2026-01-01 10:10,2"]);
    expect(summary).toMatchObject({ exitCode: 3, rows: { invalid: 1, staged: 1 } });
    expect(codesOf(summary).problems).toEqual([["row-id-twice", 1]]);
    expect(office.documents().map(({ externalId }) => externalId)).toEqual(["L1"]);
  });

  it("a row that a later file of the import supersedes is counted as that, and not as dismissed", async () => {
    const office = openOffice(named);
    office.writeCsv("w-1.csv", [idHeader, "r1,L1,2026-01-01 10:10,1"]);
    office.writeCsv("w-2.csv", [idHeader, "r1,L1,2026-01-01 10:10,2"]);
    const { out } = await office.type("import", office.path("m.yaml"), office.path("w-1.csv"), office.path("w-2.csv"));
    expect(out).toContain("Rows       2 = 1 landed + 1 superseded");
  });

  it("a rowId that moves to another document is told before anything is sent", async () => {
    const office = openOffice(named);
    await office.brought("w-1.csv", [idHeader, "r1,L1,2026-01-01 10:10,1"]);
    office.writeCsv("w-2.csv", [idHeader, "r1,L2,2026-01-01 10:10,1"]);
    const { err } = await office.type("plan", office.path("m.yaml"), office.path("w-2.csv"));
    expect(err).toContain("load L1");
    expect(codesOf(await office.import("w-2.csv")).warnings).toEqual([["row-moved", 1]]);
  });

  const grouped = {
    ...weighings,
    inputs: {
      weighings: {
        ...weighings.inputs.weighings,
        group: "=load",
        events: {
          total: {
            name: "Total",
            key: "content",
            within: "file",
            externalCreatedAt: "=first(at)",
            isPublic: true,
            attributes: { public: { Gross: "=sum(gross)" } },
          },
        },
      },
    },
  };

  it("the parts of a group that is interrupted by others send no partial sums", async () => {
    const office = openOffice(grouped);
    const header = ["Load", "At", "Gross"];
    const summary = await office.brought("w.csv", [
      header,
      "L1,2026-01-01 10:10,1",
      "L1,2026-01-01 10:10,2",
      "L2,2026-01-01 10:10,5",
      "L1,2026-01-01 10:10,4",
    ]);
    expect(summary).toMatchObject({ exitCode: 3, rows: { read: 4, invalid: 1, staged: 3 } });
    expect(codesOf(summary).problems).toContainEqual(["group-interrupted", 1]);
    expect(office.documents().flatMap(({ externalId, events }) => events.map(() => externalId))).toEqual(["L2"]);
    expect(addsUp(summary)).toBe(true);
  });
  it("wait for the whole group: neither the rejected part alone nor a part that cannot be read ends that", async () => {
    const header = ["Load", "At", "Gross"];
    const at = "2026-01-01 10:10";
    for (const [first, part] of [
      ["3", "4"],
      ["3", "x"],
      ["x", "4"],
    ] as const) {
      const office = openOffice(grouped);
      const rows = [
        ["L1", at, first],
        ["L2", at, "5"],
        ["L1", at, part],
      ];
      const summary = await office.brought("w.csv", [header, ...rows]);
      expect([summary.exitCode, codesOf(summary).problems.flat()]).toEqual([
        3,
        expect.arrayContaining(["group-interrupted"]),
      ]);
      // Only the rows that do not stand with their group's first come back, mended.
      const mended = office.rejectedRows(summary).map((row) => row.map((cell) => (cell === "x" ? "9" : cell)));
      const parts = mended.filter((row, index) => index === 0 || row.includes(part === "x" ? "9" : part));
      expect((await office.brought("w-corrected.csv", parts)).exitCode).toBe(3);
      expect(office.documents().flatMap(({ externalId, events }) => events.map(() => externalId))).toEqual(["L2"]);
      // Together they are one.
      const [one, two, three] = rows.map((row) => row.map((cell) => (cell === "x" ? "9" : cell))) as [
        string[],
        string[],
        string[],
      ];
      const third = await office.brought("w.csv", [header, one, three, two]);
      if (first === "3") {
        // What its first row alone had given is gone from the file, and was never sent.
        expect(codesOf(third).problems).toEqual([["row-gone", 1]]);
        await office.type("dismiss", "--code", "row-gone", "--yes");
        await office.type("resume");
      }
      const whole = office.documents().find(({ externalId }) => externalId === "L1");
      const sum = String(Number(one[2]) + Number(three[2]));
      expect(JSON.stringify(whole?.events.map(({ body }) => body["metadata"]))).toContain(`"value":"${sum}"`);
      expect(whole?.events).toHaveLength(1);
    }
  });
});

describe("`each: row` with one key on two rows of a group (F84)", () => {
  const each = {
    ...weighings,
    inputs: {
      weighings: {
        ...weighings.inputs.weighings,
        columns: { ...weighings.inputs.weighings.columns, ticket: "Ticket" },
        group: "=load",
        events: {
          weighing: { ...weighings.inputs.weighings.events.weighing, key: "=ticket", each: "row" },
        },
      },
    },
  };
  const rowsWith = (weights: readonly string[]) => [
    ["Load", "At", "Gross", "Ticket"],
    ...weights.map((gross) => ["L1", "2026-01-01 10:10", gross, "T1"]),
    ["L2", "2026-01-01 10:10", "9", "T1"],
  ];

  it("is a problem of its rows where they differ, and the others go on", async () => {
    const office = openOffice(each);
    const summary = await office.brought("w.csv", rowsWith(["1", "2"]));
    expect(summary).toMatchObject({ exitCode: 3, rows: { read: 3, invalid: 2, staged: 1 }, events: { landed: 1 } });
    expect(codesOf(summary).problems).toEqual([["event-key-twice", 1]]);
  });

  it("is sent once where they say the same, and told", async () => {
    const office = openOffice(each);
    const summary = await office.brought("w.csv", rowsWith(["1", "1"]));
    expect(summary).toMatchObject({ exitCode: 0, rows: { read: 3, staged: 3 }, events: { landed: 2 } });
    expect(codesOf(summary).warnings).toEqual([["row-repeats", 1]]);
  });
});

describe("a correction that changes a key (F83)", () => {
  it("as a spreadsheet changes one is a problem of the row", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", ["Load,At,Gross", "007,2026-01-01 10:10,x", "K1,2026-01-01 10:10,x"]);
    const rejected = office.rejectedRows(await office.import("w.csv"));
    const mangled = rejected.map((row) => row.map((cell) => ({ "007": "7", K1: "k1", x: "1" })[cell] ?? cell));
    const summary = await office.brought("w-corrected.csv", mangled);
    expect(codesOf(summary).problems).toEqual([["key-mangled", 2]]);
    expect(office.documents()).toEqual([]);
    office.writeCsv(
      "w-again.csv",
      rejected.map((row) => row.map((cell) => (cell === "x" ? "1" : cell))),
    );
    expect((await office.import("w-again.csv")).exitCode).toBe(0);
    expect(office.documents().map(({ externalId }) => externalId)).toEqual(["007", "K1"]);
  });

  it("on purpose is said before anything is sent", async () => {
    const office = openOffice(weighings);
    office.writeCsv("w.csv", ["Load,At,Gross", "L1,2026-01-01 10:10,x"]);
    const rejected = office.rejectedRows(await office.import("w.csv"));
    office.writeCsv(
      "w-corrected.csv",
      rejected.map((row) => row.map((cell) => ({ L1: "L2", x: "1" })[cell] ?? cell)),
    );
    const { err } = await office.type("plan", office.path("m.yaml"), office.path("w-corrected.csv"));
    expect(err).toContain("load L1");
    const summary = await office.import("w-corrected.csv");
    expect([summary.exitCode, codesOf(summary).warnings]).toEqual([0, [["row-moved", 1]]]);
  });
});

describe("keys that differ only by case, width or leading zeros (F71)", () => {
  it("are named where they tell events apart, in any order of the files (F83)", async () => {
    const ticketed = structuredClone(weighings) as typeof weighings & { inputs: { weighings: { columns: object } } };
    Object.assign(ticketed.inputs.weighings.columns, { ticket: "Ticket" });
    Object.assign(ticketed.inputs.weighings.events.weighing, { key: "=ticket" });
    const header = ["Load", "At", "Gross", "Ticket"];
    const row = (ticket: string) => ["L1", "2026-01-01 10:10", "1", ticket];
    for (const [first, then] of [
      ["007", "7"],
      ["7", "007"],
      ["k1", "K1"],
      ["K1", "k1"],
      ["K1", "Ｋ1"],
    ] as const) {
      const office = openOffice(ticketed);
      expect(codesOf(await office.brought("w.csv", [header, row(first)])).warnings).toEqual([]);
      expect(
        codesOf(await office.brought("w2.csv", [header, row(then), row("T9")])).warnings,
        `${first}, ${then}`,
      ).toEqual([["keys-nearly-equal", 1]]);
      expect(codesOf(await office.import("w2.csv")).warnings).toEqual([]);
    }
  });

  it("are named by plan too, before anything is sent", async () => {
    const office = openOffice(weighings);
    await office.brought("w.csv", ["Load,At,Gross", ["K1", "2026-01-01 10:10", "1"]]);
    office.writeCsv("w2.csv", ["Load,At,Gross", ["k1", "2026-01-01 10:10", "1"]]);
    const files = [office.path("m.yaml"), office.path("w2.csv")];
    const lines = await jsonOf(office.world, "plan", ...files);
    const { out } = await office.type("plan", ...files);
    const { warnings } = await office.import("w2.csv");
    expect(warnings.map(({ code, count }) => [code, count])).toEqual([["keys-nearly-equal", 1]]);
    expect(lines.at(-1)).toMatchObject({ type: "plan", warnings });
    expect(out).toContain("Worth a look: nothing waits for these");
  });

  it("are named in the summary, once", async () => {
    const office = openOffice(weighings);
    const row = (key: string) => [key, "2026-01-01 10:10", "1"];
    const summary = await office.brought("w.csv", ["Load,At,Gross", ...["K1", "k1", "Ｋ1", "007", "7", "8"].map(row)]);
    expect([summary.exitCode, codesOf(summary).warnings]).toEqual([0, [["keys-nearly-equal", 3]]]);
    const next = await office.brought("w2.csv", [
      "Load,At,Gross",
      ...["K1", "k1", "Ｋ1", "007", "7", "8", "08"].map(row),
    ]);
    expect(codesOf(next).warnings).toEqual([["keys-nearly-equal", 1]]);
    expect(next.warnings[0]?.example).toContain("08");
  });
});
