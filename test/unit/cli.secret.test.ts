/** A secret is read only to ask for a token: to look at a ledger needs none, and nothing is staged or sent without it. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createSandbox } from "../../src/sandbox/index.js";
import { folder } from "../support/cli.world.js";
import { type Office, openOffice } from "../support/office.js";
import { weighings } from "../support/weighings.js";

/** With its secret in a folder that only the environment names, as systemd gives it. */
async function openProduction(): Promise<Office> {
  const sandbox = createSandbox();
  onTestFinished(() => sandbox.close());
  const { baseUrl, tokenUrl } = await sandbox.listen({ host: "127.0.0.1", port: 0 });
  const office = openOffice(weighings);
  const credentials = folder({ "production.secret": "sandbox" });
  office.world.env["CREDENTIALS_DIRECTORY"] = credentials;
  const settings = {
    target: "production",
    targets: {
      production: { baseUrl, tokenUrl, clientId: "sandbox", clientSecretFile: `${credentials}/production.secret` },
    },
    notify: [{ command: "cat >> told.txt" }],
    expect: { every: "24h" },
  };
  writeFileSync(office.path("rowferry.config.yaml"), JSON.stringify(settings), { mode: 0o600 });
  office.writeCsv("w.csv", ["Load,At,Gross", "A,2026-01-01 10:00,5", "B,2026-01-01 10:00,none"]);
  expect((await office.import("w.csv")).rows).toMatchObject({ staged: 1, invalid: 1 });
  return office;
}

function endUnit({ world }: Office): string {
  const gone = world.env["CREDENTIALS_DIRECTORY"] ?? "";
  rmSync(gone, { recursive: true });
  delete world.env["CREDENTIALS_DIRECTORY"];
  return gone;
}

it("without its secret, a ledger can be looked at, cared for and decided upon", long, async () => {
  const office = await openProduction();
  const gone = endUnit(office);
  const lines = [
    "status",
    "runs",
    "show A",
    "report",
    "rejects",
    "plan m.yaml w.csv",
    "ledger backup b.db",
    "ledger check",
    "notify --due",
    "dismiss --row w.csv:3",
    "resume --dry-run",
  ];
  for (const line of lines) {
    const { said } = await office.type(...line.split(" "));
    expect(said, line).not.toContain(gone);
  }
});

it(
  "what sends or asks the service says so first: nothing is staged, and the remedy is no folder that is gone",
  long,
  async () => {
    const office = await openProduction();
    const gone = endUnit(office);
    office.writeCsv("x.csv", ["Load,At,Gross", "C,2026-01-01 10:00,5"]);
    for (const line of ["import m.yaml x.csv", "resume", "verify", "watch m.yaml .", "doctor"]) {
      const { code, said } = await office.type(...line.split(" "));
      expect([line, code, said]).toEqual([line, 2, expect.stringContaining("names a secret outside its folder")]);
      expect(said).not.toContain(`ROWFERRY_SECRETS=${gone}`);
    }
    await office.ends(2, "show C");
  },
);

it("a secret that cannot be used is told to those whom the settings name, and counted for its target", async () => {
  const office = await openProduction();
  rmSync(office.path("told.txt"), { force: true });
  chmodSync(`${office.world.env["CREDENTIALS_DIRECTORY"]}/production.secret`, 0o644);
  await office.ends(2, "import m.yaml w.csv --metrics m.prom");
  expect(readFileSync(office.path("m.prom"), "utf8")).toContain('exit_code{target="production"} 2');
  expect(existsSync(office.path("told.txt"))).toBe(true);
  expect(readFileSync(office.path("told.txt"), "utf8")).toContain('"when":"failed"');
  const settings = readFileSync(office.path("rowferry.config.yaml"), "utf8");
  writeFileSync(office.path("rowferry.config.yaml"), settings.replace("http://127", "http://other.example.com/127"));
  await office.ends(2, "import m.yaml w.csv --metrics m.prom");
  expect(readFileSync(office.path("m.prom"), "utf8")).toContain('exit_code{target="production"} 2');
});
