/** Telling encodings apart: the byte scan against Node's own UTF-8 check, and every byte of windows-1252. */
import { isUtf8 } from "node:buffer";
import * as fc from "fast-check";
import iconv from "iconv-lite";
import { asUtf8, canonicalEncoding, chooseEncoding, MARK } from "../../src/read/csv/encoding.js";
import { faultOf } from "../../src/read/opened-file.js";
import { brief, readFile, temporaryFile } from "../support/read/read-file.js";
import { drawn } from "../support/sample.js";
import { gives } from "../support/gives.js";

const pieces = fc.array(
  fc.oneof(
    fc.constantFrom("a", "\n", "\r", "\r\n", "é", "€", "😀", "\u07ff", "\uffff").map((text) => Buffer.from(text)),
    fc
      .constantFrom(
        [0xc0, 0x80],
        [0xe0, 0x80, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xf5],
        [0xc3],
        [0xe2, 0x82],
        [0xf0, 0x9f, 0x98],
        [0x80],
      )
      .map((bytes) => Buffer.from(bytes)),
  ),
  { maxLength: 12 },
);

/** The bytes in chunks of the given sizes. */
async function* chunked(bytes: Buffer, sizes: number[]): AsyncGenerator<Buffer> {
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}

async function textOf(chunks: AsyncIterable<Buffer>) {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

test(
  "what is not UTF-8 is marked on its own lines, in chunks of any size, overlong forms and surrogates included",
  long,
  async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(pieces, sizes, async (parts, lengths) => {
        const bytes = Buffer.concat([Buffer.from("ação\nção\nçã\nçãé\nçãéà\nã\nõ\nô\nà\nü\né\nê\nó\n"), ...parts]);
        const file = { fault: faultOf("x"), chunks: () => chunked(bytes, lengths) };
        const encoding = await chooseEncoding(file, bytes, {});
        const text = await textOf(asUtf8(file.chunks(), encoding));
        const lines = bytes
          .toString("latin1")
          .split(/\r\n|\r|\n/)
          .map((line) => Buffer.from(line, "latin1"));
        expect(encoding).toMatchObject({ name: "utf-8", mixed: !isUtf8(bytes) });
        expect(text.split(/\r\n|\r|\n/).map((line) => line.includes(MARK))).toEqual(lines.map((line) => !isUtf8(line)));
        expect(text.replaceAll(MARK, "")).toBe(bytes.toString());
      }),
      { numRuns: drawn(80, 1_000) },
    );
  },
);

test("every byte of windows-1252 is decoded as iconv-lite has it, whatever else is in its chunk", async () => {
  for (let byte = 0; byte < 256; byte++) {
    const bytes = Buffer.from([0x61, 0x62, 0x63, 0x64, 0xe3, byte, 0x41]);
    const file = { fault: faultOf("x"), chunks: () => chunked(bytes, [3]) };
    const text = await textOf(asUtf8(file.chunks(), await chooseEncoding(file, bytes, { encoding: "windows-1252" })));
    expect(text.replaceAll(MARK, "")).toBe(iconv.decode(bytes, "windows-1252"));
  }
});

gives("%s is the encoding %s", (name) => canonicalEncoding(name), {
  UTF8: "utf-8",
  utf_8: "utf-8",
  "Windows-1252": "windows-1252",
  cp1252: "windows-1252",
  "ISO-8859-15": "iso-8859-15",
  "UCS-2": "utf-16le",
  klingon: null,
});

const LETTERS = "aéñüçśđžćņğışĄαβωψдёжщїђאבשابجกขฃ中文表的日本ーカ한국ẫợאֿქართ";

/** All that iconv-lite knows, each by one of its names; but those that turn bytes into other bytes. */
function allEncodings() {
  iconv.encodingExists("utf-8");
  const { encodings } = iconv as unknown as { encodings: Record<string, unknown> };
  const names = Object.keys(encodings).filter((name) => typeof encodings[name] === "object" && !name.startsWith("_"));
  return [...names, "utf-8", "utf-16", "utf-32", "gbk", "big5"].filter((name) => canonicalEncoding(name) !== null);
}

test("a file in any encoding there is, named so, is read to the letter", long, async () => {
  const names = allEncodings();
  expect(names.length).toBeGreaterThan(80);
  for (const encoding of names) {
    const known = Array.from(LETTERS).filter(
      (letter) => iconv.decode(iconv.encode(letter, encoding), encoding) === letter,
    );
    const table = await readFile(
      await temporaryFile(iconv.encode(`id;texto\n1;${known.join("")}\n2;Sao\n`, encoding)),
      { csv: { encoding } },
    );
    expect([encoding, brief(table.rows)]).toEqual([
      encoding,
      [
        [2, ["1", known.join("")]],
        [3, ["2", "Sao"]],
      ],
    ]);
  }
});

test.each(["base64", "hex", "binary"])("%s is no encoding of text", async (encoding) => {
  const path = await temporaryFile("id;texto\n1;a\n");
  await expect(readFile(path, { csv: { encoding } })).rejects.toMatchObject({ code: "encoding-unknown" });
});

const SCRIPTS = {
  Cyrillic: "Москва и Нижний Новгород",
  Arabic: "القاهرة والإسكندرية",
  Thai: "กรุงเทพมหานคร",
  Chinese: "一上海市一北京市中华人民共和国",
  Japanese: "東京都と大阪府カタカナ",
  emoji: "🚛🚚📦🗑️",
};
const WIDE = ["utf-16le", "utf-16be", "utf-32le", "utf-32be"];

test.each(Object.entries(SCRIPTS))(
  "%s in UTF-16 or UTF-32 without a byte order mark is read, and told",
  async (_, words) => {
    const headers = words.split(" ");
    const lines = Array.from({ length: 30 }, (__, index) => `${words}${index};${words};${headers[0]}`);
    for (const encoding of WIDE) {
      const text = `${words};${headers[0]}1;${headers.at(-1)}2\n${lines.join("\n")}\n`;
      const table = await readFile(await temporaryFile(iconv.encode(text, encoding)));
      expect([encoding, table.rows.map(({ cells }) => cells.join(";"))]).toEqual([encoding, lines]);
      expect(table.notes.join()).toContain(`Read as ${encoding}`);
    }
  },
);

test("text with NUL characters is not taken for UTF-16", async () => {
  const names = "2;Ana Maria da Silva\n".repeat(20);
  for (const text of [`id;nome\n\0;Ana\n${names}\0\0;Rui\n`, `id;nome\n\0${"1;Anna Bella\n\0".repeat(50)}`]) {
    const table = await readFile(await temporaryFile(text));
    expect(table.dialect).toMatchObject({ encoding: "utf-8" });
    expect(table.rows[0]?.problems?.[0]?.code).toBe("nul-character");
  }
});

test("UTF-16 under a mapping that says UTF-8 is refused, not read as letters between NULs", async () => {
  const path = await temporaryFile(iconv.encode("id;nome\n1;Ana\n", "utf-16le"));
  await expect(readFile(path, { csv: { encoding: "utf-8" } })).rejects.toMatchObject({ code: "encoding-differs" });
});

test("one encoding that is wrong on very many lines is refused as a whole, naming the first", long, async () => {
  const good = "1;ação\n".repeat(12_000);
  const path = await temporaryFile(
    Buffer.concat([Buffer.from(`id;t\n${good}`), iconv.encode("2;São\n".repeat(11_000), "windows-1252")]),
  );
  await expect(readFile(path)).rejects.toMatchObject({ code: "encoding-mixed", place: { row: 12_002 } });
});

test("capitals before typographic quotes, which look like UTF-8, do not make windows-1252 mixed", async () => {
  const text = "id;nome\n1;“CAFÉ”\n2;“IRMÓ\n3;São\n";
  const table = await readFile(await temporaryFile(iconv.encode(text, "windows-1252")));
  expect(table.dialect).toMatchObject({ encoding: "windows-1252" });
  expect(table.rows[0]).toMatchObject({ cells: ["1", "“CAFÉ”"], problems: null });
});

test.each([1, 2, 3, 5, 1000])(
  "byte order marks go where a line begins and nowhere else, in chunks of %i bytes",
  async (size) => {
    const bytes = Buffer.from('\ufeff\ufeffa;\ufeffb\r\n\ufeff\ufeff"c";\uff01\n\uff01\u001a;\ufeff\n\ufeff\u001a');
    const text = await textOf(asUtf8(chunked(bytes, [size]), { name: "utf-8", bom: true, mixed: false, notes: [] }));
    expect(text).toBe('a;\ufeffb\r\n"c";\uff01\n\uff01\u001a;\ufeff\n');
  },
);

test.each([
  ["windows-1250", "Wrocław, Łódź", "Wroc³aw, £ódŸ"],
  ["windows-1250", "Żółw, Łódź", "¯ó³w, £ódŸ"],
  ["windows-1250", "Łódź", "£ódŸ"],
  ["windows-1250", "ZAKŁAD, SPÓŁKA", "ZAK£AD"],
  ["windows-1250", "Měna účtu", "Mìna úètu"],
  ["windows-1254", "Işık, Ağaç", "Iþýk, Aðaç"],
  ["windows-1254", "Açıklama", "Açýklama"],
  ["windows-1251", "Санкт-Петербург", "Ñàíêò-Ïåòåðáóðã"],
  ["cp850", "München", "M\u0081nchen"],
  ["macintosh", "Comércio", "ComŽrcio"],
  ["shift_jis", "東京都千代田区", "“Œ‹ž“s\u0090ç‘ã“c‹æ"],
  ["gb18030", "上海市浦东新区", "ÉÏº£ÊÐÆÖ¶«ÐÂÇø"],
])("%s is not sent as letters of the West: it must be named, and is offered", async (encoding, town, misread) => {
  const path = await temporaryFile(iconv.encode(`id;ort\n1;Berlin\n2;${town}\n3;${town}\n4;${town}`, encoding));
  await expect(readFile(path)).rejects.toMatchObject({
    code: "encoding-uncertain",
    place: { row: 3 },
    message: expect.stringContaining(`"${misread.replace(/,.*/, "").replace(/[\u0080-\u009f]/g, "\ufffd")}"`),
    hint: expect.stringContaining(`${encoding} reads "${town.replace(/,.*/, "")}"`),
  });
  for (const csv of [{ encoding }, { fallbackEncoding: encoding }])
    expect((await readFile(path, { csv })).rows[1]?.cells).toEqual(["2", town]);
});

test.each([
  ["auto", "a third of its lines", 3, "encoding-uncertain"],
  ["utf-8", "a third of its lines", 3, "encoding-uncertain"],
  ["utf-8", "one in thirty", 30, null],
])("under %s, letters of DOS in %s are not called a mixture, nor windows-1252", async (encoding, _, every, refusal) => {
  const lines = Array.from(Array(30).keys(), (at) => `${at};${at % every === 1 ? "São João" : "Berlin"}\n`);
  const path = await temporaryFile(iconv.encode(`id;ort\n${lines.join("")}`, "cp850"));
  const read = readFile(path, { csv: { encoding } });
  if (refusal === null) expect((await read).rows.filter(({ problems }) => problems !== null)).toHaveLength(1);
  else
    await expect(read).rejects.toMatchObject({
      code: refusal,
      hint: expect.stringContaining('cp850 reads "São João"'),
    });
});

test("one damaged row of a plain file is invalid, and stops no other", async () => {
  const path = await temporaryFile(Buffer.from("id;ort\n1;Berlin\n2;\x81\x8d\xff\xfe\n3;Bonn\n", "latin1"));
  const table = await readFile(path);
  expect(table.rows.map(({ problems }) => problems?.length ?? 0)).toEqual([0, 1, 0]);
  expect(table.notes.join()).toContain("line 3 is not UTF-8; its row is invalid");
});

test("words of the West are read without a question, one odd line among them too", async () => {
  const text =
    "id;nome\n1;AÇÃO “CAFÉ”\n2;ÄÖÜäöü\n3;1\u00a0234\u00a0€ · São\n4;—————\n5;Åå\n6;£m São; £5 café; ¿Qué?; ±é; Þór\n";
  const table = await readFile(await temporaryFile(iconv.encode(text, "windows-1252")));
  expect(table.dialect).toMatchObject({ encoding: "windows-1252" });
  expect(table.rows).toHaveLength(6);
});
