/** HARD-CASES H25: what makes keys has a fingerprint. */
import { describe, expect, it } from "vitest";
import { load, mappingWith } from "./map.support.js";

const BASE = mappingWith({
  attributes: "A: { column: X, isPublic: true }",
  more: `
weighing: { name: W, key: { column: [Ticket, Talão], as: upper }, externalCreatedAt: { column: Day }, isPublic: true }
note: { name: N, key: content, within: file, externalCreatedAt: { column: Day }, isPublic: true, attributes: { B: { column: Y, isPublic: true } } }`,
});

async function changed(edit: (yaml: string) => string): Promise<string[]> {
  const [before, after] = [await load(BASE), await load(edit(BASE))];
  expect(edit(BASE)).not.toBe(BASE);
  return [...before.fingerprints]
    .filter(([name, print]) => after.fingerprints.get(name) !== print)
    .map(([name]) => name);
}

const ALL = ["paper", "paper/step", "paper/weighing", "paper/note"];

describe("the fingerprint of what makes a key", () => {
  it("exists for every kind of document and event, and is the same for the same mapping", async () => {
    const [one, two] = [await load(BASE), await load(BASE)];
    expect([...one.fingerprints.keys()]).toEqual(ALL);
    expect([...two.fingerprints]).toEqual([...one.fingerprints]);
  });

  it("changes with the namespace and the document's key, for everything", async () => {
    expect(await changed((yaml) => yaml.replace("namespace: test", "namespace: other"))).toEqual(ALL);
    expect(await changed((yaml) => yaml.replace("key: { column: Doc }", "key: { column: Doc, as: upper }"))).toEqual(
      ALL,
    );
  });

  it("changes with an event's own key or its conversion, for that event alone", async () => {
    expect(await changed((yaml) => yaml.replace("as: upper", "as: lower"))).toEqual(["paper/weighing"]);
    expect(await changed((yaml) => yaml.replace("key: once", "key: { column: Z }"))).toEqual(["paper/step"]);
  });

  it("changes with anything that an event by content is made of", async () => {
    expect(await changed((yaml) => yaml.replace("column: Y", "column: Z"))).toEqual(["paper/note"]);
    expect(await changed((yaml) => yaml.replace("name: Casa", "name: Sede"))).toEqual(["paper/note"]);
  });

  it("changes with time zone, formats and blank words where a key is converted or computed", async () => {
    expect(await changed((yaml) => yaml.replace("UTC", "America/Sao_Paulo"))).toEqual(["paper/weighing", "paper/note"]);
    expect(await changed((yaml) => yaml.replace("country: BR }", 'country: BR, blank: ["?"] }'))).toEqual([
      "paper/note",
    ]);
  });

  it("does not change with another input for the same kind that makes keys the same way", async () => {
    const [, input = ""] = /^inputs:\n([\s\S]*)$/mu.exec(BASE) ?? [];
    const twice = `${BASE}${input.replace("  rows:", '  more:\n    files: "*.tsv"')}`.replace(
      "  rows:\n",
      '  rows:\n    files: "*.csv"\n',
    );
    expect([...(await load(twice)).fingerprints]).toEqual([...(await load(BASE)).fingerprints]);
  });

  it("does not change with what enters no key", async () => {
    expect(await changed((yaml) => yaml.replace("column: X", "column: Z"))).toEqual([]);
    expect(await changed((yaml) => yaml.replace("[Ticket, Talão]", "[TICKET, Talão, Vale]"))).toEqual([]);
  });

  it("changes with which of several columns of one header a key reads, and with that of no other column", async () => {
    const named = (column: string, nth: number) =>
      BASE.replace("  rows:\n", `  rows:\n    columns: { ${column}: { headers: [Note], nth: ${nth} of 2 } }\n`);
    const differ = async (key: string, column: string) => {
      const [one, two] = [1, 2].map((nth) => named(column, nth).replace("key: { column: Doc }", key));
      const [before, after] = [await load(one ?? ""), await load(two ?? "")];
      return before.fingerprints.get("paper") !== after.fingerprints.get("paper");
    };
    const quoted = `'Say "a"'`;
    expect(await differ(`key: { column: ${quoted} }`, quoted)).toBe(true);
    expect(await differ("key: { template: '{Doc}-{Second}' }", "Second")).toBe(true);
    expect(await differ(`key: { expr: "row['Second']" }`, "Second")).toBe(true);
    // Names that stand in the text of a key, and are not read by it.
    for (const column of ["col", "Do", "upper", "as"])
      expect([column, await differ("key: { column: Doc, as: upper }", column)]).toEqual([column, false]);
  });
});
