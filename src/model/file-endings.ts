/** Endings of the names of files that can be read. */
const TABLE = "\\.(csv|tsv|tab|txt|psv|xlsx|xlsm|xltx|xltm)";
const PACKING = "\\.(gz|zst)";

export const READABLE = new RegExp(`${TABLE}(${PACKING})?$|\\.zip$`, "i");
/** Data that cannot be read, or not in this packing. Notes, mappings and pictures in a folder are no data. */
export const OTHER_DATA =
  /\.(xls|xlsb|xlt|ods|fods|numbers|slk|dif|prn|dat|jsonl?|ndjson|xml|parquet|avro|dbf|mdb|accdb|gz|zst|bz2|xz|lz4|7z|rar|tar|tgz|gpg|pgp)$/i;
export const PACKED = new RegExp(`${PACKING}$`, "i");

/** `nightly.csv.gz` → `nightly`. */
export const withoutEnding = (name: string): string =>
  name.replace(new RegExp(`(${PACKING}|\\.zip)$`, "i"), "").replace(new RegExp(`${TABLE}$`, "i"), "");
