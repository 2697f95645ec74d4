/** `rowferry sandbox`: a local service for rehearsals; `sandbox dump` shows its content. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { decodeText } from "../../model/decode-text.js";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { makeFolder } from "../../model/make-folder.js";
import { type FaultRule, faultRules } from "../../sandbox/faults.js";
import type { Sandbox, SandboxOptions } from "../../sandbox/index.js";
import { settingsOf, type Switch, switches } from "../../sandbox/switches.js";
import { readConfig, stateRoot } from "../../settings/config-file.js";
import { command, type Flag } from "../command.js";
import { untilAborted } from "../world.js";
import { port as portNumber, valueOf } from "../flags.js";
import { shownPath, tell } from "../output.js";

const amount = valueOf("a number", (text) =>
  text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : null,
);

const amountOrOff = (text: string): number | "off" => (text === "off" ? text : amount(text));

/** `maxEvents` has the flag `--max-events`, by which commander knows the name again. */
const switchFlags = Object.fromEntries(
  Object.entries<Switch<string | number | boolean | null>>(switches).map(([name, one]): [string, Flag] => {
    const { takes, choices, mayBeOff, default: usual, description } = one;
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const says = usual === null || usual === false ? description : `${description} (default: ${usual})`;
    if (takes === undefined) return [name, [flag, says]];
    return [name, [`${flag} ${takes}`, says, choices ?? (mayBeOff === true ? amountOrOff : amount)]];
  }),
);

const own = {
  port: ["--port <n>", "the port to listen on (default: a free one)", portNumber],
  store: ["--store <file>", "where to keep its records (default: state/sandbox/store.db, as for rehearsals)"],
  memory: ["--memory", "keep records in memory only"],
  seed: ["--seed <n>", "seed for random faults (default: 1)", amount],
  faults: ["--faults <file>", "fault rules that apply from the start (JSON)"],
} as const;

const dump = command({
  examples: { "rowferry sandbox dump": "every timeline made by rehearsals" },
  flags: { store: own.store, ids: ["--ids", "also show generated ids and keys"] },
  async run({ world, output }, { store, ids = false }) {
    const file = storeFile(world.cwd, store);
    if (!existsSync(file))
      throw new RowferryError("file-missing", "the sandbox keeps nothing yet", {
        place: { file: shownPath(file, world.cwd) },
        hint: "Rehearse first (`rowferry import … --sandbox`), or name the file with --store.",
      });
    const { createSandbox } = await import("../../sandbox/index.js");
    const sandbox = createSandbox({ storage: { file } });
    try {
      if (!output.json) world.stdout.write(sandbox.dump({ ids }));
      else for (const one of sandbox.store.timelines({ ids })) output.data({ type: "timeline", ...one });
    } finally {
      await sandbox.close();
    }
    return ExitCode.ok;
  },
});

export const spec = command({
  flags: { ...switchFlags, ...own },
  examples: {
    "rowferry sandbox --port 4010": "for any program; set its ROWFERRY_BASE_URL",
    "rowferry sandbox --memory --terse-errors --partial-batches": "",
  },
  notes: ["Ctrl-C ends it. When it starts, it prints the address of its documentation (OpenAPI)."],
  subcommands: { dump: ["print every timeline that the sandbox keeps", dump] },
  async run({ world, signal, output }, { port = 0, store, memory, seed = 1, faults, ...switched }) {
    if (memory === true && store !== undefined)
      throw new RowferryError("usage", "--memory writes no file, so it cannot be used with --store.");
    const { createSandbox } = await import("../../sandbox/index.js");
    const file = memory === true ? null : storeFile(world.cwd, store);
    if (file !== null) makeFolder(dirname(file));
    const sandbox = createSandbox({
      ...checked(switched),
      seed,
      storage: file === null ? "memory" : { file },
      ...(faults === undefined ? {} : { faults: readFaults(world.cwd, faults) }),
    });
    try {
      const { baseUrl, tokenUrl, controlUrl, docsUrl } = await listen(sandbox, port);
      const client = { clientId: "sandbox", clientSecret: "sandbox" };
      tell(output, {
        type: "sandbox",
        line: { baseUrl, tokenUrl, controlUrl, docsUrl, ...client, store: file },
        text: () => [
          [
            `sandbox ${baseUrl} · store ${file === null ? "in memory" : shownPath(file, world.cwd)}`,
            `  export ROWFERRY_BASE_URL=${baseUrl}`,
            `  export ROWFERRY_TOKEN_URL=${tokenUrl}`,
            "  export ROWFERRY_CLIENT_ID=sandbox ROWFERRY_CLIENT_SECRET=sandbox",
            `Documentation (OpenAPI): ${docsUrl}`,
            `Faults and counts: ${controlUrl}`,
            "Ctrl-C ends it.",
          ],
        ],
      });
      await untilAborted(signal);
    } finally {
      await sandbox.close();
    }
    return ExitCode.ok;
  },
});

function checked(given: { [name: string]: unknown }): SandboxOptions {
  const values = Object.entries(given).map(([name, value]) => [name, value === "off" ? null : value]);
  try {
    return settingsOf(Object.fromEntries(values) as SandboxOptions);
  } catch (cause) {
    if (cause instanceof RangeError) throw new RowferryError("usage", cause.message, { cause });
    throw cause;
  }
}

/** @throws RowferryError `usage` naming the file and the faulty rule. */
function readFaults(cwd: string, path: string): FaultRule[] {
  const place = { file: path };
  let content: unknown;
  try {
    content = JSON.parse(decodeText(readFileSync(resolve(cwd, path)), path));
  } catch (cause) {
    if (cause instanceof RowferryError) throw cause;
    throw new RowferryError("usage", "the fault rules cannot be read or are not JSON", { place, cause });
  }
  const [first] = faultRules.safeParse(content).error?.issues ?? [];
  if (first === undefined) return content as FaultRule[];
  const message = `the fault rules are malformed at ${z.core.toDotPath(first.path)}: ${first.message}`;
  throw new RowferryError("usage", message, { place });
}

async function listen(sandbox: Sandbox, port: number) {
  try {
    return await sandbox.listen({ port });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    throw new RowferryError("port-in-use", `port ${port} is taken`, { cause });
  }
}

/** Beside the sandbox target's ledger. */
const storeFile = (cwd: string, store: string | undefined): string =>
  store === undefined ? join(stateRoot(readConfig(cwd), cwd), "sandbox", "store.db") : resolve(cwd, store);
