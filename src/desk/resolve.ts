/** `resolve`: a person names the id of a stranded document. Looked at by a read, never by a write (HARD-CASES H5). */
import { keepDecision } from "../ledger/decide/decisions.js";
import type { LedgerDatabase } from "../ledger/open-ledger.js";
import { createSettingsStore } from "../ledger/settings.js";
import { findDocument, type KnownDocument } from "../ledger/documents-named.js";
import { resolveDocument } from "../ledger/decide/resolve.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import { documentDeduplicationId } from "../model/keys.js";
import { isJsonObject, type JsonValue } from "../model/json.js";
import type { Target } from "../model/target.js";
import { documentOf } from "../submit/answers.js";
import { readDocument } from "../submit/calls.js";
import { sentExternalId } from "../run/bodies.js";
import { defaultSettings } from "../run/session.js";
import { codeOfStop } from "../run/refusals.js";
import { beside, journaled, reading } from "./ledger-access.js";
import { type Reader, type ReaderOptions, withReader } from "./reader.js";

export interface ResolveCheck {
  document: KnownDocument;
  documentId: string;
  /**
   * What the read showed that speaks for or against the id, member by member; a read need not tell anything (open-points
   * 18). `member` null: it concerns the read as a whole.
   */
  findings: { member: string | null; agrees: boolean; text: string }[];
  /** The read's body, for a person to look at; null: nothing readable came. */
  body: JsonValue | null;
}

/**
 * What can be told before a person confirms.
 * @throws RowferryError `document-unknown`, `document-not-stranded`, `document-id-not-found`
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

export interface WantedId {
  document: KnownDocument;
  documentId: string;
  /** Sent with the document; null: none was. */
  externalId: string | null;
}

/** What to hold the read against, where nothing in the ledger speaks against the id. @throws as `checkResolve` */
export function wantId(database: LedgerDatabase, document: KnownDocument, documentId: string): WantedId {
  resolveDocument(database, document, documentId, null);
  const settings = createSettingsStore(database, defaultSettings);
  return { document, documentId, externalId: sentExternalId(document, settings.get(document.settings)) };
}

/** @throws RowferryError `document-id-not-found`; `interrupted`, `service-outage`, `credentials-refused` where no read can be made */
export async function checkBy(reader: Reader, { document, documentId, externalId }: WantedId): Promise<ResolveCheck> {
  const body = await look(reader, documentId);
  const key = documentDeduplicationId(document);
  return { document, documentId, findings: compare(body, { documentId, key, externalId }), body };
}

async function look(reader: Reader, documentId: string): Promise<JsonValue | null> {
  const answer = await reader.send(readDocument(documentId));
  if (answer.result === "refused" && answer.notFound) {
    throw new RowferryError("document-id-not-found", `The service has no document ${documentId}.`);
  }
  if (answer.result === "stopped") throw new RowferryError(codeOfStop[answer.why], answer.message);
  return answer.result === "accepted" ? (documentOf(answer.body)?.body ?? null) : null;
}

function compare(
  body: JsonValue | null,
  ours: { documentId: string; key: string; externalId: string | null },
): ResolveCheck["findings"] {
  const findings: ResolveCheck["findings"] = [];
  if (!isJsonObject(body)) return findings;
  for (const [name, wanted] of [
    ["id", ours.documentId],
    ["documentId", ours.documentId],
    ["deduplicationId", ours.key],
    ["externalId", ours.externalId],
  ] as const) {
    const value = body[name];
    if (typeof value !== "string" || wanted === null) continue;
    const agrees = value === wanted;
    findings.push({
      member: name,
      agrees,
      text: agrees ? `${name} is ${value}, as sent` : `${name} is ${value}, but ${wanted} was sent`,
    });
  }
  return findings;
}

/** After the confirmation, by whom. Beside a running import. */
export function resolveNamed(
  target: Target,
  check: ResolveCheck,
  clock: Clock,
  { by, journal = null }: { by: string; journal?: string | null },
): void {
  beside(target, (database) => {
    const now = clock.now();
    const decision = { said: "document-id", by } as const;
    const resolve = () => {
      const document = findDocument(database, `${check.document.kind}/${check.document.key}`);
      resolveDocument(database, document, check.documentId, now);
      keepDecision(database, { document: document.id, key: null }, decision, now);
      return document.id;
    };
    journaled(target, database, journal, now, resolve, (entries, id) => entries.decision(id, [], decision, now));
  });
}
