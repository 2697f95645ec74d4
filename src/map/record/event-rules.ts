/** Rules of the service for events that the mapping alone can break (service.md, Event endpoints and Events). */
import type { JsonValue } from "../../model/json.js";
import type { EventRecord } from "../../model/records.js";
import type { View } from "../column/view.js";
import type { EventSpec } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { didYouMean } from "../nearest.js";

const RESERVED_NAMES: ReadonlySet<string> = new Set(["ACTOR", "CLOSE", "CANCEL", "RELATED", "UPDATE"]);

/** Null: no reserved name differs only by case. */
function reservedLookalike(name: unknown): string | null {
  const upper = String(name).trim().toUpperCase();
  return RESERVED_NAMES.has(upper) && upper !== name ? upper : null;
}

/** Fields made from other settings, which `extra` cannot hold. */
const OWN_MEMBERS = new Set(
  "name externalCreatedAt isPublic deduplicationId participantId participant addressId address metadata relatedDocument target propagateEvent value".split(
    " ",
  ),
);

/** `name`: undefined if it depends on the row. */
export function checkEventRules(spec: EventSpec, name: JsonValue | undefined, site: Site): void {
  const like = reservedLookalike(name);
  if (like !== null && spec.confirmName === undefined) {
    const message = `: "${String(name)}" differs from the reserved name ${like} only by case; the service would take it for a custom event.`;
    const hint = `Write ${like}, or confirm the custom name with \`confirmName: true\`.`;
    site.report("mapping-rule", message, hint, "name");
  }
  checkKey(spec, site);
  if (name === "RELATED" && spec.relatedDocument === undefined) {
    const message = ": a RELATED event needs `relatedDocument` (service.md, Event endpoints, rule 10).";
    site.reportName("mapping-rule", message);
  }
  if (name === "CANCEL") checkReason(spec, site);
  const propagates = spec.propagateEvent !== undefined && spec.propagateEvent !== false;
  if (propagates && spec.value !== undefined) {
    const message = ": a propagated event cannot send `value` (service.md, Event endpoints, rule 11).";
    site.reportName("mapping-rule", message, "Remove `value` or `propagateEvent`.", "value");
  }
  for (const known of Object.keys(spec.extra ?? {}).filter((one) => OWN_MEMBERS.has(one))) {
    const message = `: \`extra\` cannot hold "${known}", which is made from other settings.`;
    site.reportName("mapping-value", message, null, "extra", known);
  }
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
      "`file`: every file holds everything, so equal rows are counted separately in each file. `import`: files hold increments.";
    place.report("mapping-event-key", ": `key: content` needs `within: file` or `within: import`.", hint);
  }
  if (key !== "content" && within !== undefined)
    site.reportName("mapping-value", ": `within` belongs to `key: content`.", null, "within");
  const word = Array.isArray(key) ? key.find((one) => one === "once" || one === "content") : undefined;
  if (word !== undefined) {
    const hint = `Write \`key: ${word}\`, or name columns: [=ticket, =line]; '="${word}"' for the text.`;
    place.report("mapping-event-key", `: \`${word}\` stands alone, without other parts.`, hint);
    return;
  }
  const constant = (one: unknown) => typeof one !== "string" || !one.startsWith("=");
  if (key === "once" || key === "content" || ![key].flat().every(constant)) return;
  const near = typeof key === "string" ? didYouMean(key, ["once", "content"]) : "";
  const hint = `Write \`once\`, \`content\`, or a formula such as =ticket.${near}`;
  place.report("mapping-event-key", ": a constant key would be the same for every row.", hint);
}

function checkReason({ attributes = {} }: EventSpec, site: Site) {
  const names = Object.values(attributes).flatMap((of) => Object.keys(of ?? {}));
  if (names.includes("reason")) return;
  const like = names.find((name) => name.trim().toLowerCase() === "reason");
  const rule = "(service.md, Event endpoints, rule 9)";
  const message =
    like === undefined
      ? `: a CANCEL event needs the attribute \`reason\` ${rule}.`
      : `: "${like}" is not recognised; the attribute of a CANCEL is named exactly \`reason\` ${rule}.`;
  site.reportName("mapping-rule", message);
}

/** The same rules for names from the row. A document also cannot be created by an event on its own timeline. */
export function fitsRules(
  { document, target, name, related, attributes }: EventRecord,
  { name: fixed, confirmed }: { name: boolean; confirmed: boolean },
  site: Site,
  view: View,
): boolean {
  const refuse = (code: "event-name" | "target-is-itself", message: string) => {
    view.report(code, `${site.label}: ${message}`);
    return false;
  };
  if (target !== null && target.document.kind === document.kind && target.document.key === document.key)
    return refuse("target-is-itself", `it would make ${document.kind} ${document.key}, the document that it is on`);
  if (fixed) return true;
  const like = confirmed ? null : reservedLookalike(name);
  if (like !== null) return refuse("event-name", `the name "${name}" differs from the reserved ${like} only by case`);
  if (name === "RELATED" && related === null) return refuse("event-name", "RELATED needs a related document");
  const hasReason = attributes.some((attribute) => attribute.name === "reason" && attribute.value !== "");
  return name !== "CANCEL" || hasReason || refuse("event-name", "CANCEL needs a reason");
}
