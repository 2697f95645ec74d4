/** Documents that another system has sent under our keys: a person takes them over, or leaves them. */
import { rmSync, writeFileSync } from "node:fs";
import { createSandbox } from "../../src/sandbox/index.js";
import { openOfficeAt } from "../support/office.js";
import { weighings } from "../support/weighings.js";

it(
  "a document of another system is given up by its name, with what waits for it, and not by a code alone",
  long,
  async () => {
    const rows = ["Load,At,Gross", "A,2026-01-01 10:00,5", "A,2026-01-02 10:00,6", "B,2026-01-01 10:00,7"];
    const office = await openOfficeAt(createSandbox(), weighings);
    await office.brought("w.csv", rows);
    // The ledger that sent them is another one.
    rmSync(office.path("state/env"), { recursive: true });
    await office.brought("w.csv", rows);
    const status = async () => (await office.type("status")).out;
    expect(await status()).toContain("2 things need you");
    const { out } = await office.type("dismiss", "--code", "foreign-collision", "--yes");
    const told = out.replace(/\s+/g, " ");
    expect(told).toContain("`rowferry resolve <document> --document-id <id> --target env`");
    expect(told).toContain("`rowferry dismiss --document <document> --target env`");
    expect(await status(), "no events of theirs were named").toContain("2 things need you");
    for (const [named, left] of [
      ["load/A", "1 thing needs you"],
      ["load/B", "all is well"],
    ] as const) {
      expect((await office.type("dismiss", "--document", named, "--yes")).out).toContain("1 document");
      expect(await status()).toContain(left);
    }
    await office.type("dismiss", "--undo", "--document", "load/A", "--yes");
    expect(await status(), "open again").toContain("1 thing needs you");
    await office.type("dismiss", "--row", "w.csv:2", "--yes");
    expect(await status()).toContain("all is well");

    await office.brought("w2.csv", ["Load,At,Gross", "A,2026-01-03 10:00,8"]);
    expect(await status(), "a later row waits for it").not.toContain("all is well");
    await office.type("dismiss", "--document", "load/A", "--yes");
    expect(await status()).toContain("all is well");
  },
);

it(
  "two credentials that share keys collide (Events rule 8): the code says so, and a namespace of its own helps",
  long,
  async () => {
    const credential = (clientId: string) => ({
      clientId,
      clientSecret: "sandbox",
      dataset: clientId,
      integrator: "acme",
    });
    const office = await openOfficeAt(
      createSandbox({ credentials: [credential("sandbox"), credential("north")] }),
      weighings,
    );
    const rows = ["Load,At,Gross", "A,2026-01-01 10:00,5", "B,2026-01-01 10:00,7"];
    await office.lands("w.csv", rows);
    const withoutLedger = () => rmSync(office.path("state/env"), { recursive: true });
    withoutLedger();
    office.world.env["ROWFERRY_CLIENT_ID"] = "north";
    await office.ends(3, "import m.yaml w.csv", "foreign-collision");
    await office.ends(0, "explain foreign-collision", "`namespace`");
    withoutLedger();
    writeFileSync(office.path("north.yaml"), "version: 2\nextends: m.yaml\nnamespace: test-north\n");
    await office.ends(0, "import north.yaml w.csv", "2 events landed");
    expect(office.documents().map(({ externalId }) => externalId)).toEqual(["A", "B", "A", "B"]);
  },
);
