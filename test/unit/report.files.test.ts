import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { writeAtomically } from "../../src/report/atomic-file.js";
import { metricsText, writeMetrics } from "../../src/report/metrics.js";
import { shorten } from "../../src/model/fold.js";
import { plainText } from "../../src/report/plain-text.js";
import type { Receipt } from "../../src/ledger/views/receipts.js";
import { writeReceipts } from "../../src/report/own-files.js";
import { writeStranded } from "../../src/report/own-files.js";
import { summary } from "../support/summary.sample.js";
import { folder } from "../support/cli.world.js";
import { anyText } from "../support/sample.js";

const place = (name: string) => join(folder(), name);

describe("plain text (HARD-CASES H35)", () => {
  it("shows control characters instead of obeying them", () => {
    expect(plainText("a\u001b[31mb\r\n\t\u0000\u007f\u009b2J")).toBe("a␛[31mb␍␊␉␀␡\\u{9b}2J");
  });

  it("shows what turns or hides text", () => {
    expect(plainText("a\u202Eb\u200Bc\u2066d\uFEFF\u2028")).toBe("a\\u{202e}b\\u{200b}c\\u{2066}d\\u{feff}\\u{2028}");
    expect(plainText("1\u00AD000\u3164")).toBe("1\\u{ad}000\\u{3164}");
  });

  it("never yields anything that a terminal obeys, whatever comes in, at the length asked for", () => {
    fc.assert(
      fc.property(anyText(60), fc.integer({ min: 1, max: 40 }), (text, length) => {
        // oxlint-disable-next-line no-control-regex -- this is what is looked for
        expect(plainText(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(Array.from(plainText(text, length)).length).toBeLessThanOrEqual(length);
      }),
    );
    expect(plainText("\ud800x")).toBe("\u{fffd}x");
  });

  it("a text that is cut ends with a whole character", () => {
    for (const most of [3, 4]) {
      expect(shorten("🚚".repeat(5), most)).toBe(`${"🚚".repeat(most - 1)}…`);
      expect(shorten(`a${"🚚".repeat(5)}`, most)).toBe(`a${"🚚".repeat(most - 2)}…`);
      expect(shorten("🚚".repeat(most), most)).toBe("🚚".repeat(most));
    }
  });
});

const receipt: Receipt = {
  input: "março.csv",
  sheet: null,
  row: 17,
  record: "event",
  name: "pickup",
  key: "4711",
  state: "landed",
  id: "e-1",
  snapshotId: null,
  documentId: "d-1",
  targetDocumentId: null,
  deduplicationId: "rf1-abc",
  answeredAt: "2026-11-20T02:00:00.000Z",
};

describe("stranded.csv", () => {
  const stranded = (key: string) => ({
    id: 1,
    document: { kind: "manifest", key },
    deduplicationId: "rf1-abc",
    sentAt: Date.UTC(2026, 10, 20, 2),
    requestIds: ["x-request-id: 1", "x-request-id: 2"],
    waiting: 3,
  });

  it("escapes formulas, leaves empty what is not known, and is not there where there are none", async () => {
    const path = place("stranded.csv");
    expect(await writeStranded(path, [])).toBe(0);
    expect(existsSync(path)).toBe(false);
    await writeStranded(path, [{ ...stranded("M1"), sentAt: 0, requestIds: ["=cmd()"] }]);
    expect(readFileSync(path, "utf8").split("\r\n")[1]).toBe("manifest/M1,rf1-abc,,'=cmd(),3,");
  });
});

it("a name that is no file is left as it is: a pipe, a folder, a link to a device", async () => {
  const path = place("pipe");
  execFileSync("mkfifo", [path]);
  symlinkSync("/dev/null", `${path}-link`);
  mkdirSync(`${path}-folder`);
  for (const name of [path, `${path}-link`, `${path}-folder`])
    await expect(writeMetrics(name, summary())).rejects.toThrow(`${name} cannot be used`);
  expect(statSync(path).isFIFO()).toBe(true);
  expect(readlinkSync(`${path}-link`)).toBe("/dev/null");
  expect(readdirSync(dirname(path))).toHaveLength(3);
});

it("a file that is not ours is left as it is: figures replace figures, and no other file", async () => {
  const path = place("march.csv");
  for (const text of ["Load;At\n", "L"]) {
    writeFileSync(path, text);
    await expect(writeMetrics(path, summary())).rejects.toMatchObject({ code: "file-exists" });
    expect(readFileSync(path, "utf8")).toBe(text);
  }
  writeFileSync(path, "");
  for (let count = 0; count < 2; count += 1) await writeMetrics(path, summary());
});

it("a file that cannot be written is told by its own name, whatever it is called until it is whole", async () => {
  const path = join(folder(), "g.yaml");
  const losingItsFolder = writeAtomically(path, (file) => {
    file.write("version: 2");
    rmSync(dirname(path), { recursive: true });
  });
  await expect(losingItsFolder).rejects.toMatchObject({ code: "ENOENT", path });
});

describe("receipts.csv", () => {
  it("has a line per record with every id that came back", async () => {
    const path = place("receipts.csv");
    expect(await writeReceipts(path, [receipt])).toBe(1);
    const text = readFileSync(path, "utf8");
    expect(text.startsWith("\uFEFF")).toBe(true);
    expect(parse(text, { bom: true, columns: true })).toEqual([
      {
        input: "março.csv",
        sheet: "",
        row: "17",
        record: "event",
        name: "pickup",
        key: "4711",
        state: "landed",
        id: "e-1",
        snapshot_id: "",
        document_id: "d-1",
        target_document_id: "",
        deduplication_id: "rf1-abc",
        answered_at: "2026-11-20T02:00:00.000Z",
      },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("streams, takes the input's delimiter, and lets no key become a formula (HARD-CASES H35)", long, async () => {
    const path = place("receipts.csv");
    const receipts = (async function* () {
      for (let row = 1; row <= 1_001; row++) yield { ...receipt, row, key: "=cmd|' /C calc'!A0" };
    })();
    expect(await writeReceipts(path, receipts, ";")).toBe(1_001);
    const lines: string[][] = parse(readFileSync(path), { bom: true, delimiter: ";" });
    expect(lines).toHaveLength(1_002);
    expect(new Set(lines.slice(1).map((line) => line[5]))).toEqual(new Set(["'=cmd|' /C calc'!A0"]));
  });

  it.each(["a\nb", "a\rb", "a\r\nb", 'a"b', "a;b", " a ", "\u001b[31ma"])(
    "has one row for the key %j, whatever reads it (F116, F68)",
    async (key) => {
      const path = place("receipts.csv");
      await writeReceipts(path, [{ ...receipt, key }, receipt]);
      const text = readFileSync(path, "utf8");
      for (const record_delimiter of [["\r\n"], ["\r\n", "\n", "\r"]]) {
        const lines: string[][] = parse(text, { bom: true, record_delimiter });
        expect(lines.map((line) => [line[5], line[7]?.trim()])).toEqual([
          ["key", "id"],
          [key.replace("\u001b", "␛"), "e-1"],
          ["4711", "e-1"],
        ]);
      }
    },
  );
});

describe("figures for Prometheus", () => {
  it("say when the run ended, how, and what is open", async () => {
    const lines = (await metricsText(summary({ exitCode: 3 }))).split("\n");
    const labels = 'target="sandbox",command="import"';
    expect(lines).toContain(`rowferry_last_run_exit_code{${labels}} 3`);
    expect(lines).toContain(
      `rowferry_last_run_finished_timestamp_seconds{${labels}} ${Date.UTC(2026, 10, 20, 2, 5, 30) / 1000}`,
    );
    expect(lines).toContain(`rowferry_last_run_duration_seconds{${labels}} 330`);
    expect(lines).toContain(`rowferry_rows{fate="staged",${labels}} 207`);
    expect(lines).toContain(`rowferry_records{record="events",state="landed",${labels}} 404`);
    expect(lines).toContain(`rowferry_open_records{record="events",state="held",${labels}} 3`);
    expect(lines).toContain(`rowferry_requests{kind="append-events",${labels}} 1033`);
  });

  it("can be read by the collector, and hold no text from files", async () => {
    const path = place("rowferry.prom");
    await writeMetrics(path, summary());
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(readFileSync(path, "utf8")).not.toContain("march.csv");
  });
});
