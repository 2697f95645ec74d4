/** `rowferry init [folder]`: a working folder with settings to fill in. Overwrites nothing. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ExitCode } from "../../model/exit-code.js";
import { configFileName } from "../config-file.js";
import { configText, environmentText, ignoreText } from "../folder-files.js";
import type { Frame } from "../frame.js";
import { shownPath } from "../output.js";

const examples = `
Examples:
  rowferry init
  rowferry init imports/waste`;

export function define(command: Command, frame: Frame): void {
  command
    .argument("[folder]", "where to make it; default: here")
    .addHelpText("after", examples)
    .action(frame.action((folder: string | undefined) => Promise.resolve(init(frame, folder ?? "."))));
}

function init({ world }: Frame, folder: string): number {
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
  world.stdout.write(
    [
      "",
      "Next: with a mapping and a file, rehearse; while no service is set, rows go to a local sandbox",
      "  rowferry import mapping.yaml data.csv",
      "",
    ].join("\n"),
  );
  return ExitCode.ok;
}
