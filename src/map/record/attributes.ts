/** An event's metadata.attributes by visibility; values are always text (service.md, Event). */
import type { Attribute } from "../../model/records.js";
import type { Headers } from "../column/headers.js";
import { asText, type View } from "../column/view.js";
import type { EventSpec, FieldInfo } from "../language/record-schema.js";
import type { Site } from "../language/site.js";
import { type Column, combine, derive, type Piece, type Reads } from "../piece.js";
import { compileField, isFormula, isPlainName } from "./fields.js";

/** Null: as public as the event. */
type Shown = Omit<Attribute, "isPublic"> & { isPublic: boolean | null };

const VISIBILITY = { public: true, private: false, asEvent: null };

export function compileAttributes(spec: NonNullable<EventSpec["attributes"]>, site: Site, needsReason: boolean) {
  const { lateAttribute } = site.scope.shared;
  const pieces: { [name: string]: Piece<Shown[]> } = {};
  const sets: Column[] = [];
  /** Columns of single attributes, which sets leave out. */
  const taken = new Map<string, Reads>();
  for (const [shown, isPublic] of Object.entries(VISIBILITY))
    for (const [name, value] of Object.entries(spec[shown as keyof typeof VISIBILITY] ?? {})) {
      const label = `${site.label.replace(/attributes$/, "")}attribute "${name}"`;
      const place = site.at(shown, site.label).at(name, label);
      if (name === "*") {
        const set = setOf(value, place);
        if (set === null) continue;
        sets.push(set);
        pieces[`${shown} *`] = spread(set, isPublic, taken);
      } else if (name === lateAttribute) {
        place.reportName("mapping-rule", ": `settings.late` writes the attribute of this name; rename one of them.");
      } else if (name !== name.trim()) {
        place.reportName("mapping-value", ": white space at an end makes it another name.", `Write "${name.trim()}".`);
      } else if (taken.has(name)) {
        place.reportName("mapping-value", ": it is listed under another visibility too.");
      } else if (isPlainName(name, place)) {
        const info: FieldInfo = { takes: "text", required: needsReason && name === "reason" };
        const field = compileField(value, info, place);
        taken.set(name, field.reads);
        pieces[`${shown} ${name}`] = derive(field, (text) => [{ name, value: String(text), isPublic }]);
      }
    }
  return {
    ...derive(combine(pieces), (values) => Object.values(values).flat()),
    /** Refuses names that two columns of this header would write. */
    bind: (headers: Headers, view: View) => {
      const seen = new Set<string>();
      for (const column of sets) bindSet(column, headers, view, taken, lateAttribute, seen);
    },
  };
}

/** Null: not a set, already reported. */
function setOf(value: unknown, site: Site): Column | null {
  const name = isFormula(value) ? value.slice(1).trim() : "";
  const column = site.scope.column(name);
  if (column?.set !== undefined) return column;
  const hint = 'Declare one under `columns:`, `measured: { headers: "Teor *" }`, and spread it: "*": =measured.';
  site.report("mapping-value", ": only a set of columns can be spread.", hint);
  return null;
}

/** One attribute per header, except those that a single attribute reads. */
function spread(
  { reads, tree, set, slot, type }: Column,
  isPublic: boolean | null,
  taken: ReadonlyMap<string, Reads>,
): Piece<Shown[]> {
  const run: Piece<Shown[]>["run"] = (view) => {
    const shown: Shown[] = [];
    let whole = true;
    for (const index of view.sets[slot] ?? []) {
      const name = view.header[index] ?? "";
      const value = taken.has(name) ? undefined : set?.at(view, index);
      if (value === null) whole = false;
      else if (value !== undefined && value !== "") shown.push({ name, value: asText(value, type), isPublic });
    }
    return whole ? shown : null;
  };
  return { reads, tree, run };
}

function bindSet(
  { set, slot }: Column,
  headers: Headers,
  view: View,
  taken: ReadonlyMap<string, Reads>,
  late: string | null,
  seen: Set<string>,
) {
  for (const index of view.sets[slot] ?? []) {
    const name = view.header[index] ?? "";
    const own = taken.get(name);
    const isOther = own !== undefined && ![...own.columns].some((one) => view.index[one.slot] === index);
    // Only the header shows this mistake.
    if (isOther || seen.has(name) || name === late)
      headers.ambiguous.push({
        message: `\`headers: ${set?.pattern ?? ""}\` takes the column "${name}", and the event has another attribute of this name`,
        hint: "List the column under `except`, next to `headers`, and name it under `columns:`, with `{ header: Note, nth: 2 of 2 }` for the second of two; or rename the attribute, which may be that of `settings.late`.",
      });
    seen.add(name);
  }
}
