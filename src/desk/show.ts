/** Everything the ledger knows of a named thing; while an import is running. */
import { namesNear, nearHint } from "../ledger/documents-named.js";
import { show, showRequests, type ShowWhat } from "../ledger/views/show/show.js";
import type { Shown } from "../model/lines/show.js";
import type { Target } from "../model/target.js";
import { reading } from "./access.js";

export type { Shown } from "../model/lines/show.js";

/** @throws RowferryError `ledger-missing` */
export const showAnything = (target: Target, text: string, what?: ShowWhat): Shown =>
  reading(target, (database) => show(database, text, what));

/** A hint for what is not known. */
export const nearAnything = (target: Target, text: string): string | undefined =>
  reading(target, (database) => nearHint(namesNear(database, text), "nothing-found"));

/** In ms, inclusive. */
export const showSentBetween = (target: Target, since: number, until: number, limit: number): Shown =>
  reading(target, (database) => showRequests(database, since, until, limit));
