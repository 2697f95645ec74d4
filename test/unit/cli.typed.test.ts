/** What is typed is used whole, or refused: nothing is taken for something else, and nothing is ignored in silence. */
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands, loadCommand } from "../../src/cli/commands.js";
import type { CommandSpec } from "../../src/cli/command.js";
import { shownPath } from "../../src/cli/output.js";
import { quotedPath } from "../../src/model/shell-quoted.js";
import { stepOn, withFlags } from "../../src/report/next-steps.js";
import { testWorld, typed } from "../support/cli.world.js";
import { openOffice } from "../support/office.js";
import { loads, weighings } from "../support/weighings.js";

interface Typed {
  line: string;
  spec: CommandSpec;
}

const all: Typed[] = [];
for (const { name } of commands) {
  const spec = await loadCommand(name);
  all.push({ line: name, spec });
  for (const [sub, [, found]] of Object.entries(spec.subcommands ?? {}))
    all.push({ line: `${name} ${sub}`, spec: found });
}

const valued = all.flatMap(({ line, spec }) =>
  Object.values(spec.flags ?? {}).flatMap(([written, , read]) =>
    written.includes("<") ? [{ line, flag: /--[a-z-]+/.exec(written)?.[0] ?? "", read }] : [],
  ),
);

it.each(valued)("$line $flag: an empty value, and a second one, are refused", async ({ line, flag, read }) => {
  const words = line.split(" ");
  const { code, err } = await typed(testWorld(), ...words, flag, "");
  expect([code, err]).toEqual([2, expect.stringMatching(/is empty: is a variable not set\?/)]);
  if (read !== undefined) return;
  const twice = await typed(testWorld(), ...words, flag, "one", flag, "two");
  expect([twice.code, twice.err]).toEqual([
    2,
    expect.stringContaining("'two' is invalid. It was already given as 'one'"),
  ]);
});

it("a --throttle that is no address is refused without repeating it, because it may hold a password", async () => {
  for (const address of ["redis://:s3cret@cache.test:port", "redis://:s3 cret@cache test", "s3cret@cache.test"]) {
    const { code, err } = await typed(testWorld(), "resume", "--throttle", address, "--log-level", "debug");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("--throttle must be an address such as redis://localhost."),
    ]);
    expect(err).not.toMatch(/s3/);
  }
});

it.each(all.filter(({ spec }) => spec.takes !== undefined))(
  "$line: an empty argument is refused, and not taken for the working folder",
  async ({ line, spec }) => {
    const count = Object.keys(spec.takes ?? {}).length;
    for (let at = 0; at < count; at++) {
      const world = testWorld({ files: { "a.csv": "A\n1\n", "m.yaml": "version: 2\n" } });
      const given = Array.from({ length: count }, (_, other) => (other === at ? "" : "m.yaml"));
      const { code, err } = await typed(world, ...line.split(" "), ...given);
      expect([code, err]).toEqual([2, expect.stringContaining("is empty: is a variable not set?")]);
      expect(readdirSync(world.cwd).toSorted()).toEqual(["a.csv", "m.yaml"]);
    }
  },
);

it("the same value twice is one value, and a repeatable option takes several", async () => {
  const world = testWorld();
  const { err } = await typed(world, "dismiss", "--input", "a.csv", "--input", "a.csv", "--row", "1", "--row", "2");
  expect(err).toContain("There is no ledger here");
});

it.each([
  ["import m.yaml a.csv --dry-run --fresh --limit 2", "--dry-run cannot foresee --fresh or --limit."],
  ["import m.yaml a.csv --dry-run --max-errors 1%", "--dry-run cannot foresee --max-errors."],
  ["resume --dry-run --until 06:00", "--dry-run cannot foresee --until."],
  ["retry --dry-run --limit 2", "--dry-run cannot foresee --limit."],
  ["show march.csv:17 --since 90m", "--since, --before and --count belong to `show requests`."],
  ["show march.csv:17 --count 3", "--since, --before and --count belong to `show requests`."],
  ["sandbox --memory --store here.db", "--memory writes no file, so it cannot be used with --store."],
])("%s: what it would ignore is refused", async (line, said) => {
  const { code, err } = await typed(testWorld(), ...line.split(" "));
  expect([code, err]).toEqual([2, expect.stringContaining(said)]);
});

describe("a command that is printed", () => {
  const elsewhere = { ledger: "/elsewhere/state/production/ledger.db", journal: "/mnt/journal" };
  const step = stepOn("production", elsewhere, (path) => path);

  it.each(all.filter(({ spec }) => spec.run !== undefined))("$line: has only flags that it takes", ({ line, spec }) => {
    const flags = [...step(line, "").command.matchAll(/ (--[a-z-]+)/g)].map(([, flag]) => flag);
    const taken = Object.values(spec.flags ?? {}).flatMap(([written]) => /--[a-z-]+/.exec(written) ?? []);
    expect(taken).toEqual(expect.arrayContaining(flags));
    expect(flags.includes("--ledger")).toBe(taken.includes("--ledger"));
  });

  it("has the flags of its target inside a sentence too, and no second ones", () => {
    const flags = " --target production --ledger /elsewhere/state/production/ledger.db";
    const said =
      "Run `rowferry verify`, or `rowferry explain late`; `rowferry resume --sandbox` or `rowferry import --help`.";
    expect(withFlags(said, step)).toBe(said.replace("verify", `verify${flags}`));
  });

  it("names the ledger and the target that the sentence is about", long, async () => {
    const office = openOffice(weighings);
    const ledger = ["--ledger", "other/ledger.db"];
    office.writeCsv("march.csv", loads(...Array.from({ length: 15 }, (_, at) => `A${at} 10 ${"x".repeat(at + 1)}`)));
    await office.type("import", "m.yaml", "march.csv", ...ledger);
    const { err } = await office.type("show", "nothing", "--since", "1h", ...ledger);
    const refused = await office.type("resolve", "A99", "--landed", ...ledger);
    expect(refused.err).toContain("`rowferry show <key> --sandbox --ledger other/ledger.db`");
    expect(err).toContain("`rowferry show --help`");
    // Named by the flag, though it is where the usual one would be.
    const usual = await office.type("import", "m.yaml", "march.csv", "--ledger", "state/sandbox/ledger.db");
    expect(usual.out).toMatch(/^rowferry import .* --sandbox --ledger state\/sandbox\/ledger\.db$/m);
  });

  it.each(["-x.csv", "./-x.csv", "-"])("can be typed where a file is called %s", (name) => {
    expect([quotedPath(name), shownPath(join("/work", name), "/work")]).toEqual(
      name === "-" ? ["-", "./-"] : ["./-x.csv", "./-x.csv"],
    );
  });

  it("can be typed where a folder's name has blanks", async () => {
    const world = testWorld({ files: { "my secrets/s": "x", "rowferry.config.yaml": "" } });
    const config =
      "targets: { p: { baseUrl: https://a.b, tokenUrl: https://a.b, clientId: c, clientSecretFile: my secrets/s } }";
    writeFileSync(join(world.cwd, "rowferry.config.yaml"), config, { mode: 0o600 });
    chmodSync(join(world.cwd, "my secrets/s"), 0o644);
    expect((await typed(world, "doctor", "--target", "p")).err.replaceAll(/\s+/g, " ")).toContain(
      "chmod o-r 'my secrets/s'",
    );
    expect((await typed(world, "init", "my imports")).out).toContain("  cd 'my imports'\n  rowferry guess ");
  });

  it("is not `rejects` before anything is in a ledger", long, async () => {
    const office = openOffice(weighings);
    const rows = ["A x 5", "B 10 x", ...Array.from({ length: 9 }, (_, at) => `C${at} 10 ${at}`)];
    office.writeCsv("march.csv", loads(...rows));
    for (const command of ["plan", "check"])
      expect((await office.type(command, "m.yaml", "march.csv")).out).not.toContain("rowferry rejects");
  });
});
