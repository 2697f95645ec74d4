/** Where something stands: in a file of rows, in a mapping file, in a settings file. Counting starts at 1. */
export interface Place {
  file?: string | undefined;
  sheet?: string | undefined;
  /** The row as a person sees it in the file: for CSV the line on which it begins. */
  row?: number | undefined;
  /** A column by its header, or by its letter where there is no header. */
  column?: string | undefined;
  /** A line of a text file that holds no rows (mapping, settings). */
  line?: number | undefined;
  /** The character on that line. */
  character?: number | undefined;
}

/** `manifests.csv, row 17, column "Peso Bruto"`; empty text for an empty place. */
export function describePlace(place: Place): string {
  const parts: string[] = [];
  if (place.file !== undefined) {
    const position = [place.line, place.line === undefined ? undefined : place.character];
    parts.push([place.file, ...position.filter((part) => part !== undefined)].join(":"));
  }
  if (place.sheet !== undefined) parts.push(`sheet "${place.sheet}"`);
  if (place.row !== undefined) parts.push(`row ${place.row}`);
  if (place.column !== undefined) parts.push(`column "${place.column}"`);
  return parts.join(", ");
}
