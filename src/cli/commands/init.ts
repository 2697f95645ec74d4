/** `rowferry init [folder]`: a working folder with settings to fill in. Overwrites nothing. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ExitCode } from "../../model/exit-code.js";
import { makeFolder } from "../../model/make-folder.js";
import { quotedPath } from "../../model/shell-quoted.js";
import { writeAtomically } from "../../report/atomic-file.js";
import { configFileName } from "../../settings/config-file.js";
import { command, exampleText } from "../command.js";
import { shownPath } from "../output.js";
import { ownFile } from "../world.js";

/**
 * Copied from examples/settings, where they have other names, because npm leaves files such as .gitignore out of
 * packages.
 */
const folderFiles = [
  [configFileName, configFileName, "the services to import into"],
  [".env.example", "example.env", "or one service by environment variables; copy to .env"],
  [".gitignore", "gitignore", "keeps ledgers and secrets out of version control"],
] as const;

const next = {
  "rowferry guess data.csv -o mapping.yaml": "a first mapping from a file",
  "rowferry check mapping.yaml data.csv": "how it reads the file",
  "rowferry import mapping.yaml data.csv": "a rehearsal in a local sandbox",
};

export const spec = command({
  takes: { "[folder]": "the folder to set up; default: the current one" },
  examples: { "rowferry init": "", "rowferry init imports/waste": "" },
  async run({ world: { cwd }, output }, _given, folder = ".") {
    makeFolder(resolve(cwd, folder), 0o777);
    for (const [name, example, what] of folderFiles) {
      const path = resolve(cwd, folder, name);
      const shown = shownPath(path, cwd);
      const kept = existsSync(path);
      if (!kept) await writeAtomically(path, (file) => file.write(ownFile(join("examples/settings", example))), 0o644);
      output.data({ type: "written", path: shown, kept });
      output.text(`${kept ? "kept" : "made"}  ${shown.padEnd(22)} ${kept ? "it existed already" : what}`, true);
    }
    const there = folder === "." ? {} : { [`cd ${quotedPath(shownPath(resolve(cwd, folder), cwd))}`]: "" };
    output.text(exampleText({ ...there, ...next }, [], "Next:"), true);
    return ExitCode.ok;
  },
});
