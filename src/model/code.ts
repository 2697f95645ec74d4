import type { ExitCode } from "./exit-code.js";

/** One entry of the closed list of codes; `rowferry explain <code>` prints it. */
export interface CodeEntry {
  /** One sentence: what has happened. */
  meaning: string;
  /** What a person can do about it, in one or two sentences. */
  remedy: string;
  /** A worked example: what was met, and what came of it. */
  example: string;
  /** The same thing may go well later without anybody changing anything. */
  transient?: true;
  /** The exit code of a command that ends with this error; absent where the code only ever marks a row or record. */
  exit?: ExitCode;
}
