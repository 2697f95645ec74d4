/** How an input's files are to be read, as the readers take it. */
import type { CsvOptions, ExcelOptions, ReadOptions } from "../../model/dialect.js";
import type { InputSpec } from "../schema/mapping-schema.js";

/** Members that the mapping leaves out are absent, so that the readers' defaults hold. */
export function readOptions(spec: InputSpec): ReadOptions {
  const options: ReadOptions = {};
  if (spec.csv !== undefined) options.csv = defined<CsvOptions>(spec.csv);
  if (spec.excel !== undefined) options.excel = defined<ExcelOptions>(spec.excel);
  if (spec.header !== undefined) options.header = spec.header;
  if (spec.allowEmpty !== undefined) options.allowEmpty = spec.allowEmpty;
  return options;
}

function defined<T extends object>(object: { [name in keyof T]?: T[name] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
