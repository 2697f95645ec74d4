/**
 * The identity check (service.md, Events rules 2 and 3): within one request, inline participants of one natural key, and
 * inline addresses of one participant and place, must carry the same data. What an address is known by is not shown; here
 * it is its participant with the six create fields, so the data that may differ are the other ones.
 */
import type { Context } from "./context.js";
import { naturalKey, placeOf } from "./records.js";
import type { References } from "./references.js";
import { conflict } from "./refusal.js";
import type { RuleName } from "./rules.js";
import { addressInput } from "./schemas.js";

/** `carriers`: the events of a request, their targets, and the document. @throws Refusal 409 */
export function checkIdentities(context: Context, carriers: readonly References[], single = false): void {
  const participants = new Map<string, Record<string, unknown>>();
  const addresses = new Map<string, Record<string, unknown>>();
  for (const carrier of carriers) {
    if (carrier.participant !== undefined) {
      const key = naturalKey(carrier.participant);
      meet(
        context,
        participants,
        key,
        carrier.participant,
        single ? "events.single-identity" : "batch.identity-participant",
      );
    }
    if (carrier.address === undefined) continue;
    const address = addressInput.safeParse(carrier.address);
    if (!address.success) continue;
    const owner = carrier.participantId ?? (carrier.participant === undefined ? "" : naturalKey(carrier.participant));
    const key = `${owner} ${placeOf(address.data)}`;
    meet(context, addresses, key, address.data, single ? "events.single-identity" : "batch.identity-address");
  }
}

/** Fields that only one of both carries are no difference. */
function meet(
  context: Context,
  seen: Map<string, Record<string, unknown>>,
  key: string,
  data: Record<string, unknown>,
  rule: RuleName,
): void {
  const before = seen.get(key);
  if (before === undefined) {
    seen.set(key, data);
    return;
  }
  if (before === data) return;
  for (const [name, value] of Object.entries(data)) {
    if (before[name] !== undefined && before[name] !== value && context.rule(rule)) {
      throw conflict(`The same identity carries different data in one request: ${key} (${name})`);
    }
  }
  seen.set(key, { ...data, ...before });
}
