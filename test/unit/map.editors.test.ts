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

async function completions(text: string) {
  const { document, position } = at(text);
  const { items } = await service.doComplete(document, position, false);
  return items.map(({ label }) => label);
}

async function hover(text: string) {
  const { document, position } = at(text);
  return JSON.stringify((await service.doHover(document, position))?.contents ?? "");
}

const HEAD = "version: 2\nnamespace: test\n";
const column = (text: string) => `${HEAD}inputs:\n  rows:\n    columns:\n      x:\n        ${text}`;
const event = (text: string) => `${HEAD}inputs:\n  rows:\n    events:\n      step:\n        ${text}`;

describe("an editor", () => {
  it.each([
    ["the parts of a mapping", `${HEAD}|`, ["defaults", "inputs", "tables", "columns"]],
    ["the parts of an input", `${HEAD}inputs:\n  rows:\n    |`, ["columns", "skip", "group", "events", "allowEmpty"]],
    ["the options of a column", column("|"), ["header", "as", "default", "oneOf"]],
    ["the types of columns", column("as: |"), ["number", "timestamp", "taxId", "phone"]],
    ["the fields of an event", event("|"), ["name", "key", "externalCreatedAt", "isPublic", "attributes"]],
    ["the visibilities of attributes", event("attributes:\n          |"), ["public", "private", "asEvent"]],
    ["the values of a choice", `${HEAD}settings:\n  references: |`, ["registered", "inline"]],
  ])("completes %s", async (_what, text, expected) => {
    expect(await completions(text)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    [HEAD.replace("namespace", "name|space"), "Part of every deduplicationId"],
    [column("as: number\n        he|ader: Kg"), "The header of the column"],
    [event("external|CreatedAt: =at"), "When it happened."],
    [event("k|ey: once"), "It makes the deduplicationId"],
    [`${HEAD}settings:\n  link|Time: event`, "When back-references take place"],
  ])("shows on hover what the reference says: %s", async (text, expected) => {
    expect(await hover(text)).toContain(expected);
  });

  it("underlines a misspelt member, and nothing of a sound mapping", async () => {
    const faults = async (text: string) =>
      (await service.doValidation(at(text).document, false)).map((one) => one.message);
    const sound = `${HEAD}inputs:\n  rows:\n    columns: { x: X }\n    documents: { d: { key: =x, mode: existing } }\n`;
    expect(await faults(sound)).toEqual([]);
    expect((await faults(sound.replace("mode:", "mood:"))).join()).toContain("mood");
  });
});
