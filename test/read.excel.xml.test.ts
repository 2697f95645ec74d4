/** The XML scanner against saxes, its oracle: the same events for what both take, and nothing taken that saxes refuses. */
import * as fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, test } from "vitest";
import { XmlScanner } from "../src/read/excel/xml-scanner.js";
import { excelFixtureEntries, excelFixtures } from "./read/read-excel-fixture.js";
import { entryText } from "./read/write-zip.js";

/** Open, close and text events as texts, neighbouring texts joined; or `refused`. */
function scanned(pieces: readonly string[]): string[] | "refused" {
  const events: string[] = [];
  try {
    const scanner = new XmlScanner({
      open: (name, attributes) => {
        const shown = [...attributes].map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(" ");
        events.push(`<${name} ${shown}`);
      },
      close: (name) => events.push(`>${name}`),
      text: (text) => addText(events, text),
    });
    for (const piece of pieces) scanner.write(piece);
    scanner.end();
  } catch {
    return "refused";
  }
  return events;
}

function bySaxes(text: string): string[] | "refused" {
  const events: string[] = [];
  const parser = new SaxesParser({ xmlns: false as const });
  let depth = 0;
  parser.on("opentag", ({ name, attributes }) => {
    depth++;
    const shown = Object.entries(attributes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    events.push(`<${name} ${shown.join(" ")}`);
  });
  parser.on("closetag", ({ name }) => {
    depth--;
    events.push(`>${name}`);
  });
  parser.on("text", (piece) => depth > 0 && addText(events, piece));
  parser.on("cdata", (piece) => depth > 0 && addText(events, piece));
  parser.on("doctype", () => {
    throw new Error("refused here");
  });
  try {
    parser.write(text).close();
  } catch {
    return "refused";
  }
  return events;
}

function addText(events: string[], text: string): void {
  if (text === "") return;
  if (events.at(-1)?.startsWith("'") === true) events[events.length - 1] += text;
  else events.push(`'${text}`);
}

const pieces = fc.constantFrom(
  "<a>",
  "</a>",
  "<b/>",
  "<b >",
  "</b >",
  '<c r="1">',
  "</c>",
  "<c r='&lt;\t&#10;\r\n'/>",
  '<a x="1" y="2">',
  "text",
  " ",
  "\r\n",
  "\r",
  "]]>",
  "]]",
  "&amp;",
  "&#65;",
  "&#x1F600;",
  "&#0;",
  "&x;",
  "&",
  "&amp",
  "<!-- c -->",
  "<!-- -- -->",
  "<!---->",
  "<![CDATA[<x>\r&]]>",
  "<![CDATA[",
  "<!DOCTYPE a>",
  "<?pi x?>",
  "<?xml version='1.0'?>",
  "<?pi",
  "<",
  ">",
  "<1>",
  "<a",
  'a="1"',
  "<a b>",
  "<a b=c>",
  '<a b="<"/>',
  '<a b="1"c="2"/>',
  '<a b="1" b="2"/>',
  "</>",
  "<a/ >",
  "\u0001",
  "é😀",
  "<é/>",
  "<!x>",
  "<a.b-c_d/>",
);

describe("the scanner and saxes", () => {
  test("agree on every text made of the pieces of XML, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.boolean(), fc.nat(7), (parts, whole, width) => {
        const body = parts.join("");
        const text = whole ? `<r>${body}</r>` : body;
        const cuts = Array.from({ length: Math.ceil(text.length / (width + 1)) }, (_, index) =>
          text.slice(index * (width + 1), (index + 1) * (width + 1)),
        );
        expect(scanned(cuts)).toEqual(bySaxes(text));
      }),
      { numRuns: 3000 },
    );
  });

  test.each(excelFixtures().filter(({ name }) => name !== "as-open-xml-sdk-writes-it"))(
    "agree on the parts of $name",
    ({ name }) => {
      for (const entry of excelFixtureEntries(name)) {
        const text = entryText(entry);
        const names = /<\w+:/.test(text) ? null : scanned([text]);
        expect(names ?? bySaxes(text)).toEqual(bySaxes(text));
      }
    },
  );

  test.each([
    '<r a="1"',
    "<r>&#xD800;</r>",
    "<r>&#x110000;</r>",
    "<r>&#99999999999;</r>",
    "<r/><r/>",
    "x<r/>",
    "<r/>x",
    "<r></R>",
    "",
    " ",
    "<r>\u0000</r>",
    "<?xml",
  ])("both refuse %j", (text) => {
    expect(scanned([text])).toBe("refused");
    expect(bySaxes(text)).toBe("refused");
  });

  test.each(["\ufeff<r/>", '<?xml version="1.0"?><r/>', "<r/>\n<!-- x -->\n", "<r\n a = '1'\n/>", "<r>&#x10FFFF;</r>"])(
    "both take %j",
    (text) => {
      expect(scanned(text.split(""))).toEqual(bySaxes(text));
      expect(scanned([text])).not.toBe("refused");
    },
  );
});

describe("names", () => {
  test.each([
    ["<x:r xmlns:x='u'><x:a/><a/><y:a/></x:r>", ["r", "a", "", ""]],
    ["<r xmlns='u' xmlns:x='u'><x:a/><a/><y:a/></r>", ["r", "a", "a", ""]],
    ["<r><x:a/><a/></r>", ["r", "", "a"]],
    ["<r xmlns='u'><z:a xmlns:z='u'/><z:b/></r>", ["r", "a", "b"]],
  ])("%s are %j", (text, expected) => {
    const names: string[] = [];
    const scanner = new XmlScanner({ open: (name) => names.push(name), close() {}, text() {} });
    scanner.write(text);
    scanner.end();
    expect(names).toEqual(expected);
  });
});
