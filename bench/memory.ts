/**
 * Peak memory of the built command (P8): `plan` and `import` of rows on one document, on very many, skewed as real data is, and
 * on documents that are all linked.
 * `npm run memory -- [--rows 1000000] [--shapes one,many,skewed,linked,mirrored,chain] [--commands plan,import]`. Linux: read from /proc.
 */
import { spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import PQueue from "p-queue";
import { chained, evenly, linked, skewed, writeDeliveries } from "../test/support/deliveries.js";
import { figure, megabytes, withTemporaryFolder } from "./harness.js";
import { startService } from "./service.js";

const GOAL_BYTES = 256 * 1024 * 1024;

const shapes = {
  one: (rows: number) => evenly(rows, 1),
  many: (rows: number) => evenly(rows, Math.max(1, Math.round(rows / 10))),
  skewed: (rows: number) => skewed(rows),
  /** Each row a document of its own, linked to one; without and with a back-reference. */
  linked: (rows: number) => linked(rows - 1),
  mirrored: (rows: number) => linked(rows - 1, "Mirrored"),
  chain: chained,
};
type Shape = keyof typeof shapes;

const command = join(import.meta.dirname, "..", "dist", "cli", "rowferry.js");

async function peakOf(args: string[], env: Record<string, string>, cwd: string) {
  // By its first line, as it is installed: that bounds its memory (docs/decisions/node.md).
  const child = spawn(command, [...args, "--quiet"], {
    cwd,
    env: { PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter), ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const status = /^VmHWM:\s+(\d+) kB/m.exec(readStatus(child.pid ?? 0));
    peak = Math.max(peak, Number(status?.[1] ?? 0) * 1024);
    await wait(20);
  }
  return { peak, code: child.exitCode };
}

/** Nothing once it has ended. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    shapes: { type: "string", default: "one,many,skewed" },
    commands: { type: "string", default: "plan,import" },
  },
});
const rows = Number(values.rows);
chmodSync(command, 0o755);
// Two at once, as peaks do not depend on what else runs.
const queue = new PQueue({ concurrency: 2 });
const measured = values.shapes.split(",").map(
  (shape) => () =>
    withTemporaryFolder(async (folder) => {
      const files = await writeDeliveries(folder, shapes[shape as Shape](rows));
      const service = await startService({ rate: null, burst: 100 });
      const env = {
        ROWFERRY_BASE_URL: service.baseUrl,
        ROWFERRY_TOKEN_URL: service.tokenUrl,
        ROWFERRY_CLIENT_ID: "sandbox",
        ROWFERRY_CLIENT_SECRET: "sandbox",
        ROWFERRY_LEDGER: join(folder, "ledger.db"),
        ROWFERRY_RATE: "400",
        ROWFERRY_BURST: "40",
      };
      try {
        for (const name of values.commands.split(",")) {
          const { peak, code } = await peakOf([name, ...files], env, folder);
          const text = `${name} of ${rows.toLocaleString("en")} rows, ${shape}: peak ${megabytes(peak)}, goal ≤ ${megabytes(GOAL_BYTES)}; exit code ${code}`;
          figure(code === 0 && peak <= GOAL_BYTES, text);
        }
        const { events } = await service.counts();
        if (values.commands.includes("import"))
          figure(
            events === rows,
            `${shape}: ${events.toLocaleString("en")} of ${rows.toLocaleString("en")} events landed once`,
          );
      } finally {
        service.stop();
      }
    }),
);
await queue.addAll(measured);
