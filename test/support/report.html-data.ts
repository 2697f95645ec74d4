/** A report with something in every section, as after a bad night; and hostile text in every place that takes text. */
import type { ReportData } from "../../src/report/html/collect-report-data.js";
import { summary } from "./summary.sample.js";

const start = Date.UTC(2026, 10, 20, 2, 0);
const minute = 60_000;
const csv = "manifestos-resíduos-2026-11-19.csv";
const excel = { input: "Organizações e locais.xlsx", sheet: "Coletas novembro" };
const manifest = (key: string) => ({ kind: "manifest", key });

type Located = ReportData["problems"][number]["items"][number];
const located = (code: Located["code"], row: number, column: string | null, message: string) => ({
  code,
  file: csv,
  sheet: null,
  row,
  column,
  message,
  hint: null,
});
export function reportData(changes: Partial<ReportData> = {}): ReportData {
  return {
    summary: summary({
      exitCode: 3,
      ledger: "state/production/ledger.db",
      target: { name: "production", baseUrl: "https://api.example.com/v1" },
      inputs: [
        { input: csv, sheet: null, read: 38_210, skipped: 12, invalid: 204, known: 35_021, staged: 2_973 },
        { ...excel, read: 1_790, skipped: 0, invalid: 8, known: 1_402, staged: 380 },
      ],
      rows: { read: 40_000, skipped: 12, invalid: 212, known: 36_423, staged: 3_353 },
    }),
    pace: {
      startedAt: start,
      spanMs: 1_000,
      // A burst, a steady pace, and a pause in the middle.
      sent: Array.from({ length: 96 }, (_, index) =>
        index === 0 ? 46 : index > 40 && index < 47 ? 0 : 18 + (index % 3),
      ),
      rateLimited: Array.from({ length: 96 }, (_, index) => (index === 47 ? 2 : 0)),
    },
    problems: [
      {
        code: "file-missing",
        total: 150,
        items: [
          { ...located("file-missing", 17, "Peso Bruto", '"12,5 t" is not a number'), hint: "Leave the unit out." },
          located("file-missing", 1_204, "Peso Bruto", '"n.d." is not a number'),
        ],
      },
      {
        code: "usage",
        total: 62,
        items: [
          {
            ...located("usage", 88, "Data Coleta", '"31/02/2026" is no date'),
            file: excel.input,
            sheet: excel.sheet,
          },
        ],
      },
    ],
    warnings: [
      {
        code: "settings-mixed",
        total: 3,
        items: [located("settings-mixed", 3, null, "the participant was found with another name")],
      },
    ],
    held: [
      {
        code: "behind-rejected",
        total: 36,
        items: [
          {
            ...manifest("MTR-410023"),
            event: "Drop-off",
            at: start - 40 * minute,
            reason: "behind-rejected",
            waitsFor: "Weighing of 2026-11-20 01:00, which was rejected",
            place: `${csv}, row 18`,
          },
        ],
      },
      {
        code: "reference-unknown",
        total: 1,
        items: [
          {
            ...manifest("MTR-410077"),
            event: "RELATED",
            at: start - 30 * minute,
            reason: "reference-unknown",
            waitsFor: "document invoice 77-1, which nobody knows",
            place: null,
          },
        ],
      },
    ],
    stranded: {
      total: 2,
      items: ["MTR-410077", "it's 410078"].map((key, index) => ({
        document: manifest(key),
        id: index + 1,
        deduplicationId: `rf1-${"6f2d9f0f4b".repeat(4)}`,
        sentAt: start + 47_000,
        requestIds: index === 0 ? ["x-request-id: 8d3e2c1a-77"] : [],
        waiting: 3,
      })),
    },
    ...changes,
  };
}

/** `text` in every place of `value` that holds text. */
export function withText<Value>(value: Value, text: string): Value {
  if (typeof value === "string") return text as Value;
  if (Array.isArray(value)) return value.map((item) => withText(item as unknown, text)) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withText(item as unknown, text)]),
  ) as Value;
}
