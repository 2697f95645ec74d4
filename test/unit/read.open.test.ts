/** Opening: missing files, folders, standard input, hashes, and files that change or fail while they are read. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { RowferryError } from "../../src/model/error.js";
import type { Row } from "../../src/model/row.js";
import { type CsvFile, openCsv } from "../../src/read/csv/open-csv.js";
import { expandFiles } from "../../src/read/files.js";
import { faultOf } from "../../src/read/opened-file.js";
import { openInput } from "../../src/read/open-input.js";
import type { Input } from "../../src/read/table.js";
import { brief, readFile, temporaryFile } from "../support/read/read-file.js";

async function opened(path: string, standardInput?: AsyncIterable<Buffer>): Promise<Input> {
  const input = await openInput(path, standardInput);
  onTestFinished(() => input.close());
  return input;
}

async function drain(input: Input): Promise<Row[]> {
  const table = await input.open({});
  const all: Row[] = [];
  for await (const batch of table.rows()) all.push(...batch);
  return all;
}

function fake(chunks: () => AsyncIterable<Buffer>): CsvFile {
  return {
    name: "fake.csv",
    fault: faultOf("fake.csv"),
    contentHash: "",
    bytes: 0,
    compression: "none",
    chunks,
    position: () => 0,
    checkUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function onlySome(chunks: () => AsyncIterable<Buffer>, count: number) {
  return async function* () {
    let left = count;
    for await (const chunk of chunks()) {
      if (left-- === 0) return;
      yield chunk;
    }
  };
}

async function folderOf(...names: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of names) await writeFile(join(folder, name), "a\n1\n");
  return folder;
}

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function* failing(): AsyncGenerator<Buffer> {
  yield Buffer.from("a;b\n");
  throw new Error("broken pipe");
}

describe("an input", () => {
  test("is known by its name, its size and the SHA-256 of its bytes as they lie on the disk", async () => {
    const content = gzipSync("a;b\n1;2\n");
    const input = await opened(await temporaryFile(content, "nightly.csv.gz"));
    expect(input).toMatchObject({
      name: "nightly.csv.gz",
      format: "csv",
      bytes: content.length,
      contentHash: createHash("sha256").update(content).digest("hex"),
      sheets: [{ sheet: null, hidden: false }],
    });
  });

  test("may be left in the middle and is still closed", async () => {
    const input = await opened(await temporaryFile(gzipSync(`a,b\n${"1,2\n".repeat(200_000)}`)));
    const table = await input.open({});
    for await (const batch of table.rows()) {
      expect(batch.length).toBeLessThanOrEqual(64);
      break;
    }
    await input.close();
  });
});

describe("standard input", () => {
  test("is read like a file called stdin, and leaves nothing behind", async () => {
    const folder = await folderOf();
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const input = await opened("-", pieces("a;b\n1", ";2\n"));
    expect(input.name).toBe("stdin");
    expect(brief(await drain(input))).toEqual([[2, ["1", "2"]]]);
    expect(await readdir(folder)).toHaveLength(1);
    await input.close();
    expect(await readdir(folder)).toEqual([]);
  });

  test("that is empty or fails is refused", async () => {
    await expect(openInput("-", pieces())).rejects.toMatchObject({ code: "file-empty", place: { file: "stdin" } });
    await expect(openInput("-", failing())).rejects.toMatchObject({ code: "file-unreadable" });
  });
});

describe("what cannot be opened is said", () => {
  test("a missing file, a folder", async () => {
    await expect(openInput("/nowhere/x.csv")).rejects.toMatchObject({ code: "file-missing" });
    await expect(openInput(tmpdir())).rejects.toMatchObject({
      code: "file-missing",
      message: expect.stringContaining("folder"),
    });
  });

  test("a pipe that would block for ever", async () => {
    const folder = await folderOf();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await expect(openInput(join(folder, "pipe"))).rejects.toMatchObject({ code: "file-missing" });
  });

  test("a bomb: a gzip file that unpacks to hundreds of times its size", long, async () => {
    const line = `${"0,".repeat(500)}0\n`;
    const path = await temporaryFile(gzipSync(line.repeat(70_000)), "bomb.csv.gz");
    await expect(readFile(path)).rejects.toMatchObject({ code: "file-oversized" });
  });
});

describe("a file that is not read to its end throws (HARD-CASES H14, H33)", () => {
  test("when it is written to meanwhile", async () => {
    const path = await temporaryFile(`a,b\n${"1,2\n".repeat(1000)}`);
    const input = await opened(path);
    const table = await input.open({});
    await appendFile(path, "3,4\n");
    await expect(async () => {
      for await (const batch of table.rows()) expect(batch.length).toBeGreaterThan(0);
    }).rejects.toMatchObject({ code: "file-changed" });
  });

  test("when its unpacking breaks off behind the first rows", async () => {
    const rows = Array.from({ length: 50_000 }, (_, index) => `${index},${(index * 7919) % 100_003}\n`).join("");
    const whole = gzipSync(`a,b\n${rows}`);
    await expect(readFile(await temporaryFile(whole.subarray(0, whole.length - 9)))).rejects.toMatchObject({
      code: "file-corrupt",
    });
  });

  test("when a row is longer than the limit, naming its line", long, async () => {
    const file = fake(async function* () {
      yield Buffer.from("a,b\n1,2\n");
      for (;;) yield Buffer.alloc(65_536, "x");
    });
    const input = openCsv({ ...file, chunks: onlySome(file.chunks, 20) });
    await expect(drain(input)).rejects.toMatchObject({ code: "record-oversized", place: { file: "fake.csv", row: 3 } });
  });

  test("and so does a disk that fails half-way", async () => {
    let opens = 0;
    const file = fake(async function* () {
      opens++;
      yield Buffer.from("a,b\n1,2\n");
      if (opens > 2) throw new RowferryError("file-unreadable", "reading failed: EIO", { place: { file: "fake.csv" } });
      yield Buffer.from("3,4\n");
    });
    await expect(drain(openCsv(file))).rejects.toMatchObject({
      code: "file-unreadable",
      message: expect.stringContaining("EIO"),
    });
  });

  test("a cell of nearly a mebibyte is a cell", long, async () => {
    const cell = "é".repeat(1_000_000);
    const table = await readFile(await temporaryFile(`a,b\n"${cell}",2\n`));
    expect(table.rows[0]?.cells[0]).toBe(cell);
  });
});

describe("arguments of a command line", () => {
  test("patterns give their files by name, each file once, in the order of the arguments", async () => {
    const folder = await folderOf("b.csv", "a.csv", "c.txt", "~$a.csv", ".hidden.csv");
    expect(await expandFiles(["b.csv", "*.csv", "-"], folder)).toEqual(["b.csv", "a.csv", "-"]);
    expect(await expandFiles([join(folder, "*.{csv,txt}")], "/")).toEqual(
      ["a.csv", "b.csv", "c.txt"].map((name) => join(folder, name)),
    );
  });

  test("a folder stands for the CSV and Excel files in it", async () => {
    const folder = await folderOf("b.xlsx", "a.csv.gz", "notes.md", "~$b.xlsx");
    expect(await expandFiles([folder], "/")).toEqual([join(folder, "a.csv.gz"), join(folder, "b.xlsx")]);
  });

  test("a folder tells of data in it that cannot be read, and of nothing else", async () => {
    const unread = ["mar.xls", "x.ods", "feb.dat", "apr.csv.bz2", "dump.gz"];
    const beside = ["notes.md", "m.yaml", "~$b.xlsx", ".hidden.xls", "a.csv.done", "report.html"];
    const folder = await folderOf("jan.csv", "template.xltx", ...unread, ...beside);
    const told: string[] = [];
    const found = await expandFiles(["."], folder, (note) => told.push(note));
    expect(found).toEqual(["jan.csv", "template.xltx"]);
    expect(told).toEqual([`. also holds files that are not read: ${unread.toSorted().join(", ")}.`]);
    const only = await folderOf("mar.xls");
    await expect(expandFiles(["."], only)).rejects.toMatchObject({ message: expect.stringContaining("but mar.xls") });
  });

  test("a file whose name looks like a pattern is that file", async () => {
    const folder = await folderOf("report[1].csv", "report1.csv");
    expect(await expandFiles(["report[1].csv"], folder)).toEqual(["report[1].csv"]);
  });

  test("what stands for nothing is an error, never silence", async () => {
    const folder = await folderOf("notes.md");
    await expect(expandFiles(["*.csv"], folder)).rejects.toMatchObject({ code: "file-pattern-unmatched" });
    await expect(expandFiles([folder], folder)).rejects.toMatchObject({ code: "file-pattern-unmatched" });
    await expect(expandFiles(["gone.csv"], folder)).rejects.toMatchObject({ code: "file-missing" });
  });
});

test.each(["efbbbf", "fffe", "feff"])(
  "a file of nothing but a byte order mark (%s) is empty, whatever encoding is pinned",
  async (mark) => {
    const input = await openInput(await temporaryFile(Buffer.from(mark, "hex")));
    await expect(input.open({ csv: { encoding: "windows-1252" } })).rejects.toMatchObject({ code: "file-empty" });
    await input.close();
  },
);
