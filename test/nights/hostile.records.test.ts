/** Ids and everything else in a row are data: no cell ends a run, or hides its row from show and dismiss (P10, F61, H43). */
import { writeFileSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import { drawn } from "../support/sample.js";
import { openOffice } from "../support/office.js";

const hostile = [
  "..",
  "../../participants",
  "a/../b",
  "%2e%2e",
  "%252e%252E%2fb",
  "a\u0001b",
  "a\u0000b",
  "a\ud800b",
  "\u202ecod.exe\u2066",
  "__proto__",
  "x".repeat(1_100),
  "x".repeat(70_000),
  "[".repeat(20_000),
  `{"__proto__":${'{"a":'.repeat(5_000)}1${"}".repeat(5_001)}`,
  "'; DROP TABLE events; --",
  "\u001b[31m=cmd|'/C calc'!A0",
];

const defaults = { timezone: "UTC", decimal: ".", dates: ["yyyy-MM-dd HH:mm"], country: "BR" };
const place = { street: "=street", number: "=number", city: "=city", countryState: "=state", countryCode: "=country" };
const event = { externalCreatedAt: "=at", isPublic: true };

type Cells = Record<string, string>;

const columns = (cells: Cells) => ({
  ...Object.fromEntries(Object.keys(cells).map((name) => [name, name])),
  at: { header: "at", as: "timestamp" },
});

/** A good value for each column of `named`, whose input says everything by keys. */
const named: Cells = {
  key: "G1",
  at: "2026-01-01 10:00",
  party: "GERADOR",
  tax_id_type: "OTHER",
  tax_id: "T-1",
  name: "Alfa",
  kind: "COMPANY",
  site: "Matriz",
  street: "Rua A",
  number: "1",
  city: "Limeira",
  state: "SP",
  country: "BR",
  zip: "13480-000",
  external: "EXT-1",
  field: "v",
  ticket: "1",
  event: "Weighing",
  attribute: "v",
  other: "OTHER-1",
  note: "n",
};
/** Of `known`, whose input says everything by ids; they are the sandbox's own. */
const known: Cells = {
  key: "G2",
  at: "2026-01-01 10:00",
  participant: "",
  address: "",
  document: "",
  street: "Rua B",
  related: "",
};

const mapping = {
  namespace: "test",
  defaults,
  inputs: {
    named: {
      files: ["named*.csv"],
      columns: columns(named),
      participants: {
        owner: {
          key: "=party",
          taxIdType: "=tax_id_type",
          countryCode: "=country",
          taxId: "=tax_id",
          name: "=name",
          type: "=kind",
        },
      },
      addresses: { site: { participant: "owner", name: "=site", ...place, zipCode: "=zip" } },
      documents: {
        load: {
          key: "=key",
          externalId: "=external",
          participant: "owner",
          address: "site",
          fields: { f: "=field" },
        },
      },
      events: {
        weighing: {
          ...event,
          name: "=event",
          key: "=ticket",
          attributes: { public: { A: "=attribute" } },
          extra: { note: "=note" },
        },
        split: {
          ...event,
          name: "SPLIT",
          key: "once",
          target: { document: "load", key: "=other", fields: { f: "=field" }, participant: "owner", address: "site" },
        },
      },
    },
    known: {
      files: ["known*.csv"],
      columns: columns(known),
      addresses: {
        yard: {
          participant: { id: "=participant" },
          name: "Pátio",
          street: "=street",
          number: "1",
          city: "Limeira",
          countryState: "SP",
          countryCode: "BR",
        },
      },
      documents: {
        truck: { key: "=key", participant: { id: "=participant" }, address: "yard" },
        foreign: { mode: "existing", id: "=document" },
      },
      events: {
        visit: {
          ...event,
          document: "truck",
          name: "Visit",
          key: "once",
          participant: { id: "=participant" },
          address: { id: "=address" },
        },
        link: {
          ...event,
          document: "truck",
          name: "RELATED",
          key: "once",
          relatedDocument: { document: { id: "=related" }, bidirectional: false },
        },
        note: {
          ...event,
          document: "foreign",
          name: "Note",
          key: "=key",
          participant: { id: "=participant" },
          address: { id: "=address" },
        },
      },
    },
  },
};

/** Each column in turn holds each value, on a document of its own; good rows stand first and last. */
function rowsOf(good: Cells) {
  const bad = Object.keys(good).flatMap((column) =>
    hostile.map((value, at) => ({
      ...good,
      key: `${column}-${at}`,
      ...("other" in good ? { other: `of-${column}-${at}` } : {}),
      [column]: value,
    })),
  );
  return [good, ...bad, { ...good, key: `${good["key"]}-last` }];
}

function open() {
  const office = openOffice(mapping);
  return {
    ...office,
    /** UTF-16, which alone can hold half of a character. */
    write: (name: string, rows: Cells[]) =>
      writeFileSync(
        office.path(name),
        `\ufeff${stringify([Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))])}`,
        "utf16le",
      ),
  };
}

describe("whatever stands in any field of any record", () => {
  it("the run ends with 3, good rows land, and show and dismiss find every row", long, async () => {
    const office = open();
    const all: string[] = [];
    const play = async (name: string, good: Cells) => {
      const rows = rowsOf(good);
      office.write(name, rows);
      const summary = await office.import(name);
      expect(summary.exitCode).toBe(3);
      const { read, skipped, invalid, known: old, staged } = summary.rows;
      expect([read, skipped + invalid + old + staged]).toEqual([rows.length, rows.length]);
      // The row number is the line. There are 16 values a column, so these steps meet every value.
      for (let line = 2; line < rows.length + 2; line += drawn(25, 5)) all.push(`${name}:${line}`);
      return office.documents();
    };

    const [first, ...others] = await play("named.csv", named);
    expect(first).toMatchObject({ externalId: "EXT-1", events: [{ name: "Weighing" }, { name: "SPLIT" }] });
    expect(others.length).toBeGreaterThan(200);

    const ids = { participant: first?.participantId ?? "", address: first?.addressId ?? "" };
    const good = { ...known, ...ids, document: first?.id ?? "", related: others[0]?.id ?? "" };
    const documents = await play("known.csv", good);
    const truck = documents.filter(
      ({ participantId, events }) => participantId === ids.participant && events.some(({ name }) => name === "Visit"),
    );
    expect(truck.length).toBeGreaterThanOrEqual(2);

    for (const row of all) {
      const shown = await office.type("show", row, "--sandbox");
      expect({ row, code: shown.code, err: shown.err }).toEqual({ row, code: 0, err: "" });
    }
    await office.ends(0, "show load/.. --sandbox");
    for (const name of ["named.csv", "known.csv"]) {
      const { code, out } = await office.type("dismiss", "--input", name, "--sandbox", "--yes");
      expect([code, out]).toEqual([0, expect.stringMatching(/Dismissed: [1-9]/)]);
    }
    expect([0, 3]).toContain((await office.run("resume", "--sandbox")).exitCode);
    office.write("named-2.csv", [{ ...named, key: "G9", other: "G10" }]);
    const last = await office.import("named-2.csv");
    expect([0, 3]).toContain(last.exitCode);
    expect(last.events).toMatchObject({ landed: 2 });
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it.each(["..", "%2e%2e/x", "x".repeat(1_100)])(
    "a mapping's own id (case %#) is the mapping's mistake: exit 2",
    async (id) => {
      const office = open();
      const { known: input } = structuredClone(mapping.inputs);
      input.addresses.yard.participant.id = id;
      office.writeMapping({ ...mapping, inputs: { known: input } });
      office.write("known.csv", [known]);
      const { code, err } = await office.type("import", "m.yaml", "known.csv");
      expect([code, err]).toEqual([2, expect.stringContaining("participant: id")]);
    },
  );
});
