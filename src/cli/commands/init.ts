/** `rowferry init [folder] [files…]`: a working folder with settings, and a first mapping of files. Overwrites nothing. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ExitCode } from "../../model/exit-code.js";
import { makeFolder } from "../../model/make-folder.js";
import { configFileName } from "../../settings/config-file.js";
import { command } from "../command.js";
import { createOutput, shownPath } from "../output.js";
import { ownFile } from "../own-file.js";
import { firstMapping, nextSteps } from "../welcome.js";

/** Of examples/settings, without the names that npm leaves out of packages. */
const folderFiles = [
  [configFileName, configFileName, "the services to import into"],
  [".env.example", "example.env", "or one service by environment; copy to .env"],
  [".gitignore", "gitignore", "keeps ledgers and secrets to yourself"],
] as const;

export const spec = command({
  takes: {
    "[folder]": "where to make it; default: here",
    "[files...]": "CSV or Excel files; mapping.yaml is then guessed from them",
  },
  examples: {
    "rowferry init": "",
    "rowferry init imports/waste": "",
    "rowferry init imports/waste march.csv": "and a first mapping of a file",
  },
  async run(frame, { json = false }, named: string | undefined, others: string[]) {
    const { cwd } = frame.world;
    const output = createOutput(frame.world, { json });
    // `init march.csv`: here, with a mapping.
    const isFile = named !== undefined && statSync(resolve(cwd, named), { throwIfNoEntry: false })?.isFile() === true;
    const root = resolve(cwd, isFile ? "." : (named ?? "."));
    const files = isFile ? [named, ...others] : others;
    const say = (path: string, isThere: boolean, what: string) => {
      const shown = shownPath(path, cwd);
      output.data({ type: "written", path: shown, kept: isThere });
      output.text(`${isThere ? "kept" : "made"}  ${shown.padEnd(22)} ${isThere ? "it was there already" : what}`, true);
    };
    makeFolder(root, 0o777);
    for (const [name, example, what] of folderFiles) {
      const path = join(root, name);
      const isThere = existsSync(path);
      if (!isThere) writeFileSync(path, ownFile(`examples/settings/${example}`), { flag: "wx" });
      say(path, isThere, what);
    }
    const mapping = join(root, "mapping.yaml");
    if (files.length === 0) output.text(nextSteps(firstMapping), true);
    else if (existsSync(mapping)) say(mapping, true, "");
    else {
      const { guess } = await import("./guess.js");
      // It prints the next steps.
      await guess(frame, files, { output: mapping, json });
    }
    return ExitCode.ok;
  },
});
