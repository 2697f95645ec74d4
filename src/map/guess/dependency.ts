/** Which columns follow from another one: the owner of a manifest follows from its number, the weight does not. */
import type { Column } from "./column.js";

/** Parts of the groups that may disagree, since files hold mistakes. */
const tolerance = 0.03;
/** A column of the document itself is filled in nearly every row of it. */
const mostlyFilled = 0.9;

/** Rows of the sample by the key's value, blanks left out. */
export function groupsOf(key: Column): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [row, value] of key.values.entries()) {
    if (value === "") continue;
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [row]);
    else group.push(row);
  }
  return groups;
}

/** Whether rows with one key agree in the other column; false where no key occurs in two rows, which proves nothing. */
export function determines(groups: ReadonlyMap<string, readonly number[]>, other: Column): boolean {
  if (other.filled < mostlyFilled) return false;
  let told = 0;
  let broken = 0;
  for (const rows of groups.values()) {
    const values = new Set(rows.map((row) => other.values[row] ?? "").filter((value) => value !== ""));
    const filled = rows.filter((row) => other.values[row] !== "").length;
    if (filled < 2) continue;
    told += 1;
    if (values.size > 1) broken += 1;
  }
  return told > 0 && broken <= told * tolerance;
}

/** Whether rows with one key disagree in the other column more often than mistakes would make them. */
export function contradicts(groups: ReadonlyMap<string, readonly number[]>, other: Column): boolean {
  let several = 0;
  let broken = 0;
  for (const rows of groups.values()) {
    const values = new Set(rows.map((row) => other.values[row] ?? "").filter((value) => value !== ""));
    if (rows.length > 1) several += 1;
    if (values.size > 1) broken += 1;
  }
  return broken > several * tolerance;
}

/** Whether nearly all values of a column stand among those. */
export function within(column: Column, values: ReadonlySet<string>): boolean {
  if (column.distinct.size === 0) return false;
  const found = [...column.distinct].filter((value) => values.has(value)).length;
  return found >= column.distinct.size * 0.9;
}
