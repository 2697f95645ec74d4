import type { ExitCode } from "./exit-code.js";

/** Printed by `rowferry explain <code>`. */
export interface CodeEntry {
  /** One sentence. */
  meaning: string;
  /** One or two sentences. */
  remedy: string;
  example: string;
  /** The same command may succeed later without any change. */
  transient?: true;
  /** Of a command that ends with this error; absent: the code marks a row or record. */
  exit?: ExitCode;
}
