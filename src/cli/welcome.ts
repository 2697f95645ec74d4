/** The output of `rowferry` alone: the next steps in this folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configFileName } from "../settings/config-file.js";
import { exampleText } from "./command.js";
import type { World } from "./world.js";

export function welcome({ cwd }: World): string {
  const has = (name: string) => existsSync(join(cwd, name));
  const steps = has("state") ? onTheWay : has(configFileName) || has(".env") ? settled : firstContact;
  return `Rowferry carries spreadsheet rows to document timelines: exactly once, in order,
at the speed limit.
${nextSteps(steps)}

rowferry --help lists all commands; rowferry <command> --help tells more of one.
`;
}

export const nextSteps = (steps: { [typed: string]: string }): string =>
  exampleText(steps).replace("Examples:", "Next:");

export const firstMapping = {
  "rowferry guess data.csv -o mapping.yaml": "a first mapping from a file",
  "rowferry check mapping.yaml data.csv": "how it reads the file",
  "rowferry import mapping.yaml data.csv": "a rehearsal in a local sandbox",
};

/** Its ledgers may lie elsewhere. */
const settled = {
  ...firstMapping,
  "rowferry status": "what is open, once something was imported",
};

const firstContact = {
  ...firstMapping,
  "rowferry init": "settings, when a service is to be used",
};

const onTheWay = {
  "rowferry status": "what is open, and what it waits for",
  "rowferry rejects": "the rows to correct, as files",
  "rowferry plan mapping.yaml data.csv": "what an import would send",
  "rowferry import mapping.yaml data.csv": "send it",
};
