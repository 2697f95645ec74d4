/** `rowferry schema`: the mapping language as JSON Schema, for completion and validation in editors. */
import { mappingJsonSchema } from "../../map/language/mapping-schema.js";
import { ExitCode } from "../../model/exit-code.js";
import { command } from "../command.js";

export const spec = command({
  examples: { "rowferry schema > mappings/schema.json": "" },
  notes: [
    "Editors with a YAML language server (such as VS Code with Red Hat's YAML extension) then complete and check a mapping whose first line is",
    "  # yaml-language-server: $schema=schema.json",
    "with the path from the mapping to the schema. --json changes nothing: the schema is JSON.",
  ],
  run({ world }) {
    // As published.
    world.stdout.write(`${JSON.stringify(mappingJsonSchema(), null, 2)}\n`);
    return Promise.resolve(ExitCode.ok);
  },
});
