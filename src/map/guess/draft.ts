/** What has been guessed of one table, before it is written down. */
import type { Column } from "./column.js";
import type { FlowValue, Member } from "./yaml-text.js";

/** How an event or document names its participant and address: by a record of the row, or by `ref` and `key`. */
export interface PartyDraft {
  participant: FlowValue;
  address: FlowValue;
}

export interface InputDraft {
  name: string;
  /** `files`, `csv` or `excel`, `header`. */
  reading: Member[];
  skip: Member[];
  participants: Member[];
  addresses: Member[];
  documents: Member[];
  events: Member[];
}

/** A table of organisations or places that rows of other tables refer to by code. */
export interface Directory {
  /** Name of its record in the mapping. */
  record: string;
  of: "participant" | "address";
  codes: ReadonlySet<string>;
}

/** `{ column: Peso, as: … }` with the column first. */
export function field(
  column: Column,
  more: { [name: string]: FlowValue | undefined } = {},
): { [name: string]: FlowValue | undefined } {
  if (column.clock !== undefined) return { template: `{${column.header}} {${column.clock}}`, ...more };
  return { column: column.header, ...more };
}
