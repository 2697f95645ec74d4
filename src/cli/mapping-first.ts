/** A mapping and a file in each other's place: the most likely slip of all, told as such. */
import { RowferryError } from "../model/error.js";
import { shellQuoted } from "../report/next-steps.js";

/** @throws RowferryError `usage` where the first argument is a data file and a mapping stands among the others. */
export function checkMappingFirst(command: string, mappingPath: string, files: readonly string[]): void {
  if (!/\.(csv|tsv|txt|xlsx|xlsm)(\.gz)?$/i.test(mappingPath)) return;
  const mapping = files.find((file) => /\.ya?ml$/i.test(file));
  if (mapping === undefined) return;
  const others = [mappingPath, ...files.filter((file) => file !== mapping)];
  throw new RowferryError("usage", "the mapping comes first, then the files", {
    hint: `Type: rowferry ${command} ${[mapping, ...others].map(shellQuoted).join(" ")}`,
  });
}
