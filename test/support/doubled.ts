/** What the sandbox has registered more than once in one dataset. */
import type { AddressRecord, ParticipantRecord, Sandbox } from "../../src/sandbox/index.js";

type Records = Pick<Sandbox["store"], "participants" | "addresses">;

/** `count`: 2 or more. */
interface Doubled<Item> {
  first: Item;
  count: number;
}

/** Under one natural key (open point 2). */
export const twinParticipants = (store: Records): Doubled<ParticipantRecord>[] =>
  doubled(store.participants(), ({ dataset, countryCode, taxIdType, taxId }) => [
    dataset,
    countryCode,
    taxIdType,
    taxId,
  ]);

/** For one participant and place (open point 5). */
export const doubledAddresses = (store: Records): Doubled<AddressRecord>[] =>
  doubled(store.addresses(), ({ dataset, participantId, name, street, number, city, countryState, countryCode }) => [
    dataset,
    participantId,
    name,
    street,
    number,
    city,
    countryState,
    countryCode,
  ]);

function doubled<Item>(items: readonly Item[], keyOf: (item: Item) => string[]): Doubled<Item>[] {
  return [...Map.groupBy(items, (item) => JSON.stringify(keyOf(item))).values()].flatMap((group) =>
    group.length > 1 ? [{ first: group[0] as Item, count: group.length }] : [],
  );
}
