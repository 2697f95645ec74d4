/** What a guess starts from: tables as the readers give them, and some of their rows. */
import type { Dialect } from "../../model/dialect.js";
import type { Row } from "../../model/row.js";

export interface GuessTable {
  /** The file's name without its folder. */
  file: string;
  /** Null for CSV. */
  sheet: string | null;
  header: string[];
  /** The number of the (last) header row; null or absent where it is not known. */
  headerRow?: number | null;
  dialect: Dialect;
  /** Rows to learn from, best from all over the file; a thousand are plenty. */
  sample: readonly Row[];
}

export interface GuessOptions {
  /** The mapping's namespace. Default: made of the first file's name. */
  namespace?: string;
  /** Two letters. Default: by the tax ids, else unknown. */
  country?: string;
  /** IANA name. Default: by the country, else UTC. */
  timezone?: string;
}

export interface Guess {
  /** The text of a mapping file that loads. */
  yaml: string;
  /** What a person should look at, one sentence each; the same sentences stand in the file as comments. */
  unsure: string[];
}
