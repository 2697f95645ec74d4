/** metadata.attributes of an event by visibility: each is public, private, or as the event is, and always text (service.md, Event). */
import type { Attribute } from "../../model/records.js";
import { type Column, merged } from "../formula/part.js";
import { asText, type View } from "../column/view.js";
import type { Headers } from "../column/headers.js";
import { newReads, type Reads } from "../formula/part.js";
import type { EventSpec, FieldInfo } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import type { RecordContext } from "./context.js";
import { compileValue } from "./values.js";

export interface Attributes {
  reads: Reads;
  tree: string;
  /** Refuses names that two columns of this header would write. */
  bind(headers: Headers, view: View): void;
  run(view: View, isPublic: boolean | null): Attribute[] | null;
}

type Read = (view: View, add: (name: string, value: string | null) => void) => void;
interface Entry {
  shown: "public" | "private" | "asEvent";
  read: Read;
}

/** `needsReason`: the event is a CANCEL. Null: they cannot be used, and why has been reported. */
export function compileAttributes(
  spec: NonNullable<EventSpec["attributes"]>,
  site: Site,
  { scope, lateAttribute }: RecordContext,
  needsReason: boolean,
): Attributes | null {
  const entries: Entry[] = [];
  const sets: { column: Column; site: Site }[] = [];
  const reads: Reads[] = [];
  const trees: string[] = [];
  const taken = new Map<string, Reads>();
  let failed = false;
  for (const shown of ["public", "private", "asEvent"] as const) {
    for (const [name, value] of Object.entries(spec[shown] ?? {})) {
      const place = site.at(shown, site.label).at(name, `${site.label.replace(/attributes$/, "")}attribute "${name}"`);
      if (name === "*") {
        const set = setOf(value, place, scope);
        if (set === null) failed = true;
        else {
          sets.push({ column: set, site: place });
          reads.push(set.reads);
          trees.push(set.tree);
          entries.push({ shown, read: spread(set, taken) });
        }
        continue;
      }
      if (name === lateAttribute) {
        place.reportName("mapping-rule", ": `settings.late` writes the attribute of this name; rename one of them.");
        failed = true;
        continue;
      }
      if (taken.has(name)) {
        place.reportName("mapping-value", ": it stands under another visibility too.");
        failed = true;
        continue;
      }
      const required = needsReason && name === "reason";
      const info: FieldInfo = { takes: "text", required, identity: false };
      const field = compileValue(value, info, place, scope);
      taken.set(name, field?.reads ?? newReads());
      if (field === null) {
        failed = true;
        continue;
      }
      reads.push(field.reads);
      trees.push(`${name} ${field.tree}`);
      entries.push({
        shown,
        read: (view, add) => {
          const text = field.run(view);
          if (text === null) add(name, null);
          else if (text !== undefined) add(name, String(text));
        },
      });
    }
  }
  if (failed) return null;
  return {
    reads: merged(reads),
    tree: trees.join(" "),
    bind: (headers, view) => {
      for (const { column } of sets) bindSet(column, headers, view, taken, lateAttribute);
    },
    run: (view, isPublic) => {
      const attributes: Attribute[] = [];
      let whole = true;
      for (const { shown, read } of entries) {
        read(view, (name, value) => {
          if (value === null || (shown === "asEvent" && isPublic === null)) whole = false;
          else attributes.push({ name, value, isPublic: shown === "asEvent" ? isPublic === true : shown === "public" });
        });
      }
      return whole ? attributes : null;
    },
  };
}

function setOf(value: unknown, site: Site, scope: RecordContext["scope"]): Column | null {
  const name = typeof value === "string" && value.startsWith("=") ? value.slice(1).trim() : "";
  const column = scope.column(name);
  if (column === null) return null;
  if (column?.set != null) return column;
  const hint = 'Declare one under `columns:`, `measured: { headers: "Teor *" }`, and spread it: "*": =measured.';
  return site.report("mapping-value", ": what is spread must be a set of columns.", hint);
}

/** One attribute for every header of the set; one that an attribute of that name reads already is left out. */
function spread({ set, slot, type }: Column, taken: ReadonlyMap<string, Reads>): Read {
  return (view, add) => {
    for (const index of view.sets[slot] ?? []) {
      const name = view.header[index] ?? "";
      if (taken.has(name)) continue;
      const value = set?.at(view, index);
      if (value === null) add(name, null);
      else if (value !== undefined && value !== "") add(name, asText(value, type));
    }
  };
}

function bindSet(
  column: Column,
  headers: Headers,
  view: View,
  taken: ReadonlyMap<string, Reads>,
  late: string | null,
): void {
  const pattern = column.set?.pattern ?? "";
  const seen = new Set<string>();
  for (const index of view.sets[column.slot] ?? []) {
    const name = view.header[index] ?? "";
    const own = taken.get(name);
    if (seen.has(name) || (own !== undefined && ![...own.columns].some(({ slot }) => view.index[slot] === index)))
      headers.refuse(
        `the attribute "${name}" and the column "${name}" that \`headers: ${pattern}\` takes write one name; list the column under \`except\``,
      );
    if (name === late)
      headers.refuse(
        `\`headers: ${pattern}\` takes the column "${name}", and \`settings.late\` writes the attribute of that name; rename the latter, or list the column under \`except\``,
      );
    seen.add(name);
  }
}
