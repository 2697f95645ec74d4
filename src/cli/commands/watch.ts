/** `rowferry watch <mapping> <folder>`: imports files as they come, for those who have no scheduler. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { addOutputFlags, addRunFlags, addTargetFlags, duration } from "../flags.js";
import type { Frame } from "../frame.js";
import { checkMappingFirst } from "../mapping-first.js";
import { configFileName } from "../../settings/config-file.js";
import { resolveTarget } from "../../settings/target.js";
import { endOf, tellThrown } from "../report-error.js";
import { type CommandFlags, runCommand, tellerOf } from "../run-command.js";

const examples = `
Examples:
  rowferry watch manifests.yaml inbox
  rowferry watch manifests.yaml inbox --move-to done --target production
  rowferry watch manifests.yaml inbox --once      what is there now, then end

A file is imported once it has not changed for --settle, or as soon as
<name>.done lies beside it. One at a time, in order. Ctrl-C or SIGTERM ends it.`;

type Flags = CommandFlags & { moveTo?: string; order: "name" | "time"; settle: number; every: number; once?: boolean };

export function define(command: Command, frame: Frame): void {
  command.argument("<mapping>", "the mapping file (YAML)").argument("<folder>", "where the files come to lie");
  addOutputFlags(addRunFlags(addTargetFlags(command, { sending: true })))
    .option("--move-to <folder>", "move files there once they are imported")
    .addOption(new Option("--order <what>", "which file goes first").choices(["name", "time"]).default("name"))
    .addOption(
      new Option("--settle <time>", "a file is complete when it has not changed for this long")
        .argParser(duration)
        .default(10_000, "10s"),
    )
    .addOption(new Option("--every <time>", "how often to look").argParser(duration).default(5000, "5s"))
    .option("--once", "import what is there, then end")
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
    settleMs: flags.settle,
    everyMs: flags.every,
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
    tellThrown(frame, thrown, flags);
    return endOf(thrown, frame.signal).exitCode;
  }
}
