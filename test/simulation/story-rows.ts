/** Rows of a story, written short: what a mapping would have made of them. */
import { lengthPrefixed, naturalKey } from "../../src/model/keys.js";
import type { MappedRow, Placement } from "../../src/model/mapped-row.js";
import type { DocumentRef, EventRecord } from "../../src/model/records.js";

export interface EventRow {
  row: number;
  document: string;
  /** Minutes since 2026-01-01T00:00Z. */
  minute: number;
  /** Key part that tells events of one name apart. */
  key?: string;
  name?: string;
  weight?: string;
  participant?: string;
  related?: { document: string; bidirectional: boolean };
  target?: string;
  reason?: string;
}

const START = Date.parse("2026-01-01T00:00:00Z");

export function participantOf(taxId: string) {
  const data = { countryCode: "BR", name: `Company ${taxId}`, taxId, taxIdType: "CNPJ", type: "COMPANY" };
  return { kind: "company", alias: null, natural: naturalKey(data), data };
}

export function eventRow(row: EventRow): MappedRow {
  const participant = participantOf(row.participant ?? "11222333000181");
  const owner = { by: "natural", key: participant.natural } as const;
  const data = {
    city: "Campinas",
    countryCode: "BR",
    countryState: "SP",
    name: "Matriz",
    number: "1",
    street: "Rua A",
  };
  const identity = lengthPrefixed(Object.values(data));
  const address = { by: "identity", participant: owner, identity } as const;
  const related = (document: string): DocumentRef => ({ by: "key", kind: "manifest", key: document });
  const name = row.name ?? "Weighing";
  const event: EventRecord = {
    document: { kind: "manifest", key: row.document },
    event: name.toLowerCase(),
    key: { by: "fields", parts: [row.key ?? String(row.minute)] },
    name,
    at: START + row.minute * 60_000,
    isPublic: true,
    participant: owner,
    address,
    attributes: [
      ...(row.weight === undefined ? [] : [{ name: "Weight", value: row.weight, isPublic: true }]),
      ...(row.reason === undefined ? [] : [{ name: "reason", value: row.reason, isPublic: true }]),
    ],
    related:
      row.related === undefined
        ? null
        : {
            document: related(row.related.document),
            options: row.related.bidirectional ? { isPublic: true } : { bidirectional: false },
          },
    target:
      row.target === undefined
        ? null
        : {
            document: { kind: "batch", key: row.target },
            fields: { category: "Batch" },
            participant: owner,
            address,
            externalId: null,
          },
    propagate: null,
    value: undefined,
    extra: {},
  };
  const document = {
    kind: "manifest",
    key: row.document,
    mode: "create",
    documentId: null,
    participant: owner,
    address,
    externalId: row.document,
    fields: { category: "MassID" },
    createEmpty: false,
  } as const;
  return {
    row: row.row,
    alsoRows: [],
    rowId: null,
    outcome: {
      fate: "valid",
      warnings: [],
      records: {
        participants: [participant],
        addresses: [{ kind: "origin", alias: null, participant: owner, identity, data, extended: {} }],
        documents: [document],
        events: [event],
      },
    },
  };
}

/** A row that a mapping refused, with as much of its place as it could read. */
export function invalidRow(
  row: number,
  placements: (Partial<Placement> & { key: string; minute?: number })[],
): MappedRow {
  return {
    row,
    alsoRows: [],
    rowId: null,
    outcome: {
      fate: "invalid",
      problems: [{ code: "value-unmapped", message: "cannot be read", hint: null, column: null }],
      placements: placements.map(({ key, minute, event = null, keyParts = null }) => ({
        document: { kind: "manifest", key },
        event,
        keyParts,
        at: minute === undefined ? null : START + minute * 60_000,
      })),
    },
  };
}
