/**
 * `npm run demo`: the main job on the embedded sandbox, which is emptied first. Clean files land, the same file again
 * sends nothing, and a file with mistakes shows what a person gets to see: its exit code 3 is expected here.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Step {
  says: string;
  args: string[];
  expected: number;
}

const steps: Step[] = [
  {
    says: "1. Waste manifests, one row per event, scattered and out of order, land as ordered timelines.",
    args: ["import", "mappings/manifests.yaml", "fixtures/manifests/manifests-2025-09.csv", "--fresh"],
    expected: 0,
  },
  {
    says: "2. A workbook in the wide form: one row per document, organisations and places on sheets of their own.",
    args: ["import", "mappings/organisations.yaml", "fixtures/organisations/organisations-2025.xlsx"],
    expected: 0,
  },
  {
    says: "3. The first file again: every row is known, no request is sent.",
    args: ["import", "mappings/manifests.yaml", "fixtures/manifests/manifests-2025-09.csv"],
    expected: 0,
  },
  {
    says:
      "4. A file with mistakes. What is right lands; what is wrong, and what is later on the same documents, waits for a\n" +
      "   person. Exit code 3 says just that; the rejected file holds the rows to correct.",
    args: ["import", "mappings/manifests.yaml", "fixtures/manifests-faulty/manifests-2025-10.csv"],
    expected: 3,
  },
];

// But for settings, which would lead elsewhere than to the sandbox.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ROWFERRY_")));
const cli = join(root, "src", "cli", "rowferry.ts");
for (const { says, args, expected } of steps) {
  process.stdout.write(`\n${says}\n   $ rowferry ${args.join(" ")}\n\n`);
  const { status } = spawnSync(process.execPath, ["--import", "tsx", cli, ...args, "--sandbox"], {
    cwd: root,
    stdio: "inherit",
    env,
  });
  if (status !== expected) {
    process.stderr.write(`\nThe demo expected exit code ${expected} here and got ${status}.\n`);
    process.exit(1);
  }
}
process.stdout.write(`
That was the main job. What to look at:
  npx rowferry status        what is open, and why
  npx rowferry sandbox dump  every timeline, as the service has it
  state/sandbox/runs/        a folder a run: summary, receipts, the rows to correct
  state/sandbox/ledger.db    every key, id and outcome
`);
