/** How to read a file, from the mapping or from detection. Absent fields: the reader's default. */
import type { z } from "zod";
import type { dialect } from "./lines/files.js";

/** `auto`: the first row that looks like a header; a number: that row; several: joined; `none`: columns by letter. */
export type HeaderOption = "auto" | "none" | number | number[];

export interface CsvOptions {
  /** `auto` (default): detected. */
  delimiter?: string;
  /** `auto` (default): `"`, or apostrophes where cells show them; null: no quoting. */
  quote?: string | null;
  /** `auto` (default): the quote doubled, or a backslash where cells show it. */
  escape?: string;
  /** Drop blanks around cells, outside their quotes. `auto` (default): detected. */
  trim?: boolean | "auto";
  /** `blank`: a row may end early; the cells that it lacks are blank. Default: a problem of the row. */
  shortRows?: "blank";
  /** `required`: a last line without its end is a problem of its row. Default: a note. */
  endsWithNewline?: "required";
  /** `auto` (default): BOM, else strict UTF-8, else `fallbackEncoding`; or a name that iconv-lite knows. */
  encoding?: string;
  /** Default windows-1252. */
  fallbackEncoding?: string;
}

export interface ExcelOptions {
  /** By name, position from 1, or pattern (`Manifest*`), or several of them. Default: the only visible sheet. */
  sheet?: string | number | (string | number)[];
  /**
   * `read`: like visible ones; `skip`: hidden rows count as skipped, hidden columns are left out. Default: hidden rows
   * and columns are read, with a note; hidden sheets only if named.
   */
  hidden?: "read" | "skip";
  /** Default false. */
  fillMerged?: boolean;
}

export interface ReadOptions {
  csv?: CsvOptions;
  excel?: ExcelOptions;
  header?: HeaderOption;
  /** Default: an empty file needs a person. */
  allowEmpty?: boolean;
}

/** As used: stored with the input, shown by `check`, and used for rejected files. */
export type Dialect = z.infer<typeof dialect>;
