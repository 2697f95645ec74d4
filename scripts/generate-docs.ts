/** Writes the documents that are made from the program: `npx tsx scripts/generate-docs.ts`. A test fails while one is stale. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mappingJsonSchema } from "../src/map/language/mapping-schema.js";
import { codesReference } from "./docs/codes-reference.js";
import { commandsReference } from "./docs/commands-reference.js";
import { exitCodesReference } from "./docs/exit-codes-reference.js";
import { jsonLinesReference } from "./docs/json-lines-reference.js";
import { ledgerReference } from "./docs/ledger-reference.js";
import { mappingReference } from "./docs/mapping-reference.js";
import { publicApiReference } from "./docs/public-api.js";
import { settingsReference } from "./docs/settings-reference.js";

/** Each generated file, by its path in the project, and how its text is made. */
export const generatedDocs: readonly { path: string; make: () => string | Promise<string> }[] = [
  { path: "docs/reference/commands.md", make: commandsReference },
  { path: "docs/reference/settings.md", make: settingsReference },
  { path: "docs/reference/exit-codes.md", make: exitCodesReference },
  { path: "docs/reference/public-api.md", make: publicApiReference },
  { path: "docs/reference/json-lines.md", make: jsonLinesReference },
  { path: "docs/reference/codes.md", make: codesReference },
  { path: "docs/reference/mapping.md", make: mappingReference },
  { path: "docs/reference/ledger.md", make: ledgerReference },
  { path: "mappings/schema.json", make: () => `${JSON.stringify(mappingJsonSchema(), null, 2)}\n` },
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  for (const { path, make } of generatedDocs) await writeFile(join(root, path), await make());
}
