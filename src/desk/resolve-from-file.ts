/**
 * `resolve --from`: many stranded documents get the ids that a person filled in, in the list that runs and `rejects` write.
 * One mistake in it and nothing is done; what a read speaks against, or tells nothing of, is left (HARD-CASES H5).
 */
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { findDocument, type KnownDocument } from "../ledger/documents-named.js";
import type { Code } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { documentDeduplicationId } from "../model/keys.js";
import type { Target } from "../model/target.js";
import { openInput } from "../read/open-input.js";
import type { Table } from "../read/table.js";
import { readDocument } from "../submit/calls.js";
import { reading } from "./ledger-access.js";
import { type ReaderOptions, withReader } from "./reader.js";
import { checkBy, type ResolveCheck, type WantedId, wantId } from "./resolve.js";

interface FilledRow {
  row: number;
  document: string;
  /** Empty: the file says nothing of it. */
  deduplicationId: string;
  documentId: string;
}

export interface RefusedRow {
  row: number;
  code: Code;
  message: string;
}

export interface FilledFile {
  file: string;
  /** Each document once, in the file's order. */
  wanted: (WantedId & { row: number })[];
  /** Rows that cannot be right. With one of them nothing may be done. */
  refused: RefusedRow[];
  /** Rows without an id. */
  blank: number;
  /** Rows whose document has that very id. */
  known: number;
}

/** @throws RowferryError `stranded-file-unusable` without the columns, `file-*` and others of a file that cannot be read, `ledger-missing` */
export async function readFilledIn(target: Target, path: string): Promise<FilledFile> {
  const { file, rows, refused, blank } = await readRows(path);
  const result: FilledFile = { file, wanted: [], refused, blank, known: 0 };
  reading(target, (database) => {
    for (const filled of rows) {
      try {
        const found = wantRow(database, filled);
        if (found === null) result.known += 1;
        else result.wanted.push({ ...found, row: filled.row });
      } catch (error) {
        if (!(error instanceof RowferryError)) throw error;
        refused.push({ row: filled.row, code: error.code, message: error.message });
      }
    }
  });
  result.wanted = eachOnce(result.wanted, refused);
  refused.sort((one, other) => one.row - other.row);
  return result;
}

async function readRows(path: string) {
  const input = await openInput(path);
  try {
    const table = await input.open({});
    const columns = columnsOf(table, input.name);
    const rows: FilledRow[] = [];
    const refused: RefusedRow[] = [];
    let blank = 0;
    for await (const batch of table.rows()) {
      for (const { number: row, cells, problems } of batch) {
        const cell = (index: number | null) => (index === null ? "" : (cells[index] ?? "").trim());
        const documentId = cell(columns.documentId);
        if (documentId === "") blank += 1;
        else if (problems !== null) refused.push(...problems.map(({ code, message }) => ({ row, code, message })));
        else {
          const deduplicationId = cell(columns.deduplicationId);
          rows.push({ row, document: cell(columns.document), deduplicationId, documentId });
        }
      }
    }
    return { file: input.name, rows, refused, blank };
  } finally {
    await input.close();
  }
}

function columnsOf({ header }: Table, file: string) {
  const find = (name: string): number | null => {
    const found = header.flatMap((text, index) => (text.trim().toLowerCase() === name ? [index] : []));
    if (found.length < 2) return found[0] ?? null;
    throw new RowferryError("stranded-file-unusable", `two columns are called ${name}`, { place: { file } });
  };
  const need = (name: string): number => {
    const found = find(name);
    if (found !== null) return found;
    throw new RowferryError("stranded-file-unusable", `there is no column ${name}`, { place: { file } });
  };
  return {
    document: need("document"),
    documentId: need("document_id"),
    deduplicationId: find("deduplication_id"),
  };
}

/** Null: the document has this id. @throws RowferryError what speaks against the row */
function wantRow(
  database: LedgerDatabase,
  { document: name, deduplicationId, documentId }: FilledRow,
): WantedId | null {
  if (name === "") throw new RowferryError("document-unknown", "The row names no document.");
  const document = findDocument(database, name);
  // An earlier generation's id would put the next one's events on a timeline that is not theirs.
  if (deduplicationId !== "" && deduplicationId !== documentDeduplicationId(document)) {
    throw new RowferryError(
      "document-not-stranded",
      `The row is of another generation of ${document.kind} ${document.key}: it has been replaced since, or its deduplication_id was edited.`,
    );
  }
  if (document.serviceId === documentId) return null;
  // What no request can be made for is told with its row, before any is made.
  readDocument(documentId);
  return wantId(database, document, documentId);
}

/** Without those that contradict each other, which are refused, each of them. */
function eachOnce(wanted: FilledFile["wanted"], refused: RefusedRow[]): FilledFile["wanted"] {
  const idOf = new Map<number, Set<string>>();
  const documentsOf = new Map<string, Set<number>>();
  for (const { document, documentId } of wanted) {
    idOf.set(document.id, (idOf.get(document.id) ?? new Set()).add(documentId));
    documentsOf.set(documentId, (documentsOf.get(documentId) ?? new Set()).add(document.id));
  }
  const seen = new Set<number>();
  return wanted.filter(({ row, document, documentId }) => {
    const refuse = (message: string) => refused.push({ row, code: "stranded-file-unusable", message });
    const ids = idOf.get(document.id)?.size ?? 0;
    if (ids > 1) refuse(`${document.kind} ${document.key} stands in several rows, with ${ids} different ids.`);
    const documents = documentsOf.get(documentId)?.size ?? 0;
    if (documents > 1) refuse(`The id ${documentId} is given to ${documents} documents.`);
    if (ids > 1 || documents > 1 || seen.has(document.id)) return false;
    seen.add(document.id);
    return true;
  });
}

export interface LookedUp {
  row: number;
  document: KnownDocument;
  documentId: string;
  findings: ResolveCheck["findings"];
  /** Set where the read agrees: what `resolveNamed` takes. */
  check: ResolveCheck | null;
}

/**
 * One read for each, one after another, at the target's limit. Nothing is written.
 * @throws RowferryError `interrupted`, `service-outage`, `credentials-refused`
 */
export async function lookUp(
  target: Target,
  wanted: FilledFile["wanted"],
  options: ReaderOptions,
): Promise<LookedUp[]> {
  if (wanted.length === 0) return [];
  return withReader(target, options, async (reader) => {
    const found: LookedUp[] = [];
    for (const one of wanted) {
      const { row, document, documentId } = one;
      const check = await checkBy(reader, one).catch(notThere);
      const findings = "findings" in check ? check.findings : [{ member: null, agrees: false, text: check.text }];
      if (findings.length === 0) findings.push({ member: null, agrees: false, text: "the read told nothing of it" });
      const agrees = "findings" in check && findings.every((finding) => finding.agrees);
      found.push({ row, document, documentId, findings, check: agrees ? check : null });
    }
    if (options.signal?.aborted === true) throw new RowferryError("interrupted", "stopped before anything was written");
    return found;
  });
}

function notThere(error: unknown): { text: string } {
  if (error instanceof RowferryError && error.code === "document-id-not-found") return { text: error.message };
  throw error;
}
