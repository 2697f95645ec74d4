import { selectNamed, type Selectors } from "../ledger/decide/selection.js";
import { dismiss, type Dismissed, undismiss } from "../ledger/decide/dismiss.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { beside, journaled } from "./ledger-access.js";

export type { Dismissed } from "../ledger/decide/dismiss.js";

/**
 * Gives up what the selectors name, beside a running import. What is only held is given up when a row or a code names
 * it, what is planned when a row does; a whole document, input or run gives up what is wrong with it and releases the rest
 * (HARD-CASES H13, H23). `undo`: takes up again what was given up.
 * @throws RowferryError `usage` without any selector, or where nothing fits
 */
export function dismissSelected(
  target: Target,
  selectors: Selectors,
  clock: Clock,
  journal: string | null = null,
  undo = false,
): Dismissed {
  if (Object.values(selectors).every((selector) => selector === undefined)) {
    throw new RowferryError("usage", "dismiss needs to be told what to give up.", {
      hint: "Name it with --row, --document, --code, --input or --run; `rowferry rejects` lists what there is.",
    });
  }
  const unsent = selectors.row !== undefined || selectors.code !== undefined ? "give up" : "release";
  return beside(target, (database) => {
    const now = clock.now();
    const work = () =>
      undo
        ? { ...undismiss(database, selectNamed(database, selectors, "given up"), now), left: 0 }
        : dismiss(database, selectNamed(database, selectors, "to give up"), unsent, now);
    return journaled(target, database, journal, now, work, () => null);
  });
}
