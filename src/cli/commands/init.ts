/** `rowferry init [folder] [files…]`: a working folder with settings, and a first mapping of files. Overwrites nothing. */
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { configFileName } from "../../settings/config-file.js";
import { configText, environmentText, ignoreText } from "../folder-files.js";
import type { Frame } from "../frame.js";
import { shownPath } from "../output.js";

const examples = `
Examples:
  rowferry init
  rowferry init imports/waste
  rowferry init imports/waste march.csv   and a first mapping of a file`;

export function define(command: Command, frame: Frame): void {
  command
    .argument("[folder]", "where to make it; default: here")
    .argument("[files...]", "CSV or Excel files; mapping.yaml is then guessed from them")
    .addHelpText("after", examples)
    .action(
      frame.action((folder: string | undefined, files: string[]) => {
        // `init march.csv`: here, with a mapping.
        const isFile = folder !== undefined && isFileAt(resolve(frame.world.cwd, folder));
        return isFile ? init(frame, ".", [folder, ...files]) : init(frame, folder ?? ".", files);
      }),
    );
}

function isFileAt(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function init(frame: Frame, folder: string, files: readonly string[]): Promise<number> {
  const { world } = frame;
  const root = resolve(world.cwd, folder);
  mkdirSync(root, { recursive: true });
  for (const [name, text, what] of [
    [configFileName, configText, "the services to import into"],
    [".env.example", environmentText, "or one service by environment; copy to .env and fill in"],
    [".gitignore", ignoreText, "keeps ledgers and secrets out of version control"],
  ] as const) {
    const path = join(root, name);
    const there = existsSync(path);
    if (!there) writeFileSync(path, text, { flag: "wx" });
    const shown = shownPath(path, world.cwd);
    world.stdout.write(`${there ? "kept" : "made"}  ${shown.padEnd(22)} ${there ? "it was there already" : what}\n`);
  }
  if (files.length > 0) return guessInto(frame, join(root, "mapping.yaml"), files);
  world.stdout.write(
    [
      "",
      "Next: a mapping from a file, and a rehearsal; while no service is set, rows go to a local sandbox",
      "  rowferry guess data.csv -o mapping.yaml",
      "  rowferry check mapping.yaml data.csv",
      "  rowferry import mapping.yaml data.csv",
      "",
    ].join("\n"),
  );
  return ExitCode.ok;
}

/** The mapping tells by itself what is to be done next. */
async function guessInto(frame: Frame, path: string, files: readonly string[]): Promise<number> {
  const { world } = frame;
  const shown = shownPath(path, world.cwd);
  if (existsSync(path)) {
    world.stdout.write(`kept  ${shown.padEnd(22)} it was there already\n`);
    return ExitCode.ok;
  }
  const { guess } = await import("./guess.js");
  return guess(frame, files, { output: path });
}
