/** docs/reference/json-lines.md names every line that commands print with --json, and every member of it. */
import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createPlayer } from "../support/docs/play.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sections = new Map(
  readFileSync(`${root}docs/reference/json-lines.md`, "utf8")
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split("\n")[0] ?? "", section] as const),
);

const commands = [
  "rowferry explain late",
  "rowferry doctor",
  "rowferry check weighings.yaml weighings-1.csv",
  "rowferry test mappings/manifests.yaml",
  "rowferry plan weighings.yaml weighings-1.csv",
  "rowferry import weighings.yaml weighings-1.csv --journal journal.ndjson",
  "rowferry resume",
  "rowferry status",
  "rowferry runs",
  "rowferry rejects",
  "rowferry show L-77",
  "rowferry report",
  "rowferry withdraw --row weighings-1.csv:3 --yes",
  "rowferry dismiss --input weighings-1.csv",
  "rowferry replace L-79 --reason wrong",
  "rowferry verify",
  "rowferry ledger backup backup.db",
  "rowferry ledger check",
  "rowferry ledger prune --keep 180d",
  "rowferry notify --test",
  "rowferry notify --due",
  "rowferry import weighings.yaml no-such.csv",
];

it("every type and member that commands print is documented", { timeout: 60_000 }, async () => {
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
        run: "sed -i '3s/9.020,00/x/' weighings-1.csv; echo 'notify: [{ command: \"true\" }]' > rowferry.config.yaml",
      },
    });
    for (const command of commands) {
      const span: [number, number] = [0, 0];
      const came = await player.play({ kind: "command", command: `${command} --json`, expected: "", line, span });
      // stderr has no JSON; errors are told there for people as well.
      const printed = came.split("\n").filter((text) => text.startsWith("{"));
      expect(printed.length, `${command}: ${came}`).toBeGreaterThan(0);
      for (const text of printed) {
        const { type, ...members } = JSON.parse(text) as { type: string };
        seen.add(type);
        const section = sections.get(type);
        expect(section, `${command} prints ${text.slice(0, 200)}`).toBeDefined();
        for (const member of Object.keys(members)) expect(section, `${type}.${member}`).toContain(`\`${member}\``);
      }
    }
  } finally {
    await player.close();
  }
  // What needs a stranded document, a lost ledger, another service or a process that stays is not played here.
  const elsewhere = [
    "resolved",
    "resolved-from",
    "rows-refused",
    "rebuilt",
    "restored",
    "rebound",
    "sandbox",
    "console",
    "notice",
    "trial",
    "due",
  ];
  expect([...sections.keys()].filter((type) => !seen.has(type) && !elsewhere.includes(type))).toEqual([]);
});

it("no command prints a type that is not documented", () => {
  const printed = globSync("src/cli/**/*.ts", { cwd: root }).flatMap((path) =>
    [...readFileSync(root + path, "utf8").matchAll(/(?:data\(\{|stringify\(\{|line: \{)\s*type: "([\w-]+)"/g)].map(
      ([, type = ""]) => type,
    ),
  );
  expect(printed.length).toBeGreaterThan(20);
  for (const type of new Set(printed)) expect(sections.has(type), type).toBe(true);
});
