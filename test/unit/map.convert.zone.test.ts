import * as fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { compileConversion } from "../../src/map/convert/conversion.js";
import { Refused } from "../../src/map/convert/conversion-kind.js";
import { openZone } from "../../src/map/convert/zone.js";
import { drawn, sampled } from "../support/sample.js";

const read = (timezone: string, cell: string, disambiguation?: "earlier" | "later") => {
  const result = compileConversion("timestamp", {
    timezone,
    dates: ["dd/MM/yyyy HH:mm", "dd/MM/yyyy"],
    disambiguation,
  })(cell, "text");
  return result instanceof Refused ? result.code : new Date(result as number).toISOString();
};

it.each([
  ["America/Sao_Paulo", "04/11/2018 00:00", "time-skipped"],
  ["Europe/Lisbon", "30/03/2025 00:59", "2025-03-30T00:59:00.000Z"],
  ["Europe/Lisbon", "30/03/2025 01:00", "time-skipped"],
  ["Europe/Lisbon", "30/03/2025 02:00", "2025-03-30T01:00:00.000Z"],
])("clocks put forward: %s skips over %s: %s", (timezone, cell, expected) => {
  expect(read(timezone, cell)).toBe(expected);
});

it.each([
  ["America/Sao_Paulo", "17/02/2018 23:00", "time-repeated"],
  ["Europe/Lisbon", "26/10/2025 00:59", "2025-10-25T23:59:00.000Z"],
  ["Europe/Lisbon", "26/10/2025 01:00", "time-repeated"],
  ["Europe/Lisbon", "26/10/2025 02:00", "2025-10-26T02:00:00.000Z"],
])("clocks put back: %s has twice what is near %s: %s", (timezone, cell, expected) => {
  expect(read(timezone, cell)).toBe(expected);
});

it.each([
  ["2025-03-30 01:30 Europe/Lisbon", undefined, "time-skipped"],
  ["2025-10-26 01:30 Europe/Lisbon", undefined, "time-repeated"],
  ["2025-10-26 01:30 Europe/Lisbon", "later", "2025-10-26T01:30:00.000Z"],
  ["2025-10-26 01:30 Europe/Lisbon", "earlier", "2025-10-26T00:30:00.000Z"],
  ["2025-03-30 02:30 Europe/Lisbon", undefined, "2025-03-30T01:30:00.000Z"],
  ["2025-10-26 01:30 UTC", undefined, "2025-10-26T01:30:00.000Z"],
] as const)("the zone that a cell names decides as the mapping's does: %s, %s: %s", (cell, side, expected) => {
  const defaults = { timezone: "America/Manaus", dates: ["yyyy-MM-dd HH:mm z"], disambiguation: side };
  const result = compileConversion("timestamp", defaults)(cell, "text");
  expect(result instanceof Refused ? result.code : new Date(result as number).toISOString()).toBe(expected);
});

it.each(["BST", "bst", "AST", "IST", "CST", "PST", "PDT", "CEST", "BRT"])(
  "a cell's abbreviation %s, which several zones have, is refused, and the remedy reads it",
  (zone) => {
    const as = (dates: string[]) => compileConversion("timestamp", { timezone: "UTC", dates });
    const result = as(["dd/MM/yyyy HH:mm z"])(`01/07/2025 12:00 ${zone}`, "text");
    expect(result).toMatchObject({ code: "date-unreadable", hint: expect.stringContaining("ZZ") as string });
    const replaced = as(["dd/MM/yyyy HH:mm ZZ"])("01/07/2025 12:00 +01:00", "text");
    expect(replaced).toBe(Date.UTC(2025, 6, 1, 11));
  },
);

it.each([
  ["CET", "2025-01-15T11:00:00.000Z"],
  ["EST", "2025-01-15T17:00:00.000Z"],
  ["utc", "2025-01-15T12:00:00.000Z"],
])("a cell's zone %s is one of the IANA list", (zone, expected) => {
  const defaults = { timezone: "America/Manaus", dates: ["yyyy-MM-dd HH:mm z"] };
  const result = compileConversion("timestamp", defaults)(`2025-01-15 12:00 ${zone}`, "text");
  expect(new Date(result as number).toISOString()).toBe(expected);
});

describe("a cell without a time of day is the first instant of its day (F7)", () => {
  it.each([
    ["America/Sao_Paulo", "15/10/2017", "2017-10-15T03:00:00.000Z"],
    ["America/Sao_Paulo", "04/11/2018", "2018-11-04T03:00:00.000Z"],
    ["America/Havana", "05/11/2017", "2017-11-05T04:00:00.000Z"],
    ["Pacific/Apia", "30/12/2011", "time-skipped"],
  ])("%s, %s: %s, whatever side the mapping chooses", (timezone, cell, expected) => {
    for (const side of [undefined, "earlier", "later"] as const) expect(read(timezone, cell, side)).toBe(expected);
  });
  const zones = [
    "America/Sao_Paulo",
    "America/Asuncion",
    "Asia/Beirut",
    "Atlantic/Azores",
    "Africa/Cairo",
    "Pacific/Apia",
  ];
  it.each(sampled(zones, 5))("around every change of clocks in %s", (timezone) => {
    let changes = 0;
    let at = Temporal.ZonedDateTime.from(`1980-01-01[${timezone}]`);
    for (let next: typeof at | null = at; next !== null && next.year < 2030; next = at.getTimeZoneTransition("next")) {
      at = next;
      changes += 1;
      for (const days of [-1, 0, 1]) {
        const day = at.toPlainDate().add({ days });
        const first = day.toZonedDateTime(timezone);
        const wanted = first.toPlainDate().equals(day)
          ? new Date(first.epochMilliseconds).toISOString()
          : "time-skipped";
        const cell = `${String(day.day).padStart(2, "0")}/${String(day.month).padStart(2, "0")}/${day.year}`;
        expect([cell, read(timezone, cell)]).toEqual([cell, wanted]);
      }
    }
    expect(changes).toBeGreaterThan(10);
  });
});

it("a mapping may choose a side, and only then is one taken", () => {
  expect(read("Europe/Lisbon", "26/10/2025 01:30", "earlier")).toBe("2025-10-26T00:30:00.000Z");
  expect(read("Europe/Lisbon", "26/10/2025 01:30", "later")).toBe("2025-10-26T01:30:00.000Z");
  expect(read("Europe/Lisbon", "30/03/2025 01:30", "earlier")).toBe("2025-03-30T00:30:00.000Z");
  expect(read("Europe/Lisbon", "30/03/2025 01:30", "later")).toBe("2025-03-30T01:30:00.000Z");
});

it.each(["America/Sao_Paulo", "Europe/Lisbon", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "UTC"])(
  "the remembered offsets agree with Temporal for any local minute in %s, in any order",
  (timezone) => {
    const zone = openZone(timezone, "reject");
    const from = Date.UTC(2009, 0, 1);
    const minutes = fc.integer({ min: 0, max: 20 * 365 * 1440 });
    fc.assert(
      fc.property(minutes, (minute) => {
        const local = from + minute * 60_000;
        const plain = Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, -1));
        let expected: number | null = null;
        try {
          expected = plain.toZonedDateTime(timezone, { disambiguation: "reject" }).epochMilliseconds;
        } catch {
          // Skipped or repeated: no number may come.
        }
        const found = zone.toInstant(local);
        expect(typeof found === "number" ? found : null).toBe(expected);
      }),
      { numRuns: drawn(40, 150) },
    );
  },
);
