/** How a file is to be read: what a mapping says, and what a reader found. Absent members: the reader's default. */

/** `auto`: the first row that looks like a header; a number: that row; several: joined; `none`: columns by letter (A, B …). */
export type HeaderOption = "auto" | "none" | number | number[];

export interface CsvOptions {
  /** One character; default, and `auto`: detected. */
  delimiter?: string;
  /** Default, and `auto`: `"`, or apostrophes where they show; null: no quoting. */
  quote?: string | null;
  /** Default, and `auto`: the quote doubled, or a backslash where that shows. */
  escape?: string;
  /** Whether blanks around cells, outside their quotes, are no part of them. Default, and `auto`: where it shows. */
  trim?: boolean | "auto";
  /** `required`: a last line without its end is a problem of its row. Default: it is told. */
  endsWithNewline?: "required";
  /** `auto` (default): BOM, else strict UTF-8, else `fallbackEncoding`; or any name iconv-lite knows. */
  encoding?: string;
  /** Default windows-1252. */
  fallbackEncoding?: string;
}

export interface ExcelOptions {
  /** Sheet by name, by position counting from 1, or by pattern (`Manifest*`). Default: the only visible sheet. */
  sheet?: string | number;
  /**
   * `read`: hidden sheets, rows and columns are like any others; `skip`: hidden rows count as skipped, hidden columns are
   * left out. Default: hidden rows and columns are read, and that is said; hidden sheets only where they are named.
   */
  hidden?: "read" | "skip";
  /** Give every cell of a merged range the value of its first; default false. */
  fillMerged?: boolean;
}

export interface ReadOptions {
  csv?: CsvOptions;
  excel?: ExcelOptions;
  header?: HeaderOption;
  /** An empty file is a file of no rows; default: it needs a person. */
  allowEmpty?: boolean;
}

/** The dialect as used; stored with the input, shown by `check`, pinned by `guess`, and used to write rejected files. */
export type Dialect =
  | {
      format: "csv";
      encoding: string;
      bom: boolean;
      delimiter: string;
      quote: string | null;
      escape: string | null;
      /** Absent: no. */
      trim?: boolean;
      lineEnding: "\n" | "\r\n" | "\r";
      compression: "none" | "gzip" | "zip" | "zstd";
    }
  | {
      format: "xlsx";
      sheet: string;
      date1904: boolean;
      /** Of its columns, in characters; null: the usual one. Absent: all have that. */
      widths?: (number | null)[];
    };
