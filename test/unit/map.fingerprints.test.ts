/** HARD-CASES H25: what makes keys has a fingerprint. */
import { load, mappingWith } from "../support/map.support.js";
import { sampled } from "../support/sample.js";

const BASE = mappingWith({
  columns: "x: X\ny: Y\nz: Z\nticket: { header: [Ticket, Talão], as: upper }",
  attributes: "A: =x",
  more: `
weighing: { name: W, key: =ticket, externalCreatedAt: =day, isPublic: true }
note: { name: N, key: content, within: file, externalCreatedAt: =day, isPublic: true, attributes: { public: { B: =y } } }`,
});

/** Of what the fingerprints differ where the mapping has this in place of that. */
async function changed(text: string, edited: string) {
  const yaml = BASE.replace(text, edited);
  const [before, after] = [await load(BASE), await load(yaml)];
  expect(yaml).not.toBe(BASE);
  return ALL.filter((name) => before.keyMakers.fingerprints.get(name) !== after.keyMakers.fingerprints.get(name));
}

const ALL = ["paper", "paper/step", "paper/weighing", "paper/note"];

describe("the fingerprint of what makes a key", () => {
  it("exists for every kind of document and event, and is the same for the same mapping", async () => {
    const [one, two] = [await load(BASE), await load(BASE)];
    expect([...one.keyMakers.fingerprints.keys()]).toEqual(ALL);
    expect([...two.keyMakers.fingerprints]).toEqual([...one.keyMakers.fingerprints]);
  });

  it.each(
    sampled(
      [
        ["the namespace, for everything", "namespace: test", "namespace: other", ALL],
        ["the document's key, for everything", "key: =doc", "key: =upper(doc)", ALL],
        ["the conversion of an event's own key, for that event alone", "as: upper", "as: lower", ["paper/weighing"]],
        ["an event's own key, for that event alone", "key: once", "key: =z", ["paper/step"]],
        ["what an event by content is made of", "B: =y", "B: =z", ["paper/note"]],
        ["who sees it", "public: { B: =y }", "private: { B: =y }", ["paper/note"]],
        ["whom it names", "name: Casa", "name: Sede", ["paper/note"]],
        ["the time zone of what a key is made of", "UTC", "America/Sao_Paulo", ["paper/note"]],
        ["the blank words of that", "country: BR }", 'country: BR, blank: ["?"] }', ["paper/note"]],
        ["nothing that enters no key", "A: =x", "A: =z", []],
        ["no further header of a column", "[Ticket, Talão]", "[TICKET, Talão, Vale]", []],
        ["another header of a column", "doc: Doc", "doc: Nr", ALL],
        ["its default", "doc: Doc", "doc: { header: Doc, default: none }", ALL],
      ],
      2,
    ),
  )("changes with %s", async (_what, text, edited, names) => {
    expect(await changed(text, edited)).toEqual(names);
  });

  it.each(
    sampled(
      [
        ["a default", "{ header: Line, default: '0' }", "=x", { blank: ["", "-"] }, true],
        ["a blank branch", "Line", "=iff(blank(x), y, x)", { blank: ["", "-"] }, true],
        ["no view of blanks", "{ header: Line (kg), as: upper }", "=upper(x) + text(y)", { blank: ["", "-"] }, false],
        ["a type", "{ header: Line, as: timestamp }", "=x", { timezone: "Asia/Tokyo" }, true],
        ["a function of a type", "Line", '=timestamp(x + " " + y)', { timezone: "Asia/Tokyo" }, true],
        ["another such function", "Line", "=number(x)", { decimal: "." }, true],
        [
          "a format of its own",
          "{ header: Line, as: date, formats: [dd/MM/yyyy] }",
          "=x",
          { dates: ["yyyy-MM-dd"] },
          false,
        ],
        ["a type without the setting", "{ header: Line, as: taxId }", "=x", { timezone: "Asia/Tokyo" }, false],
        ["a function without settings", "Line", "=upper(x)", { timezone: "Asia/Tokyo" }, false],
      ],
      2,
    ),
  )("changes with a setting where the key depends on it, and only there: %s", async (_what, x, key, edit, isTold) => {
    const whole = BASE.replace("x: X", `x: ${x}`).replace("key: =ticket", `key: '${key}'`);
    const defaults = { timezone: "UTC", decimal: ",", dates: ["dd/MM/yyyy"], country: "BR", ...edit };
    const edited = whole.replace(/defaults: .*/u, `defaults: ${JSON.stringify(defaults)}`);
    const [before, after] = [await load(whole), await load(edited)];
    const print = ({ keyMakers }: typeof before) => keyMakers.fingerprints.get("paper/weighing");
    expect(print(before) !== print(after)).toBe(isTold);
  });

  const related = "relatedDocument: { document: { id: other }, isPublic: true }";
  const target = "target: { document: lot, key: =z, participant: owner, address: home }";
  it.each(
    sampled(
      [
        ["how it links", related, related.replace("true }", "true, bidirectional: true }")],
        ["the name of the document that it creates", target, target.replace("lot", "batch")],
        ["whether that one has an externalId", target, target.replace("=z", "=z, externalId: null")],
        ["where free content stands", "extra: { a: { b: 1 }, c: 2 }", "extra: { a: { b: 1, c: 2 } }"],
        ["the name of an address with a key", "address: { ref: home, key: =z }", "address: { ref: yard, key: =z }"],
      ],
      2,
    ),
  )("of an event by content changes with %s", async (_what, text, edited) => {
    const more = (part: string) =>
      `${BASE.replace("within: file,", `within: file, ${part},`)}elsewhere: { addresses: [home, yard] }\n`;
    const [before, after] = [await load(more(text)), await load(more(edited))];
    expect(after.keyMakers.fingerprints.get("paper/note")).not.toBe(before.keyMakers.fingerprints.get("paper/note"));
  });

  it("changes with the group where a key is computed over it", async () => {
    const grouped = BASE.replace("  rows:\n", "  rows:\n    group: [=doc, =y]\n").replace(
      "key: =ticket",
      "key: =join(x)",
    );
    const [before, after] = [await load(grouped), await load(grouped.replace("[=doc, =y]", "=doc"))];
    const differ = ALL.filter(
      (name) => before.keyMakers.fingerprints.get(name) !== after.keyMakers.fingerprints.get(name),
    );
    expect(differ).toEqual(["paper/weighing", "paper/note"]);
  });

  it("does not change with another input for the same kind that makes keys the same way", async () => {
    const [, input = ""] = /^inputs:\n([\s\S]*)$/mu.exec(BASE) ?? [];
    const twice = `${BASE}${input.replace("  rows:", '  more:\n    files: "*.tsv"')}`.replace(
      "  rows:\n",
      '  rows:\n    files: "*.csv"\n',
    );
    expect([...(await load(twice)).keyMakers.fingerprints]).toEqual([...(await load(BASE)).keyMakers.fingerprints]);
  });

  it("does not change where a column gets another name", async () => {
    const renamed = await load(BASE.replace("doc: Doc", "number: Doc").replace("=doc", "=number"));
    expect([...renamed.keyMakers.fingerprints]).toEqual([...(await load(BASE)).keyMakers.fingerprints]);
  });

  it("changes with which of several columns of one header a key reads, also through a formula", long, async () => {
    for (const key of ["=second", "=doc + second", "=fold(second)"]) {
      const [one, two] = [1, 2].map((nth) =>
        BASE.replace("doc: Doc", `doc: Doc\n      second: { header: Note, nth: ${nth} of 2 }`).replace(
          "key: =doc",
          `key: ${key}`,
        ),
      );
      const [before, after] = [await load(one ?? ""), await load(two ?? "")];
      expect([key, before.keyMakers.fingerprints.get("paper") === after.keyMakers.fingerprints.get("paper")]).toEqual([
        key,
        false,
      ]);
    }
  });

  it.each(
    sampled(
      [
        ["words of `is`", "is: [A, B]", "is: [A, B, C]"],
        [
          "another event by that column",
          "more: {",
          "third: { by: kind, is: D, name: D, key: once, externalCreatedAt: =day, isPublic: true }\n      more: {",
        ],
        ["texts of `map`", "map: { a: x }", "map: { a: x, b: y }"],
        ["values of `oneOf`", "oneOf: [u, v]", "oneOf: [u, v, w]"],
        ["units", "units: [kg]", "units: [kg, g]"],
        ["formats of dates", '["dd/MM/yyyy"]', '[yyyy-MM-dd, "dd/MM/yyyy"]'],
      ],
      2,
    ),
  )("is the same without lists where there are further %s", async (_what, text, edited) => {
    const yaml = mappingWith({
      columns: `kind: Kind\nm: { header: M, map: { a: x } }\no: { header: O, oneOf: [u, v] }\nn: { header: N, as: number, units: [kg] }`,
      event: "by: kind\nis: [A, B]",
      more: "more: { by: kind, is: [E], name: E, key: [=kind, =m, =o, =n, =day, =date(m)], externalCreatedAt: =day, isPublic: true }",
    });
    const [before, after] = [await load(yaml), await load(yaml.replace(text, edited))];
    expect(yaml).toContain(text);
    const lean = ({ keyMakers }: typeof before) => keyMakers.lean().get("paper/more");
    expect(lean(after)).toBe(lean(before));
    expect(after.keyMakers.fingerprints.get("paper/more")).not.toBe(before.keyMakers.fingerprints.get("paper/more"));
  });
});
