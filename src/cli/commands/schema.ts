/** `rowferry schema`: the mapping language as JSON Schema, for completion and validation in editors. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { mappingJsonSchema } from "../../map/language/mapping-schema.js";
import { ExitCode } from "../../model/exit-code.js";
import { command } from "../command.js";
import { createOutput, shownPath, tell, told } from "../output.js";
import { writeNewFile } from "../write-new-file.js";

export const spec = command({
  flags: { output: ["-o, --output <file>", "write it to this file; an older schema there is replaced"] },
  examples: { "rowferry schema -o mappings/schema.json": "", "rowferry schema > mapping.schema.json": "" },
  notes: [
    "Editors with a YAML language server (VS Code with the extension YAML by Red Hat, and others) then complete and check a mapping whose first line is",
    "  # yaml-language-server: $schema=schema.json",
    "with the path from the mapping to the schema. With --json the schema is the same: it is JSON.",
  ],
  run({ world }, { output, json = false }) {
    // As published.
    const text = `${JSON.stringify(mappingJsonSchema(), null, 2)}\n`;
    if (output === undefined) world.stdout.write(text);
    else {
      const path = resolve(world.cwd, output);
      const shown = shownPath(path, world.cwd);
      writeNewFile(path, text, { force: isSchema(path), shown });
      tell(
        createOutput(world, { json }),
        told({ line: { type: "written", path: shown, kept: false }, text: (line) => [`${line.path} written`] }),
      );
    }
    return Promise.resolve(ExitCode.ok);
  },
});

/** Only a JSON Schema of ours may be replaced. */
function isSchema(path: string): boolean {
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { $ref?: unknown })?.$ref === "#/definitions/Mapping";
  } catch {
    return false;
  }
}
