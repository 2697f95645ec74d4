/**
 * What waits for a document, participant or address that only an invalid row would bring: it is held by that row, which is
 * named, and no printed command gives it up (F106).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { openOffice } from "../support/office.js";
import { parties } from "../support/weighings.js";

const at = { header: "At", as: "timestamp" };
const step = { by: "what", key: "=at", externalCreatedAt: "=at", isPublic: true };

/** Owners with their sites, loads, and rows of any of these that name them by key alone. */
const office = () =>
  openOffice({
    namespace: "test",
    defaults: { timezone: "UTC", decimal: ".", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
    inputs: {
      owners: {
        files: "owners*.csv",
        columns: { code: "Code", tax: { header: "Tax", as: "taxId" } },
        rowsWithoutEvents: "allow",
        participants: { party: { key: "=code", taxId: "=tax", name: "Beta", type: "COMPANY" } },
        addresses: { place: { ...parties.addresses.site, key: "=code", participant: "party" } },
      },
      loads: {
        files: "loads*.csv",
        columns: { load: "Load", at, gross: { header: "Gross", as: "number" } },
        ...parties,
        documents: { load: { key: "=load", participant: "owner", address: "site" } },
        events: {
          weighing: { ...step, by: undefined, name: "Weighing", attributes: { public: { Gross: "=gross" } } },
        },
      },
      steps: {
        files: "steps*.csv",
        columns: { load: "Load", at, what: "What", other: "Other" },
        ...parties,
        events: {
          defaults: { ...step, document: { ref: "load", key: "=load" }, participant: "owner", address: "site" },
          seen: { is: "seen", name: "Seen" },
          link: {
            is: "link",
            name: "RELATED",
            relatedDocument: { document: { ref: "load", key: "=other" }, isPublic: true },
          },
          carried: {
            is: "carried",
            name: "Carried",
            participant: { ref: "party", key: "=other" },
            address: { ref: "place", key: "=other" },
          },
        },
      },
    },
  });

const loads = ["Load,At,Gross", "L1,2026-01-01 10:00,1"];
const steps = ["Load,At,What,Other"];
const owners = ["Code,Tax"];
const badOwner = "C1,123";
const badLoad = "L2,2026-01-01 10:05,x";

it.each([
  ["a link", "L1,2026-01-01 10:10,link,L2", "related-not-created"],
  ["an event of its own, before the row's", "L2,2026-01-01 10:01,seen,", "behind-invalid-row"],
  ["an event of its own, after it", "L2,2026-01-01 10:10,seen,", "behind-invalid-row"],
  ["a party", "L1,2026-01-01 10:10,carried,C1", "behind-invalid-row"],
])("%s", async (_, waiting, code) => {
  const { writeCsv, import: imported, type, documents, world } = office();
  writeCsv("owners.csv", [...owners, badOwner]);
  writeCsv("loads.csv", [...loads, badLoad]);
  writeCsv("steps.csv", [...steps, waiting, "L1,2026-01-01 10:30,seen,"]);
  expect(await imported("owners.csv", "loads.csv", "steps.csv")).toMatchObject({ exitCode: 3, open: { rows: 2 } });
  const status = await type("status");
  expect(status.out).toMatch(new RegExp(`${code}$`, "m"));
  expect(status.out.replaceAll(/\s+/g, " ")).toMatch(/waits for the correction of (owners|loads)\.csv, row [23]/);
  expect(status.out).not.toContain("dismiss --code");
  // Corrected as printed, all of it lands.
  const { out } = await type("rejects");
  for (const [, command] of out.matchAll(/^ *rowferry (import .*)$/gm)) {
    const argv = (command as string)
      .split(" ")
      .map((word) => (/\.(yaml|csv)$/.test(word) ? `${world.cwd}/${word}` : word));
    for (const file of argv.filter((word) => word.endsWith(".csv")))
      writeFileSync(file, readFileSync(file, "utf8").replace(",x", ",2").replace("C1,123", "C1,11444777000161"));
    await type(...argv);
  }
  expect((await type("resume")).code).toBe(0);
  const sent = documents().flatMap(({ events }) => events.filter(({ origin }) => origin === "sent"));
  expect(sent).toHaveLength(4);
});

it("where the row is given up, so can be what waits for it", async () => {
  const { writeCsv, import: imported, type, documents } = office();
  writeCsv("owners.csv", [...owners, badOwner]);
  writeCsv("loads.csv", [...loads, badLoad]);
  writeCsv("steps.csv", [
    ...steps,
    "L1,2026-01-01 10:10,link,L2",
    "L1,2026-01-01 10:20,carried,C1",
    "L1,2026-01-01 10:30,seen,",
  ]);
  await imported("owners.csv", "loads.csv", "steps.csv");
  for (const row of ["owners.csv:2", "loads.csv:3"]) expect((await type("dismiss", "--row", row)).code).toBe(0);
  await type("resume");
  for (const code of ["reference-unknown", "participant-not-registered"]) {
    const { out } = await type("status");
    expect(out).toContain(`dismiss --code ${code}`);
    expect((await type("dismiss", "--code", code, "--yes")).code).toBe(0);
    await type("resume");
  }
  expect(documents().map(({ events }) => events.map(({ name }) => name))).toEqual([["Weighing", "Seen"]]);
});
