import { Ajv } from "ajv";
import { parse } from "yaml";
import { conversionNames } from "../../src/map/convert/conversion.js";
import { mappingJsonSchema } from "../../src/map/language/mapping-schema.js";
import { mappingSchema } from "../../src/map/language/mapping-schema.js";
import { mappingWith } from "../support/map.support.js";

interface Node {
  [member: string]: unknown;
  properties?: { [name: string]: Node };
}

const schema = mappingJsonSchema();
describe("the JSON Schema of the mapping language", () => {
  const published = new Ajv({ strict: false, allErrors: false }).compile(schema);

  it.each([
    ["an unknown member", { fils: "x" }],
    ["a wrong version", { version: 1 }],
    [
      "an event whose time is a list",
      { inputs: { rows: { events: { e: { name: "X", key: "once", externalCreatedAt: ["=d"], isPublic: true } } } } },
    ],
    ["a value with members", { inputs: { rows: { rowId: { column: "A" } } } }],
    ["an unknown type", { inputs: { rows: { columns: { a: { header: "A", as: "nubmer" } } } } }],
    ["an unknown option of a type", { inputs: { rows: { columns: { a: { header: "A", as: "number", unit: [] } } } } }],
  ])("refuses %s", (_title, change) => {
    const good = parse(mappingWith({})) as object;
    expect(published(good)).toBe(true);
    expect(published({ ...good, ...change })).toBe(false);
  });

  it("names the members of the program's own schema, no more and no fewer", () => {
    const root = (schema["definitions"] as { [name: string]: Node })["Mapping"];
    expect(Object.keys(root?.properties ?? {}).toSorted()).toEqual(Object.keys(mappingSchema.shape).toSorted());
  });

  it("offers every type of a column", () => {
    const text = JSON.stringify(schema);
    for (const name of conversionNames) expect(text).toContain(`"const":"${name}"`);
  });
});
