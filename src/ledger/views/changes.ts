/** Compares a landed event with its row, field by field (H9). */
import { type JsonObject, parseJson } from "../../model/json.js";
import { type EventContent, type EventNow, resolved } from "../event-key.js";
import type { LedgerDatabase } from "../ledger-database.js";
import { describeRow } from "../rows.js";

export interface FieldChange {
  field: string;
  /** Null: absent. */
  landed: string | null;
  now: string | null;
}

const LANDED = " has landed with other content";
/** Of an attribute that one of them lacks, there is nothing to compare. */
const VISIBILITY = "visibility of attribute ";

/** Empty: the ledger lacks the landed content: it was rebuilt, or an answer in doubt only proved that it differs. */
export function changesOf(database: LedgerDatabase, event: number): FieldChange[] {
  const found = database.row<EventNow>("SELECT * FROM events_now WHERE id = @event", { event });
  return found?.changed_content == null
    ? []
    : changesBetween(database, found, JSON.parse(found.changed_content) as EventContent);
}

/** The landed event and `row`, in words. Values are quoted, because most are cells, which collected output hides (P9). */
export function describeChange(database: LedgerDatabase, event: number, row: number | null): string {
  const quoted = (value: string | null) => (value === null ? "absent" : JSON.stringify(value));
  const changes = changesOf(database, event);
  const told = changes
    .slice(0, 4)
    .map(({ field, landed, now }) => `${field} was ${quoted(landed)} and is ${quoted(now)}`);
  const more = changes.length > 4 ? [`${changes.length - 4} more`] : [];
  const {
    name = "",
    key = null,
    before = null,
  } = database.row<{ name: string; key: string | null; before: number | null }>(
    `SELECT event || ' of ' || document AS name,
       (SELECT min(row_id) FROM row_events WHERE event_id = @event AND row_id >> 32 = input_id) AS before,
       (SELECT 'key ' || group_concat(json_quote(value), ', ') FROM json_each(key_parts)) AS key FROM events_now WHERE id = @event`,
    { event },
  ) ?? {};
  // Of a group, the row is the first one: the key shows which.
  const where = [before === null || before === row ? [] : describeRow(database, before), key ?? []].flat().join(", ");
  const place = where === "" ? "" : ` (${where})`;
  const what = changes.length === 0 ? "" : `: ${[...told, ...more].join(", ")}`;
  return `The event ${name}${LANDED}${place}${what}. A timeline cannot be edited.`;
}

/** Which fields such a text names, without values and places. */
export function fieldsIn(described: string): string {
  const after = described
    .slice(described.indexOf(LANDED) + LANDED.length)
    .replace(/^ \(.*?\)(?=: |\. A timeline)/s, "");
  const values = / was (?:absent|"(?:[^"\\]|\\.)*") and is (?:absent|"(?:[^"\\]|\\.)*")/gs;
  return after.replaceAll(values, "");
}

function changesBetween(database: LedgerDatabase, landed: EventContent, now: EventContent): FieldChange[] {
  const isWhole = landed.payload !== "" && now.payload !== "";
  const [before, after] = [fieldsOf(database, landed, isWhole), fieldsOf(database, now, isWhole)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field): FieldChange[] => {
    const change = { field, landed: before.get(field) ?? null, now: after.get(field) ?? null };
    // The parties of what landed are not in a journal, of which this ledger was made.
    const isUnknown = change.landed === null && (field === "participant" || field === "address");
    const isOfOther = field.startsWith(VISIBILITY) && (change.landed === null || change.now === null);
    return change.landed === change.now || isUnknown || isOfOther ? [] : [change];
  });
}

function fieldsOf(database: LedgerDatabase, content: EventContent, withPayload: boolean): Map<string, string> {
  const fields = new Map<string, string>();
  const set = (field: string, value: unknown) => {
    if (value == null) return;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // Attributes may share a name.
    fields.set(field, fields.has(field) ? `${fields.get(field)}; ${text}` : text);
  };
  const { name, at, payload } = content;
  set("name", name);
  set("externalCreatedAt", new Date(at).toISOString());
  set("participant", partyName(database, content.participant_ref));
  set("address", partyName(database, content.address_ref));
  set("related document", content.related_id ?? documentName(database, content.related_document));
  set("target document", documentName(database, content.target_document));
  if (!withPayload) return fields;
  const {
    name: _name,
    metadata,
    ...members
  } = parseJson(payload) as JsonObject & {
    metadata?: { attributes?: { name: string; value: unknown; isPublic: boolean }[] };
  };
  for (const [member, value] of Object.entries(members)) set(member, value);
  for (const { name: attribute, value, isPublic } of metadata?.attributes ?? []) {
    set(`attribute ${JSON.stringify(attribute)}`, value);
    set(`${VISIBILITY}${JSON.stringify(attribute)}`, isPublic ? "public" : "private");
  }
  return fields;
}

const partyName = (database: LedgerDatabase, ref: number) =>
  database.value<string>(
    `SELECT coalesce((SELECT coalesce(payload ->> 'taxId', payload ->> 'name', service_id) FROM registrations WHERE id = ${resolved("@ref")}),
       (SELECT key FROM aliases WHERE id = -@ref AND name <> '#journal'))`,
    { ref },
  );

const documentName = (database: LedgerDatabase, id: number | null) =>
  database.value<string>("SELECT name FROM documents WHERE id = @id", { id });
