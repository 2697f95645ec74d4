/** `rowferry schema`: the mapping language as JSON Schema, for completion and validation in editors. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { mappingJsonSchema } from "../../map/json-schema.js";
import { ExitCode } from "../../model/exit-code.js";
import type { Frame } from "../frame.js";
import { shownPath } from "../output.js";
import { writeNewFile } from "../write-new-file.js";

const examples = `
Examples:
  rowferry schema -o mappings/schema.json
  rowferry schema > mapping.schema.json

Editors with a YAML language server (VS Code with the extension YAML by Red
Hat, and others) then complete and check a mapping whose first line is
  # yaml-language-server: $schema=schema.json
with the path from the mapping to the schema.`;

export function define(command: Command, frame: Frame): void {
  command
    .option("-o, --output <file>", "write it to this file; an older schema there is replaced")
    .addHelpText("after", examples)
    .action(frame.action((flags: { output?: string }) => Promise.resolve(schema(frame, flags.output))));
}

function schema({ world }: Frame, output: string | undefined): number {
  const text = schemaText();
  if (output === undefined) {
    world.stdout.write(text);
    return ExitCode.ok;
  }
  const path = resolve(world.cwd, output);
  const shown = shownPath(path, world.cwd);
  writeNewFile(path, text, { force: isSchema(path), shown });
  world.stdout.write(`${shown} written\n`);
  return ExitCode.ok;
}

/** As it is published: two spaces, a line feed at the end. */
export function schemaText(): string {
  return `${JSON.stringify(mappingJsonSchema(), null, 2)}\n`;
}

/** Whether what lies there is a JSON Schema of ours, and may be replaced. */
function isSchema(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const found: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof found === "object" && found !== null && "$ref" in found && found.$ref === "#/definitions/Mapping";
  } catch {
    return false;
  }
}
