/** The output of `rowferry` alone: the next steps in this folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configFileName } from "../settings/config-file.js";
import { exampleText } from "./command.js";
import type { World } from "./world.js";

export function welcome({ cwd }: World): string {
  const isStarted = [configFileName, ".env", "state"].some((name) => existsSync(join(cwd, name)));
  const next = exampleText(isStarted ? onTheWay : firstContact).replace("Examples:", "Next:");
  return `Rowferry carries spreadsheet rows to document timelines: exactly once, in order,
at the speed limit.
${next}

rowferry --help lists all commands; rowferry <command> --help tells more of one.
`;
}

const firstContact = {
  "rowferry guess data.csv -o mapping.yaml": "a first mapping, from your file",
  "rowferry check mapping.yaml data.csv": "how it reads the file",
  "rowferry import mapping.yaml data.csv": "a rehearsal in a local sandbox",
  "rowferry init": "settings, when a service is to be used",
};

const onTheWay = {
  "rowferry status": "what is open, and what it waits for",
  "rowferry rejects": "the rows to correct, as files",
  "rowferry plan mapping.yaml data.csv": "what an import would send",
  "rowferry import mapping.yaml data.csv": "send it",
};
