/** Every line of `--json`; types, documents and tests come from this list. */
import type { z } from "zod";
import * as files from "./lines/files.js";
import * as ledger from "./lines/ledger.js";
import * as run from "./lines/run.js";
import { runs, show } from "./lines/show.js";

/** By the headings of docs/reference/json-lines.md. */
export const lines = {
  "While a run is under way": [run.target, run.stage, run.progress, run.forecast, run.backlog, run.notice, run.summary],
  "What a command found": [
    ledger.plan,
    ledger.foreseen,
    ledger.status,
    runs,
    show,
    ledger.rejects,
    ledger.report,
    ledger.verify,
  ],
  "What a command did": [
    ledger.withdrawn,
    ledger.dismissed,
    ledger.resolved,
    ledger.settled,
    ledger.resolvedFrom,
    ledger.rowsRefused,
    ledger.replaced,
    ledger.notReplaced,
    ledger.backup,
    ledger.ledgerCheck,
    ledger.pruned,
    ledger.rebuilt,
    ledger.restored,
    ledger.rebound,
    run.trial,
    run.due,
  ],
  "Files, mappings and the rest": [
    files.written,
    files.draft,
    files.timeline,
    files.mapping,
    files.file,
    files.check,
    files.testCase,
    files.cases,
    run.finding,
    run.doctor,
    files.explained,
    run.sandbox,
    run.consoleLine,
    run.error,
  ],
} as const;

export type Line = z.infer<(typeof lines)[keyof typeof lines][number]>;

export type LineOf<Type extends Line["type"]> = Extract<Line, { type: Type }>;
