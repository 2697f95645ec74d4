/** What an editor shows while a mapping is written: the YAML language server, with the mapping language's JSON Schema. */
import { getLanguageService } from "yaml-language-server";
import { TextDocument } from "vscode-languageserver-textdocument";
import { mappingJsonSchema } from "../../src/map/language/mapping-schema.js";

const service = getLanguageService({
  schemaRequestService: () => Promise.reject(new Error("no schema is fetched")),
  workspaceContext: { resolveRelativePath: (path) => path },
});
service.configure({
  validate: true,
  hover: true,
  completion: true,
  schemas: [{ uri: "file:///schema.json", fileMatch: ["*"], schema: mappingJsonSchema() }],
});

let version = 0;

/** A mapping with a bar where the cursor stands. */
function at(text: string) {
  const offset = text.indexOf("|");
  const document = TextDocument.create("file:///m.yaml", "yaml", ++version, text.replace("|", ""));
  return { document, position: document.positionAt(offset) };
}

const HEAD = "version: 2\nnamespace: test\n";

describe("an editor", () => {
  it("underlines a misspelt member, and nothing of a sound mapping", async () => {
    const faults = async (text: string) =>
      (await service.doValidation(at(text).document, false)).map((one) => one.message);
    const sound = `${HEAD}inputs:\n  rows:\n    columns: { x: X }\n    documents: { d: { key: =x, mode: existing } }\n`;
    expect(await faults(sound)).toEqual([]);
    expect((await faults(sound.replace("mode:", "mood:"))).join()).toContain("mood");
  });
});
