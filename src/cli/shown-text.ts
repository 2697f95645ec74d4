/** Named figures and texts as indented lines, for what has no table of its own. Empty members are left out. */
import { grouped } from "../report/figures.js";
import { plainLines, plainText } from "../report/plain-text.js";

/** `secondsAtLimit: 12` becomes `seconds at limit  12`; members called `type` are left out. */
export function shownText(shown: { [name: string]: unknown }, indent = ""): string {
  const entries = Object.entries(shown).filter(([name, value]) => name !== "type" && !isEmpty(value));
  const width = Math.max(0, ...entries.map(([name]) => spoken(name).length));
  return entries.map(([name, value]) => `${indent}${entryText(spoken(name), value, width, indent)}`).join("\n");
}

function entryText(name: string, value: unknown, width: number, indent: string): string {
  if (Array.isArray(value)) return `${name}\n${value.map((item) => `${indent}  - ${itemText(item)}`).join("\n")}`;
  if (typeof value === "object" && value !== null) return `${name}\n${shownText({ ...value }, `${indent}  `)}`;
  return `${name.padEnd(width)}  ${scalarText(value)}`;
}

function itemText(item: unknown): string {
  if (typeof item !== "object" || item === null) return scalarText(item);
  const members = Object.entries(item).filter(([, value]) => !isEmpty(value));
  return members
    .map(
      ([name, value]) =>
        `${spoken(name)} ${typeof value === "object" ? plainText(JSON.stringify(value)) : scalarText(value)}`,
    )
    .join(", ");
}

function scalarText(value: unknown): string {
  return typeof value === "number" ? groupedNumber(value) : plainLines(String(value));
}

function groupedNumber(value: number): string {
  return Number.isInteger(value) ? grouped(value) : String(Math.round(value * 10) / 10);
}

function spoken(name: string): string {
  return plainText(name).replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
