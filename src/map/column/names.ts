import { foldName } from "../../model/fold.js";
import type { MappingSource, Path } from "../language/source.js";

const RESERVED: ReadonlySet<string> = new Set(
  [
    "as break const continue else false for function if import in let loop null package namespace return true var void while",
    "bool bytes double duration int list map string type uint dyn",
    "file sheet row tables once content none otherwise",
  ].flatMap((line) => line.split(" ")),
);

/** Reports a name that formulas cannot use; the name to use instead, or its own. */
export function refuseName(name: string, source: MappingSource, path: Path): string {
  const usable = /^[a-z][a-z0-9_]*$/.test(name);
  if (usable && !RESERVED.has(name)) return name;
  const why = usable ? "has another meaning in formulas" : "must begin with a letter and consist of a–z, 0–9 and _";
  const message = `The name "${name}" ${why}.`;
  const better = columnSlug(name);
  source.report("mapping-value", path, message, { at: "key", hint: `Call it "${better}", say.` });
  return better;
}

/** `Peso Bruto (kg)` → `peso_bruto_kg`. */
export function columnSlug(header: string): string {
  const slug = foldName(header)
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  const named = /^[a-z]/.test(slug) ? slug : slug === "" ? "column" : `c_${slug}`;
  return RESERVED.has(named) ? `${named}_` : named;
}
