/**
 * Mappings as tests write them: an object, or YAML text without its version.
 *
 *     const files = { "weighings.yaml": mapping({
 *       namespace: "test", defaults: { timezone: "UTC", decimal: ",", dates: ["yyyy-MM-dd HH:mm"], country: "BR" },
 *       inputs: { weighings: {
 *         columns: { load: "Load", at: { header: "At", as: "timestamp" }, gross: { header: "Gross", as: "number" } },
 *         documents: { load: { key: "=load", participant: { id: "p" }, address: { id: "a" } } },
 *         events: { weighing: { name: "Weighing", key: "once", externalCreatedAt: "=at", isPublic: true,
 *           attributes: { public: { Gross: "=gross" } } } } } } }) };
 */
import { stringify } from "yaml";

export function mapping(source: string | object): string {
  if (typeof source === "string") return source.includes("version:") ? source : `version: 2\n${source}`;
  return stringify({ version: 2, ...source }, { lineWidth: 0, aliasDuplicateObjects: false });
}
