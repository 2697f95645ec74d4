/** The service comes back from its own backup: what it has lost is named, and the printed commands bring it back (finding F92). */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { createSandbox } from "../../src/sandbox/index.js";
import { openOfficeAt } from "../support/office.js";
import { loads, weighings, weighingsWith } from "../support/weighings.js";
import { folder } from "../support/cli.world.js";

/** An office whose service comes back from a backup: `kept` was imported before it was made, `lost` afterwards. */
async function afterRestore(kept: string[], lost: string[], mapping: object = weighings, options = {}) {
  const disk = folder();
  const store = (name: string) => ({ ...options, rate: null, storage: { file: join(disk, name) } });
  const copied = (from: string, to: string) => {
    for (const ending of ["", "-wal"]) copyFileSync(join(disk, from + ending), join(disk, to + ending));
  };
  const sandbox = createSandbox(store("first.db"));
  const office = await openOfficeAt(sandbox, mapping);
  await office.brought("w-1.csv", loads(...kept));
  copied("first.db", "second.db");
  await office.brought("w-2.csv", loads(...lost));
  await sandbox.close();
  const restored = createSandbox(store("second.db"));
  onTestFinished(() => restored.close());
  const port = Number(new URL(office.world.env["ROWFERRY_BASE_URL"] ?? "").port);
  await restored.listen({ host: "127.0.0.1", port });
  const live = (load: string) =>
    restored.store.documents().filter(({ externalId, state }) => externalId === load && state === "open");
  return { office, live };
}

test("an event that is gone comes back with its document's next generation", async () => {
  const { office, live } = await afterRestore(["L1 10 1"], ["L1 20 1"]);
  const { code, out } = await office.type("verify");
  expect([code, out]).toEqual([3, expect.stringContaining("load L1")]);
  expect(out).toContain("rowferry replace load/L1 --reason <text>");
  expect((await office.type("replace", "load/L1", "--reason", "lost at the service")).code).toBe(0);
  await office.ends(0, "resume");
  expect(live("L1").map(({ events }) => events.length)).toEqual([2]);
});

test(
  "a new row of a document that is gone leads to what brings all of it back, and to no correction",
  long,
  async () => {
    const { office, live } = await afterRestore(["L1 10 1"], ["L2 10 1", "L2 20 1"]);
    office.writeCsv("w-3.csv", loads("L2 30 1", "L2 40 1", "L1 30 1"));
    const { code, out, err } = await office.type("import", "m.yaml", "w-3.csv");
    const said = [out + err, (await office.type("status")).out, (await office.type("show", "L2")).out];
    for (const text of said) {
      expect(text).not.toMatch(/correct the rejected|rejected\.csv/);
      expect(text).toContain("document-gone");
    }
    expect(code).toBe(3);
    for (const text of said.slice(0, 2)) expect(text).toMatch(/rowferry verify[^]*rowferry replace load\/L2 --reason/);

    await office.ends(3, "verify");
    expect((await office.type("replace", "load/L2", "--reason", "lost at the service")).code).toBe(0);
    await office.ends(3, "resume");
    // Its predecessor cannot be cancelled, for it is gone as well.
    await office.ends(0, "status", "rowferry dismiss --code cancel-refused");
    await office.ends(0, "dismiss --code cancel-refused");
    await office.ends(0, "resume");
    expect(live("L2").map(({ events }) => events.length)).toEqual([4]);
    expect(live("L1").map(({ events }) => events.length)).toEqual([2]);
    await office.ends(0, "verify");
  },
);

test.each([["L2 30 1"], ["L2 30 1", "L2 40 1"]])(
  "a document is found gone where errors carry no message",
  async (...rows) => {
    const { office } = await afterRestore(["L1 10 1"], ["L2 10 1"], weighings, { terseErrors: true });
    const { problems } = await office.brought("w-3.csv", loads(...rows));
    expect(problems.map(({ code }) => code)).toContain("document-gone");
  },
);

test(
  "of a document that has made others, which no next generation can bring back, its new rows are tried again or given up",
  long,
  async () => {
    const { weighing: event } = weighings.inputs.weighings.events;
    const target = { document: "load", key: "=gross", participant: "owner", address: "site" };
    const split = { ...event, when: "=gross > 1", name: "SPLIT", target };
    const weighing = { ...event, when: "=gross <= 1" };
    const { office } = await afterRestore(["L1 10 1"], ["L2 10 2"], weighingsWith({ events: { weighing, split } }));
    expect((await office.brought("w-3.csv", loads("L2 30 1"))).exitCode).toBe(3);
    const { out } = await office.type("status");
    expect(out).not.toContain("rowferry replace");
    expect(out).toMatch(
      /rowferry verify[^]*rowferry retry --code document-gone[^]*rowferry dismiss --code document-gone/,
    );
    await office.ends(3, "retry --code document-gone");
    await office.ends(0, "dismiss --code document-gone");
    await office.ends(0, "resume");
  },
);
