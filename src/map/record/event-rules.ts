/** Rules of the service for events that the mapping alone can break (service.md, Event endpoints and Events). */
import type { JsonValue } from "../../model/json.js";
import type { EventRecord } from "../../model/records.js";
import type { View } from "../column/view.js";
import type { EventSpec, KeySpec } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { didYouMean } from "../nearest.js";
import type { Column, Piece } from "../piece.js";
import { compileVarying } from "./fields.js";

const RESERVED_NAMES: ReadonlySet<string> = new Set(["ACTOR", "CLOSE", "CANCEL", "RELATED", "UPDATE"]);

/** What the service would refuse or misunderstand in an event of this name. Null: nothing. */
function nameFault(
  name: string,
  isConfirmed: boolean,
  isRelated: boolean,
  attributes: readonly string[],
): [message: string, hint?: string] | null {
  const upper = name.trim().toUpperCase();
  if (RESERVED_NAMES.has(upper) && upper !== name && !isConfirmed)
    return [
      `"${name}" differs from the reserved name ${upper} only by case; the service would take it for a custom event`,
      `Write ${upper}, or confirm the custom name with \`confirmName: true\`.`,
    ];
  if (name === "RELATED" && !isRelated)
    return [
      "a RELATED event needs `relatedDocument` (the specification, Event endpoints, rule 10)",
      "Write `relatedDocument: { document: { ref: …, key: … }, bidirectional: false }`.",
    ];
  if (name !== "CANCEL" || attributes.includes("reason")) return null;
  const like = attributes.find((one) => one.trim().toLowerCase() === "reason");
  const rule = "(the specification, Event endpoints, rule 9)";
  return like === undefined
    ? [
        `a CANCEL event needs the attribute \`reason\`, not blank ${rule}`,
        "Write `attributes: { public: { reason: … } }`.",
      ]
    : [`"${like}" is not recognised; the attribute of a CANCEL is named exactly \`reason\` ${rule}`];
}

/** Fields of documents, and of events, that are made from other settings. */
const OWN_FIELDS = {
  fields: "externalId deduplicationId participantId participant addressId address",
  extra:
    "name externalCreatedAt isPublic deduplicationId participantId participant addressId address metadata relatedDocument target propagateEvent value",
};

export function refuseOwnFields(written: object = {}, of: "fields" | "extra", site: Site): void {
  const own = OWN_FIELDS[of].split(" ");
  for (const known of Object.keys(written).filter((one) => own.includes(one))) {
    const message = `: \`${of}\` cannot hold "${known}", which is made from other settings.`;
    const hint =
      known === "deduplicationId" ? "Remove it; `key` makes it." : `Write its own setting next to \`${of}\`.`;
    site.reportName("mapping-value", message, hint, of, known);
  }
}

/** `name`: undefined if it depends on the row. */
export function checkEventRules(spec: EventSpec, name: JsonValue | undefined, site: Site): void {
  const names = Object.values(spec.attributes ?? {}).flatMap((of) => Object.keys(of ?? {}));
  const isRelated = spec.relatedDocument !== undefined;
  const fault = name === undefined ? null : nameFault(String(name), spec.confirmName === true, isRelated, names);
  if (fault !== null) site.reportName("mapping-rule", `: ${fault[0]}.`, fault[1], "name");
  checkKey(spec, site);
  const propagates = spec.propagateEvent !== undefined && spec.propagateEvent !== false;
  if (propagates && spec.value !== undefined) {
    const message = ": a propagated event cannot send `value` (the specification, Event endpoints, rule 11).";
    site.reportName("mapping-rule", message, "Remove `value` or `propagateEvent`.", "value");
  }
  refuseOwnFields(spec.extra, "extra", site);
}

function checkKey({ key, within }: EventSpec, site: Site) {
  const place = site.at("key", site.label);
  if (key === undefined) {
    const hint =
      "Write `key: once`, a formula, a list of them, or `key: content` with `within: file` or `within: import`.";
    site.reportName("mapping-event-key", ': "key" is missing.', hint);
    return;
  }
  if (key === "content" && within === undefined) {
    const hint =
      "`file`: every file is complete, so equal rows are counted separately in each file. `import`: files are increments.";
    place.report("mapping-event-key", ": `key: content` needs `within: file` or `within: import`.", hint);
  }
  if (key !== "content" && within !== undefined)
    site.reportName("mapping-value", ": `within` belongs to `key: content`.", null, "within");
  const word = Array.isArray(key) ? key.find((one) => one === "once" || one === "content") : undefined;
  if (word !== undefined) {
    const hint = `Write \`key: ${word}\`, or name columns: [=ticket, =line]; '="${word}"' for the text.`;
    place.report("mapping-event-key", `: \`${word}\` stands alone, without other parts.`, hint);
  }
}

export function compileEventKey(spec: KeySpec, site: Site): Piece<string[]> {
  const near = typeof spec === "string" ? didYouMean(spec, ["once", "content"]) : "";
  const hint = `Write \`once\`, \`content\`, or a formula such as =ticket.${near}`;
  return compileVarying(spec, "mapping-event-key", hint, site);
}

/** The same rules for names from the row. An event neither creates its own document nor links it to itself. */
export function fitsRules(
  { document, target, name, related, attributes }: EventRecord,
  { name: fixed, confirmed, column }: { name: boolean; confirmed: boolean; column: Column | undefined },
  site: Site,
  view: View,
): boolean {
  const { kind, key } = document;
  if (target !== null && target.document.kind === kind && target.document.key === key) {
    const message = `${site.label}: it would create ${kind} ${key}, the document that it is on`;
    return view.report("target-is-itself", message) !== null;
  }
  const other = related?.document;
  if (other?.by === "key" && other.kind === kind && other.key === key)
    return view.report("link-to-itself", `${site.label}: it would link ${kind} ${key} to itself`) !== null;
  const filled = attributes.flatMap((one) => (one.value === "" ? [] : one.name));
  const fault = fixed ? null : nameFault(name, confirmed, related !== null, filled);
  if (fault !== null) view.report("event-name", `${site.label}: ${fault[0]}`, fault[1], column);
  return fault === null;
}
