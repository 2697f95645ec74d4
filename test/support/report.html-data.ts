/** A report with something in every section, as after a bad night; and hostile text in every place that takes text. */
import type { TimelineRecord } from "../../src/ledger/views/timelines.js";
import type { ReportData } from "../../src/report/html/collect-report-data.js";
import { summary } from "./summary.sample.js";

const start = Date.UTC(2026, 10, 20, 2, 0);
const minute = 60_000;

const timeline = (key: string, reason: string): TimelineRecord => ({
  document: { kind: "manifest", key },
  documentId: "5f1c2a90-1f1e-4d53-9a57-0c6f2f1f9a11",
  state: "open",
  more: 0,
  events: [
    { name: "ACTOR", at: start - 90 * minute, state: "landed", reason: null, place: "manifests.csv, row 16" },
    { name: "Pick-up", at: start - 80 * minute, state: "landed", reason: null, place: "manifests.csv, row 16" },
    { name: "Weighing", at: start - 60 * minute, state: "rejected", reason, place: "manifests.csv, row 17" },
    {
      name: "Drop-off",
      at: start - 40 * minute,
      state: "held",
      reason: "waits for Weighing, which was rejected",
      place: "manifests.csv, row 18",
    },
    {
      name: "CLOSE",
      at: start + 10 * minute,
      state: "deferred",
      reason: "not yet in the past",
      place: "manifests.csv, row 19",
    },
  ],
});

export function reportData(changes: Partial<ReportData> = {}): ReportData {
  return {
    summary: summary({
      exitCode: 3,
      ledger: "state/production/ledger.db",
      target: { name: "production", baseUrl: "https://api.example.com/v1" },
      inputs: [
        {
          input: "manifestos-resíduos-2026-11-19.csv",
          sheet: null,
          read: 38_210,
          skipped: 12,
          invalid: 204,
          known: 35_021,
          staged: 2_973,
        },
        {
          input: "Organizações e locais.xlsx",
          sheet: "Coletas novembro",
          read: 1_790,
          skipped: 0,
          invalid: 8,
          known: 1_402,
          staged: 380,
        },
      ],
      rows: { read: 40_000, skipped: 12, invalid: 212, known: 36_423, staged: 3_353 },
      participants: { registered: 41 },
      addresses: { registered: 57, stalled: 1 },
      documents: { open: 1_204, closed: 311, stranded: 2, rejected: 1 },
      events: { landed: 3_109, "landed-without-id": 4, rejected: 18, held: 37, deferred: 6 },
      open: {
        participants: {},
        addresses: { stalled: 1 },
        documents: { stranded: 2, rejected: 1 },
        events: { rejected: 18, held: 37, deferred: 6 },
        rows: 212,
      },
      requests: {
        sent: 1_862,
        byKind: {
          "lookup-participant": 44,
          "create-participant": 41,
          "create-address": 58,
          "create-with-events": 1_518,
          "append-events": 201,
        },
        retries: 9,
        rateLimited: 2,
        secondsAtLimit: 91.6,
        limit: { rate: 20, burst: 30 },
      },
      files: [
        {
          kind: "rejected",
          path: "state/production/runs/2026-11-20T0200-import/manifestos-resíduos-2026-11-19.rejected.csv",
        },
      ],
    }),
    pace: {
      startedAt: start,
      spanMs: 1_000,
      sent: Array.from({ length: 96 }, (_, index) =>
        index === 0 ? 46 : index > 40 && index < 49 ? ([4, 1, 0, 0, 1, 0, 6, 14][index - 41] ?? 0) : 18 + (index % 3),
      ),
      rateLimited: Array.from({ length: 96 }, (_, index) => (index === 47 ? 2 : 0)),
    },
    problems: [
      {
        code: "file-missing",
        total: 150,
        items: [
          {
            code: "file-missing",
            file: "manifestos-resíduos-2026-11-19.csv",
            sheet: null,
            row: 17,
            column: "Peso Bruto",
            message: '"12,5 t" is not a number in the format of the mapping (1.234,56)',
            hint: "Leave the unit out.",
          },
          {
            code: "file-missing",
            file: "manifestos-resíduos-2026-11-19.csv",
            sheet: null,
            row: 1_204,
            column: "Peso Bruto",
            message: '"n.d." is not a number in the format of the mapping (1.234,56)',
            hint: null,
          },
        ],
      },
      {
        code: "usage",
        total: 62,
        items: [
          {
            code: "usage",
            file: "Organizações e locais.xlsx",
            sheet: "Coletas novembro",
            row: 88,
            column: "Data Coleta",
            message: '"31/02/2026" is no date',
            hint: "Write a day that exists.",
          },
        ],
      },
    ],
    warnings: [
      {
        code: "settings-mixed",
        total: 3,
        items: [
          {
            code: "settings-mixed",
            file: "a.csv",
            sheet: null,
            row: 3,
            column: null,
            message: "the participant was found with another name",
            hint: null,
          },
        ],
      },
    ],
    held: {
      total: 37,
      items: [
        {
          document: { kind: "manifest", key: "MTR-410023" },
          event: "Drop-off",
          at: start - 40 * minute,
          reason: "behind-rejected",
          waitsFor: "Weighing of 2026-11-20 01:00, which was rejected",
          place: "manifestos-resíduos-2026-11-19.csv, row 18",
        },
        {
          document: { kind: "manifest", key: "MTR-410077" },
          event: "Weighing",
          at: start - 30 * minute,
          reason: "document-stranded",
          waitsFor: "the id of its document",
          place: null,
        },
        {
          document: { kind: "manifest", key: "MTR-410078" },
          event: "RELATED",
          at: start - 30 * minute,
          reason: "reference-unknown",
          waitsFor: "document invoice 77-1, which nobody knows",
          place: null,
        },
      ],
    },
    stranded: {
      total: 2,
      items: [
        {
          document: { kind: "manifest", key: "MTR-410077" },
          id: 1,
          deduplicationId: "rf1-6f2d9f0f4be2f0a9c1d27e4b90aa12cd34ef5678",
          sentAt: start + 47_000,
          requestIds: ["x-request-id: 8d3e2c1a-77"],
          waiting: 3,
        },
        {
          document: { kind: "manifest", key: "it's 410078" },
          id: 2,
          deduplicationId: "rf1-0f2d9f0f4be2f0a9c1d27e4b90aa12cd34ef5678",
          sentAt: start + 48_000,
          requestIds: [],
          waiting: 1,
        },
      ],
    },
    geographies: {
      total: 14,
      items: [
        {
          participant: "Recicla Ltda (BR CNPJ 11.222.333/0001-81)",
          address: "Rua das Acácias, 55, Santana, SP, BR",
          geography: {
            status: "UNRESOLVED",
            unresolvedLevel: "municipality",
            candidates: [
              { code: "3547304", name: "Santana de Parnaíba", subdivisionCode: "SP" },
              { code: "1600600", name: "Santana", subdivisionCode: "AP" },
            ],
          },
        },
        {
          participant: "Ferro Velho Norte",
          address: "Estrada Velha, S/N",
          geography: null,
        },
      ],
    },
    timelines: {
      total: 18,
      items: [
        timeline("MTR-410023", "400 VALIDATION_ERROR: value must be positive"),
        timeline("MTR-410031", "invalid: no weight"),
      ],
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
