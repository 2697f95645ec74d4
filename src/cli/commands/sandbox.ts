/** `rowferry sandbox`: the local service, kept running for rehearsals from elsewhere; `sandbox dump` shows what it holds. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { RowferryError } from "../../model/error.js";
import { ExitCode } from "../../model/exit-code.js";
import { makeFolder } from "../../report/atomic-file.js";
import type { Sandbox } from "../../sandbox/index.js";
import { readConfig, stateRoot } from "../../settings/config-file.js";
import type { Frame } from "../frame.js";
import { shownPath } from "../output.js";
import { addSandboxFlags, readFaults, type SandboxFlags, sandboxOptions } from "../sandbox-flags.js";

const examples = `
Examples:
  rowferry sandbox --port 4010            for ROWFERRY_BASE_URL of any program
  rowferry sandbox --memory --terse-errors --partial-batches
  rowferry sandbox dump                   every timeline made by rehearsals

Ctrl-C ends it. At the start it prints where its documentation (OpenAPI) is.`;

type Flags = SandboxFlags & { json?: boolean };

export function define(command: Command, frame: Frame): void {
  addSandboxFlags(command)
    .option("--json", "print a line of JSON on stdout")
    .addHelpText("after", examples)
    .action(frame.action((flags: Flags) => serve(frame, flags)));
  command
    .command("dump")
    .description("print every timeline that the sandbox keeps")
    .helpOption("-h, --help", "print this help")
    .option("--store <file>", "where it keeps its records (default: state/sandbox/store.db)")
    .option("--ids", "with generated ids and keys")
    // `--store` may stand before or after `dump`.
    .action(frame.action((_flags: unknown, dump: Command) => dumpStore(frame, dump.optsWithGlobals())));
}

async function serve(frame: Frame, flags: Flags): Promise<number> {
  const { world } = frame;
  const { createSandbox } = await import("../../sandbox/index.js");
  const file = flags.memory === true ? null : storeFile(frame, flags);
  if (file !== null) makeFolder(dirname(file));
  const sandbox = createSandbox({
    ...sandboxOptions(flags),
    storage: file === null ? "memory" : { file },
    ...(flags.faults === undefined ? {} : { faults: readFaults(world.cwd, flags.faults) }),
  });
  try {
    const { baseUrl, tokenUrl, controlUrl, docsUrl } = await listen(sandbox, flags.port ?? 0);
    const store = file === null ? "in memory" : shownPath(file, world.cwd);
    if (flags.json === true) {
      const address = { baseUrl, tokenUrl, controlUrl, docsUrl, clientId: "sandbox", clientSecret: "sandbox" };
      world.stdout.write(`${JSON.stringify({ type: "sandbox", ...address, store: file })}\n`);
    } else {
      world.stdout.write(
        [
          `sandbox ${baseUrl} · store ${store}`,
          `  export ROWFERRY_BASE_URL=${baseUrl}`,
          `  export ROWFERRY_TOKEN_URL=${tokenUrl}`,
          "  export ROWFERRY_CLIENT_ID=sandbox ROWFERRY_CLIENT_SECRET=sandbox",
          `Documentation: ${docsUrl}   Faults and counts: ${controlUrl}`,
          "Ctrl-C ends it.\n",
        ].join("\n"),
      );
    }
    if (!frame.signal.aborted)
      await new Promise((done) => frame.signal.addEventListener("abort", done, { once: true }));
  } finally {
    await sandbox.close();
  }
  return ExitCode.ok;
}

async function listen(sandbox: Sandbox, port: number) {
  try {
    return await sandbox.listen({ port });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EADDRINUSE") throw cause;
    throw new RowferryError("port-in-use", `port ${port} is taken`, { cause });
  }
}

async function dumpStore(frame: Frame, flags: { store?: string; ids?: boolean }): Promise<number> {
  const file = storeFile(frame, flags);
  if (!existsSync(file)) {
    const hint = "Rehearse first (`rowferry import … --sandbox`), or name the file with --store.";
    throw new RowferryError("file-missing", "the sandbox keeps nothing yet", {
      place: { file: shownPath(file, frame.world.cwd) },
      hint,
    });
  }
  const { createSandbox } = await import("../../sandbox/index.js");
  const sandbox = createSandbox({ storage: { file } });
  try {
    frame.world.stdout.write(sandbox.dump(flags.ids === true ? { ids: true } : {}));
  } finally {
    await sandbox.close();
  }
  return ExitCode.ok;
}

/** Beside the sandbox target's ledger (DESIGN section 3). */
function storeFile(frame: Frame, flags: { store?: string }): string {
  const { cwd } = frame.world;
  return flags.store === undefined
    ? join(stateRoot(readConfig(cwd), cwd), "sandbox", "store.db")
    : resolve(cwd, flags.store);
}
