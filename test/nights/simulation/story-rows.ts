/** Rows of a story, written short: what a mapping would have made of them. */
import { lengthPrefixed, naturalKey } from "../../../src/model/keys.js";
import type { StoryRow } from "./story.js";
import type {
  AddressRecord,
  DocumentRef,
  EventRecord,
  MappedRow,
  ParticipantRecord,
  Placement,
} from "../../../src/model/records.js";

export interface EventRow {
  row: number;
  document: string;
  /** Minutes since 2026-01-01T00:00Z. */
  minute: number;
  /** Key part that tells events of one name apart; default: the minute. */
  key?: string;
  name?: string;
  weight?: string;
  /** So many rows of its file say it, and their weights add up (real shapes); default: one. */
  parts?: number;
  participant?: string;
  /** Name of the participant, where it differs from the usual one. */
  participantName?: string;
  street?: string;
  /** Name of the address. */
  place?: string;
  related?: { document: string; bidirectional: boolean };
  /** Key of the document (kind `batch`) that this event makes. */
  target?: string;
  /** The event is appended to a document of kind `batch`, made by another event's target. */
  onTarget?: boolean;
  reason?: string;
  propagate?: boolean;
  /** The service refuses it, always. */
  bad?: boolean;
  /** The document's own field; `bad` makes the service refuse the document. */
  rowId?: string;
  createEmpty?: boolean;
}

/** Of rows that name no participant. */
export const USUAL_TAX_ID = "11222333000181";

export const START = Date.parse("2026-01-01T00:00:00Z");
export const minuteOf = (at: number): number => (at - START) / 60_000;

export function participantOf(taxId: string, name = `Company ${taxId}`): ParticipantRecord {
  const data = { countryCode: "BR", name, taxId, taxIdType: "CNPJ", type: "COMPANY" };
  return { kind: "company", alias: null, natural: naturalKey(data), data };
}

export function addressOf(participant: ParticipantRecord, street = "Rua A", name = "Matriz"): AddressRecord {
  const data = { city: "Campinas", countryCode: "BR", countryState: "SP", name, number: "1", street };
  const identity = lengthPrefixed(Object.values(data));
  return {
    kind: "origin",
    alias: null,
    participant: { by: "natural", key: participant.natural },
    identity,
    data,
    extended: {},
  };
}

export function eventRow(row: EventRow): MappedRow {
  const participant = participantOf(row.participant ?? USUAL_TAX_ID, row.participantName);
  const owner = { by: "natural", key: participant.natural } as const;
  const place = addressOf(participant, row.street, row.place);
  const address = { by: "identity", participant: owner, identity: place.identity } as const;
  const related = (document: string): DocumentRef => ({ by: "key", kind: "manifest", key: document });
  const name = row.name ?? "Weighing";
  const kind = row.onTarget === true ? "batch" : "manifest";
  const event: EventRecord = {
    document: { kind, key: row.document },
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
      // An attribute without a name is refused with 400.
      ...(row.bad === true ? [{ name: "", value: "1", isPublic: true }] : []),
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
            externalId: row.target,
          },
    propagate: row.propagate === true ? true : null,
    value: undefined,
    extra: {},
  };
  const document = {
    kind,
    key: row.document,
    mode: row.onTarget === true ? "existing" : "create",
    documentId: null,
    participant: row.onTarget === true ? null : owner,
    address: row.onTarget === true ? null : address,
    externalId: row.onTarget === true ? null : row.document,
    fields: row.onTarget === true ? {} : { category: "MassID" },
    createEmpty: row.createEmpty ?? false,
  } as const;
  return {
    row: row.row,
    alsoRows: [],
    rowId: row.rowId ?? null,
    outcome: {
      fate: "valid",
      warnings: [],
      records: { participants: [participant], addresses: [place], documents: [document], events: [event] },
    },
  };
}

/** A row that declares a document and no event. */
export function documentRow(row: Omit<EventRow, "minute">): MappedRow {
  const whole = eventRow({ ...row, minute: 0 });
  if (whole.outcome.fate === "valid") whole.outcome.records.events = [];
  return whole;
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
      parties: [],
    },
  };
}

/** What a mapping would have made of it. */
export function mapped(row: StoryRow): MappedRow {
  if (row.is === "event") return eventRow(row);
  const { document, minute, event, key } = row;
  if (document === null) return invalidRow(row.row, []);
  return invalidRow(row.row, [
    { key: document, event, keyParts: key === null ? null : [key], ...(minute === null ? {} : { minute }) },
  ]);
}

/**
 * A row in words: document and minute (`?`: it cannot be told), then what differs from a plain weighing: `M1 10 key=a weight=5 bad`,
 * `M1 20 CLOSE`, `M1 20 RELATED to=M2` (in both directions), `M1 10 invalid`. Before a colon its number, where it is not the next.
 */
export function rowInWords(words: string, next: number): MappedRow {
  const [, number = next, document = "", when, rest = ""] = /^(?:(\d+): )?(\S+) (\d+|\?)(.*)$/.exec(words) ?? [];
  const [row, minute] = [Number(number), Number(when)];
  if (rest === " invalid")
    return invalidRow(row, document === "?" ? [] : [{ key: document, ...(when === "?" ? {} : { minute }) }]);
  const members = rest.match(/\S+/g)?.map((word) => {
    const [name = "", text] = word.split("=");
    if (name === "to") return ["related", { document: text, bidirectional: true }];
    if (/^[A-Z]/.test(name)) return ["name", name];
    return [name, text ?? true];
  });
  return eventRow({ row, document, minute, ...(Object.fromEntries(members ?? []) as Partial<EventRow>) });
}

/** Ways to draw from random numbers, one number for each thing. */
export const drawing = (random: () => number) => ({
  chance: (probability: number) => random() < probability,
  upTo: (most: number) => 1 + Math.floor(random() * most),
  pick: <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item,
  shuffled: <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ item }) => item),
});
