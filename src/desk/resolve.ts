/**
 * `resolve`: gives stranded documents the ids that a person found, one by one or from a list. Verified by reads, never
 * by writes (H5). One mistake in a list stops everything; ids that a read contradicts are left out.
 */
import { keepDecision, resolveDocument } from "../ledger/decide/resolve.js";
import { findDocument, type KnownDocument } from "../ledger/documents-named.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { createRunStore } from "../ledger/runs.js";
import { createSettingsStore } from "../ledger/inputs.js";
import type { Code } from "../model/codes.js";
import { RowferryError } from "../model/error.js";
import { isJsonObject, type JsonValue } from "../model/json.js";
import { documentDeduplicationId } from "../model/keys.js";
import type { Target } from "../model/target.js";
import { openInput } from "../read/open-input.js";
import type { Table } from "../read/table.js";
import { sentExternalId } from "../run/bodies.js";
import { codeOfStop } from "../run/refusals.js";
import { defaultSettings } from "../run/session.js";
import { documentOf } from "../submit/answers.js";
import { lookupParticipant, NOBODY, readDocument } from "../submit/calls.js";
import { type Decision, type Reader, type ReaderOptions, reading, withReader } from "./access.js";

export interface ResolveCheck {
  document: KnownDocument;
  documentId: string;
  /**
   * What the read shows for or against the id, field by field; a read may show nothing (open point 18). `member` null:
   * the whole read.
   */
  findings: { member: string | null; agrees: boolean; text: string }[];
  /** For a person; null: nothing readable. */
  body: JsonValue | null;
}

interface WantedId {
  document: KnownDocument;
  documentId: string;
  /** Null: none was sent. */
  externalId: string | null;
}

/**
 * Checks before a person confirms. @throws RowferryError `document-unknown`, `document-not-stranded`,
 * `document-id-not-found`
 */
export async function checkResolve(
  target: Target,
  request: { document: string; documentId: string },
  options: ReaderOptions,
): Promise<ResolveCheck> {
  const wanted = reading(target, (database) =>
    wantId(database, findDocument(database, request.document), request.documentId),
  );
  return withReader(target, options, (reader) => checkBy(reader, wanted));
}

/** What the read should show. @throws as `checkResolve` */
function wantId(database: LedgerDatabase, document: KnownDocument, documentId: string): WantedId {
  resolveDocument(database, document, documentId, null);
  const settings = createSettingsStore(database, defaultSettings);
  return { document, documentId, externalId: sentExternalId(document, settings.get(document.settings)) };
}

/**
 * @throws RowferryError `document-id-not-found`; `interrupted`, `service-outage`, `credentials-refused` if no read is
 * possible
 */
async function checkBy(reader: Reader, { document, documentId, externalId }: WantedId): Promise<ResolveCheck> {
  const answer = await reader.send(readDocument(documentId), {
    isReadable: async () => (await reader.send(lookupParticipant(NOBODY))).result !== "stopped",
  });
  if (answer.result === "refused" && answer.notFound)
    throw new RowferryError("document-id-not-found", `The service has no document ${documentId}.`);
  if (answer.result === "stopped") throw new RowferryError(codeOfStop[answer.why], answer.message);
  const body = answer.result === "accepted" ? (documentOf(answer.body)?.body ?? null) : null;
  const ours = { id: documentId, documentId, deduplicationId: documentDeduplicationId(document), externalId };
  const findings = Object.entries(ours).flatMap(([member, wanted]) => {
    const value = isJsonObject(body) ? body[member] : null;
    if (typeof value !== "string" || wanted === null) return [];
    const agrees = value === wanted;
    return [{ member, agrees, text: `${member} is ${value}, ${agrees ? "as sent" : `but ${wanted} was sent`}` }];
  });
  return { document, documentId, findings, body };
}

/** Settles one document, or several. */
export function resolving(
  checks: readonly Pick<ResolveCheck, "document" | "documentId">[],
  by: string,
): Decision<void> {
  return (database, now) => {
    const ids = checks.map(({ document: { kind, key }, documentId }) => {
      const document = findDocument(database, `${kind}/${key}`);
      resolveDocument(database, document, documentId, now);
      keepDecision(database, { document: document.id, key: null }, { said: "document-id", by }, now);
      createRunStore(database).decided("resolve", `${kind} ${key} has the id ${documentId}`, now, by);
      return document.id;
    });
    const said = "document-id";
    return { done: undefined, entries: (entries) => ids.map((id) => entries.decision(id, [], { said, by }, now)) };
  };
}

export interface FilledFile {
  file: string;
  /** In the file's order. */
  wanted: (WantedId & { row: number })[];
  /** One of them stops everything. */
  refused: { row: number; code: Code; message: string }[];
  blank: number;
  known: number;
}

/** @throws RowferryError `stranded-file-unusable`, `ledger-missing`, and those of unreadable files */
export async function readFilledIn(target: Target, path: string): Promise<FilledFile> {
  const { file, rows, refused, blank } = await readRows(path);
  const result: FilledFile = { file, wanted: [], refused, blank, known: 0 };
  reading(target, (database) => {
    for (const filled of rows) {
      const { row } = filled;
      try {
        const found = wantRow(database, filled);
        if (found === null) result.known += 1;
        else result.wanted.push({ ...found, row });
      } catch (error) {
        if (!(error instanceof RowferryError)) throw error;
        refused.push({ row, code: error.code, message: error.message });
      }
    }
  });
  result.wanted = eachOnce(result.wanted, refused);
  refused.sort((one, other) => one.row - other.row);
  return result;
}

/** The last column is optional. */
const COLUMNS = ["document", "document_id", "deduplication_id"] as const;

type FilledRow = { row: number } & Record<(typeof COLUMNS)[number], string>;

async function readRows(path: string) {
  const input = await openInput(path);
  try {
    const table = await input.open({});
    const columns = columnsOf(table, input.name);
    const rows: FilledRow[] = [];
    const refused: FilledFile["refused"] = [];
    let blank = 0;
    for await (const batch of table.rows()) {
      for (const { number: row, cells, problems } of batch) {
        const [document = "", document_id = "", deduplication_id = ""] = columns.map((at) => (cells[at] ?? "").trim());
        if (document_id === "") blank += 1;
        else if (problems !== null) refused.push(...problems.map(({ code, message }) => ({ row, code, message })));
        else rows.push({ row, document, document_id, deduplication_id });
      }
    }
    return { file: input.name, rows, refused, blank };
  } finally {
    await input.close();
  }
}

/** -1: absent. */
function columnsOf({ header }: Table, file: string): number[] {
  const names = header.map((text) => text.trim().toLowerCase());
  return COLUMNS.map((name) => {
    const unusable = (why: string) => new RowferryError("stranded-file-unusable", why, { place: { file } });
    const index = names.indexOf(name);
    if (index !== names.lastIndexOf(name)) throw unusable(`two columns are called ${name}`);
    if (index < 0 && name !== "deduplication_id") throw unusable(`there is no column ${name}`);
    return index;
  });
}

/** Null: the document has this id already. @throws RowferryError if the row is wrong */
function wantRow(
  database: LedgerDatabase,
  { document: name, deduplication_id: key, document_id: documentId }: FilledRow,
): WantedId | null {
  if (name === "") throw new RowferryError("document-unknown", "The row names no document.");
  const document = findDocument(database, name);
  // An earlier generation's id would put events on the wrong timeline.
  if (key !== "" && key !== documentDeduplicationId(document)) {
    throw new RowferryError(
      "document-not-stranded",
      `The row belongs to another generation of ${document.kind} ${document.key}: the document has since been replaced, or its deduplication_id was edited.`,
    );
  }
  if (document.serviceId === documentId) return null;
  // Impossible ids are reported before any request.
  readDocument(documentId);
  return wantId(database, document, documentId);
}

/** Refuses rows that contradict each other. */
function eachOnce(wanted: FilledFile["wanted"], refused: FilledFile["refused"]): FilledFile["wanted"] {
  const ofDocument = Map.groupBy(wanted, ({ document }) => document.id);
  const ofId = Map.groupBy(wanted, ({ documentId }) => documentId);
  return wanted.filter((one) => {
    const { row, document, documentId } = one;
    const refuse = (message: string) => refused.push({ row, code: "stranded-file-unusable", message });
    const same = ofDocument.get(document.id) ?? [];
    const ids = new Set(same.map((other) => other.documentId)).size;
    if (ids > 1) refuse(`${document.kind} ${document.key} appears in several rows, with ${ids} different ids.`);
    const documents = new Set(ofId.get(documentId)?.map((other) => other.document.id)).size;
    if (documents > 1)
      refuse(`${document.kind} ${document.key} has the id ${documentId}, and so has another document of the list.`);
    return ids === 1 && documents === 1 && same[0] === one;
  });
}

/** Whether nothing in the read is against the id. */
export const agrees = ({ findings }: Pick<ResolveCheck, "findings">): boolean =>
  findings.every((finding) => finding.agrees);

/**
 * Reads one after another, at the target's limit; writes nothing. An id without a readable answer is not agreed to.
 * @throws RowferryError `interrupted`, `service-outage`, `credentials-refused`
 */
export async function lookUp(
  target: Target,
  wanted: FilledFile["wanted"],
  options: ReaderOptions,
): Promise<(ResolveCheck & { row: number })[]> {
  if (wanted.length === 0) return [];
  return withReader(target, options, async (reader) => {
    const found: Awaited<ReturnType<typeof lookUp>> = [];
    for (const one of wanted) {
      const against = (text: string) => ({ ...one, body: null, findings: [{ member: null, agrees: false, text }] });
      const check = await checkBy(reader, one).catch((error: unknown): ResolveCheck => {
        if (error instanceof RowferryError && error.code === "document-id-not-found") return against(error.message);
        throw error;
      });
      const isSilent = check.body === null && check.findings.length === 0;
      found.push({ ...(isSilent ? against("the read could not confirm it") : check), row: one.row });
    }
    if (options.signal?.aborted === true) throw new RowferryError("interrupted", "stopped before anything was written");
    return found;
  });
}
