/** A table of texts and what each of them gives. */
export function gives(title: string, of: (text: string) => unknown, table: { [text: string]: unknown }): void {
  it.each(Object.entries(table))(title, async (text, expected) => {
    expect(await of(text)).toEqual(expected);
  });
}
