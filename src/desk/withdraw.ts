import type { Selectors } from "../ledger/decide/selection.js";
import { inTransaction } from "../ledger/transaction.js";
import { withdraw, type Withdrawn } from "../ledger/decide/withdraw.js";
import type { Clock } from "../model/clock.js";
import { RowferryError } from "../model/error.js";
import type { Target } from "../model/target.js";
import { requireLedger } from "../run/import.js";
import { alone } from "./ledger-access.js";

export type { Withdrawn } from "../ledger/decide/withdraw.js";

/**
 * Takes back what the selectors name and was never sent (HARD-CASES H39), under the lock. `confirm` is told what will go before
 * anything does, and may throw. @throws RowferryError `usage` without any selector, or where nothing fits; `ledger-locked`
 */
export async function withdrawSelected(
  target: Target,
  selectors: Selectors,
  options: { clock: Clock; waitForLock: boolean; signal?: AbortSignal },
  confirm: (withdrawn: Withdrawn) => Promise<void> = () => Promise.resolve(),
): Promise<Withdrawn> {
  requireLedger(target);
  if (Object.values(selectors).every((selector) => selector === undefined)) {
    throw new RowferryError("usage", "withdraw needs to be told what to take back.", {
      hint: "Name it with --input, --run, --row or --document.",
    });
  }
  return alone(target, options, async (database) => {
    const work = async () => withdraw(database, selectors);
    await confirm(await inTransaction(database, "ROLLBACK", work));
    return inTransaction(database, "COMMIT", work);
  });
}
