/** A place in a file of rows, a mapping or settings. Counts from 1. */
export interface Place {
  file?: string | undefined;
  sheet?: string | undefined;
  /** As a person sees it; in CSV the line on which the row begins. */
  row?: number | undefined;
  /** The header, or the letter without one. */
  column?: string | undefined;
  /** In a mapping or settings file. */
  line?: number | undefined;
  character?: number | undefined;
}

/** `manifests.csv, row 17, column "Peso Bruto"`; "" for an empty place. */
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
