/** Rules of the service for events that can be told from the mapping alone (service.md, Event endpoints and Events). */
import { didYouMean } from "../nearest.js";
import type { EventSpec } from "../schema/event-schema.js";
import type { Path } from "../source/mapping-source.js";
import type { CompileContext } from "../value/compile-context.js";
import type { Value } from "../value/row-view.js";

export const RESERVED_NAMES: ReadonlySet<string> = new Set(["ACTOR", "CLOSE", "CANCEL", "RELATED", "UPDATE"]);

/** The reserved name that differs only by case, or null. */
export function reservedLookalike(name: string): string | null {
  const upper = name.trim().toUpperCase();
  return RESERVED_NAMES.has(upper) && upper !== name ? upper : null;
}

/** Reports what the service would always refuse. `name`: the constant name; undefined when it depends on the row. */
export function checkEventRules(
  event: string,
  spec: EventSpec,
  name: Value | undefined,
  path: Path,
  context: CompileContext,
): void {
  const label = `event "${event}"`;
  const { source } = context;
  const like = typeof name === "string" ? reservedLookalike(name) : null;
  if (like !== null && spec.confirmName === undefined) {
    const message = `${label}: "${String(name)}" differs from the reserved name ${like} only by case; the service would take it for a custom event.`;
    source.report("mapping-rule", [...path, "name"], message, {
      hint: `Write ${like}, or confirm the custom name with \`confirmName: true\`.`,
    });
  }
  checkKey(label, spec, path, context);
  if (name === "RELATED" && spec.relatedDocument === undefined) {
    source.report(
      "mapping-rule",
      path,
      `${label}: a RELATED event needs \`relatedDocument\` (service.md, Event endpoints, rule 10).`,
      { at: "key" },
    );
  }
  if (name === "CANCEL") checkReason(label, spec, path, context);
  const propagates = spec.propagateEvent !== undefined && spec.propagateEvent !== false;
  if (propagates && spec.value !== undefined) {
    const message = `${label}: a propagated event cannot send \`value\` (service.md, Event endpoints, rule 11).`;
    source.report("mapping-rule", [...path, "value"], message, {
      at: "key",
      hint: "Remove `value` or `propagateEvent`.",
    });
  }
  for (const known of [
    "name",
    "externalCreatedAt",
    "isPublic",
    "deduplicationId",
    "participantId",
    "participant",
    "addressId",
    "address",
    "metadata",
    "relatedDocument",
    "target",
    "propagateEvent",
    "value",
  ]) {
    if (spec.extra !== undefined && Object.hasOwn(spec.extra, known)) {
      source.report(
        "mapping-value",
        [...path, "extra", known],
        `${label}: \`extra\` cannot hold "${known}", which is made from other members.`,
        { at: "key" },
      );
    }
  }
}

function checkKey(label: string, spec: EventSpec, path: Path, context: CompileContext): void {
  const { key } = spec;
  if (key === "content" && spec.within === undefined) {
    context.source.report(
      "mapping-event-key",
      [...path, "key"],
      `${label}: \`key: content\` needs \`within: file\` or \`within: import\`.`,
      {
        hint: "`file`: every file holds everything, so equal rows are counted in each file anew. `import`: files hold increments.",
      },
    );
  } else if (key !== "content" && spec.within !== undefined) {
    context.source.report("mapping-value", [...path, "within"], `${label}: \`within\` belongs to \`key: content\`.`, {
      at: "key",
    });
  }
  if (key !== "once" && key !== "content" && typeof key !== "object") {
    const near = typeof key === "string" ? didYouMean(key, ["once", "content"]) : "";
    context.source.report(
      "mapping-event-key",
      [...path, "key"],
      `${label}: a constant key would be the same for every row.`,
      {
        hint: `Write \`once\`, \`content\`, or a field such as \`{ column: … }\`.${near}`,
      },
    );
  }
}

function checkReason(label: string, spec: EventSpec, path: Path, context: CompileContext): void {
  const attributes = spec.attributes ?? {};
  if (Object.hasOwn(attributes, "reason")) return;
  const like = Object.keys(attributes).find((attribute) => attribute.trim().toLowerCase() === "reason");
  const message =
    like === undefined
      ? `${label}: a CANCEL event needs the attribute \`reason\` (service.md, Event endpoints, rule 9).`
      : `${label}: "${like}" is not recognised; the attribute of a CANCEL is named exactly \`reason\` (service.md, Event endpoints, rule 9).`;
  context.source.report("mapping-rule", like === undefined ? path : [...path, "attributes", like], message, {
    at: "key",
  });
}
