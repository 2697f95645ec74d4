/** What is typed is used whole, or refused: nothing is taken for something else, and nothing is ignored in silence. */
import { readdirSync } from "node:fs";
import { commands, loadCommand } from "../../src/cli/commands.js";
import type { CommandSpec } from "../../src/cli/command.js";
import { testWorld, typed } from "../support/cli.world.js";

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

describe.each(all)("$line", ({ line, spec }) => {
  const words = line.split(" ");
  const valued = Object.values(spec.flags ?? {}).filter(([written]) => written.includes("<"));

  it.each(valued.map(([written, , read]) => [/--[a-z-]+/.exec(written)?.[0] ?? "", read] as const))(
    "%s: an empty value, and a second one, are refused",
    async (flag, read) => {
      const { code, err } = await typed(testWorld(), ...words, flag, "");
      expect([code, err]).toEqual([2, expect.stringMatching(/is empty: is a variable not set\?/)]);
      if (read !== undefined) return;
      const twice = await typed(testWorld(), ...words, flag, "one", flag, "two");
      expect([twice.code, twice.err]).toEqual([
        2,
        expect.stringContaining("'two' is invalid. It was given as 'one' before"),
      ]);
    },
  );

  it.runIf(spec.takes !== undefined)("an empty argument is refused, and not taken for the working folder", async () => {
    const count = Object.keys(spec.takes ?? {}).length;
    for (let at = 0; at < count; at++) {
      const world = testWorld({ files: { "a.csv": "A\n1\n", "m.yaml": "version: 2\n" } });
      const given = Array.from({ length: count }, (_, other) => (other === at ? "" : "m.yaml"));
      const { code, err } = await typed(world, ...words, ...given);
      expect([code, err]).toEqual([2, expect.stringContaining("is empty: is a variable not set?")]);
      expect(readdirSync(world.cwd).toSorted()).toEqual(["a.csv", "m.yaml"]);
    }
  });
});

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
  ["sandbox --memory --store here.db", "--memory keeps nothing, so --store has no use."],
])("%s: what it would ignore is refused", async (line, said) => {
  const { code, err } = await typed(testWorld(), ...line.split(" "));
  expect([code, err]).toEqual([2, expect.stringContaining(said)]);
});
