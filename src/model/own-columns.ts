/** The columns that Rowferry adds to a rejected file. Spreadsheets may change their case or put blanks around them. */
export const ownColumns = ["rowferry_row", "rowferry_code", "rowferry_message", "rowferry_hint"] as const;

const folded = (name: string): string => name.trim().toLowerCase();

export const isOwnColumn = (name: string): boolean => (ownColumns as readonly string[]).includes(folded(name));

/** Its position; -1: absent. */
export const ownPosition = (header: readonly string[], column: (typeof ownColumns)[number]): number =>
  header.findIndex((name) => folded(name) === column);

/** Positions of the source's own columns. */
export const originalColumns = (header: readonly string[]): number[] =>
  header.flatMap((name, position) => (isOwnColumn(name) ? [] : [position]));
