/** Whether the same command could go on: whether anything that stands stalled would be sent by the next run. */
import { componentsOf, planPieces } from "../plan/plan-work.js";
import { planContext } from "./send-work.js";
import type { Session } from "./session.js";

/** False where all that is stalled waits for a person: for their word on doubt, a correction, a stranded document's id. */
export function canGoOn(session: Session): boolean {
  const stalled = new Set(session.work.stalledDocuments());
  if (stalled.size === 0) return false;
  const context = planContext(session, true);
  const isStalled = (state: string) => state === "stalled" || state === "sending";
  for (const documents of componentsOf(session.work)) {
    if (!documents.some((id) => stalled.has(id))) continue;
    for (const { requests } of planPieces(context, documents)) {
      if (requests.some(({ document, creates }) => creates && isStalled(document.state))) return true;
      if (requests.some(({ events }) => events.some(({ state }) => isStalled(state)))) return true;
    }
  }
  return false;
}
