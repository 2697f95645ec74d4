/** `rowferry watch <mapping> <folder>`: imports files as they come, for those who have no scheduler. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { addRunFlags, duration } from "../flags.js";
import type { Frame } from "../frame.js";
import { checkMappingFirst } from "../mapping-first.js";
import { configFileName } from "../../settings/config-file.js";
import { resolveTarget } from "../../settings/target.js";
import { endOf, tellError } from "../report-error.js";
import { type CommandFlags, runCommand, tellerOf } from "../run-command.js";

const examples = `
Examples:
  rowferry watch manifests.yaml inbox
  rowferry watch manifests.yaml inbox --move-to done --target production
  rowferry watch manifests.yaml inbox --once      what is there now, then end

A file is imported once it has not changed for --settle, or as soon as
<name>.done is beside it. One at a time, in order. Ctrl-C or SIGTERM ends it.`;

type Flags = CommandFlags & {
  moveTo?: string;
  order: "name" | "time";
  settle?: number;
  every?: number;
  once?: boolean;
};

export function define(command: Command, frame: Frame): void {
  command
    .argument("<mapping>", "the mapping file (YAML)")
    .argument("<folder>", "where the files arrive")
    .option("--move-to <folder>", "move files there once they are imported")
    .addOption(new Option("--order <what>", "which file goes first").choices(["name", "time"]).default("name"))
    .option("--settle <time>", "a file is complete when it has not changed for this long (default: 10s)", duration)
    .option("--every <time>", "how often to look (default: 5s)", duration)
    .option("--once", "import what is there, then end");
  addRunFlags(command)
    .addHelpText("after", examples)
    .action(frame.action((mapping: string, folder: string, flags: Flags) => watch(frame, mapping, folder, flags)));
}

async function watch(frame: Frame, mappingPath: string, folder: string, flags: Flags): Promise<number> {
  const { world, signal } = frame;
  checkMappingFirst("watch", mappingPath, [folder]);
  const target = resolveTarget({ flags, env: world.env, cwd: world.cwd });
  const teller = await tellerOf(target, world);
  let looked = 0;
  const { watchFolder } = await import("../../serve/watch.js");
  return watchFolder({
    folder: resolve(world.cwd, folder),
    moveTo: flags.moveTo === undefined ? null : resolve(world.cwd, flags.moveTo),
    order: flags.order,
    settleMs: flags.settle ?? duration("10s"),
    everyMs: flags.every ?? duration("5s"),
    once: flags.once === true,
    memory: join(target.stateFolder, "watched.json"),
    stamp: () => [mappingPath, configFileName].map((path) => changedAt(resolve(world.cwd, path))).join(" "),
    clock: world.clock,
    signal,
    handle: (path) => importOne(frame, { ...flags, wait: true }, mappingPath, path),
    idle: async () => {
      if (world.clock.now() < looked + 60_000) return;
      looked = world.clock.now();
      await teller?.due();
    },
    say: (line) => world.stderr.write(`rowferry: ${line}\n`),
  });
}

const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What is wrong with one file does not stop the others. */
async function importOne(frame: Frame, flags: CommandFlags, mappingPath: string, path: string): Promise<number> {
  try {
    return await runCommand(frame, flags, mappingPath, (pipeline, options) =>
      pipeline.runImport({ ...options, mappingPath, files: [path] }),
    );
  } catch (thrown) {
    const end = endOf(thrown, frame.signal);
    tellError(frame, end, { json: flags.json === true, debug: false });
    return end.exitCode;
  }
}
