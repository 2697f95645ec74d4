/** Files under gzip and zstd are read through to their last byte, however many members or frames they have. */
import { gzipSync, zstdCompressSync } from "node:zlib";
import { brief, readFile, temporaryFile } from "../support/read/read-file.js";
import { writeZip } from "../support/read/write-zip.js";

const [zstdBegin, zstdEnd] = [zstdCompressSync("a,b\n1,2\n"), zstdCompressSync("3,4\n")];
const [gzipBegin, gzipEnd] = [gzipSync("a,b\n1,2\n"), gzipSync("3,4\n")];
/** A skippable frame: magic, length, content. */
const skippable = Buffer.from("5e2a4d1803000000414243", "hex");
const zeros = Buffer.alloc(300_000);

const rowsOf = async (parts: readonly Buffer[], name: string) =>
  brief((await readFile(await temporaryFile(Buffer.concat(parts), name))).rows);

const whole = [
  [2, ["1", "2"]],
  [3, ["3", "4"]],
];

test.each<[string, string, Buffer[]]>([
  ["two zstd frames", "rows.csv.zst", [zstdBegin, zstdEnd]],
  ["a skippable frame between frames", "rows.csv.zst", [zstdBegin, skippable, skippable, zstdEnd]],
  ["two gzip members", "rows.csv.gz", [gzipBegin, gzipEnd]],
  ["zeros between gzip members, as on tapes", "rows.csv.gz", [gzipBegin, zeros, gzipEnd]],
])("%s are one file", async (_, name, parts) => {
  expect(await rowsOf(parts, name)).toEqual(whole);
});

test.each<[string, string, Buffer[]]>([
  ["a second zstd frame that is cut off", "rows.csv.zst", [zstdBegin, zstdEnd.subarray(0, -3)]],
  ["a skippable frame that is cut off", "rows.csv.zst", [zstdBegin, skippable.subarray(0, -1)]],
  ["text after a zstd frame", "rows.csv.zst", [zstdBegin, Buffer.from("3,4\n")]],
  ["a second gzip member that is cut off", "rows.csv.gz", [gzipBegin, zeros, gzipEnd.subarray(0, -3)]],
])("%s: nothing of the file is read", async (_, name, parts) => {
  await expect(rowsOf(parts, name)).rejects.toMatchObject({ code: "file-corrupt" });
});

test("a bomb of many frames is a bomb", long, async () => {
  const frame = zstdCompressSync(Buffer.alloc(8 * 1024 ** 2, "1,2\n"));
  const frames = Array.from({ length: 20 }, () => frame);
  await expect(rowsOf(frames, "bomb.csv.zst")).rejects.toMatchObject({ code: "file-oversized" });
});

test("a zstd frame that asks for a window of 512 MiB is not damaged: what to do is said", async () => {
  const frame = Buffer.concat([Buffer.from("28b52ffd0098410000", "hex"), Buffer.from("a,b\n1,2\n")]);
  await expect(rowsOf([frame], "rows.csv.zst")).rejects.toMatchObject({
    code: "file-refused",
    hint: "Unpack it first.",
  });
});

test("a file that the archive does not hold is missing, and nothing is damaged", async () => {
  const path = await temporaryFile(await writeZip([{ name: "a.csv", data: "a,b\n1,2\n" }]), "x.zip");
  await expect(readFile(`${path}/b.csv`)).rejects.toMatchObject({
    code: "file-missing",
    message: "the archive holds no b.csv; it holds a.csv",
  });
});

test("bytes after a zip archive are told in our own words", async () => {
  const archive = await writeZip([{ name: "a.csv", data: "a,b\n1,2\n" }]);
  await expect(rowsOf([archive, Buffer.from("xx")], "x.zip")).rejects.toMatchObject({
    code: "file-corrupt",
    message: expect.stringMatching(/followed by other bytes$/) as string,
  });
});
