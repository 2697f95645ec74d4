import { ExitCode } from "./exit-code.js";

/** Printed by `rowferry explain <code>`. */
export interface CodeEntry {
  /** One sentence. */
  meaning: string;
  /** One or two sentences. */
  remedy: string;
  example: string;
  /** The same command may succeed later without any change. */
  transient?: true;
  /** The exit code of a command that ends with this error; absent: the code marks a row or record. */
  exit?: ExitCode;
}

/** Makes a code that marks a row or a record. */
export const mark = (meaning: string, remedy: string, example: string): CodeEntry => ({ meaning, remedy, example });

/** Makes a code of an error that ends the command. */
export const ending =
  (exit: ExitCode) =>
  (...told: Parameters<typeof mark>): CodeEntry => ({ ...mark(...told), exit });

export const usage = ending(ExitCode.usage);
export const person = ending(ExitCode.person);
export const again = ending(ExitCode.again);
export const unexpected = ending(ExitCode.unexpected);

export const passing = (entry: CodeEntry): CodeEntry => ({ ...entry, transient: true });
