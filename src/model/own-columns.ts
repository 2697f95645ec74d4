/** The columns that Rowferry adds to a rejected file. Spreadsheets may change their case or put blanks around them. */
export const ownColumns = ["rowferry_row", "rowferry_code", "rowferry_message", "rowferry_hint"] as const;

const folded = (name: string): string => name.trim().toLowerCase();

export const isOwnColumn = (name: string): boolean => (ownColumns as readonly string[]).includes(folded(name));

/** Its position; -1: absent. */
export const ownPosition = (header: readonly string[], column: (typeof ownColumns)[number]): number =>
  header.findIndex((name) => folded(name) === column);

/** What a column is called where a file may have its header twice, or none for it: `Peso`, `Peso (column 7)`, `column 8`. */
export function columnName(header: readonly string[], position: number): string {
  const name = header[position] ?? "";
  if (name === "") return `column ${position + 1}`;
  return header.indexOf(name) === header.lastIndexOf(name) ? name : `${name} (column ${position + 1})`;
}

/** Of the column that is called so; -1: absent, or several have this header. */
export function columnPosition(header: readonly string[], name: string): number {
  const only = header.indexOf(name);
  if (only !== -1 && columnName(header, only) === name) return only;
  const position = Number(/column (\d+)\)?$/.exec(name)?.[1] ?? 0) - 1;
  return position in header && columnName(header, position) === name ? position : -1;
}

/** Positions of the source's own columns. */
export const originalColumns = (header: readonly string[]): number[] =>
  header.flatMap((name, position) => (isOwnColumn(name) ? [] : [position]));
