/** What `rowferry` alone says: what to do next in this folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { configFileName } from "../settings/config-file.js";
import type { World } from "./world.js";

export function welcome(world: World): string {
  const started = [configFileName, ".env", "state"].some((name) => existsSync(join(world.cwd, name)));
  const lines = [
    "Rowferry carries spreadsheet rows to document timelines: exactly once, in order, at the speed limit.",
    "",
    ...(started ? onTheWay : firstContact),
    "",
    "rowferry --help lists all commands; rowferry <command> --help tells more about one.",
  ];
  return `${lines.join("\n")}\n`;
}

const firstContact = [
  "Next:",
  "  rowferry guess data.csv -o mapping.yaml   a first mapping, made from your file",
  "  rowferry check mapping.yaml data.csv      what the mapping makes of it, row by row",
  "  rowferry import mapping.yaml data.csv     a rehearsal: without settings rows go to a local sandbox",
  "  rowferry init                             settings to fill in, when a service is to be used",
];

const onTheWay = [
  "Next:",
  "  rowferry status                         what is open, and what it waits for",
  "  rowferry rejects                        the rows that a person must change, as files",
  "  rowferry plan mapping.yaml data.csv     what an import would send, and how long it would take",
  "  rowferry import mapping.yaml data.csv   send it",
];
