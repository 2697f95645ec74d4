/** Shows what a decision would do and what could then be sent; changes nothing. */
import { type Chosen, chosenPart, createRegisteredView } from "../ledger/views/expected.js";
import { tallyHeld } from "../ledger/views/problems.js";
import type { Plan, ToldWaiting } from "../model/summary.js";
import type { Target } from "../model/target.js";
import { total } from "../report/outcome.js";
import { forecast, limitOf, secondsAtLimit } from "../run/forecast.js";
import type { ResumeOptions } from "../run/import.js";
import { rehearse } from "../run/plan.js";
import { type Decision, reading } from "./access.js";

export interface Foreseen<Done> extends Pick<Plan, "requests" | "secondsAtLimit" | "documents"> {
  done: Done;
  /** `refused`: those that were not before. */
  events: Plan["events"];
  /** Fewer held events than before. */
  released: number;
  waiting: ToldWaiting[];
}

export type ForeseeOptions = Omit<ResumeOptions, "limits" | "fresh"> & { waitForLock: boolean };

/** @throws RowferryError `ledger-missing`, and whatever the decision throws */
export function foresee<Done>(
  { waitForLock, ...options }: ForeseeOptions,
  decide: Decision<Done>,
): Promise<Foreseen<Done>> {
  reading(options.target, () => {});
  return rehearse({ ...options, fresh: false, limits: { waitForLock } }, null, async (session) => {
    const { database, clock } = session;
    const rejected = () =>
      database.values<number>("SELECT event_id FROM event_states WHERE state = 'rejected' AND dismissed = 0");
    // What an earlier decision has released may still be written as held; the decision itself knows no plan.
    database.exec("SAVEPOINT before");
    const before = await forecast(session);
    const already = new Set(rejected());
    database.exec("ROLLBACK TO before");
    const { done } = decide(database, clock.now());
    const { requests, secondsAtLimit: seconds, documents, events: then } = await forecast(session);
    const released = Math.max(0, before.events.held - then.held);
    const events = { ...then, refused: rejected().filter((id) => !already.has(id)).length };
    return { done, requests, secondsAtLimit: seconds, documents, events, released, waiting: tallyHeld(database) };
  });
}

/** @throws RowferryError `ledger-missing` */
export function foreseeVerify(target: Target, chosen: Chosen): Pick<Plan, "requests" | "secondsAtLimit"> {
  const requests = reading(target, (database) =>
    createRegisteredView(database, chosenPart(database, chosen)).countReads(),
  );
  return { requests, secondsAtLimit: secondsAtLimit(total(requests), limitOf({ target })) };
}
