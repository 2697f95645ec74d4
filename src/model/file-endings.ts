/** Endings of the names of files that can be read. */
const TABLE = "\\.(csv|tsv|tab|txt|psv|xlsx|xlsm)";
const PACKING = "\\.(gz|zst)";

export const READABLE = new RegExp(`${TABLE}(${PACKING})?$|\\.zip$`, "i");
export const PACKED = new RegExp(`${PACKING}$`, "i");

/** `nightly.csv.gz` → `nightly`. */
export const withoutEnding = (name: string): string =>
  name.replace(new RegExp(`(${PACKING}|\\.zip)$`, "i"), "").replace(new RegExp(`${TABLE}$`, "i"), "");
