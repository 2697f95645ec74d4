/** Settings that are valid but seldom meant, for `rowferry check`. */
import { IANAZone } from "luxon";
import { isJsonObject } from "../model/json.js";
import { eventsOf, type MappingSpec } from "./language/mapping-schema.js";
import { isAbbreviation } from "./convert/zone.js";
import type { MappingProblem, MappingSource, Path } from "./language/source.js";

/** `used`: the tables that formulas read. */
export function findWarnings(spec: MappingSpec, source: MappingSource, used: ReadonlySet<string>): MappingProblem[] {
  const lost = "This character stands for letters that another program could not read.";
  const again = "Type the letters again; otherwise they are sent as they are.";
  const garbled = source.lines("\uFFFD", "mapping-doubtful", () => lost, again).slice(0, 1);
  const warnings = [...findPlaceholders(spec, source), ...source.doubts, ...garbled];
  const warn = (place: Path, message: string, hint: string) =>
    warnings.push(source.describe("mapping-doubtful", place, message, { at: "key", hint }));
  const { timezone = "" } = spec.defaults ?? {};
  if (IANAZone.isValidZone(timezone) && (isAbbreviation(timezone) || NO_PLACE.test(timezone))) {
    const shown = new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "longOffset" });
    const offset = shown.formatToParts().find(({ type }) => type === "timeZoneName")?.value;
    const read = `${shown.resolvedOptions().timeZone}, today at ${offset}`;
    const hint = "Name a place, such as Europe/London: it has the offset of each day, and summer time.";
    warn(["defaults", "timezone"], `${timezone} names no place, and is read as ${read}.`, hint);
  }
  for (const name of Object.keys(spec.tables ?? {}).filter((one) => !used.has(one)))
    warn(["tables", name], `No formula reads the table "${name}".`, `Read it as tables.${name}[…], or remove it.`);
  for (const [inputName, input] of Object.entries(spec.inputs)) {
    const path = ["inputs", inputName];
    const kinds = [input.participants, input.addresses, input.documents, input.events];
    if (kinds.every((records) => Object.keys(records ?? {}).length === 0)) {
      const nothing = `Input "${inputName}" describes no records, so nothing from its rows is sent.`;
      warn(path, nothing, "Describe `documents` and `events`, or `participants`.");
    }
    for (const [event, { key, name, relatedDocument, target }] of Object.entries(eventsOf(input))) {
      const tell = (member: string, message: string, hint: string) =>
        warn([...path, "events", event, member], `event "${event}": ${message}`, hint);
      if (key === "content") {
        const edited = "`key: content` treats an edited row as a new event; the old one stays on the timeline.";
        tell("key", edited, "Key it by a column that identifies the event, if the file has one.");
      }
      if (relatedDocument !== undefined && typeof name === "string" && name !== "RELATED") {
        const other = `\`relatedDocument\` is described for RELATED events; this one is named ${name}.`;
        tell("relatedDocument", other, "Name the event RELATED, unless you know that the service accepts it.");
      }
      if ((name === "SPLIT" || name === "OUTPUT") && target === undefined)
        tell("name", `${name} without \`target\` creates no document.`, "Add a `target`.");
    }
  }
  return warnings;
}

/** Names of one offset all year; the sign of the last is reversed. */
const NO_PLACE = /^(?:EST|MST|HST|Etc\/GMT[+-][1-9]\d?|[+-]\d\d.*)$/;

const PLACEHOLDER = "?";
/** In free data an `id` may be anything; the others describe files. */
const FREE: ReadonlySet<string> = new Set(["fields", "attributes", "extra", "value", "columns", "csv", "excel"]);

/** In file order. */
export function findPlaceholders(spec: MappingSpec, source: MappingSource): MappingProblem[] {
  const found: MappingProblem[] = [];
  const message = (name: string) => `\`${name}: "${PLACEHOLDER}"\` is a placeholder that is still to be replaced.`;
  const hint =
    "Write the value that it stands for, or the column that holds it, as in `=city`; the service refuses a question mark.";
  const walk = (value: unknown, path: Path) => {
    if (!isJsonObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const place = [...path, name];
      // A draft runs in the sandbox with such placeholders.
      if (member === PLACEHOLDER && (name === "id" || spec.draft !== true))
        found.push(source.describe("mapping-doubtful", place, message(name), { hint }));
      else if (!FREE.has(name)) walk(member, place);
    }
  };
  const { participants, addresses, inputs } = spec;
  walk({ participants, addresses, inputs }, []);
  return found;
}
