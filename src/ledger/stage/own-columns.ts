/** The columns that a rejected file has beside the input's own (DESIGN section 7). */

export const isOwnColumn = (name: string): boolean => /^rowferry_(row|code|message|hint)$/i.test(name.trim());

/** Takes them out of a row's cells. */
export function withoutOwnColumns(header: readonly string[]): (cells: readonly string[]) => string[] {
  const own = new Set(header.flatMap((name, position) => (isOwnColumn(name) ? [position] : [])));
  return (cells) => (own.size === 0 ? [...cells] : cells.filter((_, position) => !own.has(position)));
}

/** Whether the header, as the ledger keeps it (a JSON array), is of a rejected file that has come back. */
export const isReferenceHeader = (header: string): boolean =>
  (JSON.parse(header) as string[]).some((name) => /^rowferry_row$/i.test(name.trim()));
