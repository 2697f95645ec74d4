import { describe, expect, it } from "vitest";
import { load, mapRows, mappingWith, recordsOf, refusal } from "./map.support.js";

describe("a mistake in a mapping", () => {
  it("is reported with file, line, character, a caret line and the nearest known name", async () => {
    const error = await refusal(mappingWith({ attributes: "A: { colum: X, isPublic: true }" }));
    expect(error.code).toBe("mapping-unknown-key");
    expect(error.place.file).toMatch(/m\.yaml$/u);
    expect(error.hint).toBe('Did you mean "column"?');
    const [, line = "", caret = ""] = error.message.split("\n");
    expect(line.slice(caret.indexOf("^"))).toMatch(/^colum: X/u);
    expect(error.place.character).toBe("        attributes: { A: { colum".indexOf("colum") + 1);
  });

  it("is reported together with all others, in the order of the file", async () => {
    const yaml = mappingWith({ attributes: "A: { colum: X, isPublic: true }", fields: "x: 1" })
      .replace("namespace", "namespce")
      .replace("mode", "x")
      .replace("name: Step\n", "nam: Step\n");
    const error = await refusal(yaml);
    expect(error.code).toBe("mapping-invalid");
    const places = [...error.message.matchAll(/m\.yaml:(\d+):/gu)].map(([, line]) => Number(line));
    expect(places.length).toBeGreaterThanOrEqual(4);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it.each([
    ["YAML that does not parse", "version: '1", "mapping-syntax"],
    ["a member written twice", "version: 1\nversion: 1\nnamespace: x\ninputs: {}", "mapping-syntax"],
    ["another version", mappingWith({}).replace("version: 1", "version: 2"), "mapping-value"],
    ["an empty file", "", "mapping-value"],
    ["a list", "- a", "mapping-value"],
    ["no inputs", "version: 1\nnamespace: x\ninputs: {}", "mapping-value"],
    ["an input without records", "version: 1\nnamespace: x\ninputs: { a: {} }", "mapping-value"],
    [
      "an unknown conversion",
      mappingWith({ attributes: "A: { column: X, as: decimall, isPublic: true }" }),
      "mapping-value",
    ],
    [
      "an unknown option of a conversion",
      mappingWith({ attributes: "A: { column: X, as: { name: decimal, unit: [kg] }, isPublic: true }" }),
      "mapping-unknown-key",
    ],
    ["an unknown time zone", mappingWith({}).replace("UTC", "Mars/Base"), "conversion-options"],
    ["a time as text", mappingWith({}).replace("{ column: Day }", "{ column: Day, as: text }"), "mapping-value"],
    [
      "a truth value as number",
      mappingWith({}).replace("isPublic: true\n", "isPublic: { column: P, as: integer }\n"),
      "mapping-value",
    ],
    [
      "a constant that its place does not take",
      mappingWith({}).replace("countryCode: BR, taxIdType", "countryCode: Atlantis, taxIdType"),
      "mapping-value",
    ],
    ["a wrong tax id", mappingWith({}).replace("0001-81", "0001-82"), "mapping-value"],
    [
      "a default that does not convert",
      mappingWith({ attributes: "A: { column: X, as: decimal, default: many, isPublic: true }" }),
      "mapping-value",
    ],
    ["two sources", mappingWith({ attributes: "A: { column: X, value: y, isPublic: true }" }), "mapping-value"],
    ["no source", mappingWith({ attributes: "A: { as: decimal, isPublic: true }" }), "mapping-value"],
    [
      "an open brace in a template",
      mappingWith({ attributes: 'A: { template: "{X", isPublic: true }' }),
      "mapping-value",
    ],
    [
      "look-around in a pattern",
      mappingWith({ attributes: 'A: { column: X, pattern: "(?!x)", isPublic: true }' }),
      "mapping-pattern",
    ],
    ["an empty condition", mappingWith({ event: "when: {}" }), "mapping-value"],
    ["a condition of another type", mappingWith({ event: "when: { expr: 'row[\"X\"]' }" }), "mapping-expression"],
    ["a field of its own in extra", mappingWith({ event: "extra: { deduplicationId: x }" }), "mapping-value"],
    [
      "a member that has no meaning for a constant",
      mappingWith({ attributes: "A: { value: x, map: { x: y }, isPublic: true }" }),
      "mapping-value",
    ],
  ])("%s is refused", async (_title, yaml, code) => {
    expect((await refusal(yaml)).code).toBe(code);
  });

  it("suggests a conversion that is nearly spelt", async () => {
    const error = await refusal(mappingWith({ attributes: "A: { column: X, as: taxid, isPublic: true }" }));
    expect(error.hint).toBe('Did you mean "taxId"?');
  });

  it("in a file that is not there is said as such", async () => {
    await expect(load("x").then(() => import("../src/map/load-mapping.js"))).rejects.toBeDefined();
    const { loadMapping } = await import("../src/map/load-mapping.js");
    await expect(loadMapping("/nowhere/m.yaml")).rejects.toMatchObject({ code: "mapping-missing" });
  });
});

describe("merge keys of a mapping", () => {
  const event = "name: Step, key: once, externalCreatedAt: { column: Day }, isPublic: true";
  it("give a record the members of another one, with the mistakes at their own line", async () => {
    const yaml = mappingWith({ more: `one: &one { ${event} }\ntwo: { <<: *one, name: Other }` });
    expect(
      recordsOf(mapRows(await load(yaml), [{ Doc: "1", Day: "01/02/2026" }])).events.map(({ name }) => name),
    ).toEqual(["Step", "Step", "Other"]);
    const wrong = await refusal(yaml.replace("&one { name", "&one { nam"));
    const line = yaml.split("\n").findIndex((text) => text.includes("one: &one")) + 1;
    expect(wrong.message).toContain(`:${line}:`);
  });

  it("stay within the bounds of size", async () => {
    const levels = Array.from("bcdefghijk").map(
      (name, index) =>
        `  ${name}: &${name} { x${index}: { ${Array.from({ length: 9 }, (_, part) => `y${part}: { <<: *${"abcdefghijk"[index]} }`).join(", ")} } }`,
    );
    expect(await refusal(`a: &a { x: 1 }\n${levels.join("\n").replace(/^ {2}/gmu, "")}`)).toMatchObject({
      code: "mapping-too-large",
    });
  });
});
