/** Every line that commands print with --json is held to its schema, from which docs/reference/json-lines.md is made. */
import { Command } from "commander";
import { define } from "../../src/cli/command.js";
import { commands as programs, loadCommand } from "../../src/cli/commands.js";
import { main } from "../../src/cli/main.js";
import { lines } from "../../src/model/lines.js";
import { testWorld } from "../support/cli.world.js";
import { createPlayer } from "../support/docs/play.js";
import { checkedLines } from "../support/json-lines.js";

const commands = [
  "rowferry init made",
  "rowferry guess weighings-1.csv -o guessed.yaml",
  "rowferry explain late",
  "rowferry doctor",
  "rowferry check weighings.yaml weighings-1.csv",
  "rowferry test mappings/manifests.yaml",
  "rowferry plan weighings.yaml weighings-1.csv",
  "rowferry import weighings.yaml weighings-1.csv --journal journal.ndjson",
  "rowferry resume --dry-run",
  "rowferry resume",
  "rowferry status",
  "rowferry runs",
  "rowferry rejects",
  "rowferry show L-77",
  "rowferry report",
  "rowferry sandbox dump",
  "rowferry withdraw --row weighings-1.csv:3 --yes",
  "rowferry dismiss --input weighings-1.csv",
  "rowferry replace L-79 --reason wrong",
  "rowferry verify",
  "rowferry ledger backup backup.db",
  "rowferry ledger check",
  "rowferry ledger prune --keep-for 180d",
  "rowferry notify --test",
  "rowferry notify --due",
  "rowferry import weighings.yaml no-such.csv",
];

it("every line that commands print is as its schema says, and every line is printed", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const player = createPlayer();
  const seen = new Set<string>();
  const line = 0;
  try {
    await player.play({
      kind: "stage",
      line,
      stage: {
        copy: {
          mappings: "mappings",
          "examples/weighings/weighings.yaml": "weighings.yaml",
          "examples/weighings/weighings-2025-11-19.csv": "weighings-1.csv",
        },
        run: "sed -i '3s/9.020,00/x/; 2s/,50/x/' weighings-1.csv; echo 'notify: [{ command: \"true\" }]' > rowferry.config.yaml",
      },
    });
    for (const command of commands) {
      const span: [number, number] = [0, 0];
      const came = await player.play({ kind: "command", command: `${command} --json`, expected: "", line, span });
      // stderr has no JSON; errors are told there for people as well.
      const printed = came.split("\n").filter((text) => text.startsWith("{"));
      expect(printed.length, `${command}: ${came}`).toBeGreaterThan(0);
      for (const type of checkedLines(printed.join("\n"))) seen.add(type);
    }
  } finally {
    await player.close();
  }
  const types = Object.values(lines).flatMap((schemas) => schemas.map(({ shape }) => shape.type.value));
  expect(new Set(types).size).toBe(types.length);
  expect(types.filter((type) => !seen.has(type) && !elsewhere.includes(type))).toEqual([]);
});

it("every command takes --json, also when it cannot be understood", async () => {
  const frame = { world: testWorld(), signal: new AbortController().signal, logFolder: null, exitCode: 0 };
  let count = 0;
  for (const { name } of programs) {
    const program = define(new Command(name), await loadCommand(name), frame);
    const subcommands = program.commands.map((sub) => [name, sub.name()]);
    for (const words of [...(name === "ledger" ? [] : [[name]]), ...subcommands]) {
      const world = testWorld();
      expect(await main([...words, "--json", "--no-such-flag"], world)).toBe(2);
      const [told] = world.out.split("\n");
      expect(JSON.parse(told ?? ""), words.join(" ")).toMatchObject({ type: "error", code: "usage", exitCode: 2 });
      expect(world.err).toContain("--no-such-flag");
      expect(checkedLines(world.out)).toEqual(["error"]);
      count++;
    }
  }
  expect(count).toBeGreaterThan(programs.length);
});

/** What needs a stranded document, one that has made others, a lost ledger, another service or a process that stays: their own tests print these. */
const elsewhere = [
  "resolved",
  "settled",
  "resolved-from",
  "rows-refused",
  "not-replaced",
  "restored",
  "rebuilt",
  "rebound",
  "sandbox",
  "console",
  "notice",
];
