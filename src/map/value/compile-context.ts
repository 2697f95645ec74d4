/** What the compilers of fields, conditions and records share while one mapping is compiled. */
import type { MappingSource } from "../source/mapping-source.js";
import type { Cells } from "./cells.js";
import type { ConversionShelf } from "./conversion-shelf.js";
import type { ExpressionCompiler } from "./expression.js";
import type { LookupTables } from "./lookup.js";

export interface CompileContext {
  /** Takes every mistake, with its place. */
  source: MappingSource;
  conversions: ConversionShelf;
  cells: Cells;
  lookups: LookupTables;
  expressions: ExpressionCompiler;
  /** Documents that go by another name in keys: by their label in the mapping. */
  labels: ReadonlyMap<string, string>;
  /** The attribute in which `settings.late` keeps the original time; null: none. */
  lateAttribute: string | null;
  /** Whether the input that is being compiled joins rows. */
  grouped: boolean;
}
