/** Moved: readers compare names in the same way. */
export * from "../model/fold.js";
