/** The recipes of docs/how-to/run-every-night.md: units that systemd accepts, YAML that parses, metrics and exit codes that exist. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { metricsText } from "../../src/report/metrics.js";
import { openOffice } from "../support/office.js";
import { summary } from "../support/summary.sample.js";
import { loads, weighings } from "../support/weighings.js";
import { folder } from "../support/cli.world.js";

const page = readFileSync(fileURLToPath(new URL("../../docs/how-to/run-every-night.md", import.meta.url)), "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}[^\\n]*\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text = ""]) => text);

it("the systemd units are accepted by systemd, where there is one, and name only exit codes that exist", long, () => {
  const [service = "", timer = ""] = blocks("ini");
  expect(service).toMatch(/^Type=oneshot$/m);
  // systemd refuses a oneshot service that forces restarts by exit status.
  expect(service).not.toContain("RestartForceExitStatus");
  expect(timer).toMatch(/^OnCalendar=/m);
  const at = folder();
  const here = service
    .replace("/usr/local/bin/rowferry", "/bin/true")
    .replace("User=rowferry", "User=root")
    .replace("/srv/imports", at);
  writeFileSync(join(at, "rowferry.service"), here);
  writeFileSync(join(at, "rowferry.timer"), timer);
  const units = [join(at, "rowferry.service"), join(at, "rowferry.timer")];
  const verified = spawnSync("systemd-analyze", ["verify", ...units], { encoding: "utf8" });
  const complaints = (verified.stderr ?? "").split("\n").filter((line) => line.includes("rowferry."));
  expect(complaints).toEqual([]);
});

it("the crontab finds the command where the systemd unit has it, which cron's own PATH does not", () => {
  const [crontab = ""] = blocks("crontab");
  const command = /^ExecStart=(\S+)/m.exec(blocks("ini")[0] ?? "")?.[1] ?? "";
  const folders = /^PATH=(.*)$/m.exec(crontab)?.[1]?.split(":") ?? ["/usr/bin", "/bin"];
  expect(folders.map((each) => `${each}/rowferry`)).toContain(command);
});

it("the CronJob and the alerts are YAML, and the alerts ask for metrics that are written", async () => {
  const [job, alerts] = [
    blocks("yaml").find((text) => text.includes("CronJob")) ?? "",
    blocks("yaml").find((text) => text.includes("alert:")) ?? "",
  ];
  const spec = (
    parse(job) as { spec: { concurrencyPolicy: string; jobTemplate: { spec: { podFailurePolicy: unknown } } } }
  ).spec;
  expect(spec.concurrencyPolicy).toBe("Forbid");
  expect(spec.jobTemplate.spec.podFailurePolicy).toBeDefined();
  const written = await metricsText(summary());
  const asked = (parse(alerts) as { groups: { rules: { expr: string }[] }[] }).groups
    .flatMap(({ rules }) => rules.map(({ expr }) => expr))
    .flatMap((expr) => expr.match(/rowferry_\w+/g) ?? []);
  expect(asked.length).toBeGreaterThan(2);
  for (const name of asked) expect(written).toContain(`# TYPE ${name} gauge`);
});

it(
  "the backup of the crontab runs day after day, and leaves the last fourteen and what else is there (F20)",
  long,
  async () => {
    const [line = ""] = /(?<=rowferry )ledger backup .*/.exec(blocks("crontab")[0] ?? "") ?? [];
    const argv = line.replace("/backup", "backup").replace("--target production", "").split(/ +/);
    const office = openOffice(weighings);
    await office.brought("w.csv", loads("L1 10 1"));
    mkdirSync(office.path("backup"));
    writeFileSync(office.path("backup/rowferry-before.db"), "");
    for (let day = 0; day < 40; day += 1) {
      office.world.now += 86_400_000;
      expect((await office.type(...argv)).code).toBe(0);
    }
    const left = readdirSync(office.path("backup")).toSorted();
    expect([left.length, left[0]]).toEqual([15, "rowferry-before.db"]);
    expect((await office.type("ledger", "restore", `backup/${left[13]}`)).code).toBe(0);
  },
);
