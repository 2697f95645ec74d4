import { selectNamed, type Selectors } from "../ledger/decide/selection.js";
import { retry } from "../ledger/decide/dismiss.js";
import type { Summary } from "../model/summary.js";
import { reading } from "./ledger-access.js";
import { requireLedger, type ResumeOptions, run } from "../run/import.js";

/**
 * Rejected work that the selectors name goes back to planned; then all that is open is sent, as `resume` does.
 * @throws RowferryError `usage` where selectors fit nothing: no run is begun then
 */
export async function runRetry(options: ResumeOptions & { selectors: Selectors }): Promise<Summary> {
  const { selectors, ...rest } = options;
  requireLedger(options.target);
  reading(options.target, (database) => selectNamed(database, selectors));
  return run("retry", null, rest, (session) => {
    const { database, clock } = session;
    const count = retry(database, selectNamed(database, selectors), clock.now(), selectors.code === "row-gone");
    session.observe({ type: "notice", level: "info", code: null, message: `${count} refused records are tried again` });
    return Promise.resolve([]);
  });
}
